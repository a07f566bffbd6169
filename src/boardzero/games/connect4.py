"""Connect Four on any board: 1 to 35 rows, 1 to 35 columns (one character each: 1–9, then a–z), any length to connect.

Boards with (rows + 1) · columns ≤ 64 are bitboards after Tromp: column by column from the left, each column from the bottom,
with one cell above each that stays empty, so that lines never run from one column into the next. On 6×7:

     6 13 20 27 34 41 48   always empty
     5 12 19 26 33 40 47   top row
     …
     0  7 14 21 28 35 42   bottom row

    state: header, stones of the player to move, all stones

Other boards keep their stones as `stones.py` says, and look for lines through the newest stone. So do the few tall boards
within 64 bits on which only an upright line of `connect` fits and whose shifts in search of other lines would pass 64 bits.

Header: 3–13 stones on the board, 14–19 rows, 20–25 columns, 26–31 length to connect.
"""

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt
from pydantic import Field, model_validator

from boardzero.errors import BadInput
from boardzero.games.bits import signed
from boardzero.games.board_setup import (
    cells_from_words,
    check_alternation,
    check_no_details,
    refuse_finished_turn,
    words_from_cells,
)
from boardzero.games.compiled import compiled
from boardzero.games.notation import COLUMN_NAMES
from boardzero.games.policy import PolicyLayout, column_actions
from boardzero.games.rules import (
    DRAW,
    GOING_ON,
    MOVER_WON,
    OUTCOME_MASK,
    TURN_BIT,
    Actions,
    Game,
    Planes,
    State,
    apply_rule,
    encode_rule,
    game_header,
    legal_rule,
)
from boardzero.games.stones import encode_stones, has_line, has_stone, makes_line, place_stone
from boardzero.settings.specification import Parameters

ONE, NOTHING, SIX_BITS = np.uint64(1), np.uint64(0), np.uint64(63)
STONES_SHIFT, ROWS_SHIFT, COLUMNS_SHIFT, CONNECT_SHIFT = np.uint64(3), np.uint64(14), np.uint64(20), np.uint64(26)
STONES_MASK = np.uint64(2047)
ONE_STONE = ONE << STONES_SHIFT

LARGEST_SIDE = 35
BITS = 64


# -- bitboards ---------------------------------------------------------------------------------------------------------
@compiled()
def has_connected(stones: np.uint64, rows: np.uint64, length: np.uint64) -> bool:
    """A vertical, horizontal or diagonal line on a bitboard.

    Each bit that is left marks the start of a run of stones in its direction; the runs grow by doubling.
    All lengths take this one way: a branch for the usual four made random games a quarter slower. The longest shift,
    length // 2 · (rows + 2), must stay below 64.
    """
    vertical = horizontal = falling = rising = stones
    run = ONE
    while run < length:
        more = min(run, length - run)
        across = more * rows
        vertical &= vertical >> more
        falling &= falling >> across
        horizontal &= horizontal >> (across + more)
        rising &= rising >> (across + more + more)
        run += more
    return vertical | horizontal | falling | rising != NOTHING


@legal_rule
def legal(state: State, actions: Actions) -> int:
    header = state[0]
    if header & OUTCOME_MASK != GOING_ON:
        return 0
    rows = header >> ROWS_SHIFT & SIX_BITS
    columns = signed(header >> COLUMNS_SHIFT & SIX_BITS)
    free = ~state[2] >> (rows - ONE)  # bit 0: is the top cell of the column that is looked at free?
    count = NOTHING
    for column in range(columns):
        actions[count] = column
        count += free & ONE
        free >>= rows + ONE
    return signed(count)


@apply_rule
def apply(state: State, action: int, next_state: State) -> int:
    header = state[0]
    rows = header >> ROWS_SHIFT & SIX_BITS
    columns = header >> COLUMNS_SHIFT & SIX_BITS
    all_stones = state[2] | (state[2] + (ONE << (np.uint64(action) * (rows + ONE))))  # a carry finds the landing cell
    other = state[1] ^ state[2]
    header = (header ^ TURN_BIT) + ONE_STONE
    if has_connected(other ^ all_stones, rows, header >> CONNECT_SHIFT & SIX_BITS):
        header |= MOVER_WON
    elif header >> STONES_SHIFT & STONES_MASK == rows * columns:
        header |= DRAW
    next_state[0] = header
    next_state[1] = other
    next_state[2] = all_stones
    return signed(header & OUTCOME_MASK)


@encode_rule
def encode(state: State, planes: Planes) -> None:
    rows = signed(state[0] >> ROWS_SHIFT & SIX_BITS)
    columns = signed(state[0] >> COLUMNS_SHIFT & SIX_BITS)
    own, other = state[1], state[1] ^ state[2]
    for column in range(columns):
        for row in range(rows):
            shift = np.uint64(column * (rows + 1) + rows - 1 - row)
            planes[0, row, column] = own >> shift & ONE
            planes[1, row, column] = other >> shift & ONE


# -- larger boards -----------------------------------------------------------------------------------------------------
@legal_rule
def legal_large(state: State, actions: Actions) -> int:
    if state[0] & OUTCOME_MASK != GOING_ON:
        return 0
    words = (len(state) - 1) // 2
    count = 0
    for column in range(signed(state[0] >> COLUMNS_SHIFT & SIX_BITS)):
        if not (has_stone(state, 1, column) or has_stone(state, 1 + words, column)):
            actions[count] = column
            count += 1
    return count


