"""Latrunculi, the Roman game of soldiers as Ulrich Schädler reconstructed it, on 4×4, 6×6 and 8×8; size²/4 men a side.

Five starts: `placement` (the default, since the game is handed down this way: the two sides place their men in turn on
free squares), `rows` (the men fill the rows from each side's back row; rows that stay incomplete are filled from the left
as their own side sees it), `random` (drawn from the seed), `uneven` (drawn, too, as if much of a game were over: one side has
any number of its men left, the other rather few than many) and `hunt` (drawn as if it were nearly over: on 8×8 six men or
more against two to four). The last two are there to learn how games end.

Then each turn is one of:
    a1-a2   a free man steps to a free neighbour, or jumps over one adjacent man, of either side, captured or not, to the
            free square behind it, and may go on jumping in any direction; only where it stops counts
    xc3     a captured man of the other side is taken off the board
    pass    only if there is nothing else to do

One move is judged in this order:
    1. The man leaves. Captured men of the other side that have no two opposite captors any more are free.
    2. It lands and captures every enemy that it now holds against another free man of its side, all at once. Only the man
       that moved captures: whoever the start, or a man set free, leaves between two enemies is free.
    3. It may not stand between two opposite captors now (the suicide rule); a captor captured in 2 is none.
    4. The mover's captured men that have no two opposite captors any more, since one was captured in 2, are free.
A captured man stays on its square, does not move and captures nobody; that is all it is, so it can be jumped over. It
stays captured while any two opposite neighbours are free enemies, not only those that captured it. A side that is left
with one man (`least`) loses. With `least=15` whoever is the first to remove a man of a full side wins on 8×8, with `least=12`
the first to remove four: shorter games, to learn how men are taken.

What the rules leave open is decided so:
    - Nothing is captured while men are placed, and a side with one man on the board has not lost while it has men in hand.
    - A player with no legal action passes, and must not pass otherwise.
    - A row of jumps that ends where it began is no move.
    - Leaving is judged first: an enemy that is set free by it (step 1) is a captor again in step 4.
    - Captured men and men of the same side can be jumped over like any other; passing between enemies is no danger.
    - `quiet` moves of the two sides together without a removal make a draw, and so do `limit` moves in all; a removal that
      wins comes first. Passing is a move, placing is none. With `draws=first` or `draws=second` that side wins what would
      be a draw, so that the other one must attack; and uneven starts and hunts give it the fewer men.

State, four words:
    header    3–6 size, 7–12 men in hand (both sides), 13–22 moves since a removal, 23–32 `quiet`, 33–44 moves, 45–56 `limit`,
              57–60 `least` − 1, 61–62 who wins draws: nobody, the first or the second player;
              63 that is only shown (`must_win`), and draws are draws
    own       the men of the player to move, as `latrunculi_captures.py` numbers squares
    other     the men of the other player
    captured  those of both that are captured: a man between two enemies may also be free, so the board does not tell
"""

from collections.abc import Mapping
from typing import Literal

import numpy as np
import numpy.typing as npt
from pydantic import Field, model_validator

from boardzero.errors import BadInput
from boardzero.games.bits import count_bits, lowest_bit, signed
from boardzero.games.board_setup import cells_from_words, refuse_finished_turn, words_from_cells
from boardzero.games.compiled import compiled
from boardzero.games.latrunculi_captures import BOARD, between, caught_from, landings, prospects, targets_of
from boardzero.games.notation import cell_to_text
from boardzero.games.policy import PolicyLayout, cell_actions, move_actions, single_action
from boardzero.games.randomness import Stream, draw_below, new_stream
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
    Piece,
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
HAND_SHIFT, HAND_MASK = np.uint64(7), np.uint64(63)
QUIET_SHIFT, MOST_QUIET_SHIFT, QUIET_MASK = np.uint64(13), np.uint64(23), np.uint64(1023)
MOVES_SHIFT, MOST_MOVES_SHIFT, MOVES_MASK = np.uint64(33), np.uint64(45), np.uint64(4095)
LEAST_SHIFT, LEAST_MASK = np.uint64(57), np.uint64(15)
DRAWS_SHIFT, DRAWS_MASK = np.uint64(61), np.uint64(3)
ONLY_SHOWN = ONE << np.uint64(63)
ONE_IN_HAND, ONE_QUIET, ONE_MOVE = ONE << HAND_SHIFT, ONE << QUIET_SHIFT, ONE << MOVES_SHIFT
COUNTED_QUIET = QUIET_MASK << QUIET_SHIFT

