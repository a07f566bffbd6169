"""The learner: a network, its optimizer and the averaged weights that play.

lessons/1_neural_network.py and lessons/2_supervised.py explain this.
"""

import copy
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import torch
from torch import Tensor, nn

from boardzero.errors import BadInput
from boardzero.network.model import Network
from boardzero.network.precision import learns_in_bfloat16
from boardzero.replay.sampler import Batch
from boardzero.settings.training import TrainingSettings
from boardzero.training.epochs import EpochBatches
from boardzero.training.losses import Losses, final_board_loss, plies_left_loss, policy_loss, value_loss
from boardzero.training.twins import SMALLEST_PART, Twins

STEP_MARKS = (0.6, 0.85)  # of the run, where the schedule `steps` falls
STEP_FACTOR = 1 / 3


@dataclass(frozen=True)
class LossReport:
    """Means over the steps of a training."""

    steps: int
    policy: float
    value: float
    learning_rate: float
    validation: float | None = None  # total loss on what was held out
    plies_left: float | None = None  # if the network has a head for that
    final_board: float | None = None  # likewise; a mean over the positions of games that the rules ended


class Learner:
    """Trains a network on batches. `playing` is the network to play with: averaged over the last steps, or the newest."""

    def __init__(self, network: Network, settings: TrainingSettings, device: str | None = None) -> None:
        self.device = torch.device(device or ("cuda" if torch.cuda.is_available() else "cpu"))
        self.settings = settings
        self.network = network.to(self.device)
        self.network.to(memory_format=torch.channels_last)  # type: ignore[call-overload]  # a quarter faster on CPUs
        self.playing = copy.deepcopy(self.network) if settings.averaging else self.network
        self.optimizer = _optimizer(self.network, settings)
        self.steps = 0
        self._bfloat16 = self.device.type == "cpu" and learns_in_bfloat16(settings.precision)
        self._twins: Twins | None = None

    def use_threads(self, threads: int) -> None:
        """Train with so many threads of this machine, each with a part of every batch unless the parts would be too small."""
        by_parts = self.device.type == "cpu" and threads > 1 and self.settings.batch >= threads * SMALLEST_PART
        torch.set_num_threads(1 if by_parts else threads)
        if self._twins is not None:
            self._twins.close()
        self._twins = Twins(self.network, threads - 1) if by_parts else None

    def train(self, draw: Callable[[], Batch], steps: int, progress: float) -> LossReport:
        """This many steps; progress, from 0 to 1, says how much of the run is over."""
        rate = self.settings.learning_rate * rate_factor(self.settings, progress)
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        self.network.train()
        if self._twins is not None:
            self._twins.share_buffers()
        sums = torch.zeros(5, device=self.device)
        for _ in range(steps):
            sums += self._step(draw()).stacked()
        policy, value, plies_left, final_board, ended = (sums / max(steps, 1)).tolist()
        if not math.isfinite(policy + value + plies_left + final_board):
            raise BadInput("The losses are no longer finite: the learning rate is too high for this network.")
        learned = self.network.settings
        return LossReport(
            steps,
            policy,
            value,
            rate,
            plies_left=plies_left if learned.plies_left else None,
            final_board=final_board / ended if learned.final_board and ended else None,
        )

    def train_epochs(
        self, batches: EpochBatches, epochs: int, progress: float, before_step: Callable[[], None] | None = None
    ) -> LossReport:
        """So often through all batches; of the epochs, the one with the lowest loss on what was held out stays."""
        report, lowest, best = LossReport(0, 0.0, 0.0, 0.0), math.inf, self.weights()
        for _ in range(epochs):
            report = self.train(batches.drawer(before_step), batches.steps, progress)
            if batches.held_out:
                loss = self.validate(batches.held_out)
                if loss < lowest:
                    lowest, best = loss, self.weights()
        if batches.held_out:
            self.take_weights(best)
            report = replace(report, validation=lowest)
        return replace(report, steps=epochs * batches.steps)

    @torch.no_grad()
    def validate(self, batches: Sequence[Batch]) -> float:
        """The total loss of the network that plays, as a mean over all positions of the batches."""
        self.playing.eval()
        sums = sum(float(self.losses(self.playing, batch).total(self.settings)) * len(batch) for batch in batches)
        return sums / sum(map(len, batches))

    def losses(self, network: nn.Module, batch: Batch) -> Losses:
        """Of this network (or of one that wraps it) on a batch, as the settings compare them."""
        mix = self.settings.value.mix_at(self.steps)
        target = (1 - mix) * batch.z + mix * batch.q
        planes, policy, value_target, weight, legal, plies_left, final_board = (
            torch.from_numpy(part).to(self.device)
            for part in (batch.planes, batch.policy, target, batch.weight, batch.legal, batch.plies_left, batch.final_board)
        )
        with torch.autocast("cpu", torch.bfloat16, enabled=self._bfloat16):
            judged = network(planes.contiguous(memory_format=torch.channels_last))
        logits, value, *outputs = (output.float() for output in judged)
        besides, nothing = dict(zip(self.network.settings.besides, outputs, strict=True)), weight.new_zeros(())
        return Losses(
            policy_loss(logits, policy, weight, self.settings.policy_loss, legal if self.settings.legal_only else None),
            value_loss(value, value_target, weight),
            plies_left_loss(besides["plies_left"], plies_left, weight) if "plies_left" in besides else nothing,
            *(
                final_board_loss(besides["final_board"], final_board, weight)
                if "final_board" in besides
                else (nothing, nothing)
            ),
        )

    def _step(self, batch: Batch) -> Losses:
        self.optimizer.zero_grad(set_to_none=True)
        if self._twins is not None and len(batch) == self.settings.batch:
            losses = self._twins.backward(batch, self._add_gradient)
        else:
            losses = self._add_gradient(self.network, batch, 1)
            if self._twins is not None:
                self._twins.share_buffers()
        self._follow_gradient()
        return losses

    def _add_gradient(self, network: Network, batch: Batch, share: float) -> Losses:
        """That of the losses on a part of a step's batch, times its share, is added to the network's."""
        losses = self.losses(network, batch)
        (losses.objective(self.settings) * share).backward()  # type: ignore[no-untyped-call]
        return losses

    def _follow_gradient(self) -> None:
        """The rest of a step, when the gradient of its batch is known."""
        if self.settings.clip > 0:
            nn.utils.clip_grad_norm_(self.network.parameters(), self.settings.clip)
        self.optimizer.step()
        self.steps += 1
        if self.playing is not self.network:
            self._average()

    @torch.no_grad()
    def _average(self) -> None:
        """Move the playing weights towards the newest; at first faster, so that the beginning is forgotten."""
        decay = min(self.settings.averaging, (1 + self.steps) / (10 + self.steps))
        newest = self.network.state_dict()
        for name, tensor in self.playing.state_dict().items():
            if tensor.is_floating_point():
                tensor.lerp_(newest[name], 1 - decay)
            else:
                tensor.copy_(newest[name])

    def begin_with(self, network: Network) -> None:
        """Take over the weights of another network of the same shape."""
        weights = network.state_dict()
        try:
            for own in {self.network, self.playing}:
                own.load_state_dict(weights)
        except RuntimeError:
            raise BadInput("The network to begin with has another shape than the settings of the run say.") from None

    def weights(self) -> list[dict[str, Tensor]]:
        """A copy of the weights, the newest and those that play."""
        return [
            {name: tensor.clone() for name, tensor in network.state_dict().items()} for network in (self.network, self.playing)
        ]

    def take_weights(self, weights: list[dict[str, Tensor]]) -> None:
        """The counterpart of `weights`."""
        for network, own in zip((self.network, self.playing), weights, strict=True):
            network.load_state_dict(own)

    def close(self) -> None:
        """Let go of what belongs to this learner."""
        if self._twins is not None:
            self._twins.close()

    # -- checkpoints ---------------------------------------------------------------------------------------------------
    def state(self) -> dict[str, Tensor]:
        """All tensors that a learner needs to go on as if nothing had happened."""
        tensors = {f"network.{name}": tensor for name, tensor in self.network.state_dict().items()}
        if self.playing is not self.network:
            tensors |= {f"playing.{name}": tensor for name, tensor in self.playing.state_dict().items()}
        for number, slot in self.optimizer.state_dict()["state"].items():
            tensors |= {f"optimizer.{number}.{name}": torch.as_tensor(value) for name, value in slot.items()}
        tensors["steps"] = torch.tensor(self.steps)
        return {name: tensor.detach().cpu().contiguous().clone() for name, tensor in tensors.items()}

    def restore(self, tensors: dict[str, Tensor]) -> None:
        """The counterpart of `state`."""
        try:
            self.network.load_state_dict(_part(tensors, "network."))
            if self.playing is not self.network:
                self.playing.load_state_dict(_part(tensors, "playing."))
        except RuntimeError:
            sentence = "The checkpoint does not fit the run: its settings, or the planes of its game, were changed since."
            raise BadInput(sentence) from None
        slots: dict[int, dict[str, Tensor]] = {}
        for name, tensor in _part(tensors, "optimizer.").items():
            number, _, key = name.partition(".")
            slots.setdefault(int(number), {})[key] = tensor
        state = self.optimizer.state_dict()
        self.optimizer.load_state_dict({**state, "state": slots})
        self.steps = int(tensors["steps"])


def rate_factor(settings: TrainingSettings, progress: float) -> float:
    """The learning rate at this point of the run, as a share of the one at the beginning."""
    if settings.schedule == "cosine":
        return settings.final_rate + (1 - settings.final_rate) * 0.5 * (1 + math.cos(math.pi * min(max(progress, 0.0), 1.0)))
    if settings.schedule == "steps":
        return STEP_FACTOR ** sum(progress >= mark for mark in STEP_MARKS)
    return 1.0


def _part(tensors: dict[str, Tensor], prefix: str) -> dict[str, Tensor]:
    return {name.removeprefix(prefix): tensor for name, tensor in tensors.items() if name.startswith(prefix)}


def _optimizer(network: Network, settings: TrainingSettings) -> torch.optim.Optimizer:
    parameters, rate, decay = network.parameters(), settings.learning_rate, settings.weight_decay
    match settings.optimizer:
        case "sgd":
            return torch.optim.SGD(parameters, rate, momentum=settings.momentum, weight_decay=decay)
        case "adam":
            return torch.optim.Adam(parameters, rate, weight_decay=decay)
        case "adamw":
            return torch.optim.AdamW(parameters, rate, weight_decay=decay)
