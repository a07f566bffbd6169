"""The networks of three of the source documents, layer by layer. (The other two are residual towers: see the settings.)"""

from itertools import pairwise

import torch
from torch import Tensor, nn

from boardzero.errors import BadInput
from boardzero.games.rules import Game
from boardzero.network.heads import LayoutLogits
from boardzero.network.layers import activation, active_convolution, residual_tower
from boardzero.network.model import Network
from boardzero.settings.network import NetworkSettings

ILLEGAL = -1000.0

# Each turn of these games adds one stone, and their first planes are own stones, other stones. So the planes tell who is to
# move (the first player, if there are as many of either) and which actions are legal (those that lead to an empty cell).
STONE_BY_STONE = ("connect4", "gomoku", "tictactoe")
STONE_PLANES = 2  # all that the documents' networks see of these games


def refuse_other_games(kind: str, game: Game) -> None:
    if game.name not in STONE_BY_STONE:
        raise BadInput(
            f"A network of kind={kind} cannot play {game.specification}: it is for games in which each turn adds one stone "
            f"({', '.join(STONE_BY_STONE)}); kind=residual plays every game."
        )


# -- Wandhoven: a residual tower, and a logit for each cell ---------------------------------------------------------------
class WandhovenNetwork(Network):
    """Heads of dense layers; the policy has an output for each cell, and what is illegal gets −1000.

    In Connect Four a column's logit is that of the cell in which its next stone comes to lie. The heads' convolutions are
    followed neither by normalisation nor by an activation, for the document names none.
    """

    levels: Tensor

    def __init__(self, settings: NetworkSettings, game: Game) -> None:
        refuse_other_games("wandhoven", game)
        super().__init__(settings)
        cells = game.rows * game.columns
        self.by_column = game.policy.parts[0].kind == "columns"
        self.rows, self.columns = game.rows, game.columns
        self.tower = residual_tower(settings, STONE_PLANES)
        self.value = nn.Sequential(
            nn.Conv2d(settings.channels, 10, 1),
            nn.Flatten(),
            nn.Linear(10 * cells, 210),
            activation(settings),
            nn.Linear(210, 1),
            nn.Tanh(),
            nn.Flatten(0),
        )
        self.policy = nn.Sequential(
            nn.Conv2d(settings.channels, 2, 1), nn.Flatten(), nn.Linear(2 * cells, cells), activation(settings)
        )
        # How many stones lie below each cell of a column: [rows, 1], the top row first.
        self.register_buffer("levels", torch.arange(game.rows - 1, -1, -1.0).unsqueeze(1), persistent=False)

    def judged(self, planes: Tensor) -> tuple[Tensor, Tensor]:
        stones = planes.narrow(1, 0, STONE_PLANES)
        features = self.tower(stones)
        logits, occupied = self.policy(features), stones.sum(1)
        return self._by_column(logits, occupied) if self.by_column else masked(logits, occupied.flatten(1)), self.value(
            features
        )

    def _by_column(self, logits: Tensor, occupied: Tensor) -> Tensor:
        """Logits of cells [batch, cells] → of columns [batch, columns]."""
        stones = occupied.sum(1, keepdim=True)  # [batch, 1, columns]
        landing = torch.relu(1 - (stones - self.levels).abs())  # 1 where the next stone lands, 0 elsewhere
        full = 1 - landing.sum(1)
        return (logits.reshape(-1, self.rows, self.columns) * landing).sum(1) + ILLEGAL * full


def masked(logits: Tensor, illegal: Tensor) -> Tensor:
    """−1000 where `illegal` is 1, the logit where it is 0."""
    return logits * (1 - illegal) + ILLEGAL * illegal