DRAWN_STARTS = ("random", "uneven", "hunt")
WINNERS_OF_DRAWS = ("shared", "first", "second")  # as the header numbers them

FIRST_CAPTURED = Piece("x", "dim red")
SECOND_CAPTURED = Piece("o", "dim yellow")


# -- legal actions -----------------------------------------------------------------------------------------------------
@compiled()
def write_squares(squares: np.uint64, first: int, actions: Actions, count: int) -> int:
    """An action for each square, numbered from `first`; returns how many actions are written by now."""
    while squares != NOTHING:
        actions[count] = first + lowest_bit(squares)
        squares &= squares - ONE
        count += 1
    return count


@compiled()
def write_moves(state: State, size: np.uint64, actions: Actions) -> int:
    own, other, captured = state[1], state[2], state[3]
    men = own | other
    free_squares = BOARD[size] ^ men
    landing = landings(men, free_squares, size)
    own_free, captors = own & ~captured, other & ~captured
    dangerous = between(captors, size)
    cells = signed(size * size)
    count = 0
    movers = own_free
    while movers != NOTHING:
        man = movers & (~movers + ONE)
        movers ^= man
        targets = targets_of(man, own_free, captors, free_squares, landing, dangerous, size)
        count = write_squares(targets, lowest_bit(man) * cells, actions, count)
    return count


@legal_rule
def legal(state: State, actions: Actions) -> int:
    header = state[0]
    if header & OUTCOME_MASK != GOING_ON:
        return 0
    size = header >> SIZE_SHIFT & SIZE_MASK
    cells = signed(size * size)
    removals = cells * cells
    placements, passing = removals + cells, removals + 2 * cells
    if header >> HAND_SHIFT & HAND_MASK != NOTHING:
        return write_squares(BOARD[size] ^ (state[1] | state[2]), placements, actions, 0)
    count = write_moves(state, size, actions)
    count = write_squares(state[2] & state[3], removals, actions, count)
    if count == 0:
        actions[0] = passing
        count = 1
    return count


# -- playing an action -------------------------------------------------------------------------------------------------
@compiled()
def apply_move(state: State, source: np.uint64, target: np.uint64, size: np.uint64, next_state: State) -> None:
    """Everything but the header: a man leaves, lands and captures; whoever is held no longer is free."""
    own, other, captured = state[1], state[2], state[3]
    partners = own & ~captured & ~source
    other_captured = (other & captured & between(partners, size)) | caught_from(target, partners, other, size)
    own_captured = own & captured & between(other ^ other_captured, size)
    next_state[1] = other
    next_state[2] = own ^ source ^ target
    next_state[3] = own_captured | other_captured


@compiled()
def drawn_outcome(header: np.uint64) -> np.uint64:
    """What the counters make of a game that nobody has won; the turn has passed to the other side already."""
    quiet, most_quiet = header >> QUIET_SHIFT & QUIET_MASK, header >> MOST_QUIET_SHIFT & QUIET_MASK
    moves, most_moves = header >> MOVES_SHIFT & MOVES_MASK, header >> MOST_MOVES_SHIFT & MOVES_MASK
    if quiet < most_quiet and moves < most_moves:
        return GOING_ON
    to_move = 0 if header & ONLY_SHOWN != NOTHING else draws_of_player_to_move(header)
    return DRAW if to_move == 0 else MOVER_LOST if to_move > 0 else MOVER_WON


