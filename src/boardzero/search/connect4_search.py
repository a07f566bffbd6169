"""Null-window negamax for Connect Four: is the score of a position above a bound, and by how much at least?

Scores are for the side to move, as `connect4_solver.py` says. Positions that are searched have no winning move: their
callers have looked. What is won or lost within three plies is seen without searching.
"""

import numpy as np
import numpy.typing as npt
from numba import int64, uint64

from boardzero.games.bits import count_bits, signed
from boardzero.games.compiled import compiled
from boardzero.search.bounds_table import (
    HIGHEST,
    LOWEST,
    Table,
    find_entry,
    lower_bound,
    mixed,
    store_bounds,
    upper_bound,
)
from boardzero.search.connect4_threats import (
    CELLS,
    COLUMNS,
    FIRST_COLUMN,
    NOTHING,
    ONE,
    Board,
    position_key,
    safe_cells,
    winning_cells,
)

NODES = 0  # in the work space: positions visited so far; the ordered moves of each ply follow
Workspace = npt.NDArray[np.int64]
LOOK_AHEAD_CELLS = 8  # with more empty cells than this it pays to ask the table about every move before searching one
ORDER_BITS = 6  # of an ordered move: the column's place in the first guess; above it, the threats that the move makes


def new_workspace(cells: int, columns: int) -> Workspace:
    """[1 + cells · columns]: the node count, then room for the moves of every ply."""
    return np.zeros(1 + cells * columns, np.int64)


@compiled()
def order_moves(board: Board, workspace: Workspace, first: int, own: np.uint64, all_stones: np.uint64, moves: np.uint64) -> int:
    """Write the moves from workspace[first] on, the most promising last, and say how many there are.

    A move is worth as many points as the player then has winning cells; columns near the middle go first among equals.
    """
    columns = signed(board[COLUMNS])
    count = 0
    for place in range(columns):
        move = moves & board[FIRST_COLUMN + place]
        if move == NOTHING:
            continue
        threats = count_bits(winning_cells(board, own | move, all_stones | move))
        entry = threats << ORDER_BITS | (columns - 1 - place)
        slot = first + count
        while slot > first and workspace[slot - 1] > entry:
            workspace[slot] = workspace[slot - 1]
            slot -= 1
        workspace[slot] = entry
        count += 1
    return count


@compiled()
def known_success(board: Board, table: Table, other: np.uint64, all_stones: np.uint64, moves: np.uint64, alpha: int) -> int:
    """What a move that the table already knows to score above alpha scores at least; LOWEST if it knows none."""
    for place in range(signed(board[COLUMNS])):
        move = moves & board[FIRST_COLUMN + place]
        if move != NOTHING:
            entry = find_entry(table, mixed(position_key(other, all_stones | move)))
            if entry != NOTHING and -upper_bound(entry) > alpha:
                return -upper_bound(entry)
    return LOWEST


@compiled(int64(uint64[::1], uint64[::1], int64[::1], uint64, uint64, int64, int64))
def negamax(
    board: Board, table: Table, workspace: Workspace, own: np.uint64, all_stones: np.uint64, stones: int, alpha: int
) -> int:
    """A lower bound on the score if it is above alpha, otherwise an upper bound; `stones` = stones on the board."""
    workspace[NODES] += 1
    remaining = signed(board[CELLS]) - stones
    moves = safe_cells(board, own, all_stones)
    if moves == NOTHING:
        return -(remaining // 2)
    if remaining <= 2:
        return 0
    soonest_loss = -((remaining - 2) // 2)
    if soonest_loss > alpha:
        return soonest_loss
    soonest_win = (remaining - 1) // 2
    if soonest_win <= alpha:
        return soonest_win
    other = own ^ all_stones
    if moves & (moves - ONE) == NOTHING:  # a forced move needs neither ordering nor an entry
        return -negamax(board, table, workspace, other, all_stones | moves, stones + 1, -alpha - 1)

    key = mixed(position_key(own, all_stones))
    known_lower, known_upper = LOWEST, HIGHEST
    entry = find_entry(table, key)
    if entry != NOTHING:
        known_lower, known_upper = lower_bound(entry), upper_bound(entry)
        if known_lower > alpha:
            return known_lower
        if known_upper <= alpha:
            return known_upper

    columns = signed(board[COLUMNS])
    first = 1 + stones * columns
    best = soonest_loss
    if remaining > LOOK_AHEAD_CELLS:
        score = known_success(board, table, other, all_stones, moves, alpha)
        if score > alpha:
            store_bounds(table, key, score, known_upper)
            return score
    for slot in range(first + order_moves(board, workspace, first, own, all_stones, moves) - 1, first - 1, -1):
        place = columns - 1 - (workspace[slot] & ((1 << ORDER_BITS) - 1))
        move = moves & board[FIRST_COLUMN + place]
        score = -negamax(board, table, workspace, other, all_stones | move, stones + 1, -alpha - 1)
        if score > alpha:
            store_bounds(table, key, score, known_upper)
            return score
        best = max(best, score)
    store_bounds(table, key, known_lower, best)
    return best


@compiled(int64(uint64[::1], uint64[::1], int64[::1], uint64, uint64, int64, int64, int64))
def narrow(
    board: Board,
    table: Table,
    workspace: Workspace,
    own: np.uint64,
    all_stones: np.uint64,
    stones: int,
    lower: int,
    upper: int,
) -> int:
    """The score of a position without a winning move; scores beyond lower and upper come back as these.

    Bounds close in on the score from both sides; bounds near 0 are tried first, since shorter wins are easier to see.
    """
    while lower < upper:
        middle = lower + (upper - lower) // 2
        if middle <= 0 and lower // 2 < middle:
            middle = -(-lower // 2)
        elif middle >= 0 and upper // 2 > middle:
            middle = upper // 2
        bound = negamax(board, table, workspace, own, all_stones, stones, middle)
        if bound > middle:
            lower = min(bound, upper)
        else:
            upper = max(bound, lower)
    return lower
