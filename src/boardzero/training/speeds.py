"""How fast self-play is, and what became of a generation."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields

from boardzero.events.training import GenerationDone
from boardzero.replay.record import SelfPlayGame
from boardzero.search.forest import SearchCounts
from boardzero.training.learner import LossReport
from boardzero.training.resigning import count_resignable
from boardzero.training.run_folder import Progress


@dataclass(frozen=True)
class Speeds:
    """What was done in so many seconds."""

    seconds: float
    games: int
    drawn: int  # games
    plies: int
    positions: int  # to learn from
    simulations: int
    evaluations: int
    cache_hits: int
    resignable: int  # games that went on although one side would have resigned
    wrongly_resignable: int  # those of them that this side did not lose


class SpeedMeter:
    """Counts what all workers do, from one restart to the next."""

    def __init__(self, counts: Callable[[], SearchCounts], resign_below: float = -1.0) -> None:
        """counts: what all searches did so far; resign_below: as in the settings."""
        self._counts, self._resign_below = counts, resign_below
        self._games = self._drawn = self._plies = self._positions = self._resignable = self._wrongly_resignable = 0
        self.restart()

    def restart(self) -> None:
        self._start = self._now()

    def count(self, games: Sequence[SelfPlayGame]) -> None:
        """Games that have ended."""
        self._games += len(games)
        self._drawn += sum(game.result == 0 for game in games)
        self._plies += sum(game.plies for game in games)
        self._positions += sum(int(game.learned.sum()) for game in games)
        if self._resign_below > -1:
            resignable, wrong = count_resignable(games, self._resign_below)
            self._resignable += resignable
            self._wrongly_resignable += wrong

    def since_restart(self) -> Speeds:
        now = self._now()
        differences = {field.name: getattr(now, field.name) - getattr(self._start, field.name) for field in fields(Speeds)}
        return Speeds(**{**differences, "seconds": max(differences["seconds"], 1e-9)})

    def _now(self) -> Speeds:
        counts = self._counts()
        return Speeds(
            time.perf_counter(),
            self._games,
            self._drawn,
            self._plies,
            self._positions,
            counts.simulations,
            counts.evaluations,
            counts.cache_hits,
            self._resignable,
            self._wrongly_resignable,
        )


def generation_done(
    progress: Progress,
    played: Speeds,
    report: LossReport,
    training_seconds: float,
    *,
    window: int,
    steps: int,
    best: int,
    game: str = "",
) -> GenerationDone:
    """What is told of a generation; window: positions in it; steps: in all; best: the generation that played this game."""
    return GenerationDone(
        generation=progress.generation,
        seconds=progress.seconds,
        games=progress.games,
        positions=progress.positions,
        window=window,
        mean_plies=played.plies / max(1, played.games),
        selfplay_seconds=played.seconds,
        training_seconds=training_seconds,
        simulations_per_second=played.simulations / played.seconds,
        evaluations_per_second=played.evaluations / played.seconds,
        cache_hits=played.cache_hits / max(1, played.evaluations + played.cache_hits),
        steps=steps,
        policy_loss=report.policy,
        value_loss=report.value,
        learning_rate=report.learning_rate,
        games_per_second=played.games / played.seconds,
        positions_per_second=played.positions / played.seconds,
        best=best,
        validation_loss=report.validation,
        resignable=played.resignable,
        wrongly_resignable=played.wrongly_resignable,
        game=game,
        plies_left_loss=report.plies_left,
        final_board_loss=report.final_board,
        drawn=played.drawn / max(1, played.games),
    )
