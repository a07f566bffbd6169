"""Null-window search of Othello endgames: is the final disc difference above a bound, and by how much at least?

Scores are for the side to move (own discs first) and even. With many empty cells: a transposition table, moves that leave
the other side few replies first, and stable discs as bounds. With few: parity alone orders the moves, since looking further
would cost more than it saves.
"""

import numpy as np
import numpy.typing as npt
from numba import boolean, int64, uint64

from boardzero.games.bits import count_bits, lowest_bit, signed
from boardzero.games.compiled import compiled
from boardzero.games.othello import find_placements
from boardzero.search.othello_discs import (
    BOARD,
    CELLS,
    CORNERS,
    NOTHING,
    ONE,
    Geometry,
    discs_turned,
    final_score,
    odd_quadrants,
    stable_discs,
)
from boardzero.search.othello_table import (
    NO_CELL,
    Table,
    entry_cell,
    entry_lower,
    entry_upper,
    find_bucket,
    find_entry,
    store_entry,
)

FEW_EMPTIES = 6
NODES = 0  # in the work space: positions visited so far; the ordered moves for each number of empty cells follow
Workspace = npt.NDArray[np.int64]
CELL_BITS = 6  # of an ordered move: its cell; above it, its rank
UNSEEN = -1000  # less than every score


def new_workspace() -> Workspace:
    """[1 + 65 · 64]: the node count, then room for the moves of every number of empty cells."""
    return np.zeros(1 + 65 * 64, np.int64)


@compiled()
def last_cell_score(geometry: Geometry, own: np.uint64, other: np.uint64, empty: np.uint64) -> int:
    """The result with one empty cell: whoever can takes it, the side to move first."""
    cell = lowest_bit(empty)
    cells = signed(geometry[CELLS])
    turned = count_bits(discs_turned(cell, own, other))
    if turned > 0:
        return 2 * (count_bits(own) + turned + 1) - cells
    turned = count_bits(discs_turned(cell, other, own))
    if turned > 0:
        return cells - 2 * (count_bits(other) + turned + 1)
    return final_score(own, other, cells)


@compiled(int64(uint64[::1], int64[::1], uint64, uint64, uint64, int64, boolean))
def search_few(
    geometry: Geometry,
    workspace: Workspace,
    own: np.uint64,
    other: np.uint64,
    empty: np.uint64,
    alpha: int,
    passed: bool,
) -> int:
    """As `search`, for two or more empty cells; `passed`: the other side could not move."""
    workspace[NODES] += 1
    best = UNSEEN
    odd = odd_quadrants(geometry, empty)
    for group in (empty & odd, empty & ~odd):
        while group != NOTHING:
            cell = lowest_bit(group)
            disc = ONE << np.uint64(cell)
            group ^= disc
            turned = discs_turned(cell, own, other)
            if turned == NOTHING:
                continue
            left = empty ^ disc
            if left & (left - ONE) == NOTHING:
                score = -last_cell_score(geometry, other ^ turned, own | turned | disc, left)
            else:
                score = -search_few(geometry, workspace, other ^ turned, own | turned | disc, left, -alpha - 1, False)
            if score > alpha:
                return score
            best = max(best, score)
    if best != UNSEEN:
        return best
    if passed:
        return final_score(own, other, signed(geometry[CELLS]))
    return -search_few(geometry, workspace, other, own, empty, -alpha - 1, True)


@compiled()
def order_moves(
    geometry: Geometry,
    workspace: Workspace,
    first: int,
    own: np.uint64,
    other: np.uint64,
    placements: np.uint64,
    best_cell: int,
) -> int:
    """Write the moves from workspace[first] on, the most promising first, and say how many there are.

    Few replies are best, corners among them counting double; then corners taken and odd quarters of the board.
    """
    board = geometry[BOARD]
    odd = odd_quadrants(geometry, board ^ (own | other))
    count = 0
    while placements != NOTHING:
        cell = lowest_bit(placements)
        disc = ONE << np.uint64(cell)
        placements ^= disc
        rank = 0
        if cell != best_cell:
            turned = discs_turned(cell, own, other)
            replies = find_placements(other ^ turned, own | turned | disc, board)
            rank = 64 + 4 * (count_bits(replies) + count_bits(replies & geometry[CORNERS]))
            if disc & geometry[CORNERS] != NOTHING:
                rank -= 8
            if disc & odd != NOTHING:
                rank -= 2
        entry = rank << CELL_BITS | cell
        slot = first + count
        while slot > first and workspace[slot - 1] > entry:
            workspace[slot] = workspace[slot - 1]
            slot -= 1
        workspace[slot] = entry
        count += 1
    return count


@compiled(int64(uint64[::1], uint64[::1], int64[::1], uint64, uint64, int64))
def search(geometry: Geometry, table: Table, workspace: Workspace, own: np.uint64, other: np.uint64, alpha: int) -> int:
    """A lower bound on the score if it is above alpha, otherwise an upper bound."""
    board, cells = geometry[BOARD], signed(geometry[CELLS])
    empty = board ^ (own | other)
    empties = count_bits(empty)
    if empties <= FEW_EMPTIES:
        if empties == 0:
            return final_score(own, other, cells)
        if empties == 1:
            return last_cell_score(geometry, own, other, empty)
        return search_few(geometry, workspace, own, other, empty, alpha, False)
    workspace[NODES] += 1
    if 2 * count_bits(other) >= cells - alpha:  # otherwise even stable discs everywhere would not be enough
        most = cells - 2 * count_bits(stable_discs(board, other, empty))
        if most <= alpha:
            return most

    lower, upper, best_cell = -cells, cells, NO_CELL
    bucket = find_bucket(table, own, other)
    entry = find_entry(table, bucket, own, other)
    if entry >= 0:
        lower, upper, best_cell = entry_lower(table, entry), entry_upper(table, entry), entry_cell(table, entry)
        if lower > alpha:
            return lower
        if upper <= alpha:
            return upper

    placements = find_placements(own, other, board)
    if placements == NOTHING:
        if find_placements(other, own, board) == NOTHING:
            return final_score(own, other, cells)
        return -search(geometry, table, workspace, other, own, -alpha - 1)
    first = 1 + 64 * empties
    best = UNSEEN
    for slot in range(first, first + order_moves(geometry, workspace, first, own, other, placements, best_cell)):
        cell = workspace[slot] & 63
        turned = discs_turned(cell, own, other)
        score = -search(geometry, table, workspace, other ^ turned, own | turned | ONE << np.uint64(cell), -alpha - 1)
        if score > best:
            best, best_cell = score, cell
            if score > alpha:
                break
    if best > alpha:
        lower = best
    else:
        upper = best
    store_entry(table, bucket, own, other, empties, lower, upper, best_cell)
    return best


@compiled(int64(uint64[::1], uint64[::1], int64[::1], uint64, uint64, int64, int64))
def narrow(
    geometry: Geometry, table: Table, workspace: Workspace, own: np.uint64, other: np.uint64, lower: int, upper: int
) -> int:
    """The score; scores beyond lower and upper (both even) come back as these. Each search starts where the last one ended."""
    guess = max(lower, min(upper - 2, 0))
    while lower < upper:
        bound = search(geometry, table, workspace, own, other, guess)
        if bound > guess:
            lower = min(bound, upper)
            guess = lower
        else:
            upper = max(bound, lower)
            guess = upper - 2
    return lower
