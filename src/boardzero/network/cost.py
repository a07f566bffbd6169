"""What a network costs: parameters, and arithmetic for one position."""

import torch
from torch.utils.flop_counter import FlopCounterMode

from boardzero.games.rules import Game
from boardzero.network.model import Inference, Network


def count_parameters(network: torch.nn.Module) -> int:
    """Numbers that training changes."""
    return sum(parameter.numel() for parameter in network.parameters())


def count_multiply_adds(network: Network, game: Game) -> int:
    """Multiplications with an addition each, in convolutions and matrix products, for one position; 2 FLOPs each."""
    training = network.training
    counter = FlopCounterMode(display=False)
    with torch.inference_mode(), counter:
        Inference(network).eval()(torch.zeros(1, len(game.planes), game.rows, game.columns))
    network.train(training)
    return int(counter.get_total_flops()) // 2
