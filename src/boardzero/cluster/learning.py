"""A learner on several GPUs: each takes a part of every batch, PyTorch's DistributedDataParallel adds their gradients up.

Rank 0 is the learner of the run itself, with the optimizer and the averaged weights; the other ranks are Ray actors on the same
machine that only compute gradients, and get the newest weights before every step. If one of them dies, rank 0 goes on alone
(on CPUs; NCCL, by which GPUs talk, ends the whole process then, and the run goes on from its checkpoint when it is resumed).
"""

import socket
from datetime import timedelta
from typing import Any

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

from boardzero.cluster.game_file import SentGame
from boardzero.cluster.learner_gpus import START_SECONDS, LearnerGpus
from boardzero.cluster.workforce import Say
from boardzero.network.build import build_network
from boardzero.network.model import Network
from boardzero.replay.sampler import Batch
from boardzero.settings.growth import GrowthSettings
from boardzero.settings.run import RunSettings
from boardzero.settings.training import TrainingSettings
from boardzero.training.learner import Learner
from boardzero.training.losses import Losses

STEP_SECONDS = 300.0  # that a step may take before its ranks are given up; a rank that died is noticed at once
GRACE_SECONDS = 10.0  # after which Ray should know that a helper has failed


class Rank:
    """One process of several that compute the gradient of a batch together; each is called at the same time as the others."""

    def __init__(self, learner: Learner, rank: int, ranks: int, place: str) -> None:
        """place: HOST:PORT where rank 0 listens."""
        self._learner, self.ranks = learner, ranks
        backend = "nccl" if learner.device.type == "cuda" else "gloo"
        seconds = timedelta(seconds=STEP_SECONDS)
        dist.init_process_group(backend, init_method=f"tcp://{place}", rank=rank, world_size=ranks, timeout=seconds)
        self._network = DistributedDataParallel(learner.network)

    def backward(self, part: Batch, share: float, steps: int) -> Losses:
        """Leave the gradient of the whole batch in the network; share: of the batch's weight that is in this part.

        The losses are those of the whole batch. DistributedDataParallel takes the mean over ranks, so each part counts as
        `ranks` times its share.
        """
        learner = self._learner
        learner.steps = steps
        with torch.no_grad():
            for parameter in learner.network.parameters():
                dist.broadcast(parameter.data, 0)
        learner.network.zero_grad(set_to_none=True)
        losses = learner.losses(self._network, part)
        (losses.objective(learner.settings) * share * self.ranks).backward()  # type: ignore[no-untyped-call]
        sums = losses.stacked() * share
        dist.all_reduce(sums)
        return Losses(*sums)


class Helper:
    """A rank other than 0, as Ray starts it."""

    def __init__(self, settings: str, game: SentGame, rank: int, ranks: int) -> None:
        run = RunSettings.model_validate_json(settings)
        torch.set_num_threads(1)
        self._learner = Learner(build_network(run.network, game.find()), run.training)
        self._learner.network.train()
        self._rank: Rank | None = None
        self._number, self._ranks = rank, ranks

    def gpus(self) -> list[int]:
        """Those of the machine that Ray gave to this process."""
        import ray

        return [int(gpu) for gpu in ray.get_gpu_ids()]

    def join(self, place: str) -> None:
        self._rank = Rank(self._learner, self._number, self._ranks, place)

    def backward(self, part: Batch, share: float, steps: int) -> None:
        assert self._rank is not None
        self._rank.backward(part, share, steps)


