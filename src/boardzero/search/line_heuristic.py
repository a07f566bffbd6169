"""A hand-written evaluator for the games that lines of stones win: tic-tac-toe, Connect Four and Gomoku.

It stands in for a network. Every stretch of cells that could still become a winning line of one side gives each of its
empty cells a value for that side, which grows with the stones that are already in the stretch. The policy of a cell is the
sum of both sides' values there; the value of the position is the ratio of the sums over all cells, brought to −1 … +1.

The side to move counts for more, since it needs one move less than it seems to the other: without that, the evaluator
would favour whoever has moved last. Sums are whole numbers, so turned or mirrored positions get exactly the same values.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from numba import boolean, float32, int64, types, void

from boardzero.errors import BadInput
from boardzero.games.compiled import compiled
from boardzero.games.rules import Game

# What a cell of a stretch is worth by the stones that the stretch still misses; the last is for all that miss more.
# Each stone more counts 16 times as much, and the move twice (a win at once, 20 times): of 35 such pairs of factors these had
# the least squared error against the results of one set of Gomoku games; that they play better is not shown.
OTHER_VALUES = np.array([0, 16**4, 16**3, 16**2, 16, 1], np.int64)
OWN_VALUES = OTHER_VALUES * np.array([0, 20, 2, 2, 2, 1], np.int64)
MOST_MISSING = len(OWN_VALUES) - 1
ILLEGAL = np.float32(-30.0)  # the logit of an action that cannot be played

# The board in a frame one cell wide, row by row: 0 free, 1 own stone, 2 the other side's.
Stones = npt.NDArray[np.int8]
OFF_BOARD = 4
Values = npt.NDArray[np.int64]


@dataclass(frozen=True)
class LineRules:
    """What wins, and where stones may go."""

    length: int  # stones in a line that win
    exact: bool  # does a longer line not win?
    falls: bool  # do stones fall to the lowest free cell of a column?


def line_rules(game: Game) -> LineRules:
    """The rules of an n-in-a-row game; other games are refused."""
    match game.name:
        case "tictactoe":
            return LineRules(3, exact=False, falls=False)
        case "connect4":
            return LineRules(game.parameters.model_dump()["connect"], exact=False, falls=True)
        case "gomoku":
            return LineRules(5, exact=game.parameters.model_dump()["rule"] == "standard", falls=False)
    raise BadInput(f"The line heuristic cannot judge {game.specification}; it judges tictactoe, connect4 and gomoku.")


class LineHeuristic:
    """Evaluates batches of positions of one game; what it says of a position does not depend on the rest of the batch."""

    def __init__(self, game: Game) -> None:
        self.rules = line_rules(game)
        self.action_count = game.action_count

    def __call__(self, planes: npt.NDArray[np.float32]) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
        """planes [batch, planes, rows, columns] → logits [batch, actions], values [batch] for the side to move.

        Of the planes only the first two, the stones, are looked at.
        """
        logits = np.empty((len(planes), self.action_count), np.float32)
        values = np.empty(len(planes), np.float32)
        rules = self.rules
        judge_positions(np.ascontiguousarray(planes), rules.length, rules.exact, rules.falls, logits, values)
        return logits, values


# -- compiled ----------------------------------------------------------------------------------------------------------
@compiled()
def read_stones(planes: npt.NDArray[np.float32], places: Stones) -> None:
    """Write the stones of one position into the framed board; the frame is there already."""
    rows, columns = planes.shape[1:]
    for row in range(rows):
        for column in range(columns):
            stone = (planes[0, row, column] > 0) + 2 * (planes[1, row, column] > 0)
            places[(row + 1) * (columns + 2) + column + 1] = stone


@compiled()
def weigh_stretches(places: Stones, first: int, step: int, cells: int, length: int, exact: bool, worth: Values) -> None:
    """worth[side, i]: what the stretch that begins at cell i of a row, column or diagonal gives to each empty cell in it.

    Where longer lines do not win (`exact`), a stretch that a stone of its side touches at either end gives nothing.
    """
    own_stones, other_stones = 0, 0
    for index in range(cells):
        stone = places[first + index * step]
        own_stones += stone & 1
        other_stones += stone >> 1
        start = index - length + 1
        if start < 0:
            continue
        before, after = places[first + (start - 1) * step], places[first + (index + 1) * step]
        if start > 0:
            own_stones -= before & 1
            other_stones -= before >> 1
        own_blocked = other_stones > 0 or (exact and (before == 1 or after == 1))
        other_blocked = own_stones > 0 or (exact and (before == 2 or after == 2))
        worth[0, start] = 0 if own_blocked else OWN_VALUES[min(length - own_stones, MOST_MISSING)]
        worth[1, start] = 0 if other_blocked else OTHER_VALUES[min(length - other_stones, MOST_MISSING)]


@compiled()
def value_walk(
    places: Stones, first: int, step: int, cells: int, length: int, exact: bool, worth: Values, values: Values
) -> None:
    """Add to values[side, place] of one row, column or diagonal what the stretches over each empty cell give to it."""
    if cells < length:
        return
    weigh_stretches(places, first, step, cells, length, exact, worth)
    own, other = 0, 0  # the sums over the stretches that cover the cell
    for index in range(cells):
        if index <= cells - length:
            own += worth[0, index]
            other += worth[1, index]
        if index >= length:
            own -= worth[0, index - length]
            other -= worth[1, index - length]
        place = first + index * step
        if places[place] == 0:
            values[0, place] += own
            values[1, place] += other


@compiled()
def value_cells(places: Stones, rows: int, columns: int, length: int, exact: bool, worth: Values, values: Values) -> None:
    """values[side, place] from all rows, columns and diagonals; `down` and `right` are steps from place to place."""
    down, right = columns + 2, 1
    top_left, top_right = down + right, down + columns * right
    for row in range(rows):
        value_walk(places, top_left + row * down, right, columns, length, exact, worth, values)
        falling, rising = top_left + row * down, top_right + row * down
        value_walk(places, falling, down + right, min(rows - row, columns), length, exact, worth, values)
        value_walk(places, rising, down - right, min(rows - row, columns), length, exact, worth, values)
    for column in range(columns):
        value_walk(places, top_left + column, down, rows, length, exact, worth, values)
        if column > 0:
            value_walk(places, top_left + column, down + right, min(rows, columns - column), length, exact, worth, values)
            value_walk(places, top_right - column, down - right, min(rows, columns - column), length, exact, worth, values)


@compiled()
def write_logits(places: Stones, rows: int, columns: int, values: Values, falls: bool, logits: npt.NDArray[np.float32]) -> None:
    """log of the policy; the smallest value that a playable cell can have is 1."""
    logits[:] = ILLEGAL
    for row in range(rows):  # from the top, so that of a column the lowest free cell is written last
        for column in range(columns):
            place = (row + 1) * (columns + 2) + column + 1
            if places[place] == 0:
                action = column if falls else row * columns + column
                logits[action] = np.log(np.float64(1 + values[0, place] + values[1, place]))


@compiled(void(types.Array(float32, 4, "C"), int64, boolean, boolean, float32[:, ::1], float32[::1]))
def judge_positions(
    planes: npt.NDArray[np.float32],
    length: int,
    exact: bool,
    falls: bool,
    logits: npt.NDArray[np.float32],
    values: npt.NDArray[np.float32],
) -> None:
    rows, columns = planes.shape[2:]
    places = np.full((rows + 2) * (columns + 2), OFF_BOARD, np.int8)
    cell_values = np.empty((2, len(places)), np.int64)
    worth = np.empty((2, max(rows, columns)), np.int64)
    for position in range(len(planes)):
        read_stones(planes[position], places)
        cell_values[:] = 0
        value_cells(places, rows, columns, length, exact, worth, cell_values)
        write_logits(places, rows, columns, cell_values, falls, logits[position])
        own, other = cell_values[0].sum(), cell_values[1].sum()
        values[position] = (own - other) / (own + other) if own + other > 0 else 0.0
