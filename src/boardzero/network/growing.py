"""A network made larger without changing what it computes, so that a run can begin small and fast and end large.

What is new reads all there is and is read by nothing that is old: weights from new channels to old ones begin at 0, and so does
what a new block adds. Training makes use of it from the first step on. (Chen, Goodfellow, Shlens: Net2Net, 2016, has the idea.)
"""

import torch
from torch import Tensor, nn

from boardzero.errors import BadInput
from boardzero.games.rules import Game
from boardzero.network.build import build_network
from boardzero.network.layers import ResidualBlock
from boardzero.network.model import Network, TowerNetwork
from boardzero.settings.growth import GrowthSettings


def grown(network: Network, growth: GrowthSettings, game: Game, seed: int) -> Network:
    """A larger network that computes the same as this one; the seed draws its new weights."""
    if sentence := growth.refusal(network.settings):
        raise BadInput(sentence)
    larger = build_network(growth.applied(network.settings), game, seed)
    device = next(network.parameters()).device
    _still_new_blocks(larger, network.settings.blocks)
    weights = {name: tensor.to(device) for name, tensor in larger.state_dict().items()}
    for name, tensor in network.state_dict().items():
        weights[name] = _placed(tensor, weights[name])
    larger.load_state_dict(weights)
    return larger


def _placed(old: Tensor, new: Tensor) -> Tensor:
    """The old weights in their corner of the new ones; old outputs (the first dimension) read no new input (the second)."""
    placed = new.clone()
    if old.dim() > 1:
        placed[: old.shape[0]] = 0
    placed[tuple(slice(size) for size in old.shape)] = old
    return placed


def _still_new_blocks(network: Network, first: int) -> None:
    """Blocks from this one on add nothing at first."""
    assert isinstance(network, TowerNetwork) and isinstance(network.tower, nn.Sequential)
    with torch.no_grad():
        for block in list(network.tower)[1 + first :]:
            assert isinstance(block, ResidualBlock)
            last = block.second[-1]  # the normalisation, or the convolution where there is none
            assert isinstance(last, nn.BatchNorm2d | nn.Conv2d)
            last.weight.zero_()
            assert last.bias is not None
            last.bias.zero_()
