"""Training by several threads, each with a part of the batch."""

import threading
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
import torch
from replay_records import random_record, random_records
from torch import nn

from boardzero.errors import BadInput
from boardzero.games.catalogue import find_game
from boardzero.games.randomness import new_stream
from boardzero.network.build import build_network
from boardzero.replay.columns import GameColumns
from boardzero.replay.positions import PositionMemory
from boardzero.replay.sampler import Batch, BatchMaker, draw_positions
from boardzero.settings.network import NetworkSettings
from boardzero.settings.precision import TrainingPrecision
from boardzero.settings.training import TrainingSettings
from boardzero.training.learner import Learner, LossReport
from boardzero.training.losses import Losses

GAME = find_game("tictactoe")
SIZE = 192  # enough for three parts
PRECISIONS: tuple[TrainingPrecision, ...] = ("float", "bfloat16")
PLAIN = NetworkSettings(blocks=1, channels=8, batch_norm=False, plies_left=True, final_board=True)
NORMALISED = NetworkSettings(blocks=1, channels=8)


@pytest.fixture(autouse=True)
def threads_as_before() -> Iterator[None]:
    before = torch.get_num_threads()
    yield
    torch.set_num_threads(before)


def batches(count: int) -> list[Batch]:
    """With weights of their own, so that no two parts of a batch weigh the same."""
    memory = PositionMemory(GAME, final_boards=True)
    resigned = [random_record(GAME, number, resign_after=4) for number in range(60, 80)]  # which have no final board
    memory.add(GameColumns.from_games(random_records("tictactoe", 60) + resigned))
    positions, maker, stream = memory.positions(), BatchMaker(GAME, symmetries=True), new_stream(3)
    made = [maker.make(positions, draw_positions(positions, SIZE, stream), stream) for _ in range(count)]
    weight = np.linspace(0.5, 2, SIZE, dtype=np.float32)
    return [replace(batch, weight=weight) for batch in made]


def trained(
    network: NetworkSettings,
    threads: int,
    parts: list[Batch],
    clip: float = 0.0,
    at_once: int = 1000,
    precision: TrainingPrecision = "float",
) -> tuple[Learner, LossReport]:
    """at_once: steps of each training."""
    settings = TrainingSettings(precision=precision, batch=SIZE, optimizer="sgd", learning_rate=0.05, clip=clip)
    learner = Learner(build_network(network, GAME, seed=1), settings, device="cpu")
    learner.use_threads(threads)
    following, left = iter(parts), len(parts)
    while left > 0:
        report = learner.train(lambda: next(following), min(left, at_once), 0.0)
        left -= at_once
    learner.close()
    return learner, report


@pytest.mark.parametrize("clip", [0.0, 0.01])
@pytest.mark.parametrize("threads", [2, 3])
def test_gradient_by_parts_is_that_of_the_whole_batch(threads: int, clip: float) -> None:
    parts = batches(4)
    (alone, alone_report), (shared, shared_report) = trained(PLAIN, 1, parts, clip), trained(PLAIN, threads, parts, clip)
    for name, tensor in alone.state().items():
        torch.testing.assert_close(shared.state()[name], tensor, atol=1e-5, rtol=1e-4)
    assert shared_report.policy == pytest.approx(alone_report.policy, rel=1e-4)
    assert shared_report.value == pytest.approx(alone_report.value, rel=1e-4)
    assert shared_report.plies_left == pytest.approx(alone_report.plies_left, rel=1e-4)
    assert shared_report.final_board == pytest.approx(alone_report.final_board, rel=1e-4)


def test_threads_learn_with_16_bits_too() -> None:
    parts = batches(4)
    exact, rounded = (trained(NORMALISED, 2, parts, precision=precision)[1] for precision in PRECISIONS)
    assert rounded.policy != exact.policy
    assert rounded.policy == pytest.approx(exact.policy, rel=0.02)
    assert rounded.value == pytest.approx(exact.value, rel=0.05)


def test_training_by_parts_is_the_same_twice() -> None:
    parts = batches(4)
    one, two = (trained(NORMALISED, 2, parts)[0].state() for _ in range(2))
    assert all(torch.equal(tensor, two[name]) for name, tensor in one.items())


def test_running_means_are_those_of_all_parts() -> None:
    (batch,) = batches(1)
    learner, _ = trained(NORMALISED, 2, [batch])
    means = []
    for part in batch.split(2):
        network = build_network(NORMALISED, GAME, seed=1).train()
        with torch.no_grad():
            network(torch.from_numpy(part.planes))
        means.append(dict(network.named_buffers()))
    for name, buffer in learner.network.named_buffers():
        if buffer.is_floating_point():
            expected = (means[0][name] + means[1][name]) / 2
            torch.testing.assert_close(buffer, expected, atol=1e-6, rtol=1e-4)


def test_weights_that_are_restored_are_those_of_all_threads() -> None:
    parts = batches(4)
    settings = TrainingSettings(precision="float", batch=SIZE, optimizer="sgd", learning_rate=0.05)
    first, _ = trained(NORMALISED, 2, parts[:2])
    resumed = Learner(build_network(NORMALISED, GAME, seed=9), settings, device="cpu")
    resumed.use_threads(2)
    resumed.restore(first.state())
    following = iter(parts[2:])
    resumed.train(lambda: next(following), 2, 0.0)
    whole = trained(NORMALISED, 2, parts)[0].state()
    assert all(torch.equal(tensor, whole[name]) for name, tensor in resumed.state().items())


def test_a_smaller_batch_between_others_counts_for_all_threads() -> None:
    """The running means of every thread know of it, as they do when a training begins."""
    first, small, last = batches(3)
    parts = [first, small.split(3)[0], last]
    whole, single = (trained(NORMALISED, 2, parts, at_once=steps)[0].state() for steps in (3, 1))
    assert all(torch.equal(tensor, single[name]) for name, tensor in whole.items())


def test_failure_of_a_thread_is_heard_and_leaves_no_thread_behind() -> None:
    learner = Learner(build_network(PLAIN, GAME, seed=1), TrainingSettings(precision="float", batch=SIZE), device="cpu")
    learner.use_threads(2)
    (batch,) = batches(1)
    batch.policy[-1] = np.nan
    losses = learner.losses

    def fail_at_the_end(network: nn.Module, part: Batch) -> Losses:
        if np.isnan(part.policy).any():
            raise BadInput("It is broken.")
        return losses(network, part)

    learner.losses = fail_at_the_end  # type: ignore[assignment, method-assign]
    with pytest.raises(BadInput, match="broken"):
        learner.train(lambda: batch, 1, 0.0)
    learner.close()
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("twin")]
    assert learner.steps == 0


def test_small_batches_are_not_divided() -> None:
    learner = Learner(build_network(PLAIN, GAME, seed=1), TrainingSettings(precision="float", batch=32), device="cpu")
    learner.use_threads(2)
    assert torch.get_num_threads() == 2
    learner.close()
