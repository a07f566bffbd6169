"""The exact solvers on files of positions with known scores: how many are right, how fast."""

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from boardzero.errors import BadInput
from boardzero.games.catalogue import find_game
from boardzero.games.connect4 import ConnectFour
from boardzero.games.othello import Othello
from boardzero.games.position import Position
from boardzero.games.rules import State
from boardzero.search.connect4_solver import ConnectFourSolver
from boardzero.search.othello_endgame import OthelloEndgame


class ScoreSolver(Protocol):
    """What both solvers are."""

    @property
    def nodes(self) -> int: ...

    def score(self, state: State) -> int: ...


@dataclass(frozen=True)
class KnownScore:
    """A position with its exact score for the side to move."""

    state: State
    score: int


@dataclass(frozen=True)
class SolverSpeed:
    """One file of positions."""

    file: str
    positions: int
    wrong: int
    seconds: float
    slowest: float  # position, in seconds
    nodes_per_second: float


def read_known_scores(path: Path) -> tuple[ScoreSolver, list[KnownScore]]:
    """Othello positions in OBF (`squares side; move:score; …`) or Connect Four lines `moves score`, with their solver."""
    try:
        lines = [line for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
        if path.suffix == ".obf":
            return _read_obf(lines)
        game = find_game("connect4")
        assert isinstance(game, ConnectFour)
        solver = ConnectFourSolver(game)
        return solver, [KnownScore(Position(game, moves).state, int(score)) for moves, score in map(str.split, lines)]
    except (OSError, ValueError, IndexError) as error:
        raise BadInput(f"'{path}' is no file of positions with scores: {error}") from None


def measure_solver(path: Path) -> SolverSpeed:
    """Solve every position of a file."""
    solver, positions = read_known_scores(path)
    wrong, slowest = 0, 0.0
    begun, nodes = time.perf_counter(), solver.nodes
    for known in positions:
        start = time.perf_counter()
        wrong += solver.score(known.state) != known.score
        slowest = max(slowest, time.perf_counter() - start)
    seconds = time.perf_counter() - begun
    return SolverSpeed(path.name, len(positions), wrong, seconds, slowest, (solver.nodes - nodes) / seconds)


def _read_obf(lines: list[str]) -> tuple[ScoreSolver, list[KnownScore]]:
    game = find_game("othello")
    assert isinstance(game, Othello)
    positions = []
    for line in lines:
        board, *moves = (part.strip() for part in line.split(";") if part.strip())
        squares, side = board.split()
        rows = "/".join(squares.replace("-", ".")[first : first + 8] for first in range(0, 64, 8))
        score = max(int(move.split(":")[1]) for move in moves)
        positions.append(KnownScore(game.board_from_text(f"{rows} {side}"), score))
    return OthelloEndgame(game), positions
