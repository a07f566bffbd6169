"""Gradients by several threads, each with a part of the batch.

PyTorch's own threads share out each single layer, and layers of networks that learn on a few cores are so small that most of a
second core is lost that way. A thread that goes through the whole network with its part of the batch has no one to wait for.
"""

import copy
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import torch

from boardzero.network.model import Network
from boardzero.replay.sampler import Batch
from boardzero.training.losses import Losses

SMALLEST_PART = 64  # positions: each thread normalises its part of the batch by itself, which fewer would make too noisy

Gradient = Callable[[Network, Batch, float], Losses]  # adds that of a part, times its share of the batch, to the network's


class Twins:
    """Copies of a network that have its weights in common, one for each further thread."""

    def __init__(self, network: Network, count: int) -> None:
        self._network = network
        self._twins = [_twin(network) for _ in range(count)]
        self._pool = ThreadPoolExecutor(count, "twin", torch.set_num_threads, (1,))

    def share_buffers(self) -> None:
        """Let the twins' running means be those of the network, whatever has happened to it."""
        for twin in self._twins:
            for own, other in zip(twin.buffers(), self._network.buffers(), strict=True):
                own.copy_(other)

    def backward(self, batch: Batch, gradient: Gradient) -> Losses:
        """Leave the gradient of the whole batch in the network, which has none before; its losses."""
        networks = [self._network, *self._twins]
        parts = batch.split(len(networks))
        whole = float(batch.weight.sum())
        jobs = [(network, part, float(part.weight.sum()) / whole) for network, part in zip(networks, parts, strict=True)]
        for twin in self._twins:
            twin.zero_grad(set_to_none=True)
        waiting = [self._pool.submit(gradient, *job) for job in jobs[1:]]
        losses = [gradient(*jobs[0]), *(job.result() for job in waiting)]
        self._add_up()
        weighted = [share * one.stacked() for (_, _, share), one in zip(jobs, losses, strict=True)]
        return Losses(*torch.stack(weighted).sum(0))

    @torch.no_grad()
    def _add_up(self) -> None:
        """The twins' gradients to the network's; running means become the mean over all."""
        for twin in self._twins:
            for parameter, other in zip(self._network.parameters(), twin.parameters(), strict=True):
                assert parameter.grad is not None and other.grad is not None
                parameter.grad.add_(other.grad)
        everyone = zip(self._network.buffers(), *(twin.buffers() for twin in self._twins), strict=True)
        for own, *others in everyone:
            if own.is_floating_point():
                own.copy_(torch.stack([own, *others]).mean(0))
                for other in others:
                    other.copy_(own)

    def close(self) -> None:
        self._pool.shutdown()


def _twin(network: Network) -> Network:
    twin = copy.deepcopy(network).train()
    for own, other in zip(twin.parameters(), network.parameters(), strict=True):
        own.data = other.data
    return twin
