"""Null-window search of Othello endgames: is the final disc difference above a bound, and by how much at least?

Scores are for the side to move (own discs first) and even. With many empty cells: a transposition table, moves that leave
the other side few replies first, and stable discs as bounds. With few: parity alone orders the moves, since looking further
would cost more than it saves.

The line of play is kept in arrays instead of by recursion: so a search can stop after any number of nodes and go on, and
Numba does not reliably reload recursive functions from its cache.
"""

import numpy as np
import numpy.typing as npt
from numba import boolean, int64, types, uint64

from boardzero.games.bits import count_bits, lowest_bit, signed
from boardzero.games.compiled import compiled_without_allocation
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
    add_bounds,
    entry_cell,
    entry_lower,
    entry_upper,
    find_bucket,
    find_entry,
)

FEW_EMPTIES = 6
CELL_BITS, CELL_MASK = 6, 63  # of an ordered move: its cell; above it, its rank
UNSEEN = -1000  # less than every score: none is known yet

# A position on the line of play, as words and as numbers.
OWN, OTHER, FIRST_CELLS, LATER_CELLS = range(4)  # with few empty cells: those left to try, and those to try after them
BEST, BEST_CELL, CELL, TRIED, COUNT, PASSED = range(6)  # COUNT: ordered moves (of which TRIED were), 0 with few empty cells
# A search that can be interrupted: the ply that it has reached (or NO_QUESTION) and the bound there; between which scores
# the answer lies, and the bound that is being asked about. The line's first position is the root.
PLY, ALPHA, LOWER, UPPER, GUESS = range(5)
NO_QUESTION = -1
PAUSED = 1000  # no score: the search has used up its nodes
Discs = npt.NDArray[np.uint64]
Numbers = npt.NDArray[np.int64]
Order = npt.NDArray[np.int64]
LINE, NUMBERS = types.Array(uint64, 2, "C"), types.Array(int64, 2, "C")


@compiled_without_allocation()
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


@compiled_without_allocation()
def order_moves(
    geometry: Geometry,
    order: Order,
    own: np.uint64,
    other: np.uint64,
    placements: np.uint64,
    best_cell: int,
) -> int:
    """Write the moves, the most promising first, and say how many there are.

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
        slot = count
        while slot > 0 and order[slot - 1] > entry:
            order[slot] = order[slot - 1]
            slot -= 1
        order[slot] = entry
        count += 1
    return count


@compiled_without_allocation()
def look(geometry: Geometry, table: Table, own: np.uint64, other: np.uint64, alpha: int) -> int:
    """Without searching: a score that bounds this position's, or UNSEEN."""
    cells = signed(geometry[CELLS])
    empty = geometry[BOARD] ^ (own | other)
    empties = count_bits(empty)
    if empties == 0:
        return final_score(own, other, cells)
    if empties == 1:
        return last_cell_score(geometry, own, other, empty)
    if empties <= FEW_EMPTIES:
        return UNSEEN
    if 2 * count_bits(other) >= cells - alpha:  # otherwise it would not be enough if all of them were stable
        most = cells - 2 * count_bits(stable_discs(geometry[BOARD], other, empty))
        if most <= alpha:
            return most
    entry = find_entry(table, find_bucket(table, own, other), own, other)
    if entry >= 0:
        if entry_lower(table, entry) > alpha:
            return entry_lower(table, entry)
        if entry_upper(table, entry) <= alpha:
            return entry_upper(table, entry)
    return UNSEEN


@compiled_without_allocation()
def open_position(
    geometry: Geometry,
    table: Table,
    discs: Discs,
    numbers: Numbers,
    order: Order,
    own: np.uint64,
    other: np.uint64,
    passed: bool,
) -> None:
    """Put a position on the line, with its moves (if empty cells are few: the cells that may be moves) ready to be tried."""
    empty = geometry[BOARD] ^ (own | other)
    discs[OWN], discs[OTHER], discs[FIRST_CELLS], discs[LATER_CELLS] = own, other, NOTHING, NOTHING
    numbers[BEST], numbers[BEST_CELL], numbers[PASSED] = UNSEEN, NO_CELL, passed
    numbers[TRIED], numbers[COUNT] = 0, 0
    if count_bits(empty) <= FEW_EMPTIES:
        odd = odd_quadrants(geometry, empty)
        discs[FIRST_CELLS], discs[LATER_CELLS] = empty & odd, empty & ~odd
    else:
        entry = find_entry(table, find_bucket(table, own, other), own, other)
        best_cell = entry_cell(table, entry) if entry >= 0 else NO_CELL
        placements = find_placements(own, other, geometry[BOARD])
        numbers[COUNT] = order_moves(geometry, order, own, other, placements, best_cell)


@compiled_without_allocation()
def next_cell(discs: Discs, numbers: Numbers, order: Order) -> int:
    """The next cell to try, or NO_CELL."""
    if numbers[TRIED] < numbers[COUNT]:
        numbers[TRIED] += 1
        return order[numbers[TRIED] - 1] & CELL_MASK
    if discs[FIRST_CELLS] == NOTHING:
        discs[FIRST_CELLS], discs[LATER_CELLS] = discs[LATER_CELLS], NOTHING
        if discs[FIRST_CELLS] == NOTHING:
            return NO_CELL
    cell = lowest_bit(discs[FIRST_CELLS])
    discs[FIRST_CELLS] &= discs[FIRST_CELLS] - ONE
    return cell