class DistributedLearner(Learner):
    """The learner of a run, with helpers."""

    def __init__(
        self, network: Network, settings: TrainingSettings, ray: Any, run: RunSettings, ranks: int, say: Say, group: Any = None
    ) -> None:
        """ranks: processes in all, this one included; group: where Ray has set their GPUs aside, if they have any."""
        self._ray, self._say = ray, say
        self._rank: Rank | None = None
        strategies = ray.util.scheduling_strategies
        here = (
            strategies.NodeAffinitySchedulingStrategy(ray.get_runtime_context().get_node_id(), soft=False)
            if group is None
            else strategies.PlacementGroupSchedulingStrategy(group)
        )
        helper = ray.remote(num_cpus=0, num_gpus=0 if group is None else 1, scheduling_strategy=here)(Helper)
        same = run.model_copy(update={"network": network.settings, "growth": GrowthSettings()})
        arguments = same.model_dump_json(), SentGame.of(run.game)
        self._helpers = [helper.remote(*arguments, rank, ranks) for rank in range(1, ranks)]
        super().__init__(network, settings, f"cuda:{self._free_gpu()}" if group is not None else "cpu")
        if self._helpers:
            self._join(ranks)

    def _free_gpu(self) -> int:
        """One that no helper has."""
        try:
            gpus = self._ray.get([helper.gpus.remote() for helper in self._helpers], timeout=START_SECONDS)
        except self._ray.exceptions.RayError as error:
            self._go_on_alone(error)
            return 0
        taken = {gpu for some in gpus for gpu in some}
        return next((gpu for gpu in range(torch.cuda.device_count()) if gpu not in taken), 0)

    def _join(self, ranks: int) -> None:
        """Meet the helpers."""
        place = f"127.0.0.1:{_free_port()}"
        joining = [helper.join.remote(place) for helper in self._helpers]
        try:
            self._rank = Rank(self, 0, ranks, place)
            self._ray.get(joining, timeout=START_SECONDS)
        except (RuntimeError, self._ray.exceptions.RayError) as error:
            self._go_on_alone(error)

    @property
    def ranks(self) -> int:
        return self._rank.ranks if self._rank is not None else 1

    def _step(self, batch: Batch) -> Losses:
        if self._rank is None or len(batch) < self._rank.ranks:
            return super()._step(batch)
        parts = batch.split(self._rank.ranks)
        weights = [float(part.weight.sum()) for part in parts]
        shares = [weight / sum(weights) for weight in weights]
        working = [
            helper.backward.remote(part, share, self.steps)
            for helper, part, share in zip(self._helpers, parts[1:], shares[1:], strict=True)
        ]
        try:
            losses = self._rank.backward(parts[0], shares[0], self.steps)
        except RuntimeError:
            failure = self._failure(working)
            if failure is None:  # the helpers are well: it is an error of this process
                raise
            self._go_on_alone(failure)  # nothing has been changed by this step yet
            return super()._step(batch)
        self._follow_gradient()
        return losses

    def _failure(self, working: list[Any]) -> Exception | None:
        """What is wrong with a helper, if Ray knows of anything."""
        for reference in self._ray.wait(working, num_returns=1, timeout=GRACE_SECONDS)[0]:
            try:
                self._ray.get(reference, timeout=GRACE_SECONDS)
            except self._ray.exceptions.RayError as error:
                found: Exception = error
                return found
        return None

    def close(self) -> None:
        self._dismiss_helpers()
        super().close()

    def _go_on_alone(self, error: Exception) -> None:
        self._say(f"A helper of the learner failed; the learner goes on alone: {' '.join(str(error).split())}")
        self._dismiss_helpers()

    def _dismiss_helpers(self) -> None:
        """Let the helpers go; whatever is learned from now on is learned by this process alone."""
        for helper in self._helpers:
            self._ray.kill(helper)
        self._helpers = []
        self._rank = None
        if dist.is_initialized():
            dist.destroy_process_group()


def make_learner(network: Network, settings: RunSettings, ray: Any, gpus: LearnerGpus, say: Say) -> Learner:
    """One process for each of the learner's GPUs; without GPUs, or with one, an ordinary learner."""
    if gpus.count > 1:
        return DistributedLearner(network, settings.training, ray, settings, gpus.count, say, gpus.group)
    return Learner(network, settings.training)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
