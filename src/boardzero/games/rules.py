"""The contract that every game keeps, and that everything else in boardzero relies on.

A *state* is a fixed-length `uint64` array that holds all that matters: two equal arrays are the same position. Its first
word is the header, whose lowest three bits mean the same in every game:

    bits 0–1   outcome for the player who moved last: GOING_ON, DRAW, MOVER_WON, MOVER_LOST
    bit  2     whose turn it is: 0 = the first player, 1 = the second
    bits 3–63  the game's own (sizes, counters, …)

The rules are three functions, compiled with fixed signatures so that the search, compiled once, can take those of any game:

    legal(state, actions) -> count              writes the legal actions in increasing order; 0 exactly when the game is over
    apply(state, action, next_state) -> outcome plays a legal action; the outcome is for the player who made it
    encode(state, planes)                       fills planes[plane, row, column] as the player to move sees the position

They must not raise, and must not keep anything between calls. `state` and `next_state` are different arrays. Play strictly
alternates; where a player cannot move but the game goes on, passing is an action.

Everything that people need (names of moves, drawing, symmetries) is ordinary Python in a subclass of `Game`; most of it
follows from the policy layout, so that a new game says little. `tictactoe.py` is the example to copy.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property
from typing import Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt
from numba import float32, int32, int64, types, uint64, void

from boardzero.errors import BadInput
from boardzero.games import notation, symmetries
from boardzero.games.compiled import compiled
from boardzero.games.policy import PolicyLayout
from boardzero.games.symmetries import Symmetry
from boardzero.settings.specification import Parameters as BaseParameters

State = npt.NDArray[np.uint64]
Actions = npt.NDArray[np.int32]
Planes = npt.NDArray[np.float32]
LegalRule = Callable[[State, Actions], int]
ApplyRule = Callable[[State, int, State], int]
EncodeRule = Callable[[State, Planes], None]

LEGAL_SIGNATURE = int64(uint64[::1], int32[::1])
APPLY_SIGNATURE = int64(uint64[::1], int64, uint64[::1])
ENCODE_SIGNATURE = void(uint64[::1], float32[:, :, ::1])

# The types of arguments that take a rule as a first-class function.
LEGAL_RULE = types.FunctionType(LEGAL_SIGNATURE)
APPLY_RULE = types.FunctionType(APPLY_SIGNATURE)
ENCODE_RULE = types.FunctionType(ENCODE_SIGNATURE)

legal_rule = compiled(LEGAL_SIGNATURE)
apply_rule = compiled(APPLY_SIGNATURE)
encode_rule = compiled(ENCODE_SIGNATURE)

# Header bits, as uint64 for compiled code (uint64 mixed with int64 would silently become float64).
GOING_ON, DRAW, MOVER_WON, MOVER_LOST = np.uint64(0), np.uint64(1), np.uint64(2), np.uint64(3)
OUTCOME_MASK = np.uint64(3)
TURN_BIT = np.uint64(4)
TURN_SHIFT = np.uint64(2)


class Outcome(IntEnum):
    """How a move left the game, for the player who made it."""

    GOING_ON = 0
    DRAW = 1
    MOVER_WON = 2
    MOVER_LOST = 3


@dataclass(frozen=True)
class Piece:
    """One thing that can stand on a cell: its letter in texts, its colour in a terminal."""

    letter: str
    style: str


EMPTY = Piece(".", "dim")
FIRST_PLAYER = Piece("X", "bold red")
SECOND_PLAYER = Piece("O", "bold yellow")


class Game(ABC):
    """One game at one size: its compiled rules and what people and networks need to know about it."""

    # -- said once by each game ----------------------------------------------------------------------------------------
    name: str  # as in the grammar: `connect4`
    title: str  # as people say it: `Connect Four`
    Parameters: ClassVar[type[BaseParameters]] = BaseParameters
    symmetry_kind: ClassVar[Literal["none", "mirror", "square"]] = "none"
    rank_one_on_top: ClassVar[bool] = False  # square names: is a1 the top left (Othello) or the bottom left cell?
    move_separator: ClassVar[str] = " "  # between moves written in a row
    unseen_rules: ClassVar[tuple[str, ...]] = ()  # parameters that change what is good to play, but not the planes

    legal: LegalRule
    apply: ApplyRule
    encode: EncodeRule

    # -- said for each size, in __init__ -------------------------------------------------------------------------------
    rows: int
    columns: int
    state_length: int
    policy: PolicyLayout
    planes: tuple[str, ...]  # a name for each plane of encode
    max_legal: int  # no position has more legal actions
    max_plies: int  # no game is longer
    varied_start: bool = False  # does initial_state depend on its seed?
    pieces: tuple[Piece, ...] = (EMPTY, FIRST_PLAYER, SECOND_PLAYER)  # what the numbers in cells() mean
    players: tuple[str, str] = ("X", "O")  # what the two sides are called

    def __init__(self, parameters: BaseParameters) -> None:
        self.parameters = parameters

    @abstractmethod
    def initial_state(self, seed: int | None = None) -> State:
        """The start; games with random starts draw it from the seed (or from their own `seed` parameter if none is given)."""

    @abstractmethod
    def cells(self, state: State) -> npt.NDArray[np.int8]:
        """[rows, columns], top row first: what stands on each cell, as a number into `pieces`."""

    @abstractmethod
    def state_from_cells(self, cells: npt.NDArray[np.int8], turn: int, details: Mapping[str, str]) -> State:
        """The state of a board set up by hand; a board that the rules cannot hold is refused (BadInput)."""

    def details(self, state: State) -> dict[str, str]:
        """What of a state is seen neither on the board nor in whose turn it is (counters), as text."""
        return {}

    def picture(self, state: State) -> str | None:
        """A drawing of its own, for a game whose board is not a grid of pieces."""
        return None

    # -- follows from the above ----------------------------------------------------------------------------------------
    @property
    def specification(self) -> str:
        """The canonical name in the grammar: parameters at their defaults are left out."""
        said = self.parameters.to_text()
        return f"{self.name}:{said}" if said else self.name

    @property
    def action_count(self) -> int:
        return self.policy.size

    @cached_property
    def symmetries(self) -> tuple[Symmetry, ...]:
        """The identity first; each maps cells and actions to where they go."""
        return symmetries.of_board(self.rows, self.columns, self.symmetry_kind, self.policy)

    def turn(self, state: State) -> int:
        """Whose turn it is: 0 = the first player, 1 = the second."""
        return int(state[0] >> TURN_SHIFT) & 1

    def outcome(self, state: State) -> Outcome:
        """How the last move left the game, for the player who made it."""
        return Outcome(int(state[0] & OUTCOME_MASK))

    def winner(self, state: State) -> int | None:
        """0 or 1 for a finished game that one side won, otherwise None."""
        mover = 1 - self.turn(state)
        return {Outcome.MOVER_WON: mover, Outcome.MOVER_LOST: 1 - mover}.get(self.outcome(state))

    def legal_actions(self, state: State) -> list[int]:
        actions = np.empty(self.max_legal, np.int32)
        count = self.legal(state, actions)
        return [int(action) for action in actions[:count]]

    def next_state(self, state: State, action: int) -> State:
        """The state after a legal action."""
        successor = np.empty_like(state)
        self.apply(state, int(action), successor)
        return successor

    def encoded(self, state: State) -> Planes:
        """[planes, rows, columns], as the player to move sees the position."""
        planes = np.empty((len(self.planes), self.rows, self.columns), np.float32)
        self.encode(state, planes)
        return planes

    def transformed(self, state: State, symmetry: Symmetry) -> State:
        """The same position, turned or mirrored."""
        cells = symmetry.apply_to_cells(self.cells(state).reshape(-1)).reshape(self.rows, self.columns)
        return self.state_from_cells(cells, self.turn(state), self.details(state))

    # -- moves as text -------------------------------------------------------------------------------------------------
    def action_to_text(self, action: int) -> str:
        return notation.action_to_text(action, self.policy, self.rows, self.columns, self.rank_one_on_top)

    def action_from_text(self, text: str) -> int:
        """The action that a text names, legal or not at the moment; other text is refused (BadInput)."""
        action = notation.action_from_text(text, self.policy, self.rows, self.columns, self.rank_one_on_top)
        if action is None:
            raise BadInput(f"'{text}' is not a move of {self.title}; {self.notation_hint}.")
        return action

    @property
    def notation_hint(self) -> str:
        return notation.hint(self.policy, self.rows, self.columns, self.rank_one_on_top)

    def moves_to_text(self, actions: list[int]) -> str:
        return self.move_separator.join(map(self.action_to_text, actions))

    def moves_from_text(self, text: str) -> list[int]:
        """Moves in a row; commas and white space may stand between them in every game."""
        words = text.replace(",", " ").split()
        if not self.move_separator:
            words = list("".join(words))
        return [self.action_from_text(word) for word in words]

    # -- boards as text ------------------------------------------------------------------------------------------------
    def board_to_text(self, state: State) -> str:
        """One line: rows from the top separated by `/`, who is to move, and details: `.../.X./... O`."""
        rows = "/".join("".join(self.pieces[cell].letter for cell in row) for row in self.cells(state))
        details = "".join(f" {key}={value}" for key, value in self.details(state).items())
        return f"{rows} {self.players[self.turn(state)]}{details}"

    def board_from_text(self, text: str) -> State:
        """The state that `board_to_text` wrote; line breaks may stand for `/`."""
        cells, turn, details = notation.split_board(
            text, [piece.letter for piece in self.pieces], self.players, (self.rows, self.columns)
        )
        return self.state_from_cells(cells, turn, details)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.specification}>"

    def __reduce__(self) -> tuple[Any, ...]:
        from boardzero.games.catalogue import find_game

        return find_game, (self.specification,)


def game_header(turn: int, *fields: tuple[int, int]) -> int:
    """A header for Python code: whose turn it is, then (value, first bit) for each of the game's own fields."""
    header = turn << int(TURN_SHIFT)
    for value, shift in fields:
        header |= value << shift
    return header
