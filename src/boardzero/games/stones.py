"""Boards of any size on which stones are only ever added, and lines of stones win: Gomoku, large Connect Four.

State: header, then the stones of the player to move, then those of the other player, each in ⌈cells / 64⌉ words; cell i is
bit i % 64 of word i // 64, cells row by row from the top left.
"""

import numpy as np
import numpy.typing as npt

from boardzero.games.board_setup import words_from_cells
from boardzero.games.compiled import compiled
from boardzero.games.rules import Planes, State

ONE, NOTHING = np.uint64(1), np.uint64(0)


@compiled()
def has_stone(state: State, first_word: int, cell: int) -> bool:
    """Is there a stone on a cell, among those that begin at first_word?"""
    return state[first_word + (cell >> 6)] >> np.uint64(cell & 63) & ONE != NOTHING


@compiled()
def stones_in_direction(
    state: State, first_word: int, rows: int, columns: int, row: int, column: int, down: int, right: int
) -> int:
    """How many stones follow one another from a cell (not counted) in one direction."""
    count = 0
    row += down
    column += right
    while 0 <= row < rows and 0 <= column < columns and has_stone(state, first_word, row * columns + column):
        count += 1
        row += down
        column += right
    return count


@compiled()
def makes_line(state: State, first_word: int, rows: int, columns: int, cell: int, length: int, exact: bool) -> bool:
    """Does the stone on this cell stand in a line of at least (or exactly) this length?"""
    row, column = cell // columns, cell % columns
    for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
        line = (
            1
            + stones_in_direction(state, first_word, rows, columns, row, column, down, right)
            + stones_in_direction(state, first_word, rows, columns, row, column, -down, -right)
        )
        if line == length or (line > length and not exact):
            return True
    return False


@compiled()
def place_stone(state: State, words: int, cell: int, next_state: State) -> None:
    """Everything but the header: the mover's stone is added and the two sides change places."""
    for word in range(words):
        next_state[1 + word] = state[1 + words + word]
        next_state[1 + words + word] = state[1 + word]
    next_state[1 + words + (cell >> 6)] |= ONE << np.uint64(cell & 63)


@compiled()
def encode_stones(state: State, words: int, rows: int, columns: int, planes: Planes) -> None:
    """Plane 0: own stones; plane 1: the other player's."""
    for row in range(rows):
        for column in range(columns):
            cell = row * columns + column
            shift = np.uint64(cell & 63)
            planes[0, row, column] = state[1 + (cell >> 6)] >> shift & ONE
            planes[1, row, column] = state[1 + words + (cell >> 6)] >> shift & ONE


def has_line(occupied: npt.NDArray[np.bool_], length: int, exact: bool) -> bool:
    """Is there a line of at least (or exactly) this length anywhere among these stones, occupied[row, column]?"""
    rows, columns = occupied.shape
    stones = words_from_cells(occupied, (occupied.size + 63) // 64)
    return any(makes_line(stones, 0, rows, columns, int(cell), length, exact) for cell in np.flatnonzero(occupied))
