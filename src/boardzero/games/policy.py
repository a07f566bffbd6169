"""Policy layouts: what the numbers of a game's actions mean.

A layout is a row of parts; each part numbers its actions from where the last one ended. Names of moves, symmetries and the
heads of networks all follow from the layout.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

Kind = Literal["cells", "columns", "moves", "single", "flat"]


@dataclass(frozen=True)
class Part:
    """One part of a layout.

    kind     cells    an action for each cell, row by row from the top left
             columns  an action for each column, from the left
             moves    an action for each pair of cells: from · cells + to
             single   one action, named by its text (`pass`)
             flat     `size` actions without geometry, named by their numbers
    text     what a cell's or move's name is led by (`x` in `xc3`), or the whole name of a single action
    """

    kind: Kind
    size: int
    text: str = ""


@dataclass(frozen=True)
class PolicyLayout:
    """The parts of one game's policy, in order."""

    parts: tuple[Part, ...]

    @property
    def size(self) -> int:
        """How many actions there are."""
        return sum(part.size for part in self.parts)

    def __iter__(self) -> Iterator[tuple[int, Part]]:
        """Each part with the number of its first action."""
        first = 0
        for part in self.parts:
            yield first, part
            first += part.size

    def locate(self, action: int) -> tuple[Part, int]:
        """The part that an action belongs to, and its number within that part."""
        for first, part in self:
            if first <= action < first + part.size:
                return part, action - first
        raise IndexError(f"action {action} is outside 0 … {self.size - 1}")


def cell_actions(rows: int, columns: int, text: str = "") -> Part:
    return Part("cells", rows * columns, text)


def column_actions(count: int) -> Part:
    return Part("columns", count)


def move_actions(rows: int, columns: int) -> Part:
    return Part("moves", (rows * columns) ** 2)


def single_action(text: str) -> Part:
    return Part("single", 1, text)


def flat_actions(size: int) -> Part:
    return Part("flat", size)
