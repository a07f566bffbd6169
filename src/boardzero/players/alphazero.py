"""The network player: the search, guided by what was learned."""

from pathlib import Path

from boardzero.errors import BadInput
from boardzero.games.odds import can_give_odds, seen_by_who_must_win
from boardzero.games.rules import Game, State
from boardzero.network.evaluator import find_evaluator, header_of
from boardzero.network.learned import caution_about
from boardzero.network.shipped import shipped_network
from boardzero.players.forest_player import ForestPlayer
from boardzero.players.parameters import AlphaZeroParameters
from boardzero.players.specifications import named_network
from boardzero.search.forest import Evaluator
from boardzero.settings.search import SearchSettings, settings_for_play


class AlphaZeroPlayer(ForestPlayer):
    """Searches with the policy and value of a network, or of any other evaluator."""

    name = "alphazero"
    Parameters = AlphaZeroParameters
    default_simulations = 200

    def __init__(
        self,
        game: Game,
        parameters: AlphaZeroParameters,
        seed: int = 0,
        evaluate: Evaluator | None = None,
        settings: SearchSettings | None = None,
    ) -> None:
        if parameters.draws == "lost" and not can_give_odds(game):
            raise BadInput(f"draws=lost has no meaning in {game.specification}, where draws cannot be lost for one side alone.")
        caution, spread, must_win = "", 1.0, parameters.must_win()
        if evaluate is None:
            network = find_network(parameters.network, game)
            evaluate = find_evaluator(network, game, parameters.threads, parameters.precision)
            header = header_of(network)
            caution, spread = caution_about(header, game), header.value_spread
            must_win = parameters.must_win(header.knows_odds)
        if settings is None:
            spread = parameters.value_spread or spread
            timed = parameters.seconds is not None
            halved = not timed and not parameters.temperature  # moves are drawn by the visits of PUCT: halving chooses one
            simulations = parameters.sims or self.default_simulations if halved else None
            settings = settings_for_play(game.max_legal, simulations, parameters.leaves or (4 if timed else 1), spread)
            widest, look_ahead = parameters.width(game.max_legal), parameters.look_ahead
            root = settings.root if parameters.root == "auto" else parameters.root
            settings = settings.model_copy(update={"root": root, "widest": widest, "look_ahead": look_ahead})
        super().__init__(game, parameters, seed, evaluate, settings)
        self.caution = caution
        self.must_win = must_win

    def seen(self, state: State) -> State:
        return seen_by_who_must_win(self.game, state) if self.must_win else state


def find_network(text: str, game: Game) -> Path:
    """The network file that a text names: the file itself, the newest one of a run's folder; without a text the shipped one."""
    if not text:
        shipped = shipped_network(game)
        if shipped is None:
            raise BadInput(f"There is no shipped network for {game.specification}; name one: alphazero:network=PATH.")
        return shipped
    return named_network(text)
