"""The network player. It takes any evaluator; networks that are found by name come with training."""

from boardzero.errors import BadInput
from boardzero.games.rules import Game
from boardzero.players.forest_player import ForestParameters, ForestPlayer
from boardzero.search.forest import Evaluator
from boardzero.settings.search import SearchSettings


class AlphaZeroPlayer(ForestPlayer):
    """Searches with the policy and value that an evaluator gives."""

    name = "alphazero"
    Parameters = ForestParameters
    default_simulations = 200

    def __init__(
        self,
        game: Game,
        parameters: ForestParameters,
        seed: int = 0,
        evaluate: Evaluator | None = None,
        settings: SearchSettings | None = None,
    ) -> None:
        if evaluate is None:
            raise BadInput(f"There is no trained network for {game.specification} yet, so 'alphazero' cannot play it.")
        super().__init__(game, parameters, seed, evaluate, settings or SearchSettings(leaves=8))
