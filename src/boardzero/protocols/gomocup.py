"""The Gomocup (Piskvork) protocol: how tournament managers of Gomoku speak with programs, which they call brains.

A line is a command or an answer. Points are `x,y`: column and row, both from 0. Everything here is plain Python that imports
at once, so that a brain can answer while the compiled parts of boardzero are still being loaded.
"""

import re
from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple

SMALLEST, LARGEST = 5, 20  # rows and columns of a board
MOST_MILLISECONDS = 2**31 - 1  # what managers send for "no limit" of time_left; some send far more

EXACT_FIVE, CONTINUOUS, RENJU, CARO = 1, 2, 4, 8  # bits of `INFO rule`
COMMANDS = (
    "START",
    "RECTSTART",
    "RESTART",
    "BEGIN",
    "TURN",
    "PLAY",
    "BOARD",
    "SWAP2BOARD",
    "TAKEBACK",
    "INFO",
    "ABOUT",
    "END",
)


class Point(NamedTuple):
    """A cell: x is the column from the left, y the row from the top, both from 0."""

    x: int
    y: int

    def __str__(self) -> str:
        return f"{self.x},{self.y}"


@dataclass
class Board:
    """Stones as a manager tells them, in the order in which they came; True: the brain's own."""

    size: int
    stones: dict[Point, bool] = field(default_factory=dict)

    def has(self, point: Point) -> bool:
        """Is the point on the board?"""
        return 0 <= point.x < self.size and 0 <= point.y < self.size


class AnswerKind(Enum):
    """What a line from a brain is."""

    OK = "OK"
    MOVE = "move"
    SWAP = "SWAP"
    SUGGEST = "SUGGEST"  # a move that is made when the manager says PLAY
    ERROR = "ERROR"
    UNKNOWN = "UNKNOWN"
    TALK = "talk"  # MESSAGE, DEBUG and all that no manager waits for


def split_command(line: str) -> tuple[str, str]:
    """`turn 3,4` → (`TURN`, `3,4`); capitals do not matter in a command."""
    word, _, rest = line.strip().partition(" ")
    return word.upper(), rest.strip()


def parse_numbers(text: str, count: int) -> tuple[int, ...] | None:
    """Whole numbers with commas between them, exactly so many; None where the text is anything else."""
    parts = [part.strip() for part in text.split(",")]
    if len(parts) != count or not all(re.fullmatch(r"-?[0-9]{1,9}", part, re.ASCII) for part in parts):
        return None
    return tuple(map(int, parts))


def parse_point(text: str) -> Point | None:
    numbers = parse_numbers(text, 2)
    return Point(*numbers) if numbers else None


def parse_limit(text: str) -> int | None:
    """A number of milliseconds or bytes; None where it is none. Fractions are cut off."""
    match = re.fullmatch(r"(-?[0-9]{1,30})(\.[0-9]*)?", text.strip(), re.ASCII)
    return int(match[1]) if match else None


def parse_answer(line: str) -> tuple[AnswerKind, tuple[Point, ...], str]:
    """The kind of a brain's line, its points (of a move; several after SWAP2BOARD), and its text."""
    text = line.strip()
    if points := _points(text):
        return AnswerKind.MOVE, points, text
    word, rest = split_command(text)
    if word == AnswerKind.SUGGEST.value:
        return AnswerKind.SUGGEST, _points(rest), text
    for kind in (AnswerKind.OK, AnswerKind.SWAP, AnswerKind.ERROR, AnswerKind.UNKNOWN):
        if word == kind.value:
            return kind, (), rest
    return AnswerKind.TALK, (), text


def _points(text: str) -> tuple[Point, ...]:
    """Points with spaces between them; none where the text is anything else."""
    points = [parse_point(word) for word in text.split()]
    return () if None in points else tuple(point for point in points if point is not None)


def one_line(text: str) -> str:
    """A text as it may stand in an answer: printable, on one line, not long."""
    return "".join(letter if letter.isprintable() else "?" for letter in " ".join(text.split()))[:200]
