"""Gomoku on boards of 5×5 to 20×20, free-style and standard.

The state is kept as `stones.py` says. Header: 3–11 stones on the board, 12–16 size, 17 the rule (0 free-style, 1 standard).
"""

from collections.abc import Mapping
from typing import Literal

import numpy as np
import numpy.typing as npt
from pydantic import Field

from boardzero.games.bits import signed
from boardzero.games.board_setup import (
    cells_from_words,
    check_alternation,
    check_no_details,
    refuse_finished_turn,
    words_from_cells,
)
from boardzero.games.policy import PolicyLayout, cell_actions
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
from boardzero.games.stones import encode_stones, has_line, makes_line, place_stone
from boardzero.settings.specification import Parameters

ONE, NOTHING = np.uint64(1), np.uint64(0)
STONES_SHIFT, SIZE_SHIFT, RULE_SHIFT = np.uint64(3), np.uint64(12), np.uint64(17)
STONES_MASK, SIZE_MASK = np.uint64(511), np.uint64(31)
ONE_STONE = ONE << STONES_SHIFT

LINE = 5  # stones in a row that win


@legal_rule
def legal(state: State, actions: Actions) -> int:
    if state[0] & OUTCOME_MASK != GOING_ON:
        return 0
    size = signed(state[0] >> SIZE_SHIFT & SIZE_MASK)
    cells = size * size
    words = (len(state) - 1) // 2
    count = NOTHING
    for word in range(words):
        empty = ~(state[1 + word] | state[1 + words + word])  # bit 0: the cell that is looked at
        for cell in range(64 * word, min(64 * (word + 1), cells)):
            actions[count] = cell  # stays only where the count moves on: faster than a branch
            count += empty & ONE
            empty >>= ONE
    return signed(count)


@apply_rule
def apply(state: State, action: int, next_state: State) -> int:
    header = (state[0] ^ TURN_BIT) + ONE_STONE
    size = signed(header >> SIZE_SHIFT & SIZE_MASK)
    exact = header >> RULE_SHIFT & ONE != NOTHING
    words = (len(state) - 1) // 2
    place_stone(state, words, action, next_state)
    if makes_line(next_state, 1 + words, size, size, action, LINE, exact):
        header |= MOVER_WON
    elif signed(header >> STONES_SHIFT & STONES_MASK) == size * size:
        header |= DRAW
    next_state[0] = header
    return signed(header & OUTCOME_MASK)


@encode_rule
def encode(state: State, planes: Planes) -> None:
    size = signed(state[0] >> SIZE_SHIFT & SIZE_MASK)
    encode_stones(state, (len(state) - 1) // 2, size, size, planes)
    planes[2] = state[0] >> RULE_SHIFT & ONE


class GomokuParameters(Parameters):
    """The board and what wins on it."""

    size: int = Field(15, ge=5, le=20, description="rows and columns of the board")
    rule: Literal["freestyle", "standard"] = Field(
        "freestyle", description="freestyle: five or more in a row win; standard: exactly five do"
    )


class Gomoku(Game):
    """Stones are placed on empty cells; five in a row win; a full board is a draw."""

    name = "gomoku"
    title = "Gomoku"
    Parameters = GomokuParameters
    symmetry_kind = "square"
    legal, apply, encode = staticmethod(legal), staticmethod(apply), staticmethod(encode)
    planes = ("own stones", "other stones", "is the rule standard?")  # one network may know both rules

    def __init__(self, parameters: GomokuParameters) -> None:
        super().__init__(parameters)
        self.size = self.rows = self.columns = parameters.size
        self.exact = parameters.rule == "standard"
        self.max_legal = self.max_plies = self.size * self.size
        self.words = (self.size * self.size + 63) // 64  # for the stones of one player
        self.state_length = 1 + 2 * self.words
        self.policy = PolicyLayout((cell_actions(self.size, self.size),))

    def initial_state(self, seed: int | None = None) -> State:
        state = np.zeros(self.state_length, np.uint64)
        state[0] = self._header(turn=0, stones=0)
        return state

    def cells(self, state: State) -> npt.NDArray[np.int8]:
        turn = self.turn(state)
        cells = np.zeros((self.size, self.size), np.int8)
        for player, stones in ((turn, state[1 : 1 + self.words]), (1 - turn, state[1 + self.words :])):
            cells[cells_from_words(stones, self.size, self.size)] = player + 1
        return cells

    def state_from_cells(self, cells: npt.NDArray[np.int8], turn: int, details: Mapping[str, str]) -> State:
        check_no_details(details, self.title)
        check_alternation(cells, turn, self.players)
        won = [has_line(cells == player, LINE, self.exact) for player in (1, 2)]
        if won[turn]:
            refuse_finished_turn(self.players[turn])
        stones = int(np.count_nonzero(cells))
        outcome = MOVER_WON if won[1 - turn] else DRAW if stones == cells.size else GOING_ON
        header = np.array([self._header(turn, stones) | int(outcome)], np.uint64)
        own, other = (words_from_cells(cells == player + 1, self.words) for player in (turn, 1 - turn))
        return np.concatenate([header, own, other])

    def _header(self, turn: int, stones: int) -> int:
        return game_header(turn, (stones, int(STONES_SHIFT)), (self.size, int(SIZE_SHIFT)), (self.exact, int(RULE_SHIFT)))
