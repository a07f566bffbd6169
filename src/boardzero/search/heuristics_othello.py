"""The heuristic of Othello: moves to choose from, corners and edges that they make safe, dangerous cells beside empty
corners, discs that border on empty cells; near the end, discs themselves.

All words are eight cells wide as in `othello.py`, whatever the size of the board.
"""

import numpy as np
import numpy.typing as npt

from boardzero.games.bits import count_bits, signed
from boardzero.games.compiled import compiled
from boardzero.games.othello import BOARDS, SIZE_MASK, SIZE_SHIFT, find_placements
from boardzero.games.rules import Game, State
from boardzero.search.heuristics import Heuristic, heuristic_rule

ONE, EIGHT, NOTHING = np.uint64(1), np.uint64(8), np.uint64(0)
NOT_FIRST_FILE, NOT_LAST_FILE = np.uint64(0xFEFEFEFEFEFEFEFE), np.uint64(0x7F7F7F7F7F7F7F7F)
SIZES = (4, 6, 8)

# What each is worth, in thousandths of a clear advantage.
MOVE, CORNER, SAFE_EDGE, DIAGONAL, BESIDE, FRONTIER, LATE_DISC = 40, 400, 60, 150, 50, 12, 15
LATE = 14  # empty cells, from where on discs count


def _around_corners(inwards: list[tuple[int, int]]) -> npt.NDArray[np.uint64]:
    """[corner, size]: the cells that lie (down, right) inwards from each of the four corners."""
    table = np.zeros((4, max(SIZES) + 1), np.uint64)
    for corner in range(4):
        for size in SIZES:
            for down, right in inwards:
                row = size - 1 - down if corner & 2 else down
                column = size - 1 - right if corner & 1 else right
                table[corner, size] |= np.uint64(1 << 8 * row + column)
    return table


CORNER_CELL = _around_corners([(0, 0)])
DIAGONAL_CELL = _around_corners([(1, 1)])
BESIDE_CELLS = _around_corners([(0, 1), (1, 0)])
CORNERS = np.bitwise_or.reduce(CORNER_CELL)  # [size]
EDGES = np.bitwise_or.reduce(_around_corners([(0, i) for i in range(4)] + [(i, 0) for i in range(4)]))  # [size]


@compiled()
def neighbours(cells: np.uint64) -> np.uint64:
    """All cells next to these, in all eight directions, the cells themselves included."""
    wide = cells | (cells << ONE & NOT_FIRST_FILE) | (cells >> ONE & NOT_LAST_FILE)
    return wide | wide << EIGHT | wide >> EIGHT


@compiled()
def safe_edge_discs(discs: np.uint64, corners: np.uint64, edges: np.uint64) -> int:
    """Discs in an unbroken row along the edges from a corner of the same colour: they can never be turned."""
    safe = discs & corners
    on_edges = discs & edges
    for _ in range(7):
        wide = safe | (safe << ONE & NOT_FIRST_FILE) | (safe >> ONE & NOT_LAST_FILE) | safe << EIGHT | safe >> EIGHT
        safe |= wide & on_edges
    return count_bits(safe)


@compiled()
def side_worth(discs: np.uint64, empty: np.uint64, placements: np.uint64, size: int) -> int:
    """What one side's discs and choices are worth."""
    worth = MOVE * count_bits(placements) + CORNER * count_bits(discs & CORNERS[size])
    worth += SAFE_EDGE * safe_edge_discs(discs, CORNERS[size], EDGES[size])
    worth -= FRONTIER * count_bits(discs & neighbours(empty))
    for corner in range(4):
        if empty & CORNER_CELL[corner, size] != NOTHING:
            worth -= DIAGONAL * count_bits(discs & DIAGONAL_CELL[corner, size])
            worth -= BESIDE * count_bits(discs & BESIDE_CELLS[corner, size])
    return worth


@heuristic_rule
def othello_heuristic(state: State) -> int:
    size = signed(state[0] >> SIZE_SHIFT & SIZE_MASK)
    own, other, board = state[1], state[2], BOARDS[size]
    empty = board & ~(own | other)
    score = side_worth(own, empty, state[3], size)
    score -= side_worth(other, empty, find_placements(other, own, board), size)
    empty_count = count_bits(empty)
    if empty_count < LATE:
        score += LATE_DISC * (LATE - empty_count) * (count_bits(own) - count_bits(other))
    return score


def heuristic_of(game: Game) -> Heuristic:
    return othello_heuristic
