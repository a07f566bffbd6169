"""Heads: from the tower's features to logits, as the game's policy layout numbers its actions, and to the value.

lessons/1_neural_network.py explains this.
"""

import math

import torch
from torch import Tensor, nn

from boardzero.games.policy import Part, PolicyLayout
from boardzero.games.rules import Game
from boardzero.network.layers import activation, active_convolution, pooled
from boardzero.settings.network import NetworkSettings

WIN_DRAW_LOSS = (1.0, 0.0, -1.0)  # what each is worth to the side to move, in the order of a wdl head's outputs
OWNERS = ("nobody", "side to move", "other side")  # of a cell at the end, in the order of a final board head's outputs
PLIES_UNIT = 10.0  # plies that the head for plies left counts as 1, so that its loss is about as large as the others
MOVE_EMBEDDING = 16  # numbers that describe a cell as the start, or the end, of a move


# -- one part of a policy layout: features [batch, channels, rows, columns] → logits [batch, size of the part] ------------
class CellLogits(nn.Module):
    """A logit for each cell, from the features there."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.plane = nn.Conv2d(channels, 1, 1)

    def forward(self, features: Tensor) -> Tensor:
        return self.plane(features).flatten(1)


class ColumnLogits(nn.Module):
    """A logit for each column, from its cells, by the same weights in every column. It knows the number of rows."""

    def __init__(self, channels: int, rows: int) -> None:
        super().__init__()
        self.column = nn.Conv2d(channels, 1, (rows, 1))

    def forward(self, features: Tensor) -> Tensor:
        return self.column(features).flatten(1)


class SizeFreeColumnLogits(nn.Module):
    """A logit for each column, from the means and maxima of its cells."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.column = nn.Conv2d(2 * channels, 1, 1)

    def forward(self, features: Tensor) -> Tensor:
        columns = torch.cat((features.mean(2, keepdim=True), features.amax(2, keepdim=True)), 1)
        return self.column(columns).flatten(1)


class MoveLogits(nn.Module):
    """A logit for each pair of cells: how well what describes the one as a start goes with the other as an end."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.start = nn.Conv2d(channels, MOVE_EMBEDDING, 1)
        self.end = nn.Conv2d(channels, MOVE_EMBEDDING, 1)

    def forward(self, features: Tensor) -> Tensor:
        starts = self.start(features).flatten(2).transpose(1, 2)  # [batch, cells, embedding]
        ends = self.end(features).flatten(2)  # [batch, embedding, cells]
        return (starts.matmul(ends) * (1 / math.sqrt(MOVE_EMBEDDING))).flatten(1)


class PooledLogits(nn.Module):
    """Logits from the whole board, whatever its size."""

    def __init__(self, channels: int, size: int) -> None:
        super().__init__()
        self.dense = nn.Linear(2 * channels, size)

    def forward(self, features: Tensor) -> Tensor:
        return self.dense(pooled(features))


class DenseLogits(nn.Module):
    """Each logit from the features of all cells of one size of the board."""

    def __init__(self, channels: int, cells: int, size: int) -> None:
        super().__init__()
        self.dense = nn.Linear(channels * cells, size)

    def forward(self, features: Tensor) -> Tensor:
        return self.dense(features.flatten(1))


def part_logits(part: Part, channels: int, board: tuple[int, int] | None) -> nn.Module:
    """The layer for one part; `board` is (rows, columns), or None for one that serves every size."""
    match part.kind:
        case "cells":
            return CellLogits(channels)
        case "columns":
            return ColumnLogits(channels, board[0]) if board else SizeFreeColumnLogits(channels)
        case "moves":
            return MoveLogits(channels)
        case "flat" if board:
            return DenseLogits(channels, math.prod(board), part.size)
        case _:
            return PooledLogits(channels, part.size)


class LayoutLogits(nn.Module):
    """Features → logits [batch, actions]: the parts of a layout, one after the other."""

    def __init__(self, layout: PolicyLayout, channels: int, board: tuple[int, int] | None) -> None:
        super().__init__()
        self.parts = nn.ModuleList(part_logits(part, channels, board) for part in layout.parts)

    def forward(self, features: Tensor) -> Tensor:
        logits = [part(features) for part in self.parts]
        return logits[0] if len(logits) == 1 else torch.cat(logits, 1)


# -- whole heads ------------------------------------------------------------------------------------------------------
def policy_head(settings: NetworkSettings, game: Game) -> nn.Module:
    """Features of the tower → logits [batch, actions]."""
    channels, board = settings.policy_channels, (game.rows, game.columns)
    reduce = active_convolution(settings, settings.channels, channels, settings.policy_kernel)
    if settings.policy_head == "dense":
        return nn.Sequential(reduce, DenseLogits(channels, math.prod(board), game.action_count))
    return nn.Sequential(reduce, LayoutLogits(game.policy, channels, None if settings.size_free else board))


class Pool(nn.Module):
    """`pooled` as a layer."""

    def forward(self, features: Tensor) -> Tensor:
        return pooled(features)


def value_head(settings: NetworkSettings, game: Game) -> nn.Module:
    """Features of the tower → values [batch] in −1 … 1, or logits of win, draw and loss [batch, 3]; for the side to move."""
    layers = _board_layers(settings, game)
    if settings.value == "wdl":
        return nn.Sequential(*layers, nn.Linear(settings.value_hidden, len(WIN_DRAW_LOSS)))
    return nn.Sequential(*layers, nn.Linear(settings.value_hidden, 1), nn.Tanh(), nn.Flatten(0))


def plies_left_head(settings: NetworkSettings, game: Game) -> nn.Module:
    """Features of the tower → how many plies are left [batch], in units of PLIES_UNIT, never less than 0."""
    return nn.Sequential(*_board_layers(settings, game), nn.Linear(settings.value_hidden, 1), nn.Softplus(), nn.Flatten(0))


def final_board_head(settings: NetworkSettings) -> nn.Module:
    """Features of the tower → logits [batch, 3, rows, columns] of whose each cell is when the game is over (OWNERS).

    Each from the features of its cell alone, so that these have to say how this part of the board will end; for any size.
    """
    return nn.Conv2d(settings.channels, len(OWNERS), 1)


def _board_layers(settings: NetworkSettings, game: Game) -> list[nn.Module]:
    """Features of the tower → value_hidden features of the whole board [batch, value_hidden]."""
    channels = settings.value_channels
    width = 2 * channels if settings.size_free else channels * game.rows * game.columns
    return [
        active_convolution(settings, settings.channels, channels, 1),
        Pool() if settings.size_free else nn.Flatten(),
        nn.Linear(width, settings.value_hidden),
        activation(settings),
    ]