# -- Briden: absolute colours, large kernels, dense layers ----------------------------------------------------------------
def absolute_colours(planes: Tensor) -> Tensor:
    """[batch, 3, rows, columns]: stones of the first player, of the second, and whose turn it is (1 first, −1 second)."""
    own, other = planes.narrow(1, 0, 1), planes.narrow(1, 1, 1)
    difference = other - own
    second_to_move = difference.sum((1, 2, 3), keepdim=True)  # 0 or 1: who is to move has as many stones, or one fewer
    first, second = own + second_to_move * difference, other - second_to_move * difference
    return torch.cat((first, second, own * 0 + (1 - 2 * second_to_move)), 1)


class BridenNetwork(Network):
    """Two 7×7 convolutions, 2×2 average pooling, two 1×1 convolutions, dense layers of 120 and 84, two dense heads.

    The document's 265,108 parameters for the 6×7 board come out if its input of shape (3, 6, 7) is read as 3 rows, 6 columns
    and 7 channels (`channels_last`); read as 3 planes of 6×7, as the document means it, there are 298,644.
    """

    def __init__(self, settings: NetworkSettings, game: Game) -> None:
        refuse_other_games("briden", game)
        super().__init__(settings)
        self.channels_last = settings.channels_last
        planes, height, width = (game.columns, 3, game.rows) if self.channels_last else (3, game.rows, game.columns)
        if min(height, width) < 2:
            raise BadInput(f"A network of kind=briden cannot play {game.specification}: its pooling needs at least 2×2 cells.")
        channels = settings.channels
        self.tower = nn.Sequential(
            nn.Conv2d(planes, channels, 7, padding=3),
            nn.ReLU(),
            nn.Conv2d(channels, channels, 7, padding=3),
            nn.ReLU(),
            nn.AvgPool2d(2),
            nn.Conv2d(channels, channels, 1),
            nn.ReLU(),
            nn.Conv2d(channels, channels, 1),
            nn.ReLU(),
            nn.Flatten(),
            nn.Linear(channels * (height // 2) * (width // 2), 120),
            nn.ReLU(),
            nn.Linear(120, 84),
            nn.ReLU(),
        )
        self.policy = nn.Linear(84, game.action_count)
        self.value = nn.Sequential(nn.Linear(84, 1), nn.Tanh(), nn.Flatten(0))

    def judged(self, planes: Tensor) -> tuple[Tensor, Tensor]:
        absolute = absolute_colours(planes)
        return super().judged(absolute.permute(0, 3, 1, 2) if self.channels_last else absolute)


# -- Slávka: convolutions only ------------------------------------------------------------------------------------------
def plain_layers(settings: NetworkSettings, inputs: int, count: int) -> list[nn.Module]:
    widths = [inputs, *[settings.channels] * count]
    return [active_convolution(settings, before, after, 3) for before, after in pairwise(widths)]


class MeanOverBoard(nn.Module):
    """[batch, 1, rows, columns] → [batch]."""

    def forward(self, features: Tensor) -> Tensor:
        return features.mean((2, 3)).flatten(0)


class SlavkaNetwork(Network):
    """A trunk of plain 3×3 layers and a few more in each head, for any size of the board.

    The value is a 1×1 convolution to one channel, averaged over the board, through tanh. How the policy head comes from its
    channels to logits the document leaves open: here by a 1×1 convolution (and, for other games, as their layouts need).
    """

    def __init__(self, settings: NetworkSettings, game: Game) -> None:
        super().__init__(settings)
        channels, layers = settings.channels, settings.head_layers
        self.planes = STONE_PLANES if game.name in STONE_BY_STONE else len(game.planes)
        self.tower = nn.Sequential(*plain_layers(settings, self.planes, settings.blocks))
        inputs = channels if settings.blocks else self.planes
        self.policy = nn.Sequential(*plain_layers(settings, inputs, layers), LayoutLogits(game.policy, channels, None))
        self.value = nn.Sequential(
            *plain_layers(settings, inputs, layers), nn.Conv2d(channels, 1, 1), MeanOverBoard(), nn.Tanh()
        )

    def judged(self, planes: Tensor) -> tuple[Tensor, Tensor]:
        return super().judged(planes.narrow(1, 0, self.planes))
