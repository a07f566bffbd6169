"""Time limits, and how much of it a player is told to use."""

import math
from dataclasses import dataclass

from boardzero.errors import BadInput

MOVES_AHEAD = 20  # a game's time is spread over at most this many moves to come
# What players are not told about, so that answering late by little is no loss: this share of a limit, but so many seconds
# at least (a busy machine may not run a player for some milliseconds) and at most, and never more than half of it.
MARGIN, SMALLEST_MARGIN, LARGEST_MARGIN = 0.1, 0.015, 0.5


@dataclass(frozen=True)
class Clock:
    """The limits of each side, in seconds; None means as long as it likes. A side that oversteps one has lost.

    A player runs in this process and cannot be interrupted: what it took is judged when it has answered.
    """

    per_move: float | None = None
    per_game: float | None = None

    def __post_init__(self) -> None:
        for name, limit in (("move", self.per_move), ("game", self.per_game)):
            if limit is not None and not (0 < limit < math.inf):
                raise BadInput(f"The seconds per {name} are {limit:g}; they must be more than 0.")

    @property
    def runs(self) -> bool:
        return self.per_move is not None or self.per_game is not None

    def left(self, spent: float) -> float | None:
        """What is left of the game's time, for a side that has spent so much; None: there is no such limit."""
        return None if self.per_game is None else self.per_game - spent

    def limit(self, spent: float) -> float:
        """What the next move may take at most, for a side that has spent so much in this game."""
        left = math.inf if self.per_game is None else self.per_game - spent
        return min(left, math.inf if self.per_move is None else self.per_move)

    def advice(self, spent: float, moves_to_come: int) -> float | None:
        """What the player is told to use: less than the limit, and a fair share of what is left of the game's time."""
        limit = self.limit(spent)
        if limit == math.inf:
            return None
        advised = limit - min(max(SMALLEST_MARGIN, MARGIN * limit), LARGEST_MARGIN, limit / 2)
        if self.per_game is not None:
            advised = min(advised, (self.per_game - spent) / max(2, min(MOVES_AHEAD, moves_to_come)))
        return max(advised, 0.0)


NO_CLOCK = Clock()
