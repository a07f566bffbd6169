"""The hand-written line evaluator, searched as a network would be: a player that has learned nothing."""

from pydantic import Field

from boardzero.games.rules import Game
from boardzero.players.forest_player import ForestParameters, ForestPlayer
from boardzero.search.line_heuristic import LineHeuristic
from boardzero.settings.search import SearchSettings


class HeuristicParameters(ForestParameters):
    """Search limits, and what Slávka's Gomoku program set for its own."""

    c: float = Field(4.0, ge=0, le=1000, description="exploration: how much the prior counts against the value")
    leaves: int = Field(
        1, ge=1, le=256, description="leaves that are evaluated together: more are faster, and a little less exact"
    )


class HeuristicPlayer(ForestPlayer):
    """Plays the games that lines of stones win: tic-tac-toe, Connect Four, Gomoku."""

    name = "heuristic"
    Parameters = HeuristicParameters

    def __init__(self, game: Game, parameters: HeuristicParameters, seed: int = 0) -> None:
        settings = SearchSettings(exploration=parameters.c, first_play="value", first_play_value=0, leaves=parameters.leaves)
        super().__init__(game, parameters, seed, LineHeuristic(game), settings)
