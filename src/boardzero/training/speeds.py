"""How fast self-play is."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields

from boardzero.replay.record import SelfPlayGame
from boardzero.search.forest import SearchCounts


@dataclass(frozen=True)
class Speeds:
    """What was done in so many seconds."""

    seconds: float
    games: int
    plies: int
    positions: int  # to learn from
    simulations: int
    evaluations: int
    cache_hits: int


class SpeedMeter:
    """Counts what all workers do, from one restart to the next."""

    def __init__(self, counts: Callable[[], SearchCounts]) -> None:
        """counts: what all searches did so far."""
        self._counts = counts
        self._games = self._plies = self._positions = 0
        self.restart()

    def restart(self) -> None:
        self._start = self._now()

    def count(self, games: Sequence[SelfPlayGame]) -> None:
        """Games that have ended."""
        self._games += len(games)
        self._plies += sum(game.plies for game in games)
        self._positions += sum(int(game.learned.sum()) for game in games)

    def since_restart(self) -> Speeds:
        now = self._now()
        differences = {field.name: getattr(now, field.name) - getattr(self._start, field.name) for field in fields(Speeds)}
        return Speeds(**{**differences, "seconds": max(differences["seconds"], 1e-9)})

    def _now(self) -> Speeds:
        counts = self._counts()
        return Speeds(
            time.perf_counter(),
            self._games,
            self._plies,
            self._positions,
            counts.simulations,
            counts.evaluations,
            counts.cache_hits,
        )
