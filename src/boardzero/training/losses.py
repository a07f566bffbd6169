"""What a network should come near to, and how far it is from it.

lessons/2_supervised.py explains this.
"""

from dataclasses import dataclass, field

import torch
from torch import Tensor
from torch.nn import functional

from boardzero.network.heads import PLIES_UNIT
from boardzero.replay.endings import UNKNOWN
from boardzero.settings.training import TrainingSettings

SMALLEST = 1e-12  # keeps logarithms finite
ILLEGAL = -1e4  # a logit that the softmax makes 0, and that times 0 is 0


@dataclass(frozen=True)
class Losses:
    """Means over the positions of a batch."""

    policy: Tensor
    value: Tensor
    plies_left: Tensor = field(default_factory=lambda: torch.zeros(()))  # 0 if the network has no such head
    final_board: Tensor = field(default_factory=lambda: torch.zeros(()))  # 0 there, too, and where games ended early
    ended: Tensor = field(default_factory=lambda: torch.zeros(()))  # share of the positions that final_board counts

    def total(self, settings: TrainingSettings) -> Tensor:
        """Of what plays."""
        return self.policy + settings.value_weight * self.value

    def objective(self, settings: TrainingSettings) -> Tensor:
        """What a training step makes smaller: the total, and what is learned besides."""
        besides = settings.plies_left_weight * self.plies_left + settings.final_board_weight * self.final_board
        return self.total(settings) + besides

    def stacked(self) -> Tensor:
        """[5]: all of them, without their gradients."""
        return torch.stack([self.policy, self.value, self.plies_left, self.final_board, self.ended]).detach()


def policy_loss(logits: Tensor, target: Tensor, weight: Tensor, kind: str, legal: Tensor | None = None) -> Tensor:
    """Distance between the network's policy and the search's, both [batch, actions]; with `legal`, among legal actions only.

    `kl` differs from `cross_entropy` by the entropy of the target alone, so both have the same gradient. `mse` compares
    probabilities; `mse_logits` takes what the network says before the softmax for probabilities.
    """
    if legal is not None:
        logits = logits.masked_fill(~legal, 0.0 if kind == "mse_logits" else ILLEGAL)
    if kind == "mse":
        each = (logits.softmax(1) - target).square().sum(1)
    elif kind == "mse_logits":
        each = (logits - target).square().sum(1)
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


def plies_left_loss(output: Tensor, target: Tensor, weight: Tensor) -> Tensor:
    """Distance of the third head's output [batch], in units of PLIES_UNIT, to the plies [batch] that came.

    Squared where it is small, straight where it is large: how long games last varies much.
    """
    each = functional.smooth_l1_loss(output, target / PLIES_UNIT, reduction="none")
    return (each * weight).sum() / weight.sum()


def final_board_loss(logits: Tensor, target: Tensor, weight: Tensor) -> tuple[Tensor, Tensor]:
    """Cross-entropy of logits [batch, 3, rows, columns] and the owners [batch, cells] of cells at the end, a mean over cells.

    Positions of games that the rules did not end (UNKNOWN everywhere) count as 0 in the mean over all, so that a batch and its
    parts have the same gradient, however these positions are spread. Second: the share of the others.
    """
    each = functional.cross_entropy(logits.flatten(2), target.long(), reduction="none", ignore_index=UNKNOWN).mean(1)
    known = (target[:, 0] != UNKNOWN).to(weight.dtype)
    return (each * weight).sum() / weight.sum(), (known * weight).sum() / weight.sum()
