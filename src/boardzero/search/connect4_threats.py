"""What can be seen on a Connect Four bitboard without searching: winning cells, moves that do not lose at once, keys.

Bitboards are laid out as in `games/connect4.py`: column by column, `height` = rows + 1 bits each, at most 64 in all.
"""

import numpy as np
import numpy.typing as npt
from numba import uint64

from boardzero.games.bits import signed
from boardzero.games.compiled import compiled_without_allocation

ONE, NOTHING, FOUR = np.uint64(1), np.uint64(0), np.uint64(4)

# What the search needs to know about a board, as words of one array; a word for each column follows, the middle ones first.
HEIGHT, CONNECT, BOTTOM, BOARD, COLUMNS, FIRST_COLUMN = range(6)
Board = npt.NDArray[np.uint64]


def describe_board(rows: int, columns: int, connect: int) -> Board:
    """[FIRST_COLUMN + columns]: the words named above, then the cells of each column in the order of a first guess."""
    height = rows + 1
    bottom = sum(1 << column * height for column in range(columns))
    column_cells = [((1 << rows) - 1) << column * height for column in range(columns)]
    from_the_middle = sorted(range(columns), key=lambda column: abs(2 * column - (columns - 1)))
    words = [height, connect, bottom, sum(column_cells), columns]
    return np.array([*words, *(column_cells[column] for column in from_the_middle)], np.uint64)


def bitboard(occupied: npt.NDArray[np.bool_]) -> np.uint64:
    """The bits of the occupied cells of a board [rows, columns], top row first."""
    rows = len(occupied)
    cells = zip(*np.nonzero(occupied), strict=True)
    return np.uint64(sum(1 << int(column) * (rows + 1) + rows - 1 - int(row) for row, column in cells))


@compiled_without_allocation()
def cells_completing_four(stones: np.uint64, step: np.uint64) -> np.uint64:
    """Cells that with three of the stones make four in a line, neighbours in the line being `step` bits apart."""
    above = stones << step
    below = stones >> step
    two_above = above & (above << step)
    two_below = below & (below >> step)
    far_above = above << step << step
    far_below = below >> step >> step
    return (two_above & (far_above | below)) | (two_below & (far_below | above))


@compiled_without_allocation()
def cells_completing_line(stones: np.uint64, step: np.uint64, connect: np.uint64) -> np.uint64:
    """The same for any length: some stones in a row right before the cell and the others right after it."""
    cells = NOTHING
    before = ~NOTHING
    shifted_before = stones
    for count_before in range(signed(connect)):
        after = before
        shifted_after = stones
        for _ in range(signed(connect) - 1 - count_before):
            shifted_after = shifted_after >> step
            after &= shifted_after
        cells |= after
        shifted_before = shifted_before << step
        before &= shifted_before
    return cells


@compiled_without_allocation(uint64(uint64[::1], uint64, uint64))
def winning_cells(board: Board, stones: np.uint64, all_stones: np.uint64) -> np.uint64:
    """Empty cells, reachable now or not, on which the owner of `stones` would complete a line."""
    height, connect = board[HEIGHT], board[CONNECT]
    if connect == FOUR:
        below = stones << ONE
        cells = (
            (below & (below << ONE) & (below << ONE << ONE))
            | cells_completing_four(stones, height)
            | cells_completing_four(stones, height - ONE)
            | cells_completing_four(stones, height + ONE)
        )
    else:
        cells = (
            cells_completing_line(stones, ONE, connect)
            | cells_completing_line(stones, height, connect)
            | cells_completing_line(stones, height - ONE, connect)
            | cells_completing_line(stones, height + ONE, connect)
        )
    return cells & (board[BOARD] ^ all_stones)


@compiled_without_allocation(uint64(uint64[::1], uint64))
def playable_cells(board: Board, all_stones: np.uint64) -> np.uint64:
    """The lowest empty cell of each column that is not full."""
    return (all_stones + board[BOTTOM]) & board[BOARD]


@compiled_without_allocation(uint64(uint64[::1], uint64, uint64))
def safe_cells(board: Board, own: np.uint64, all_stones: np.uint64) -> np.uint64:
    """Playable cells after which the other side cannot win with its next stone."""
    threatened = winning_cells(board, own ^ all_stones, all_stones)
    playable = playable_cells(board, all_stones)
    forced = playable & threatened
    if forced != NOTHING:
        if forced & (forced - ONE) != NOTHING:  # two threats at once cannot both be met
            return NOTHING
        playable = forced
    return playable & ~(threatened >> ONE)  # a stone right below a threatened cell opens it


@compiled_without_allocation(uint64(uint64, uint64))
def position_key(own: np.uint64, all_stones: np.uint64) -> np.uint64:
    """A different number for every position of a board: in each column the sum tells how many stones and whose."""
    return own + all_stones


def mirrored(word: int, rows: int, columns: int) -> int:
    """A bitboard or a position's key with its columns in reverse order."""
    height = rows + 1
    column_bits = (1 << height) - 1
    return sum((word >> column * height & column_bits) << (columns - 1 - column) * height for column in range(columns))
