"""What an exact Othello search needs to know of the board: discs turned (faster than the rules need it), stable discs, results.

Boards are eight cells wide whatever their size, as in `games/othello.py`: row r, column c is bit 8 r + c.
"""

import numpy as np
import numpy.typing as npt
from numba import int64, types, uint64
from numba.extending import intrinsic, overload

from boardzero.games.bits import count_bits
from boardzero.games.compiled import compiled, compiled_without_allocation
from boardzero.games.othello import BOARDS, DOWN, DOWN_LEFT, DOWN_RIGHT, RIGHT

ONE, NOTHING, TOP = np.uint64(1), np.uint64(0), np.uint64(1 << 63)
NOT_LEFT, NOT_RIGHT = np.uint64(0xFEFEFEFEFEFEFEFE), np.uint64(0x7F7F7F7F7F7F7F7F)

# What the search needs to know about a size, as words of one array.
BOARD, CELLS, CORNERS, FIRST_QUADRANT = range(4)
Geometry = npt.NDArray[np.uint64]


def describe_board(size: int) -> Geometry:
    """[FIRST_QUADRANT + 4]: all cells, how many, the corners, and the cells of each quarter of the board."""
    middle, last = size // 2, size - 1
    halves = (range(middle), range(middle, size))
    quadrants = [sum(1 << 8 * row + column for row in rows for column in columns) for rows in halves for columns in halves]
    corners = sum(1 << 8 * row + column for row in (0, last) for column in (0, last))
    return np.array([int(BOARDS[size]), size * size, corners, *quadrants], np.uint64)


def _rays() -> npt.NDArray[np.uint64]:
    """[64, 8]: the cells from each cell to the edge, in the four directions of higher bits, then the four of lower ones."""
    rays = np.zeros((64, 8), np.uint64)
    for cell in range(64):
        for direction, (down, right) in enumerate([(0, 1), (1, -1), (1, 0), (1, 1), (0, -1), (-1, 1), (-1, 0), (-1, -1)]):
            row, column = cell // 8 + down, cell % 8 + right
            while 0 <= row < 8 and 0 <= column < 8:
                rays[cell, direction] |= np.uint64(1 << 8 * row + column)
                row, column = row + down, column + right
    return rays


RAYS = _rays()


def leading_zeros(word: np.uint64) -> np.uint64:
    """How many bits above the highest set one; the word must not be 0."""
    return np.uint64(64 - int(word).bit_length())


@intrinsic
def _leading_zeros(typing_context, word):  # type: ignore[no-untyped-def]
    def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        return builder.ctlz(arguments[0], context.get_constant(types.boolean, True))

    return types.uint64(types.uint64), generate


@overload(leading_zeros, inline="always")
def _leading_zeros_compiled(word):  # type: ignore[no-untyped-def]
    return lambda word: _leading_zeros(word)  # type: ignore[call-arg]


@compiled_without_allocation()
def turned_ahead(ray: np.uint64, own: np.uint64, other: np.uint64) -> np.uint64:
    """Discs turned along a ray of higher bits: adding 1 carries through the other's run to the first cell behind it."""
    end = ((other | ~ray) + ONE) & ray & own
    return (end - np.uint64(end != NOTHING)) & ray


@compiled_without_allocation()
def turned_back(ray: np.uint64, own: np.uint64, other: np.uint64) -> np.uint64:
    """Discs turned along a ray of lower bits: the highest cell that is not the other's ends the run."""
    end = (TOP >> leading_zeros((~other & ray) | ONE)) & ray & own
    return (NOTHING - (end << ONE)) & ray


@compiled()
def discs_turned(cell: int, own: np.uint64, other: np.uint64) -> np.uint64:
    """The other's discs that an own disc on an empty cell turns; none if the move is not legal."""
    return (
        turned_ahead(RAYS[cell, 0], own, other)
        | turned_ahead(RAYS[cell, 1], own, other)
        | turned_ahead(RAYS[cell, 2], own, other)
        | turned_ahead(RAYS[cell, 3], own, other)
        | turned_back(RAYS[cell, 4], own, other)
        | turned_back(RAYS[cell, 5], own, other)
        | turned_back(RAYS[cell, 6], own, other)
        | turned_back(RAYS[cell, 7], own, other)
    )


@compiled(int64(uint64, uint64, int64))
def final_score(own: np.uint64, other: np.uint64, cells: int) -> int:
    """The disc difference of a finished game for the owner of `own`; cells left empty count for the winner."""
    own_count, other_count = count_bits(own), count_bits(other)
    if own_count > other_count:
        return cells - 2 * other_count
    if own_count < other_count:
        return 2 * own_count - cells
    return 0


@compiled_without_allocation()
def odd_quadrants(geometry: Geometry, empty: np.uint64) -> np.uint64:
    """The cells of the quarters with an odd number of empty cells, where it is good to play last, so to play now."""
    cells = NOTHING
    for quadrant in range(FIRST_QUADRANT, FIRST_QUADRANT + 4):
        if count_bits(empty & geometry[quadrant]) & 1:
            cells |= geometry[quadrant]
    return cells


@compiled_without_allocation()
def both_neighbours(cells: np.uint64, step: np.uint64, ahead: np.uint64, back: np.uint64) -> np.uint64:
    """Cells one step away along an axis; the masks keep what would run over the side of the board."""
    return (cells << step & ahead) | (cells >> step & back)


@compiled_without_allocation()
def safe_along(board: np.uint64, empty: np.uint64, step: np.uint64, ahead: np.uint64, back: np.uint64) -> np.uint64:
    """Cells that cannot be flanked along an axis: their line is full, or they stand at its end."""
    open_lines = empty
    for _ in range(7):
        open_lines |= both_neighbours(open_lines, step, ahead, back) & board
    inside = (board << step & ahead) & (board >> step & back)
    return ~open_lines | ~inside


@compiled()
def stable_discs(board: np.uint64, own: np.uint64, empty: np.uint64) -> np.uint64:
    """Own discs that can never be turned (not all, but only such): along each axis safe, or next to a stable disc."""
    everything = ~NOTHING
    safe_across = safe_along(board, empty, RIGHT, NOT_LEFT, NOT_RIGHT)
    safe_down = safe_along(board, empty, DOWN, everything, everything)
    safe_left = safe_along(board, empty, DOWN_LEFT, NOT_RIGHT, NOT_LEFT)
    safe_right = safe_along(board, empty, DOWN_RIGHT, NOT_LEFT, NOT_RIGHT)
    stable = own & safe_across & safe_down & safe_left & safe_right
    while True:
        more = (
            own
            & (safe_across | both_neighbours(stable, RIGHT, NOT_LEFT, NOT_RIGHT))
            & (safe_down | both_neighbours(stable, DOWN, everything, everything))
            & (safe_left | both_neighbours(stable, DOWN_LEFT, NOT_RIGHT, NOT_LEFT))
            & (safe_right | both_neighbours(stable, DOWN_RIGHT, NOT_LEFT, NOT_RIGHT))
        )
        if more == stable:
            return stable
        stable = more
