"""The events of a run as TensorBoard shows them: `tensorboard --logdir RUN/tensorboard`."""

from dataclasses import asdict
from pathlib import Path

from torch.utils.tensorboard import SummaryWriter

from boardzero.events.training import GenerationDone, Measurement, NetworksCompared, PerfectPlayMeasured, StrengthMeasured

# The fields of a finished generation, by the group that they are shown in.
GROUPS = {
    "run": ("seconds", "steps"),
    "loss": (
        "total_loss",
        "policy_loss",
        "value_loss",
        "plies_left_loss",
        "final_board_loss",
        "validation_loss",
        "learning_rate",
    ),
    "games": ("games", "positions", "window", "mean_plies", "drawn"),
    "speed": (
        "selfplay_seconds",
        "training_seconds",
        "games_per_second",
        "positions_per_second",
        "simulations_per_second",
        "evaluations_per_second",
        "cache_hits",
    ),
}


class TensorBoardLog:
    """Writes a point for each generation; what an earlier start wrote about later generations is hidden."""

    def __init__(self, folder: Path, generation: int, value_weight: float = 1.0) -> None:
        """value_weight: of the value loss in the total, as in training."""
        self._value_weight = value_weight
        self._writer = SummaryWriter(str(folder), purge_step=generation + 1)

    def write(self, event: Measurement) -> None:
        match event:
            case PerfectPlayMeasured():
                self._add(f"perfect play/mistakes at {event.simulations} simulations", event.mistakes / event.positions, event)
            case NetworksCompared():
                games = event.wins + event.draws + event.losses
                self._add("gate/score of the newest", (event.wins + event.draws / 2) / games, event)
                self._add("gate/promoted", float(event.promoted), event)
            case StrengthMeasured():
                self._add_strength(event)
            case GenerationDone():
                fields = asdict(event) | {"total_loss": event.policy_loss + self._value_weight * event.value_loss}
                for group, names in GROUPS.items():
                    for name in names:
                        if fields[name] is not None:
                            self._add(f"{group}/{name}", fields[name], event)
                if event.resignable:
                    self._add("games/wrong resignations", event.wrongly_resignable / event.resignable, event)
        self._writer.flush()

    def _add_strength(self, event: StrengthMeasured) -> None:
        """Of earlier networks, the distance in generations names the curve: how far back is it that it can beat?"""
        opponent = event.opponent
        if event.kind == "previous":
            opponent = f"{event.generation - int(opponent.rpartition(' ')[2])} generations ago"
        scores = {
            "both sides": (event.score, event.interval),
            "moving first": (event.first_score, event.first_interval),
            "moving second": (event.second_score, event.second_interval),
        }
        for side, (score, (low, high)) in scores.items():
            self._add(f"score against {opponent}/{side}", score, event)
            self._add(f"score against {opponent}/{side}, at least (95 %)", low, event)
            self._add(f"score against {opponent}/{side}, at most (95 %)", high, event)

    def close(self) -> None:
        self._writer.close()

    def _add(self, name: str, value: float, event: Measurement) -> None:
        self._writer.add_scalar(name, value, event.generation)
