"""What every network is: a PyTorch module with a tower and two heads."""

import torch
from torch import Tensor, nn

from boardzero.games.rules import Game
from boardzero.network.heads import WIN_DRAW_LOSS, final_board_head, plies_left_head, policy_head, value_head
from boardzero.network.layers import residual_tower
from boardzero.settings.network import NetworkSettings


class Network(nn.Module):
    """Planes [batch, planes, rows, columns] as the side to move sees them → logits [batch, actions] and a value.

    The value, for the side to move, is one number a position [batch] or, if value=wdl, logits of win, draw and loss [batch, 3].
    Illegal actions have logits too: who uses them leaves these out. A network may learn something else besides, which comes
    behind, as `settings.besides` names it.
    """

    def __init__(self, settings: NetworkSettings) -> None:
        super().__init__()
        self.settings = settings
        self.tower: nn.Module
        self.policy: nn.Module
        self.value: nn.Module

    def forward(self, planes: Tensor) -> tuple[Tensor, ...]:
        """All that is learned."""
        return self.judged(planes)

    def judged(self, planes: Tensor) -> tuple[Tensor, Tensor]:
        """Logits and value, which are all that a search needs."""
        features = self.tower(planes)
        return self.policy(features), self.value(features)


class TowerNetwork(Network):
    """A residual tower with two heads: kinds `residual` and `convolutional`."""

    def __init__(self, settings: NetworkSettings, game: Game) -> None:
        super().__init__(settings)
        self.tower = residual_tower(settings, len(game.planes))
        self.policy = policy_head(settings, game)
        self.value = value_head(settings, game)
        self.plies_left = plies_left_head(settings, game) if settings.plies_left else None
        self.final_board = final_board_head(settings) if settings.final_board else None

    def forward(self, planes: Tensor) -> tuple[Tensor, ...]:
        """Behind policy and value, each if the settings ask for it: how many plies are left [batch], in units of PLIES_UNIT;
        logits of whose each cell is when the game is over [batch, 3, rows, columns], in the order of OWNERS.
        """
        if not self.settings.besides:
            return self.judged(planes)
        features = self.tower(planes)
        besides = (head(features) for head in (self.plies_left, self.final_board) if head is not None)
        return self.policy(features), self.value(features), *besides


class Inference(nn.Module):
    """A network as searches use it: logits [batch, actions] and one value [batch] for the side to move."""

    worth: Tensor

    def __init__(self, network: Network) -> None:
        super().__init__()
        self.network = network
        self.register_buffer("worth", torch.tensor(WIN_DRAW_LOSS), persistent=False)

    def forward(self, planes: Tensor) -> tuple[Tensor, Tensor]:
        logits, value = self.network.judged(planes)
        if self.network.settings.value == "wdl":
            value = (value.softmax(1) * self.worth).sum(1)
        return logits, value
