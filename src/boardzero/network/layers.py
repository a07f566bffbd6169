"""The layers that towers and heads are made of. Features are [batch, channels, rows, columns] throughout.

lessons/1_neural_network.py explains this.
"""

import torch
from torch import Tensor, nn

from boardzero.settings.network import NetworkSettings

# Of renormalisation.
MOMENTUM = 0.05  # of running means: slower than usual, since they are what is normalised by
FIRST_BATCHES = 100  # are normalised by themselves: running means are not known yet
MOST_SCALE, MOST_SHIFT = 3.0, 5.0  # by which a batch may differ from the running means before it is brought nearer


def activation(settings: NetworkSettings) -> nn.Module:
    return nn.ReLU() if settings.activation == "relu" else nn.LeakyReLU(settings.slope)


def convolution(settings: NetworkSettings, inputs: int, outputs: int, kernel: int) -> nn.Sequential:
    """A convolution that keeps the size of the board, normalised if the settings say so."""
    normalised = settings.batch_norm
    layers: list[nn.Module] = [nn.Conv2d(inputs, outputs, kernel, padding=kernel // 2, bias=not normalised)]
    if normalised:
        layers.append(Renormalisation(outputs) if settings.renormalised else nn.BatchNorm2d(outputs))
    return nn.Sequential(*layers)


class Renormalisation(nn.BatchNorm2d):
    """Batch normalisation whose result in training is what it is in play, too: by the running mean and variance, not by those
    of the batch. Gradients flow as if it were by the batch's. (Ioffe: Batch Renormalization, 2017.)

    Where a batch is of one size of board and the next of another, their means differ, and running means, which are all that
    there is in play, fit neither.
    """

    def forward(self, features: Tensor) -> Tensor:
        if not self.training:
            return super().forward(features)
        assert self.running_mean is not None and self.running_var is not None and self.num_batches_tracked is not None
        with torch.no_grad():
            variance, mean = torch.var_mean(features.float(), (0, 2, 3), correction=0)
            running = (self.running_var + self.eps).sqrt()
            scale = ((variance + self.eps).sqrt() / running).clamp(1 / MOST_SCALE, MOST_SCALE)
            shift = ((mean - self.running_mean) / running).clamp(-MOST_SHIFT, MOST_SHIFT)
            if self.num_batches_tracked < FIRST_BATCHES:
                scale, shift = torch.ones_like(scale), torch.zeros_like(shift)
            self.running_mean.lerp_(mean, MOMENTUM)
            self.running_var.lerp_(variance, MOMENTUM)
            self.num_batches_tracked += 1
        weight, bias = self.weight * scale, self.bias + self.weight * shift
        return nn.functional.batch_norm(features, None, None, weight, bias, training=True, eps=self.eps)


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
