"""The hand-written line evaluator, searched as a network would be: a player that has learned nothing."""

from boardzero.games.rules import Game
from boardzero.players.forest_player import ForestPlayer
from boardzero.players.parameters import HeuristicParameters
from boardzero.search.line_heuristic import LineHeuristic
from boardzero.settings.search import SearchSettings


class HeuristicPlayer(ForestPlayer):
    """Plays the games that lines of stones win: tic-tac-toe, Connect Four, Gomoku."""

    name = "heuristic"
    Parameters = HeuristicParameters

    def __init__(self, game: Game, parameters: HeuristicParameters, seed: int = 0) -> None:
        settings = SearchSettings(
            exploration=parameters.c,
            first_play="value",
            first_play_value=0,
            leaves=parameters.leaves,
            widest=parameters.width(game.max_legal),
        )
        super().__init__(game, parameters, seed, LineHeuristic(game), settings)
