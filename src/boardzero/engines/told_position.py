"""A position as the process that answers tells it to the one that thinks: text and numbers, for which nothing is loaded."""

from typing import NamedTuple


class ToldPosition(NamedTuple):
    """A game, and what was played in it."""

    game: str  # its specification
    actions: tuple[int, ...] = ()
    start: str | None = None  # the board before these actions, where it is not the game's own start
