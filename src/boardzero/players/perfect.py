"""Perfect play, where a solver knows it: Connect Four, tic-tac-toe, and the end of Othello."""

from collections.abc import Mapping
from typing import Protocol

import numpy as np

from boardzero.errors import BadInput
from boardzero.games.connect4 import ConnectFour
from boardzero.games.othello import Othello
from boardzero.games.position import Position
from boardzero.games.randomness import draw_below, new_stream
from boardzero.games.rules import Game, State
from boardzero.games.tictactoe import TicTacToe
from boardzero.players.player import Analysis, MoveOpinion, Player, refuse_game
from boardzero.search.connect4_solver import ConnectFourSolver
from boardzero.search.exhaustive import ExhaustiveSolver
from boardzero.search.othello_endgame import OthelloEndgame
from boardzero.search.slices import OutOfTime
from boardzero.settings.specification import Parameters as BaseParameters

MOST_OTHELLO_EMPTIES = 16
PLAYABLE = "tictactoe, connect4 with (rows + 1) · columns ≤ 64, and Othello's last moves"


class ExactScores(Protocol):
    """Scores of all legal actions for the side to move: positive wins (larger is better), 0 draws, negative loses.

    OutOfTime if it takes longer than these seconds to find them.
    """

    def __call__(self, state: State, seconds: float | None) -> Mapping[int, int]: ...


class PerfectPlayer(Player):
    """Plays the best move: it wins as soon, and loses as late, as possible; among equal moves it draws one."""

    name = "perfect"

    def __init__(self, game: Game, parameters: BaseParameters, seed: int = 0) -> None:
        super().__init__(game, parameters, seed)
        self._scores = exact_scores(game)

    def analyse(self, position: Position, seconds: float | None = None) -> Analysis:
        """BadInput where the time is too short to know all moves: it never plays one that is not known to be best."""
        try:
            scores = self._scores(position.state, seconds)
        except OutOfTime:
            raise BadInput(
                f"'perfect' cannot solve this position of {self.game.specification} in {seconds:.3g} seconds; it needs longer."
            ) from None
        stream = new_stream(self.seed, len(position.actions))
        shuffled = {action: draw_below(stream, 2**31) for action in scores}
        ranked = sorted(scores, key=lambda action: (-scores[action], shuffled[action]))
        moves = tuple(
            MoveOpinion(action, value=float(np.sign(scores[action])), exact=int(np.sign(scores[action])), score=scores[action])
            for action in ranked
        )
        return Analysis(moves, moves[0].value, moves[0].exact)


def exact_scores(game: Game) -> ExactScores:
    """The solver of a game, or a refusal."""
    if isinstance(game, TicTacToe):
        return _exhaustive_scores(game)
    if isinstance(game, ConnectFour) and (game.rows + 1) * game.columns <= 64:
        return _connect4_scores(game)
    if isinstance(game, Othello):
        return _othello_scores(game)
    raise refuse_game("perfect", game, PLAYABLE)


def _exhaustive_scores(game: TicTacToe) -> ExactScores:
    solver = ExhaustiveSolver(game)

    def scores(state: State, seconds: float | None) -> Mapping[int, int]:
        results = solver.action_results(state, seconds)
        return {action: result.value * (game.max_plies + 1 - (result.plies or 0)) for action, result in results.items()}

    return scores


def _connect4_scores(game: ConnectFour) -> ExactScores:
    solver = ConnectFourSolver(game)

    def scores(state: State, seconds: float | None) -> Mapping[int, int]:
        return {column: score for column, score in enumerate(solver.action_scores(state, seconds)) if score is not None}

    return scores


def _othello_scores(game: Othello) -> ExactScores:
    endgame = OthelloEndgame(game)

    def scores(state: State, seconds: float | None) -> Mapping[int, int]:
        empties = int(np.count_nonzero(game.cells(state) == 0))
        if empties > MOST_OTHELLO_EMPTIES:
            raise BadInput(
                f"'perfect' plays Othello's last moves only: {empties} cells are empty, at most {MOST_OTHELLO_EMPTIES} may be."
            )
        return endgame.action_scores(state, seconds)

    return scores