@compiled()
def draws_of_player_to_move(header: np.uint64) -> int:
    """1 if the player to move wins draws, −1 if the other one does, 0 if nobody."""
    winner = header >> DRAWS_SHIFT & DRAWS_MASK
    if winner == NOTHING:
        return 0
    return 1 if (winner == ONE) == (header & TURN_BIT == NOTHING) else -1


@compiled()
def least_men(header: np.uint64) -> int:
    """With how many a side has lost."""
    return signed(header >> LEAST_SHIFT & LEAST_MASK) + 1


@apply_rule
def apply(state: State, action: int, next_state: State) -> int:
    header = state[0] ^ TURN_BIT
    size = header >> SIZE_SHIFT & SIZE_MASK
    cells = signed(size * size)
    removals = cells * cells
    next_state[1], next_state[2], next_state[3] = state[2], state[1], state[3]
    if removals + cells <= action < removals + 2 * cells:
        next_state[2] |= ONE << np.uint64(action - removals - cells)
        next_state[0] = header - ONE_IN_HAND
        return signed(GOING_ON)
    header += ONE_MOVE
    if removals <= action < removals + cells:
        removed = ONE << np.uint64(action - removals)
        next_state[1] ^= removed
        next_state[3] ^= removed
        header &= ~COUNTED_QUIET
        if count_bits(next_state[1]) <= least_men(header):
            header |= MOVER_WON
    else:
        header += ONE_QUIET
        if action < removals:
            apply_move(state, ONE << np.uint64(action // cells), ONE << np.uint64(action % cells), size, next_state)
    if header & OUTCOME_MASK == GOING_ON:
        header |= drawn_outcome(header)
    next_state[0] = header
    return signed(header & OUTCOME_MASK)


# -- planes ------------------------------------------------------------------------------------------------------------
@encode_rule
def encode(state: State, planes: Planes) -> None:
    header, captured = state[0], state[3]
    size = signed(header >> SIZE_SHIFT & SIZE_MASK)
    men_a_side = size * size // 4
    in_hand = signed(header >> HAND_SHIFT & HAND_MASK)  # the player to move has the odd one
    own_in_hand, other_in_hand = (in_hand + 1) // 2, in_hand // 2
    least = least_men(header)
    planes[4] = own_in_hand / men_a_side
    planes[5] = other_in_hand / men_a_side
    planes[6] = signed(header >> QUIET_SHIFT & QUIET_MASK) / signed(header >> MOST_QUIET_SHIFT & QUIET_MASK)
    planes[7] = signed(header >> MOVES_SHIFT & MOVES_MASK) / signed(header >> MOST_MOVES_SHIFT & MOVES_MASK)
    planes[8] = (count_bits(state[1]) + own_in_hand - least) / men_a_side
    planes[9] = (count_bits(state[2]) + other_in_hand - least) / men_a_side
    draws = draws_of_player_to_move(header)
    planes[16] = draws > 0
    planes[17] = draws < 0
    own_reached, own_catching, own_caught = prospects(state[1], state[2], captured, np.uint64(size))
    other_reached, other_catching, other_caught = prospects(state[2], state[1], captured, np.uint64(size))
    for cell in range(size * size):
        row, column, shift = cell // size, cell % size, np.uint64(cell)
        own, other, held = state[1] >> shift & ONE, state[2] >> shift & ONE, captured >> shift & ONE
        planes[0, row, column] = own & ~held
        planes[1, row, column] = own & held
        planes[2, row, column] = other & ~held
        planes[3, row, column] = other & held
        planes[10, row, column] = own_reached >> shift & ONE
        planes[11, row, column] = other_reached >> shift & ONE
        planes[12, row, column] = own_catching >> shift & ONE
        planes[13, row, column] = other_catching >> shift & ONE
        planes[14, row, column] = own_caught >> shift & ONE
        planes[15, row, column] = other_caught >> shift & ONE


class LatrunculiParameters(Parameters):
    """The board, the start, and when a game is won or drawn."""

    size: int = Field(8, ge=4, le=8, multiple_of=2, description="rows and columns of the board")
    start: Literal["placement", "rows", "random", "uneven", "hunt"] = Field(
        "placement", description="how the men come onto the board"
    )
    seed: int = Field(0, ge=0, description="draws the start, where start=random, uneven or hunt")
    quiet: int = Field(100, ge=1, le=int(QUIET_MASK), description="moves without a removal that end the game")
    limit: int = Field(500, ge=1, le=int(MOVES_MASK), description="moves in all, without placements, that end the game")
    least: int = Field(1, ge=1, le=int(LEAST_MASK), description="a side that is left with so many men has lost")
    draws: Literal["shared", "first", "second"] = Field("shared", description="who wins what would be a draw")

    @model_validator(mode="after")
    def least_are_fewer(self) -> "LatrunculiParameters":
        men = self.size**2 // 4
        if self.least >= men:
            raise ValueError(f"least={self.least} is too many on {self.size}×{self.size}, where each side has {men} men.")
        if self.start == "hunt" and self.least > 1:
            raise ValueError(f"start=hunt leaves one side few men, so that least={self.least} has no meaning with it.")
        return self

    @model_validator(mode="after")
    def seed_is_used(self) -> "LatrunculiParameters":
        if self.seed and self.start not in DRAWN_STARTS:
            raise ValueError(
                f"seed={self.seed} has no meaning with start={self.start}; it goes with start=random, uneven or hunt."
            )
        return self


class Latrunculi(Game):
    """Men step and jump, capture by holding an enemy between two of theirs, and take captured men off; one man left loses."""

    name = "latrunculi"
    title = "Latrunculi"
    Parameters = LatrunculiParameters
    symmetry_kind = "square"
    legal, apply, encode = staticmethod(legal), staticmethod(apply), staticmethod(encode)
    pieces = (EMPTY, FIRST_PLAYER, SECOND_PLAYER, FIRST_CAPTURED, SECOND_CAPTURED)
    planes = (
        "own free men",
        "own captured men",
        "other free men",
        "other captured men",
        "own men in hand (share)",
        "other men in hand (share)",
        "moves without a removal (share of quiet)",
        "moves (share of limit)",
        "removals until the player to move has lost (share of the men)",
        "removals until the other player has lost (share of the men)",
        "squares that own men may go to (men in hand left aside)",
        "squares that the other's men may go to, were it their turn",
        "where own men would capture",
        "where the other's men would capture",
        "the other's men that could be captured now",
        "own men that could be captured, were it the other's turn",
        "the player to move wins draws",
        "the other player wins draws",
    )
    state_length = 4

    def __init__(self, parameters: LatrunculiParameters) -> None:
        super().__init__(parameters)
        self.size = self.rows = self.columns = parameters.size
        self.start, self.seed, self.quiet, self.limit = parameters.start, parameters.seed, parameters.quiet, parameters.limit
        self.least, self.draws = parameters.least, parameters.draws
        self.varied_start = self.start in DRAWN_STARTS
        self.men = self.size**2 // 4  # a side
        self.policy = PolicyLayout(
            (
                move_actions(self.size, self.size),
                cell_actions(self.size, self.size, text="x"),
                cell_actions(self.size, self.size, text="@"),
                single_action("pass"),
            )
        )
        # A man has at most 4 steps; its jumps end an even number of rows and columns away, on a quarter of the squares
        # without its own: men − 1. There are at most `men` removals. Placements, at most 4 · men, are fewer than all this.
        self.max_legal = self.men * (4 + self.men - 1) + self.men
        self.max_plies = self.limit + (2 * self.men if self.start == "placement" else 0)

    # -- starts --------------------------------------------------------------------------------------------------------
    def initial_state(self, seed: int | None = None) -> State:
        if self.start == "placement":
            return self._state(np.zeros((self.size, self.size), np.int8), 0, in_hand=2 * self.men)
        if self.start == "rows":
            return self._state(self._filled_rows(), 0)
        return self._state(self._drawn_cells(self.seed if seed is None else seed), 0)

    def _filled_rows(self) -> npt.NDArray[np.int8]:
        """The first side at the bottom; the second side's men stand where a half turn brings the first side's."""
        men = np.zeros((self.size, self.size), np.int8)
        from_back_row = np.arange(self.men)
        men[self.size - 1 - from_back_row // self.size, from_back_row % self.size] = 1
        return men + 2 * men[::-1, ::-1]

    def _drawn_cells(self, seed: int) -> npt.NDArray[np.int8]:
        """Both sides' men on squares drawn without replacement (a Fisher–Yates shuffle, cut short)."""
        stream = new_stream(seed)
        order = np.arange(self.size**2)
        for index in range(2 * self.men):
            chosen = index + draw_below(stream, len(order) - index)
            order[[index, chosen]] = order[[chosen, index]]
        first, second = (self.men, self.men) if self.start == "random" else self._drawn_men(stream)
        cells = np.zeros(self.size**2, np.int8)
        cells[order[:first]] = 1
        cells[order[self.men : self.men + second]] = 2
        return cells.reshape(self.size, self.size)

    def _drawn_men(self, stream: Stream) -> tuple[int, int]:
        """How many an uneven start, or a hunt, leaves each side."""
        fewest = self.least + 1  # with whom a side still plays
        if self.start == "hunt":
            many = self.men - draw_below(stream, 1 + self.men * 5 // 8)
            few = fewest + draw_below(stream, min(3, self.men // 4))
            many = max(many, few + 1)  # which matters on 4×4
        else:
            span = self.men - self.least
            many, few = fewest + draw_below(stream, span), fewest + draw_below(stream, 1 + draw_below(stream, span))
        if self.draws == "shared":
            return (few, many) if draw_below(stream, 2) else (many, few)
        few, many = sorted((few, many))
        return (few, many) if self.draws == "first" else (many, few)

    # -- boards --------------------------------------------------------------------------------------------------------
    def cells(self, state: State) -> npt.NDArray[np.int8]:
        turn = self.turn(state)
        own, other, captured = (cells_from_words(state[word : word + 1], self.size, self.size) for word in (1, 2, 3))
        cells = (turn + 1) * own.astype(np.int8) + (2 - turn) * other.astype(np.int8)
        return np.where(captured, cells + 2, cells).astype(np.int8)

    def in_hand(self, state: State) -> tuple[int, int]:
        """Men that the first and the second player have still to place; the player to move has the odd one."""
        both = int(state[0] >> HAND_SHIFT & HAND_MASK)
        own, other = (both + 1) // 2, both // 2
        return (own, other) if self.turn(state) == 0 else (other, own)

    def must_win(self, state: State) -> State:
        """The same position, with planes as if the player to move lost what would be a draw; by the rules it is a draw."""
        changed = state.copy()
        changed[0] &= ~(DRAWS_MASK << DRAWS_SHIFT)
        changed[0] |= ONLY_SHOWN | np.uint64(2 - self.turn(state)) << DRAWS_SHIFT  # the other one
        return changed

    def details(self, state: State) -> dict[str, str]:
        """`hand`: men that both sides have still to place; `quiet`: moves since a removal; `ply`: moves. 0 is left out."""
        header = state[0]
        counters = {
            "hand": header >> HAND_SHIFT & HAND_MASK,
            "quiet": header >> QUIET_SHIFT & QUIET_MASK,
            "ply": header >> MOVES_SHIFT & MOVES_MASK,
        }
        return {key: str(value) for key, value in counters.items() if value}

    def state_from_cells(self, cells: npt.NDArray[np.int8], turn: int, details: Mapping[str, str]) -> State:
        most = {"hand": 2 * self.men if self.start == "placement" else 0, "quiet": self.quiet, "ply": self.limit}
        counters = dict.fromkeys(most, 0) | {key: _counter(key, value, most) for key, value in details.items()}
        in_hand, quiet, moves = counters["hand"], counters["quiet"], counters["ply"]
        if quiet > moves:
            raise BadInput(f"quiet={quiet} counts some of the moves of ply={moves} and cannot be larger.")
        if in_hand:
            self._check_placing(cells, turn, in_hand, moves)
        state = self._state(cells, turn, in_hand, quiet, moves)
        self._check_captured(state)
        if not in_hand:
            state[0] |= self._outcome_of(cells, turn, state[0])
        return state

    def _state(self, cells: npt.NDArray[np.int8], turn: int, in_hand: int = 0, quiet: int = 0, moves: int = 0) -> State:
        header = game_header(
            turn,
            (self.size, int(SIZE_SHIFT)),
            (in_hand, int(HAND_SHIFT)),
            (quiet, int(QUIET_SHIFT)),
            (self.quiet, int(MOST_QUIET_SHIFT)),
            (moves, int(MOVES_SHIFT)),
            (self.limit, int(MOST_MOVES_SHIFT)),
            (self.least - 1, int(LEAST_SHIFT)),
            (WINNERS_OF_DRAWS.index(self.draws), int(DRAWS_SHIFT)),
        )
        own, other = (words_from_cells(_men_of(cells, player), 1)[0] for player in (turn, 1 - turn))
        return np.array([header, own, other, words_from_cells(cells > 2, 1)[0]], np.uint64)

    # -- boards that cannot be -----------------------------------------------------------------------------------------
    def _check_placing(self, cells: npt.NDArray[np.int8], turn: int, in_hand: int, moves: int) -> None:
        placed = 2 * self.men - in_hand
        counts = tuple(int(np.count_nonzero(_men_of(cells, player))) for player in (0, 1))
        if counts != (placed - placed // 2, placed // 2) or turn != placed % 2:
            raise BadInput(
                f"With hand={in_hand}, {placed - placed // 2} X and {placed // 2} O are on the board and"
                f" {self.players[placed % 2]} is to move, not {counts[0]} X and {counts[1]} O and {self.players[turn]}."
            )
        if moves or np.any(cells > 2):
            raise BadInput(f"With hand={in_hand} men are still being placed: nothing has moved and nothing is captured yet.")

    def _check_captured(self, state: State) -> None:
        own, other, captured = state[1], state[2], state[3]
        size = np.uint64(self.size)
        wrong = captured & own & ~np.uint64(between(other & ~captured, size))
        wrong |= captured & other & ~np.uint64(between(own & ~captured, size))
        if wrong:
            square = cell_to_text(lowest_bit(wrong), self.size, self.size, self.rank_one_on_top)
            raise BadInput(f"The man on {square} cannot be captured: it does not stand between two free enemies.")

    def _outcome_of(self, cells: npt.NDArray[np.int8], turn: int, header: np.uint64) -> np.uint64:
        """How the last move left a board on which no men are in hand."""
        counts = [int(np.count_nonzero(_men_of(cells, player))) for player in (0, 1)]
        for player, count in enumerate(counts):
            if not self.least <= count <= self.men:
                raise BadInput(
                    f"{self.players[player]} has {_men(count)} on the board; {self.least} to {self.men} are possible."
                )
        if counts[1 - turn] == self.least:
            if counts[turn] == self.least:
                raise BadInput(f"Both sides have {_men(self.least)} on the board; the game ended when the first of them had.")
            refuse_finished_turn(self.players[turn])
        if counts[turn] == self.least:
            if header & COUNTED_QUIET:
                raise BadInput(
                    f"{self.players[turn]} has {_men(self.least)} left, so the last move was a removal and quiet must be 0."
                )
            return MOVER_WON
        return np.uint64(drawn_outcome(header))


def _men(count: int) -> str:
    return "one man" if count == 1 else f"{count} men"


def _men_of(cells: npt.NDArray[np.int8], player: int) -> npt.NDArray[np.bool_]:
    return (cells == player + 1) | (cells == player + 3)


def _counter(key: str, value: str, most: Mapping[str, int]) -> int:
    """A counter behind a board, checked."""
    if key not in most:
        raise BadInput(f"A board of Latrunculi has nothing called '{key}' behind it; it may have {', '.join(most)}.")
    if not (value.isascii() and value.isdigit() and int(value) <= most[key]):
        raise BadInput(f"{key}={value} behind the board is not allowed; {key} is a whole number from 0 to {most[key]} here.")
    return int(value)
