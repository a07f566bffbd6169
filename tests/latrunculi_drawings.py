"""Latrunculi as drawings, for tests: one letter a square, one line a row.

X and O are free men, x and o captured ones; a1 is the bottom left square.
"""

from boardzero.games.catalogue import find_game
from boardzero.games.latrunculi import Latrunculi
from boardzero.games.position import Position

CAPTURED = """
    O....O
    ......
    ......
    .XoX..
    ......
    X....."""
SURROUNDED = """
    ......
    ......
    .XO...
    .OxO..
    ..O...
    .X...."""


def latrunculi(size: int = 6, **parameters: object) -> Latrunculi:
    pairs = {"start": "rows"} | parameters
    game = find_game(f"latrunculi:size={size}," + ",".join(f"{key}={value}" for key, value in pairs.items()))
    assert isinstance(game, Latrunculi)
    return game


def drawn(drawing: str, side: str = "X", counters: str = "", **parameters: object) -> Position:
    """The position of a drawing, one row a line."""
    rows = drawing.split()
    return Position(latrunculi(len(rows), **parameters), board=f"{'/'.join(rows)} {side} {counters}")


def drawing_of(position: Position) -> list[str]:
    return position.board.split()[0].split("/")


def targets(position: Position, square: str) -> set[str]:
    """Where the man on a square may go."""
    return {move.removeprefix(f"{square}-") for move in position.legal_moves() if move.startswith(f"{square}-")}


def check(move: str, drawings: str, side: str = "X") -> Position:
    """The move is legal on the left board and leads to the right one, which is returned."""
    left, right = zip(*(line.split() for line in drawings.strip().splitlines()), strict=True)
    position = drawn(" ".join(left), side)
    position.play(move)
    assert drawing_of(position) == list(right)
    return position
