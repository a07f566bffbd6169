"""The events of a run as TensorBoard shows them: `tensorboard --logdir RUN/tensorboard`."""

from dataclasses import asdict
from pathlib import Path

from torch.utils.tensorboard import SummaryWriter

from boardzero.events.training import GenerationDone, PerfectPlayMeasured

# The fields of a finished generation, by the group that they are shown in.
GROUPS = {
    "loss": ("policy_loss", "value_loss", "learning_rate"),
    "games": ("games", "positions", "window", "mean_plies"),
    "speed": ("selfplay_seconds", "training_seconds", "simulations_per_second", "evaluations_per_second", "cache_hits"),
}


class TensorBoardLog:
    """Writes a point for each generation; what an earlier start wrote about later generations is hidden."""

    def __init__(self, folder: Path, generation: int) -> None:
        self._writer = SummaryWriter(str(folder), purge_step=generation + 1)

    def write(self, event: GenerationDone | PerfectPlayMeasured) -> None:
        if isinstance(event, PerfectPlayMeasured):
            self._add(f"perfect play/mistakes at {event.simulations} simulations", event.mistakes / event.positions, event)
        else:
            fields = asdict(event)
            for group, names in GROUPS.items():
                for name in names:
                    self._add(f"{group}/{name}", fields[name], event)
        self._writer.flush()

    def close(self) -> None:
        self._writer.close()

    def _add(self, name: str, value: float, event: GenerationDone | PerfectPlayMeasured) -> None:
        self._writer.add_scalar(name, value, event.generation)