@compiled_without_allocation()
def settle(geometry: Geometry, table: Table, discs: Discs, numbers: Numbers, alpha: int) -> int:
    """The score of a position whose search is over; noted in the table if it took some search."""
    best = numbers[BEST]
    if numbers[COUNT] > 0:
        cells = signed(geometry[CELLS])
        own, other = discs[OWN], discs[OTHER]
        lower, upper = (best, cells) if best > alpha else (-cells, best)
        add_bounds(table, own, other, cells - count_bits(own | other), lower, upper, numbers[BEST_CELL])
    return best


@compiled_without_allocation(int64(uint64[::1], uint64[::1], int64[::1], LINE, NUMBERS, NUMBERS, int64[::1], int64))
def search(
    geometry: Geometry,
    table: Table,
    nodes: Numbers,
    line: Discs,
    numbers: Numbers,
    orders: Order,
    control: Numbers,
    last: int,
) -> int:
    """A lower bound on the root's score if it is above alpha, otherwise an upper bound; PAUSED once nodes[0] is `last`."""
    cells = signed(geometry[CELLS])
    ply, alpha = control[PLY], control[ALPHA]
    own, other, passed = line[ply, OWN], line[ply, OTHER], numbers[ply, PASSED] != 0
    while True:
        if nodes[0] >= last:
            line[ply, OWN], line[ply, OTHER], numbers[ply, PASSED] = own, other, passed
            control[PLY], control[ALPHA] = ply, alpha
            return PAUSED
        nodes[0] += 1
        score = look(geometry, table, own, other, alpha)
        if score == UNSEEN:
            open_position(geometry, table, line[ply], numbers[ply], orders[ply], own, other, passed)
        turned = NOTHING
        while turned == NOTHING:  # until there is a move to search: try the next cell, or go back up the line with the score
            if score != UNSEEN:
                if ply == 0:
                    return score
                ply -= 1
                alpha = -alpha - 1
                if -score > numbers[ply, BEST]:
                    numbers[ply, BEST], numbers[ply, BEST_CELL] = -score, numbers[ply, CELL]
                score = UNSEEN
                if numbers[ply, BEST] > alpha:
                    score = settle(geometry, table, line[ply], numbers[ply], alpha)
                    continue
            own, other = line[ply, OWN], line[ply, OTHER]
            cell = next_cell(line[ply], numbers[ply], orders[ply])
            numbers[ply, CELL] = cell
            if cell != NO_CELL:
                turned = discs_turned(cell, own, other)
            elif numbers[ply, BEST] != UNSEEN:
                score = settle(geometry, table, line[ply], numbers[ply], alpha)
            elif numbers[ply, PASSED]:
                score = final_score(own, other, cells)
            else:
                break
        passed = turned == NOTHING
        if not passed:
            own |= turned | ONE << np.uint64(cell)
            other ^= turned
        own, other = other, own
        alpha = -alpha - 1
        ply += 1


@compiled_without_allocation(boolean(uint64[::1], uint64[::1], int64[::1], LINE, NUMBERS, NUMBERS, int64[::1], int64))
def narrow(
    geometry: Geometry,
    table: Table,
    nodes: Numbers,
    line: Discs,
    numbers: Numbers,
    orders: Order,
    control: Numbers,
    count: int,
) -> bool:
    """Search up to `count` nodes further; True once the score is known: it is control[LOWER]."""
    last = nodes[0] + count
    while control[LOWER] < control[UPPER]:
        if control[PLY] == NO_QUESTION:
            control[PLY], control[ALPHA], numbers[0, PASSED] = 0, control[GUESS], 0
        bound = search(geometry, table, nodes, line, numbers, orders, control, last)
        if bound == PAUSED:
            return False
        control[PLY] = NO_QUESTION
        if bound > control[GUESS]:  # each question starts where the last one ended
            control[LOWER] = min(bound, control[UPPER])
            control[GUESS] = control[LOWER]
        else:
            control[UPPER] = max(bound, control[LOWER])
            control[GUESS] = control[UPPER] - 2
    return True


class Search:
    """One position at a time, searched as far as is asked for; the room for it is made once."""

    def __init__(self, geometry: Geometry, table: Table) -> None:
        self._geometry, self._table = geometry, table
        self.nodes = np.zeros(1, np.int64)
        cells = int(geometry[CELLS])
        longest = 2 * cells + 2  # every move may be followed by a pass
        self._line = np.zeros((longest, 4), np.uint64)
        self._numbers = np.zeros((longest, 6), np.int64)
        self._orders = np.zeros((longest, cells), np.int64)
        self._control = np.zeros(5, np.int64)

    def begin(self, own: np.uint64, other: np.uint64, lower: int, upper: int) -> None:
        """Scores beyond lower and upper (both even) will come back as these."""
        self._line[0, :2] = own, other
        self._control[:] = NO_QUESTION, 0, lower, upper, max(lower, min(upper - 2, 0))

    def go_on(self, count: int) -> bool:
        """Search up to this many nodes further; True once the score is known."""
        rooms = self._line, self._numbers, self._orders, self._control
        return bool(narrow(self._geometry, self._table, self.nodes, *rooms, count))

    @property
    def score(self) -> int:
        return int(self._control[LOWER])
