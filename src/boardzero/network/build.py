"""Networks from their settings, for one game."""

import torch

from boardzero.games.rules import Game
from boardzero.network.documented import BridenNetwork, SlavkaNetwork, WandhovenNetwork
from boardzero.network.model import Network, TowerNetwork
from boardzero.settings.network import NetworkSettings


def build_network(settings: NetworkSettings, game: Game, seed: int = 0) -> Network:
    """A new network with weights drawn from the seed; a kind that cannot play the game is refused (BadInput)."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        match settings.kind:
            case "wandhoven":
                return WandhovenNetwork(settings, game)
            case "briden":
                return BridenNetwork(settings, game)
            case "slavka":
                return SlavkaNetwork(settings, game)
            case "residual" | "convolutional":
                return TowerNetwork(settings, game)
