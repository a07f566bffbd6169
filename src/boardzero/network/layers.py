"""The layers that towers and heads are made of. Features are [batch, channels, rows, columns] throughout.

lessons/1_neural_network.py explains this.
"""

import torch
from torch import Tensor, nn

from boardzero.settings.network import NetworkSettings


def activation(settings: NetworkSettings) -> nn.Module:
    return nn.ReLU() if settings.activation == "relu" else nn.LeakyReLU(settings.slope)


def convolution(settings: NetworkSettings, inputs: int, outputs: int, kernel: int) -> nn.Sequential:
    """A convolution that keeps the size of the board, normalised if the settings say so."""
    normalised = settings.batch_norm
    layers: list[nn.Module] = [nn.Conv2d(inputs, outputs, kernel, padding=kernel // 2, bias=not normalised)]
    if normalised:
        layers.append(nn.BatchNorm2d(outputs))
    return nn.Sequential(*layers)


def active_convolution(settings: NetworkSettings, inputs: int, outputs: int, kernel: int) -> nn.Sequential:
    """The same with the activation behind it."""
    return nn.Sequential(*convolution(settings, inputs, outputs, kernel), activation(settings))


def pooled(features: Tensor) -> Tensor:
    """[batch, 2 · channels]: the mean and the greatest of each channel over the board, whatever its size."""
    return torch.cat((features.mean((2, 3)), features.amax((2, 3))), 1)


class ResidualBlock(nn.Module):
    """Two 3×3 convolutions around which the input goes straight on; the last activation comes after they meet."""

    def __init__(self, settings: NetworkSettings) -> None:
        super().__init__()
        channels = settings.channels
        self.first = active_convolution(settings, channels, channels, 3)
        self.second = convolution(settings, channels, channels, 3)
        self.activation = activation(settings)

    def forward(self, features: Tensor) -> Tensor:
        return self.activation(features + self.second(self.first(features)))


class GlobalPoolingBlock(nn.Module):
    """A residual block in which some of the first convolution's channels are pooled over the board and added to the others.

    So what happens far away counts at every cell, as in KataGo.
    """

    def __init__(self, settings: NetworkSettings) -> None:
        super().__init__()
        channels = settings.channels
        pooling = min(max(16, channels // 4), channels // 2)
        self.local = convolution(settings, channels, channels - pooling, 3)
        self.pooling = active_convolution(settings, channels, pooling, 3)
        self.spread = nn.Linear(2 * pooling, channels - pooling)
        self.second = convolution(settings, channels - pooling, channels, 3)
        self.activation = activation(settings)

    def forward(self, features: Tensor) -> Tensor:
        everywhere = self.spread(pooled(self.pooling(features))).unsqueeze(2).unsqueeze(3)
        return self.activation(features + self.second(self.activation(self.local(features) + everywhere)))


def residual_tower(settings: NetworkSettings, planes: int) -> nn.Sequential:
    """A convolution into the tower's channels, then the blocks."""
    every = settings.global_pooling_every
    blocks = [
        GlobalPoolingBlock(settings) if every and number % every == 0 else ResidualBlock(settings)
        for number in range(1, settings.blocks + 1)
    ]
    return nn.Sequential(active_convolution(settings, planes, settings.channels, 3), *blocks)
