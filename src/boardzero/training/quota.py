"""How much has been played since the last training, and how much makes the next one."""

import math
from collections.abc import Callable, Sequence

from boardzero.replay.record import SelfPlayGame
from boardzero.replay.replay import GameTotals
from boardzero.selfplay.source import Goal
from boardzero.settings.run import RunSettings

MOST_AHEAD = 3  # trainings' worth of games that may wait for the learner


class Quota:
    """Counts new games, and the positions in them that are to be learned from, until there are enough."""

    def __init__(
        self,
        settings: RunSettings,
        waiting: GameTotals,
        window: Callable[[], int],
        generation: Callable[[], int],
        copied: int = 0,
    ) -> None:
        """waiting: what there is already; window: positions in it; generation: of the newest network.

        copied: positions of another run, which the first training is to learn from.
        """
        self._settings, self._training, self._window, self._generation = settings, settings.training, window, generation
        self._copied = copied
        self.games, self.positions = waiting.games, waiting.positions
        self.learned_games = self.learned_positions = 0  # what the training that was begun last learns from

    @property
    def unit(self) -> str:
        """What is counted."""
        return "games" if self._training.games else "positions"

    @property
    def counted(self) -> int:
        """New positions, or games, so far."""
        return self.games if self._training.games else self.positions

    @property
    def wanted(self) -> int:
        """New positions to learn from (or games, where the settings count them) that make a generation."""
        if self._training.games:
            return self._training.games
        return self._training.first_positions if self._generation() == 0 else self._training.positions

    def is_reached(self) -> bool:
        """Are there enough new positions for a training, and enough in a window that may have been cleared?"""
        cleared = self._settings.replay.window.clear_on_promotion
        filled = self._window() >= (self._training.first_positions if cleared else 1)
        return filled and self.positions > 0 and self.counted >= self.wanted

    @property
    def is_far_passed(self) -> bool:
        """Is there already as much as several trainings want? Then those who play may wait for the learner."""
        return self.is_reached() and self.counted >= MOST_AHEAD * self.wanted

    def goal(self) -> Goal:
        """How much is wanting until there is enough."""
        wanting, room = max(1, self.wanted - self.counted), 0
        if self._settings.replay.window.clear_on_promotion:
            room = self._training.first_positions - self._window()
        if self._training.games:
            return Goal(games=wanting, positions=room)
        return Goal(positions=max(wanting, room))

    def count(self, games: Sequence[SelfPlayGame]) -> None:
        """Games that have just ended."""
        self.games += len(games)
        self.positions += sum(int(game.learned.sum()) for game in games)

    def begin_training(self) -> None:
        """From now on, games count for the next generation but one."""
        self.learned_games, self.learned_positions = self.games, self.positions
        self.games = self.positions = 0

    def steps(self) -> int:
        """Of the training that was begun: as many as let each new position be used so often as the settings say.

        What has left the window cannot be used any more. Beside self-play that is ahead, trainings must not become longer and
        longer: a run that is killed again and again would never end its first one.
        """
        positions = min(self.learned_positions, self._window())
        if self._settings.mode == "concurrent" and not self._training.games:
            positions = min(positions, max(self.wanted, self._copied if self._generation() == 0 else 0))
        return self._training.steps or max(1, math.ceil(positions * self._training.passes / self._training.batch))
