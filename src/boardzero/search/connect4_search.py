"""Null-window negamax for Connect Four: is the score of a position above a bound, and by how much at least?

Scores are for the side to move, as `connect4_solver.py` says. Positions that are searched have no winning move: their
callers have looked. What is won or lost within three plies is seen without searching.

The line of play is kept in arrays instead of by recursion: Numba does not reliably reload recursive functions from its cache.
"""

import numpy as np
import numpy.typing as npt
from numba import int64, types, uint64

from boardzero.games.bits import count_bits, signed
from boardzero.games.compiled import compiled, compiled_without_allocation
from boardzero.search.bounds_table import (
    HIGHEST,
    LOWEST,
    Table,
    add_bounds,
    find_entry,
    lower_bound,
    mixed,
    upper_bound,
)
from boardzero.search.connect4_threats import (
    COLUMNS,
    FIRST_COLUMN,
    NOTHING,
    ONE,
    Board,
    playable_cells,
    position_key,
    safe_cells,
    winning_cells,
)

ORDER_BITS = 6  # of an ordered move: how far its column is down the first guess; above it, the threats that the move makes
ORDER_MASK = (1 << ORDER_BITS) - 1
LOOK_AHEAD_CELLS = 8  # with more empty cells than this it pays to ask the table about every move before searching one

# A position on the line of play, as words and as numbers.
OWN, ALL_STONES = range(2)
BEST, UNTRIED = range(2)  # the best score so far; how many moves are left to try, or FORCED: the only one is being tried
FORCED = -1
Line = npt.NDArray[np.uint64]
Numbers = npt.NDArray[np.int64]
LINE, NUMBERS = types.Array(uint64, 2, "C"), types.Array(int64, 2, "C")


@compiled_without_allocation()
def order_moves(board: Board, order: Numbers, own: np.uint64, all_stones: np.uint64, moves: np.uint64) -> int:
    """Write the moves, the most promising last, and say how many there are.

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
        slot = count
        while slot > 0 and order[slot - 1] > entry:
            order[slot] = order[slot - 1]
            slot -= 1
        order[slot] = entry
        count += 1
    return count


@compiled_without_allocation()
def known_success(board: Board, table: Table, own: np.uint64, all_stones: np.uint64, moves: np.uint64, alpha: int) -> int:
    """What a move that the table already knows to score above alpha scores at least; LOWEST if it knows none."""
    for place in range(signed(board[COLUMNS])):
        move = moves & board[FIRST_COLUMN + place]
        if move != NOTHING:
            entry = find_entry(table, mixed(position_key(own ^ all_stones, all_stones | move)))
            if entry != NOTHING and -upper_bound(entry) > alpha:
                return -upper_bound(entry)
    return LOWEST


@compiled_without_allocation()
def look(
    board: Board, table: Table, own: np.uint64, all_stones: np.uint64, remaining: int, alpha: int
) -> tuple[np.uint64, int]:
    """(moves, score): without searching, either a score that bounds this position's (and no moves) or the moves to search."""
    moves = safe_cells(board, own, all_stones)
    if moves == NOTHING:
        return NOTHING, -(remaining // 2)
    if remaining <= 2:
        return NOTHING, 0
    soonest_loss = -((remaining - 2) // 2)
    if soonest_loss > alpha:
        return NOTHING, soonest_loss
    soonest_win = (remaining - 1) // 2
    if soonest_win <= alpha:
        return NOTHING, soonest_win
    if moves & (moves - ONE) == NOTHING:  # a forced move is not worth an entry
        return moves, LOWEST
    key = mixed(position_key(own, all_stones))
    entry = find_entry(table, key)
    if entry != NOTHING:
        if lower_bound(entry) > alpha:
            return NOTHING, lower_bound(entry)
        if upper_bound(entry) <= alpha:
            return NOTHING, upper_bound(entry)
    if remaining > LOOK_AHEAD_CELLS:
        score = known_success(board, table, own, all_stones, moves, alpha)
        if score > alpha:
            add_bounds(table, key, score, HIGHEST)
            return NOTHING, score
    return moves, LOWEST


@compiled_without_allocation(int64(uint64[::1], uint64[::1], int64[::1], LINE, NUMBERS, NUMBERS, uint64, uint64, int64, int64))
def negamax(
    board: Board,
    table: Table,
    nodes: Numbers,
    line: Line,
    numbers: Numbers,
    orders: Numbers,
    own: np.uint64,
    all_stones: np.uint64,
    remaining: int,
    alpha: int,
) -> int:
    """A lower bound on the score if it is above alpha, otherwise an upper bound; `remaining` = empty cells.

    Line, numbers and orders are room to work in.
    """
    columns = signed(board[COLUMNS])
    ply = 0
    while True:
        nodes[0] += 1
        moves, score = look(board, table, own, all_stones, remaining - ply, alpha)
        settled = moves == NOTHING
        if not settled:
            line[ply, OWN], line[ply, ALL_STONES] = own, all_stones
            numbers[ply, BEST] = LOWEST
            if moves & (moves - ONE) == NOTHING:
                numbers[ply, UNTRIED] = FORCED
            else:
                numbers[ply, UNTRIED] = order_moves(board, orders[ply], own, all_stones, moves)
        while settled:  # go back up the line with the score, to a position that has another move to try
            if ply == 0:
                return score
            ply -= 1
            alpha = -alpha - 1
            score = -score
            if numbers[ply, UNTRIED] == FORCED:
                continue
            numbers[ply, BEST] = max(numbers[ply, BEST], score)
            if score <= alpha and numbers[ply, UNTRIED] > 0:
                settled = False
            else:
                key = mixed(position_key(line[ply, OWN], line[ply, ALL_STONES]))
                score = numbers[ply, BEST]
                add_bounds(table, key, score if score > alpha else LOWEST, score if score <= alpha else HIGHEST)
        own, all_stones = line[ply, OWN], line[ply, ALL_STONES]
        if numbers[ply, UNTRIED] != FORCED:
            numbers[ply, UNTRIED] -= 1
            place = columns - 1 - (orders[ply, numbers[ply, UNTRIED]] & ORDER_MASK)
            moves = playable_cells(board, all_stones) & board[FIRST_COLUMN + place]
        own, all_stones = own ^ all_stones, all_stones | moves
        alpha = -alpha - 1
        ply += 1


@compiled(int64(uint64[::1], uint64[::1], int64[::1], uint64, uint64, int64, int64, int64))
def narrow(
    board: Board,
    table: Table,
    nodes: Numbers,
    own: np.uint64,
    all_stones: np.uint64,
    remaining: int,
    lower: int,
    upper: int,
) -> int:
    """The score of a position without a winning move; scores beyond lower and upper come back as these.

    Bounds close in on the score from both sides; bounds near 0 are tried first, since they are the easiest to prove.
    """
    line = np.empty((remaining + 1, 2), np.uint64)
    numbers = np.empty((remaining + 1, 2), np.int64)
    orders = np.empty((remaining + 1, signed(board[COLUMNS])), np.int64)
    while lower < upper:
        middle = lower + (upper - lower) // 2
        if middle <= 0 and lower // 2 < middle:
            middle = -(-lower // 2)
        elif middle >= 0 and upper // 2 > middle:
            middle = upper // 2
        bound = negamax(board, table, nodes, line, numbers, orders, own, all_stones, remaining, middle)
        if bound > middle:
            lower = min(bound, upper)
        else:
            upper = max(bound, lower)
    return lower
