"""Games whose moves have known values: which solver knows them, and which of their positions it solves in a moment."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources

import numpy as np

from boardzero.errors import BadInput
from boardzero.games.bits import count_bits
from boardzero.games.connect4 import ConnectFour
from boardzero.games.othello import Othello
from boardzero.games.position import Position
from boardzero.games.rules import Game
from boardzero.games.tictactoe import TicTacToe
from boardzero.players.perfect import MOST_OTHELLO_EMPTIES, PLAYABLE
from boardzero.search.connect4_solver import ConnectFourSolver
from boardzero.search.exhaustive import ExhaustiveSolver
from boardzero.search.othello_endgame import OthelloEndgame
from boardzero.search.slices import OutOfTime

# For each action its value for the mover, −1, 0 or +1; None where it is illegal.
Values = Sequence[int | None]
KNOWN_BOARD = (6, 7, 4)  # rows, columns and length to connect
ILLEGAL = 2
SMALL_CELLS = 30  # of boards of Connect Four that the solver needs no book for
MOST_PLACED = 30  # stones in drawn positions of the usual board
DRAWN_EMPTIES = (12, 28)  # fewest and most in drawn positions of large boards without a book
# How long drawn positions of Connect Four may take where there is no book: nodes, not seconds, so that the same positions are
# drawn on every machine. The solver visits four to ten million a second.
NODES_EACH, NODES_IN_ALL = 100_000, 40_000_000
DRAWN_OTHELLO_EMPTIES = (4, 12)


@dataclass(frozen=True)
class SolvedPosition:
    """A position with the true value of every move."""

    position: Position
    values: Values

    @property
    def leaves_a_choice(self) -> bool:
        """Is some move better than another?"""
        return len({value for value in self.values if value is not None}) > 1

    def is_mistake(self, action: int) -> bool:
        """Has another move a strictly better value?"""
        chosen = self.values[action]
        assert chosen is not None
        return any(value is not None and value > chosen for value in self.values)


class Solver(ABC):
    """Knows the values of all moves in positions of one game.

    placed  how many stones, fewest and most, are placed in positions that are drawn: so many that these are soon solved
    """

    placed: tuple[int, int]

    @abstractmethod
    def values(self, position: Position) -> Values:
        """However long it takes; a position that is too early for the solver is refused (BadInput)."""

    def solve(self, position: Position) -> SolvedPosition:
        return SolvedPosition(position, self.values(position))

    def solve_soon(self, position: Position) -> SolvedPosition | None:
        """If that takes but a moment."""
        return self.solve(position)

    def drawn_actions(self, position: Position) -> list[int]:
        """How a game that is drawn at random may go on; empty where it is not worth going on."""
        return position.legal_actions()

    def is_drawn(self, position: Position) -> bool:
        """May a position that was reached so be one of those that are drawn?"""
        return not position.over

    @property
    def is_tired(self) -> bool:
        """Have the positions that were to be solved soon taken so long that it is enough?"""
        return False


class _ConnectFour(Solver):
    """Early positions of the usual board are in a book. Those of other large boards may take minutes, so late ones are drawn.

    At random these would mostly be decided by the next stone; so their games go on with quiet moves only, and end with a
    choice of these.
    """

    def __init__(self, game: ConnectFour) -> None:
        self._solver = ConnectFourSolver(game)
        is_known = is_known_board(game)
        self._known = known_values() if is_known else {}
        self._nodes_each = None if is_known else NODES_EACH
        cells = game.max_plies
        self._is_late = not is_known and cells > SMALL_CELLS and game.connect > 3  # three are soon connected, and solved
        self.placed = (1, max(1, min(MOST_PLACED, cells - 1)))
        if self._is_late:
            self.placed = (cells - DRAWN_EMPTIES[1], cells - DRAWN_EMPTIES[0])

    def values(self, position: Position) -> Values:
        known = self._known.get(position.state.tobytes())
        return self._solver.action_values(position.state) if known is None else known

    def solve_soon(self, position: Position) -> SolvedPosition | None:
        if self._nodes_each is None:
            return self.solve(position)
        try:
            return SolvedPosition(position, self._solver.action_values(position.state, self._nodes_each))
        except OutOfTime:
            return None

    def drawn_actions(self, position: Position) -> list[int]:
        return self._solver.quiet_actions(position.state) if self._is_late else position.legal_actions()

    def is_drawn(self, position: Position) -> bool:
        return not position.over and (not self._is_late or len(self._solver.quiet_actions(position.state)) > 1)

    @property
    def is_tired(self) -> bool:
        return self._nodes_each is not None and self._solver.nodes > NODES_IN_ALL


class _TicTacToe(Solver):
    """All of it is known."""

    def __init__(self, game: TicTacToe) -> None:
        self._solver = ExhaustiveSolver(game)
        self.placed = (1, game.max_plies - 1)

    def values(self, position: Position) -> Values:
        return _by_action(position, self._solver.action_values(position.state))


class _OthelloEnd(Solver):
    """The last moves are known."""

    def __init__(self, game: Othello) -> None:
        self._solver, self._cells = OthelloEndgame(game), game.size**2
        fewest, most = DRAWN_OTHELLO_EMPTIES
        self.placed = (max(0, self._cells - 4 - most), self._cells - 4 - fewest)  # four discs are there from the start

    def values(self, position: Position) -> Values:
        empties = self._cells - count_bits(position.state[1] | position.state[2])
        if empties > MOST_OTHELLO_EMPTIES:
            raise BadInput(f"Othello is solved with at most {MOST_OTHELLO_EMPTIES} empty cells; {empties} are empty there.")
        return _by_action(position, self._solver.action_values(position.state))


def _by_action(position: Position, values: Mapping[int, int]) -> Values:
    return [values.get(action) for action in range(position.game.action_count)]


def is_solved(game: Game) -> bool:
    """Is there a solver for the game, or for its last moves?"""
    if isinstance(game, ConnectFour):
        return (game.rows + 1) * game.columns <= 64
    return isinstance(game, TicTacToe | Othello)


def is_soon_solved(game: Game) -> bool:
    """Can perfect play be had from the first move on, without waiting for minutes?"""
    if isinstance(game, ConnectFour):
        return is_known_board(game) or game.max_plies <= SMALL_CELLS
    return isinstance(game, TicTacToe)


def is_known_board(game: ConnectFour) -> bool:
    """The usual board, for which there is a book."""
    return (game.rows, game.columns, game.connect) == KNOWN_BOARD


def find_solver(game: Game) -> Solver:
    """A game that no solver knows is refused (BadInput)."""
    if is_solved(game):
        if isinstance(game, ConnectFour):
            return _ConnectFour(game)
        if isinstance(game, TicTacToe):
            return _TicTacToe(game)
        if isinstance(game, Othello):
            return _OthelloEnd(game)
    raise BadInput(f"Perfect play of {game.specification} is not known; it is known for {PLAYABLE}.")


@cache
def known_values() -> dict[bytes, Values]:
    """By state: the values of every move in the 6,000 positions of Pascal Pons' six sets, found by the solver.

    The file holds states uint64 [positions, words] and values int8 [positions, 7], where 2 marks an illegal move.
    """
    with resources.files("boardzero.arena").joinpath("data/connect4_values.npz").open("rb") as file, np.load(file) as content:
        states, values = content["states"], content["values"].tolist()
    return {
        state.tobytes(): [None if value == ILLEGAL else value for value in row]
        for state, row in zip(states, values, strict=True)
    }
