"""The window: which of the newest games are learned from.

Games leave in the order in which they came, so a window is told by its first game. As games come, that first game only ever
moves on: no setting brings a game back that has left.
"""

import numpy as np
import numpy.typing as npt

from boardzero.settings.replay import WindowSettings


class Window:
    """The rule that says which games stay."""

    def __init__(self, settings: WindowSettings) -> None:
        self.settings = settings

    def first_kept(self, generations: npt.NDArray[np.int32], positions: npt.NDArray[np.int64], total_positions: int) -> int:
        """The index of the oldest game that stays.

        generations      [games]  of the games that are there, in the order they came
        positions        [games]  how many positions each has
        total_positions  of all games ever, also of those that have left
        """
        settings, games = self.settings, len(generations)
        match settings.kind:
            case "games":
                return max(games - settings.games, 0)
            case "positions":
                return _first_of_newest(positions, settings.positions)
            case "growing":
                wanted = int(settings.growing_fraction * total_positions)
                return _first_of_newest(positions, min(max(wanted, settings.growing_least), settings.growing_most))
            case "generations" if games:
                newest = int(generations.max())
                is_kept = generations > newest - settings.generations_at(newest)
                return int(np.argmax(is_kept))
            case _:
                return 0


def _first_of_newest(positions: npt.NDArray[np.int64], wanted: int) -> int:
    """The fewest newest games that hold as many positions as wanted; all, if there are not so many."""
    held = np.cumsum(positions[::-1])  # by the newest game, the newest two, …
    needed = int(np.searchsorted(held, wanted)) + 1
    return max(len(positions) - needed, 0)
