"""What a network should come near to, and how far it is from it."""

from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional

from boardzero.settings.training import TrainingSettings

SMALLEST = 1e-12  # keeps logarithms finite


@dataclass(frozen=True)
class Losses:
    """Means over the positions of a batch."""

    policy: Tensor
    value: Tensor

    def total(self, settings: TrainingSettings) -> Tensor:
        return self.policy + settings.value_weight * self.value


def policy_loss(logits: Tensor, target: Tensor, weight: Tensor, kind: str) -> Tensor:
    """Distance between the network's policy and the search's, both [batch, actions].

    `kl` differs from `cross_entropy` by the entropy of the target alone, so both have the same gradient.
    """
    if kind == "mse":
        each = (logits.softmax(1) - target).square().sum(1)
    else:
        each = -(target * logits.log_softmax(1)).sum(1)
        if kind == "kl":
            each = each + (target * target.clamp_min(SMALLEST).log()).sum(1)
    return (each * weight).sum() / weight.sum()


def value_loss(output: Tensor, target: Tensor, weight: Tensor) -> Tensor:
    """Distance of the value [batch] (squared), or of win/draw/loss logits [batch, 3] (cross-entropy), to a target in −1 … +1.

    A target between the three results counts as a mixture of its two neighbours.
    """
    if output.dim() == 1:
        each = (output - target).square()
    else:
        chances = torch.stack([target.clamp_min(0), 1 - target.abs(), (-target).clamp_min(0)], dim=1)
        each = functional.cross_entropy(output, chances, reduction="none")
    return (each * weight).sum() / weight.sum()