@apply_rule
def apply_large(state: State, action: int, next_state: State) -> int:
    header = (state[0] ^ TURN_BIT) + ONE_STONE
    rows = signed(header >> ROWS_SHIFT & SIX_BITS)
    columns = signed(header >> COLUMNS_SHIFT & SIX_BITS)
    words = (len(state) - 1) // 2
    cell = action
    while cell + columns < rows * columns and not (
        has_stone(state, 1, cell + columns) or has_stone(state, 1 + words, cell + columns)
    ):
        cell += columns
    place_stone(state, words, cell, next_state)
    length = signed(header >> CONNECT_SHIFT & SIX_BITS)
    if makes_line(next_state, 1 + words, rows, columns, cell, length, False):
        header |= MOVER_WON
    elif signed(header >> STONES_SHIFT & STONES_MASK) == rows * columns:
        header |= DRAW
    next_state[0] = header
    return signed(header & OUTCOME_MASK)


@encode_rule
def encode_large(state: State, planes: Planes) -> None:
    rows = signed(state[0] >> ROWS_SHIFT & SIX_BITS)
    columns = signed(state[0] >> COLUMNS_SHIFT & SIX_BITS)
    encode_stones(state, (len(state) - 1) // 2, rows, columns, planes)


class ConnectFourParameters(Parameters):
    """The board and what wins on it."""

    rows: int = Field(6, ge=1, le=LARGEST_SIDE, description="rows of the board")
    columns: int = Field(7, ge=1, le=LARGEST_SIDE, description="columns of the board")
    connect: int = Field(4, ge=2, le=LARGEST_SIDE, description="stones in a line that win")

    @model_validator(mode="after")
    def line_fits(self) -> "ConnectFourParameters":
        if self.connect > max(self.rows, self.columns):
            raise ValueError(
                f"connect={self.connect} does not fit on {self.rows} rows and {self.columns} columns;"
                f" at most {max(self.rows, self.columns)} does."
            )
        return self


class ConnectFour(Game):
    """Stones fall to the lowest free cell of a column; a line of `connect` wins; a full board is a draw."""

    name = "connect4"
    title = "Connect Four"
    Parameters = ConnectFourParameters
    symmetry_kind = "mirror"
    move_separator = ""
    unseen_rules = ("connect",)
    planes = ("own stones", "other stones")

    def __init__(self, parameters: ConnectFourParameters) -> None:
        super().__init__(parameters)
        self.rows, self.columns, self.connect = parameters.rows, parameters.columns, parameters.connect
        self.is_bitboard = (self.rows + 1) * self.columns <= BITS and self.connect // 2 * (self.rows + 2) < BITS
        if self.is_bitboard:
            self.legal, self.apply, self.encode = legal, apply, encode
            self.state_length = 3
        else:
            self.legal, self.apply, self.encode = legal_large, apply_large, encode_large
            self.state_length = 1 + 2 * ((self.rows * self.columns + 63) // 64)
        self.policy = PolicyLayout((column_actions(self.columns),))
        self.max_legal = self.columns
        self.max_plies = self.rows * self.columns

    def initial_state(self, seed: int | None = None) -> State:
        state = np.zeros(self.state_length, np.uint64)
        state[0] = self._header(turn=0, stones=0)
        return state

    def cells(self, state: State) -> npt.NDArray[np.int8]:
        turn = self.turn(state)
        cells = np.zeros((self.rows, self.columns), np.int8)
        for player, own in ((turn, True), (1 - turn, False)):
            cells[self._occupied(state, own)] = player + 1
        return cells

    def state_from_cells(self, cells: npt.NDArray[np.int8], turn: int, details: Mapping[str, str]) -> State:
        check_no_details(details, self.title)
        check_alternation(cells, turn, self.players)
        self._check_support(cells)
        won = [has_line(cells == player, self.connect, exact=False) for player in (1, 2)]
        if won[turn]:
            refuse_finished_turn(self.players[turn])
        stones = int(np.count_nonzero(cells))
        outcome = MOVER_WON if won[1 - turn] else DRAW if stones == cells.size else GOING_ON
        own, other = cells == turn + 1, cells == 2 - turn
        header = self._header(turn, stones) | int(outcome)
        if self.is_bitboard:
            return np.array([header, self._bitboard(own), self._bitboard(own | other)], np.uint64)
        words = (self.state_length - 1) // 2
        return np.concatenate([np.array([header], np.uint64), words_from_cells(own, words), words_from_cells(other, words)])

    def _header(self, turn: int, stones: int) -> int:
        return game_header(
            turn,
            (stones, int(STONES_SHIFT)),
            (self.rows, int(ROWS_SHIFT)),
            (self.columns, int(COLUMNS_SHIFT)),
            (self.connect, int(CONNECT_SHIFT)),
        )

    def _occupied(self, state: State, own: bool) -> npt.NDArray[np.bool_]:
        """[rows, columns]: where the player to move (or the other) has stones."""
        if not self.is_bitboard:
            words = (self.state_length - 1) // 2
            first = 1 if own else 1 + words
            return cells_from_words(state[first : first + words], self.rows, self.columns)
        stones = int(state[1]) if own else int(state[1] ^ state[2])
        height = self.rows + 1
        return np.array(
            [
                [bool(stones >> (column * height + self.rows - 1 - row) & 1) for column in range(self.columns)]
                for row in range(self.rows)
            ]
        )

    def _bitboard(self, occupied: npt.NDArray[np.bool_]) -> int:
        height = self.rows + 1
        return sum(1 << int(c) * height + self.rows - 1 - int(r) for r, c in zip(*np.nonzero(occupied), strict=True))

    def _check_support(self, cells: npt.NDArray[np.int8]) -> None:
        floating = (cells[:-1] != 0) & (cells[1:] == 0)
        if floating.any():
            column = int(np.nonzero(floating)[1][0])
            raise BadInput(f"A stone in column {COLUMN_NAMES[column]} of the board has an empty cell below it.")
