"""Null-window negamax for Connect Four: is the score of a position above a bound, and by how much at least?

Scores are for the side to move, as `connect4_solver.py` says. Positions that are searched have no winning move: their
callers have looked. What is won or lost within three plies is seen without searching.

The line of play is kept in arrays instead of by recursion: so a search can stop after any number of nodes and go on, and
Numba does not reliably reload recursive functions from its cache.
"""

import numpy as np
import numpy.typing as npt
from numba import boolean, int64, types, uint64

from boardzero.games.bits import count_bits, signed
from boardzero.games.compiled import compiled_without_allocation
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
# A search that can be interrupted: the ply that it has reached (or NO_QUESTION) and the bound there; between which scores
# the answer lies, and the bound that is being asked about; empty cells at the root, which is the line's first position.
PLY, ALPHA, LOWER, UPPER, MIDDLE, REMAINING = range(6)
NO_QUESTION = -1
PAUSED = 1000  # no score: the search has used up its nodes
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


@compiled_without_allocation(int64(uint64[::1], uint64[::1], int64[::1], LINE, NUMBERS, NUMBERS, int64[::1], int64))
def negamax(
    board: Board,
    table: Table,
    nodes: Numbers,
    line: Line,
    numbers: Numbers,
    orders: Numbers,
    control: Numbers,
    last: int,
) -> int:
    """A lower bound on the root's score if it is above alpha, otherwise an upper bound; PAUSED once nodes[0] is `last`."""
    columns, remaining = signed(board[COLUMNS]), control[REMAINING]
    ply, alpha = control[PLY], control[ALPHA]
    own, all_stones = line[ply, OWN], line[ply, ALL_STONES]
    while True:
        if nodes[0] >= last:
            line[ply, OWN], line[ply, ALL_STONES] = own, all_stones
            control[PLY], control[ALPHA] = ply, alpha
            return PAUSED
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


@compiled_without_allocation()
def ask(control: Numbers) -> None:
    """Begin with the next bound: they close in on the score from both sides, those near 0 first, the easiest to prove."""
    lower, upper = control[LOWER], control[UPPER]
    middle = lower + (upper - lower) // 2
    if middle <= 0 and lower // 2 < middle:
        middle = -(-lower // 2)
    elif middle >= 0 and upper // 2 > middle:
        middle = upper // 2
    control[PLY], control[ALPHA], control[MIDDLE] = 0, middle, middle


@compiled_without_allocation(boolean(uint64[::1], uint64[::1], int64[::1], LINE, NUMBERS, NUMBERS, int64[::1], int64))
def narrow(
    board: Board,
    table: Table,
    nodes: Numbers,
    line: Line,
    numbers: Numbers,
    orders: Numbers,
    control: Numbers,
    count: int,
) -> bool:
    """Search up to `count` nodes further; True once the score is known: it is control[LOWER]."""
    last = nodes[0] + count
    while control[LOWER] < control[UPPER]:
        if control[PLY] == NO_QUESTION:
            ask(control)
        bound = negamax(board, table, nodes, line, numbers, orders, control, last)
        if bound == PAUSED:
            return False
        control[PLY] = NO_QUESTION
        if bound > control[MIDDLE]:
            control[LOWER] = min(bound, control[UPPER])
        else:
            control[UPPER] = max(bound, control[LOWER])
    return True


class Search:
    """One position at a time, searched as far as is asked for; the room for it is made once."""

    def __init__(self, board: Board, table: Table, cells: int) -> None:
        self._board, self._table = board, table
        self.nodes = np.zeros(1, np.int64)
        self._line = np.zeros((cells + 1, 2), np.uint64)
        self._numbers = np.zeros((cells + 1, 2), np.int64)
        self._orders = np.zeros((cells + 1, int(board[COLUMNS])), np.int64)
        self._control = np.zeros(6, np.int64)

    def begin(self, own: np.uint64, all_stones: np.uint64, remaining: int, lower: int, upper: int) -> None:
        """A position without a winning move; scores beyond lower and upper will come back as these."""
        self._line[0] = own, all_stones
        self._control[:] = NO_QUESTION, 0, lower, upper, 0, remaining

    def go_on(self, count: int) -> bool:
        """Search up to this many nodes further; True once the score is known."""
        rooms = self._line, self._numbers, self._orders, self._control
        return bool(narrow(self._board, self._table, self.nodes, *rooms, count))

    @property
    def score(self) -> int:
        return int(self._control[LOWER])
