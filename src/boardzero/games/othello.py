"""Othello on 4×4, 6×6 and 8×8 boards; either colour may begin.

State, four words; every size is kept eight cells wide, so that one code plays all (cells off a smaller board stay empty):

    header       3–6 size
    own          the discs of the player to move: row r from the top, column c from the left is bit 8 r + c
    other        the discs of the other player
    placements   where the player to move may place; follows from the rest, and is kept since every move computes it anyway

The start on 8×8, a1 at the top left:     c d e f
                                        3 . . . .
                                        4 . O X .     X black
                                        5 . X O .     O white
                                        6 . . . .
"""

from collections.abc import Mapping
from typing import Literal

import numpy as np
import numpy.typing as npt
from pydantic import Field

from boardzero.games.bits import count_bits, lowest_bit, signed
from boardzero.games.board_setup import check_no_details
from boardzero.games.compiled import compiled
from boardzero.games.policy import PolicyLayout, cell_actions, single_action
from boardzero.games.rules import (
    DRAW,
    EMPTY,
    FIRST_PLAYER,
    GOING_ON,
    MOVER_LOST,
    MOVER_WON,
    OUTCOME_MASK,
    SECOND_PLAYER,
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

ONE, NOTHING = np.uint64(1), np.uint64(0)
SIZE_SHIFT, SIZE_MASK = np.uint64(3), np.uint64(15)
INNER_FILES = np.uint64(0x7E7E7E7E7E7E7E7E)  # discs on an outer file are never flanked along a rank or diagonal
RIGHT, DOWN_LEFT, DOWN, DOWN_RIGHT = np.uint64(1), np.uint64(7), np.uint64(8), np.uint64(9)  # steps in bits
BOARDS = np.array([sum((1 << size) - 1 << 8 * row for row in range(size)) for size in range(9)], np.uint64)  # cells by size

BLACK, WHITE = FIRST_PLAYER, SECOND_PLAYER  # as pieces: X and O, whoever begins


# -- runs of discs, by doubling (Kogge–Stone): a run to be turned is at most six long ----------------------------------
@compiled()
def run_ahead(start: np.uint64, discs: np.uint64, step: np.uint64) -> np.uint64:
    """The discs that follow one another without a gap from the start cells (not counted), each `step` bits further."""
    run = discs & (start << step)
    run |= discs & (run << step)
    pairs = discs & (discs << step)
    run |= pairs & (run << (step + step))
    run |= pairs & (run << (step + step))
    return run


@compiled()
def run_back(start: np.uint64, discs: np.uint64, step: np.uint64) -> np.uint64:
    """As `run_ahead`, towards lower bits."""
    run = discs & (start >> step)
    run |= discs & (run >> step)
    pairs = discs & (discs >> step)
    run |= pairs & (run >> (step + step))
    run |= pairs & (run >> (step + step))
    return run


@compiled()
def ends_of_runs(own: np.uint64, other: np.uint64, step: np.uint64) -> np.uint64:
    """The cells behind the runs of other discs that begin at an own disc, both ways."""
    return run_ahead(own, other, step) << step | run_back(own, other, step) >> step


@compiled()
def find_placements(own: np.uint64, other: np.uint64, board: np.uint64) -> np.uint64:
    """The empty cells where the player who owns `own` may place a disc."""
    inner = other & INNER_FILES
    ends = (
        ends_of_runs(own, inner, RIGHT)
        | ends_of_runs(own, other, DOWN)
        | ends_of_runs(own, inner, DOWN_LEFT)
        | ends_of_runs(own, inner, DOWN_RIGHT)
    )
    return ends & board & ~(own | other)


@compiled()
def flanked(disc: np.uint64, own: np.uint64, other: np.uint64, step: np.uint64) -> np.uint64:
    """The other discs between a new disc and own discs, both ways: the runs that both ends agree on."""
    ahead = run_ahead(disc, other, step) & run_back(own, other, step)
    back = run_back(disc, other, step) & run_ahead(own, other, step)
    return ahead | back


@compiled()
def find_turned(disc: np.uint64, own: np.uint64, other: np.uint64) -> np.uint64:
    """The other discs that a new own disc turns."""
    inner = other & INNER_FILES
    return (
        flanked(disc, own, inner, RIGHT)
        | flanked(disc, own, other, DOWN)
        | flanked(disc, own, inner, DOWN_LEFT)
        | flanked(disc, own, inner, DOWN_RIGHT)
    )


@compiled()
def find_result(own: np.uint64, other: np.uint64) -> np.uint64:
    """The outcome of a game that is over, for the player who owns `own`."""
    lead = count_bits(own) - count_bits(other)
    return MOVER_WON if lead > 0 else MOVER_LOST if lead < 0 else DRAW


# -- the rules ---------------------------------------------------------------------------------------------------------
@legal_rule
def legal(state: State, actions: Actions) -> int:
    if state[0] & OUTCOME_MASK != GOING_ON:
        return 0
    size = signed(state[0] >> SIZE_SHIFT & SIZE_MASK)
    placements = state[3]
    if placements == NOTHING:
        actions[0] = size * size  # pass
        return 1
    count = NOTHING
    while placements != NOTHING:
        bit = lowest_bit(placements)
        actions[count] = (bit >> 3) * size + (bit & 7)
        count += ONE
        placements &= placements - ONE
    return signed(count)


@apply_rule
def apply(state: State, action: int, next_state: State) -> int:
    header = state[0]
    size = header >> SIZE_SHIFT & SIZE_MASK
    own, other = state[1], state[2]
    cell = np.uint64(action)
    if cell < size * size:  # otherwise it is a pass
        disc = ONE << (cell // size * DOWN + cell % size)
        turned = find_turned(disc, own, other)
        own |= disc | turned
        other ^= turned
    board = BOARDS[size]
    placements = find_placements(other, own, board)
    outcome = GOING_ON
    if placements == NOTHING and find_placements(own, other, board) == NOTHING:
        outcome = find_result(own, other)
    next_state[0] = (header ^ TURN_BIT) | outcome
    next_state[1] = other
    next_state[2] = own
    next_state[3] = placements
    return signed(outcome)


@encode_rule
def encode(state: State, planes: Planes) -> None:
    size = signed(state[0] >> SIZE_SHIFT & SIZE_MASK)
    for row in range(size):
        for column in range(size):
            shift = np.uint64(8 * row + column)
            planes[0, row, column] = state[1] >> shift & ONE
            planes[1, row, column] = state[2] >> shift & ONE


class OthelloParameters(Parameters):
    """The board and who begins."""

    size: int = Field(8, ge=4, le=8, multiple_of=2, description="rows and columns of the board")
    first: Literal["black", "white"] = Field("black", description="the colour that begins")


class Othello(Game):
    """Discs that are flanked turn over; who cannot place passes; when neither can, the most discs win."""

    name = "othello"
    title = "Othello"
    Parameters = OthelloParameters
    symmetry_kind = "square"
    rank_one_on_top = True
    legal, apply, encode = staticmethod(legal), staticmethod(apply), staticmethod(encode)

    state_length = 4
    planes = ("own discs", "other discs")

    def __init__(self, parameters: OthelloParameters) -> None:
        super().__init__(parameters)
        self.size = self.rows = self.columns = parameters.size
        cells = self.size * self.size
        self.policy = PolicyLayout((cell_actions(self.size, self.size), single_action("pass")))
        colours = (BLACK, WHITE) if parameters.first == "black" else (WHITE, BLACK)
        self.pieces = (EMPTY, *colours)
        self.players = (colours[0].letter, colours[1].letter)
        # Every disc of the other player lies next to at most 4 placements (one on each line through it), and every own disc
        # flanks from at most 8; so p placements, p / 4 other and p / 8 own discs share the board.
        self.max_legal = cells * 8 // 11
        self.max_plies = 2 * (cells - 2)  # placing takes a disc of each side on the board; a pass is followed by a placement

    def initial_state(self, seed: int | None = None) -> State:
        cells = np.zeros((self.size, self.size), np.int8)
        black, white = (self.pieces.index(colour) for colour in (BLACK, WHITE))
        middle = self.size // 2
        cells[middle - 1 : middle + 1, middle - 1 : middle + 1] = [[white, black], [black, white]]
        return self.state_from_cells(cells, 0, {})

    def cells(self, state: State) -> npt.NDArray[np.int8]:
        turn = self.turn(state)
        cells = np.zeros((self.size, self.size), np.int8)
        for player, discs in ((turn, int(state[1])), (1 - turn, int(state[2]))):
            for row in range(self.size):
                for column in range(self.size):
                    if discs >> (8 * row + column) & 1:
                        cells[row, column] = player + 1
        return cells

    def state_from_cells(self, cells: npt.NDArray[np.int8], turn: int, details: Mapping[str, str]) -> State:
        """Every board is taken, with either side to move; where neither can place, the game is over."""
        check_no_details(details, self.title)
        own, other = (self._bitboard(cells == player + 1) for player in (turn, 1 - turn))
        board = BOARDS[self.size]
        placements = find_placements(own, other, board)
        header = game_header(turn, (self.size, int(SIZE_SHIFT)))
        if placements == NOTHING and find_placements(other, own, board) == NOTHING:
            header |= int(find_result(other, own))  # as if the other player had moved last
        return np.array([header, own, other, placements], np.uint64)

    def _bitboard(self, occupied: npt.NDArray[np.bool_]) -> np.uint64:
        return np.uint64(sum(1 << 8 * int(row) + int(column) for row, column in zip(*np.nonzero(occupied), strict=True)))
