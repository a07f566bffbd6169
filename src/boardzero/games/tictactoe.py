"""Tic-tac-toe, and the example to copy for a new game: a file like this is all that boardzero needs.

State, three words:

    header   the common bits only
    own      the stones of the player to move, one bit a cell
    other    the stones of the other player

Cells are numbered row by row from the top left:   0 1 2
                                                   3 4 5
                                                   6 7 8
"""

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from boardzero.games.bits import signed
from boardzero.games.board_setup import check_alternation, check_no_details, refuse_finished_turn, words_from_cells
from boardzero.games.compiled import compiled
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
from boardzero.settings.specification import Parameters

# Constants are uint64 throughout: in compiled code a uint64 that meets a signed integer silently becomes a float.
ONE, NOTHING = np.uint64(1), np.uint64(0)
FULL = np.uint64(0b111_111_111)
LINES = np.array([0o700, 0o070, 0o007, 0o444, 0o222, 0o111, 0o421, 0o124], np.uint64)  # one octal digit a row


@compiled()
def has_line(stones: np.uint64) -> bool:
    for line in LINES:
        if stones & line == line:
            return True
    return False


@legal_rule
def legal(state: State, actions: Actions) -> int:
    if state[0] & OUTCOME_MASK != GOING_ON:
        return 0
    stones = state[1] | state[2]
    count = 0
    for cell in range(9):
        if stones >> np.uint64(cell) & ONE == NOTHING:
            actions[count] = cell
            count += 1
    return count


@apply_rule
def apply(state: State, action: int, next_state: State) -> int:
    own = state[1] | ONE << np.uint64(action)
    outcome = GOING_ON
    if has_line(own):
        outcome = MOVER_WON
    elif own | state[2] == FULL:
        outcome = DRAW
    next_state[0] = (state[0] ^ TURN_BIT) | outcome
    next_state[1] = state[2]  # the other player moves next, and sees its own stones first
    next_state[2] = own
    return signed(outcome)


@encode_rule
def encode(state: State, planes: Planes) -> None:
    for cell in range(9):
        shift = np.uint64(cell)
        planes[0, cell // 3, cell % 3] = state[1] >> shift & ONE
        planes[1, cell // 3, cell % 3] = state[2] >> shift & ONE


class TicTacToe(Game):
    """Three in a row on a 3×3 board; X begins."""

    name = "tictactoe"
    title = "tic-tac-toe"
    symmetry_kind = "square"
    legal, apply, encode = staticmethod(legal), staticmethod(apply), staticmethod(encode)

    rows = columns = 3
    state_length = 3
    policy = PolicyLayout((cell_actions(3, 3),))
    planes = ("own stones", "other stones")
    max_legal = max_plies = 9

    def __init__(self, parameters: Parameters) -> None:
        super().__init__(parameters)

    def initial_state(self, seed: int | None = None) -> State:
        return np.zeros(3, np.uint64)

    def cells(self, state: State) -> npt.NDArray[np.int8]:
        turn = self.turn(state)
        cells = np.zeros((3, 3), np.int8)
        for player, stones in ((turn, int(state[1])), (1 - turn, int(state[2]))):
            for cell in range(9):
                if stones >> cell & 1:
                    cells[divmod(cell, 3)] = player + 1
        return cells

    def state_from_cells(self, cells: npt.NDArray[np.int8], turn: int, details: Mapping[str, str]) -> State:
        check_no_details(details, self.title)
        check_alternation(cells, turn, self.players)
        own, other = (words_from_cells(cells == player + 1, 1)[0] for player in (turn, 1 - turn))
        if has_line(own):
            refuse_finished_turn(self.players[turn])
        outcome = MOVER_WON if has_line(other) else DRAW if own | other == FULL else GOING_ON
        return np.array([game_header(turn) | int(outcome), own, other], np.uint64)
