"""Heuristics of the games that lines of stones win: tic-tac-toe, Connect Four, Gomoku.

Every stretch of cells that could become a winning line counts for the one side that has stones in it, the more the fewer
stones are missing. The side to move is a stone ahead in each of its lines, so its lines count half as much again.
"""

import numpy as np
import numpy.typing as npt

from boardzero.games import connect4, gomoku
from boardzero.games.bits import count_bits, signed
from boardzero.games.compiled import compiled
from boardzero.games.connect4 import COLUMNS_SHIFT, CONNECT_SHIFT, ROWS_SHIFT, SIX_BITS
from boardzero.games.rules import Game, State
from boardzero.games.tictactoe import LINES
from boardzero.search.heuristics import HIGHEST, Heuristic, heuristic_rule

ONE, NOTHING = np.uint64(1), np.uint64(0)

# What a line is worth by the number of stones that it still misses; index 0 is never read, the last is for all longer ones.
WEIGHTS = np.array([0, 400, 60, 12, 2, 0], np.int64)
MOST_MISSING = len(WEIGHTS) - 1


@compiled()
def weight(missing: int) -> int:
    return WEIGHTS[min(missing, MOST_MISSING)]


@compiled()
def balance(own: int, other: int) -> int:
    """The score from the sums of both sides' lines; `own` is the side to move."""
    return max(-HIGHEST, min(HIGHEST, own + own // 2 - other))


@heuristic_rule
def tictactoe_heuristic(state: State) -> int:
    own, other = 0, 0
    for line in LINES:
        own_stones, other_stones = count_bits(state[1] & line), count_bits(state[2] & line)
        if other_stones == 0 and own_stones > 0:
            own += weight(3 - own_stones)
        elif own_stones == 0 and other_stones > 0:
            other += weight(3 - other_stones)
    return balance(own, other)


# -- many lines at once: bit i of each word is about the line that starts at cell i ------------------------------------
@compiled()
def add_stones(
    ones: np.uint64, twos: np.uint64, fours: np.uint64, eights: np.uint64, stones: np.uint64
) -> tuple[np.uint64, np.uint64, np.uint64, np.uint64]:
    """Count stones in binary: bit i of `ones`, `twos`, … are the digits of line i's count (modulo 16)."""
    carry_to_twos = ones & stones
    carry_to_fours = twos & carry_to_twos
    carry_to_eights = fours & carry_to_fours
    return ones ^ stones, twos ^ carry_to_twos, fours ^ carry_to_fours, eights ^ carry_to_eights


@compiled()
def digit_is(word: np.uint64, count: np.uint64, digit: np.uint64) -> np.uint64:
    """The lines whose word has the same digit as count."""
    return word if count >> digit & ONE != NOTHING else ~word


@compiled()
def worth_of_counts(
    possible: np.uint64, ones: np.uint64, twos: np.uint64, fours: np.uint64, eights: np.uint64, length: int
) -> int:
    """The worth of all possible lines that hold at least one stone."""
    total = 0
    for missing in range(1, min(length, MOST_MISSING)):
        count = np.uint64(length - missing)
        lines = possible & digit_is(ones, count, np.uint64(0)) & digit_is(twos, count, np.uint64(1))
        lines &= digit_is(fours, count, np.uint64(2)) & digit_is(eights, count, np.uint64(3))
        total += count_bits(lines) * WEIGHTS[missing]
    return total


# -- Connect Four on bitboards -----------------------------------------------------------------------------------------
@compiled()
def bitboard_lines(stones: np.uint64, available: np.uint64, step: np.uint64, length: int) -> int:
    """The worth of one side's lines in one direction; `available` are its own and the free cells."""
    possible = available
    ones = twos = fours = eights = NOTHING
    for _ in range(length):
        possible &= available
        ones, twos, fours, eights = add_stones(ones, twos, fours, eights, stones)
        stones >>= step
        available >>= step
    return worth_of_counts(possible, ones, twos, fours, eights, length)


@heuristic_rule
def connect4_heuristic(state: State) -> int:
    rows = state[0] >> ROWS_SHIFT & SIX_BITS
    length = signed(state[0] >> CONNECT_SHIFT & SIX_BITS)
    board = NOTHING
    for _ in range(signed(state[0] >> COLUMNS_SHIFT & SIX_BITS)):
        board = board << (rows + ONE) | ((ONE << rows) - ONE)
    own, other = state[1], state[1] ^ state[2]
    own_worth, other_worth = 0, 0
    for step in (ONE, rows, rows + ONE, rows + ONE + ONE):
        own_worth += bitboard_lines(own, board & ~other, step, length)
        other_worth += bitboard_lines(other, board & ~own, step, length)
    return balance(own_worth, other_worth)


# -- boards of any size: a word a row, bit c for column c --------------------------------------------------------------
@compiled()
def row_of_stones(state: State, first_word: int, columns: int, row: int) -> np.uint64:
    """One row of the stones that `stones.py` keeps from first_word on."""
    first = row * columns
    word, shift = first_word + (first >> 6), first & 63
    bits = state[word] >> np.uint64(shift)
    if shift + columns > 64:
        bits |= state[word + 1] << np.uint64(64 - shift)
    return bits & ((ONE << np.uint64(columns)) - ONE)


@compiled()
def row_lines(
    stones: npt.NDArray[np.uint64], available: npt.NDArray[np.uint64], down: int, right: int, length: int, exact: bool
) -> int:
    """The worth of one side's lines in one direction (down −1, 0 or 1; right 0 or 1); each array has a spare row around it.

    `available` are the side's own and the free cells. Where longer lines do not win (`exact`), a line that another stone
    of its side touches at either end is worth nothing.
    """
    total = 0
    rows = len(stones) - 2
    reach = down * (length - 1)
    for row in range(1 + max(0, -reach), 1 + rows - max(0, reach)):
        possible = available[row]
        ones = twos = fours = eights = NOTHING
        for index in range(length):
            at, shift = row + index * down, np.uint64(index * right)
            possible &= available[at] >> shift
            ones, twos, fours, eights = add_stones(ones, twos, fours, eights, stones[at] >> shift)
        if possible & (ones | twos | fours | eights) == NOTHING:
            continue
        if exact:
            possible &= ~(stones[row - down] << np.uint64(right))
            possible &= ~(stones[row + length * down] >> np.uint64(length * right))
        total += worth_of_counts(possible, ones, twos, fours, eights, length)
    return total


@compiled()
def stones_heuristic(state: State, rows: int, columns: int, length: int, exact: bool) -> int:
    """All rows, columns and diagonals."""
    other_word = 1 + (len(state) - 1) // 2
    stones = np.zeros((2, rows + 2), np.uint64)
    available = np.zeros((2, rows + 2), np.uint64)
    board = (ONE << np.uint64(columns)) - ONE
    for row in range(rows):
        own, other = row_of_stones(state, 1, columns, row), row_of_stones(state, other_word, columns, row)
        stones[0, row + 1], stones[1, row + 1] = own, other
        available[0, row + 1], available[1, row + 1] = board & ~other, board & ~own
    worth = np.zeros(2, np.int64)
    for side in range(2):
        for down, right in ((0, 1), (1, 0), (1, 1), (-1, 1)):
            worth[side] += row_lines(stones[side], available[side], down, right, length, exact)
    return balance(worth[0], worth[1])


@heuristic_rule
def gomoku_heuristic(state: State) -> int:
    size = signed(state[0] >> gomoku.SIZE_SHIFT & gomoku.SIZE_MASK)
    return stones_heuristic(state, size, size, gomoku.LINE, state[0] >> gomoku.RULE_SHIFT & ONE != NOTHING)


@heuristic_rule
def large_connect4_heuristic(state: State) -> int:
    rows = signed(state[0] >> ROWS_SHIFT & SIX_BITS)
    columns = signed(state[0] >> COLUMNS_SHIFT & SIX_BITS)
    return stones_heuristic(state, rows, columns, signed(state[0] >> CONNECT_SHIFT & SIX_BITS), False)


def heuristic_of(game: Game) -> Heuristic:
    if isinstance(game, connect4.ConnectFour):
        return connect4_heuristic if game.is_bitboard else large_connect4_heuristic
    return gomoku_heuristic if isinstance(game, gomoku.Gomoku) else tictactoe_heuristic
