"""Losses against values computed by hand, schedules, averaging, and a learner that goes on as if nothing had happened."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np
import pytest
import torch
from replay_records import random_records
from torch import Tensor

from boardzero.errors import BadInput
from boardzero.games.catalogue import find_game
from boardzero.games.randomness import new_stream
from boardzero.network.build import build_network
from boardzero.replay.columns import GameColumns
from boardzero.replay.positions import PositionMemory
from boardzero.replay.sampler import Batch, BatchMaker, draw_positions
from boardzero.settings.network import NetworkSettings
from boardzero.settings.training import TrainingSettings, ValueTargetSettings
from boardzero.training.epochs import EpochBatches
from boardzero.training.learner import Learner, rate_factor
from boardzero.training.losses import Losses, plies_left_loss, policy_loss, value_loss

SMALL = NetworkSettings(blocks=1, channels=8, policy_channels=4, value_channels=2, value_hidden=16)
TARGET = torch.tensor([[0.5, 0.5, 0.0], [0.0, 0.25, 0.75]])
LOGITS = torch.log(torch.tensor([[0.2, 0.3, 0.5], [0.1, 0.1, 0.8]]))
ONES = torch.ones(2)


def batches(count: int, size: int = 32) -> list[Batch]:
    """Batches of random games of tic-tac-toe."""
    game = find_game("tictactoe")
    memory = PositionMemory(game)
    memory.add(GameColumns.from_games(random_records("tictactoe", 40)))
    positions, maker, stream = memory.positions(), BatchMaker(game, symmetries=True), new_stream(3)
    return [maker.make(positions, draw_positions(positions, size, stream), stream) for _ in range(count)]


def new_learner(**settings: object) -> Learner:
    torch.set_num_threads(1)
    network = SMALL.model_copy(update={"value": settings.pop("value_head", "scalar")})
    built = build_network(network, find_game("tictactoe"), seed=1)
    return Learner(built, TrainingSettings.model_validate({"precision": "float", **settings}), device="cpu")


def train(learner: Learner, parts: list[Batch], progress: float = 0.0) -> None:
    following = iter(parts)
    learner.train(lambda: next(following), len(parts), progress)


def weights_of(learner: Learner) -> bytes:
    return b"".join(tensor.numpy().tobytes() for tensor in learner.state().values())


# -- precision --------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("renormalised", [False, True])
def test_learning_with_16_bits_leads_where_32_bits_lead(renormalised: bool) -> None:
    game, parts = find_game("tictactoe"), batches(30)
    shape = SMALL.model_copy(update={"renormalised": renormalised})
    losses: dict[str, float] = {}
    for precision in ("float", "bfloat16"):
        settings = TrainingSettings.model_validate({"precision": precision, "learning_rate": 0.01})
        learner = Learner(build_network(shape, game, seed=1), settings, device="cpu")
        before = learner.validate(parts)
        train(learner, parts)
        assert all(
            parameter.grad is not None and parameter.grad.dtype == torch.float32 for parameter in learner.network.parameters()
        )
        losses[precision] = learner.validate(parts)
        assert losses[precision] < 0.95 * before
    assert losses["bfloat16"] != losses["float"]
    assert losses["bfloat16"] == pytest.approx(losses["float"], rel=0.02)


def test_16_bits_are_used_where_the_processor_is_fast_with_them(monkeypatch: pytest.MonkeyPatch) -> None:
    parts, losses = batches(1), {}
    for precision, fast in (("float", True), ("bfloat16", False), ("auto", False), ("auto", True)):
        monkeypatch.setattr("boardzero.network.precision.is_fast_with_bfloat16", lambda fast=fast: fast)
        losses[precision, fast] = new_learner(precision=precision).validate(parts)
    assert losses["auto", False] == losses["float", True] != losses["bfloat16", False] == losses["auto", True]


# -- losses -----------------------------------------------------------------------------------------------------------
def test_cross_entropy_by_hand() -> None:
    first = -(0.5 * math.log(0.2) + 0.5 * math.log(0.3))
    second = -(0.25 * math.log(0.1) + 0.75 * math.log(0.8))
    assert policy_loss(LOGITS, TARGET, ONES, "cross_entropy").item() == pytest.approx((first + second) / 2, rel=1e-6)


def test_kl_by_hand() -> None:
    first = 0.5 * math.log(0.5 / 0.2) + 0.5 * math.log(0.5 / 0.3)
    second = 0.25 * math.log(0.25 / 0.1) + 0.75 * math.log(0.75 / 0.8)
    assert policy_loss(LOGITS, TARGET, ONES, "kl").item() == pytest.approx((first + second) / 2, rel=1e-5)
    assert policy_loss(torch.log(TARGET), TARGET, ONES, "kl").isnan()  # minus infinity is no logit
    assert policy_loss(torch.log(TARGET + 1e-9), TARGET, ONES, "kl").item() == pytest.approx(0, abs=1e-6)


def test_squared_policy_loss_by_hand() -> None:
    first, second = 0.3**2 + 0.2**2 + 0.5**2, 0.1**2 + 0.15**2 + 0.05**2
    assert policy_loss(LOGITS, TARGET, ONES, "mse").item() == pytest.approx((first + second) / 2, rel=1e-5)


def test_weights_weigh() -> None:
    each = [policy_loss(LOGITS[i : i + 1], TARGET[i : i + 1], ONES[:1], "cross_entropy").item() for i in range(2)]
    weighted = policy_loss(LOGITS, TARGET, torch.tensor([3.0, 1.0]), "cross_entropy").item()
    assert weighted == pytest.approx((3 * each[0] + each[1]) / 4, rel=1e-6)
    values = value_loss(torch.tensor([0.5, 0.0]), torch.tensor([1.0, 1.0]), torch.tensor([3.0, 1.0])).item()
    assert values == pytest.approx((3 * 0.25 + 1) / 4)


def test_kl_and_cross_entropy_have_the_same_gradient() -> None:
    gradients = []
    for kind in ("kl", "cross_entropy"):
        logits = LOGITS.clone().requires_grad_()
        policy_loss(logits, TARGET, ONES, kind).backward()  # type: ignore[no-untyped-call]
        gradients.append(logits.grad)
    assert torch.equal(*(gradient for gradient in gradients if gradient is not None))


def test_squared_value_loss_by_hand() -> None:
    assert value_loss(torch.tensor([0.5, -1.0]), torch.tensor([1.0, 0.0]), ONES).item() == pytest.approx((0.25 + 1) / 2)


@pytest.mark.parametrize(
    ("target", "chances"),
    [(1.0, (1, 0, 0)), (0.0, (0, 1, 0)), (-1.0, (0, 0, 1)), (0.5, (0.5, 0.5, 0)), (-0.25, (0, 0.75, 0.25))],
)
def test_a_value_between_results_is_a_mixture_of_its_neighbours(target: float, chances: tuple[float, ...]) -> None:
    output = torch.tensor([[0.3, -0.2, 1.0]])
    logs = output.log_softmax(1)[0].tolist()
    expected = -sum(chance * log for chance, log in zip(chances, logs, strict=True))
    assert value_loss(output, torch.tensor([target]), torch.ones(1)).item() == pytest.approx(expected, rel=1e-6)


def test_the_value_loss_has_its_weight() -> None:
    losses = Losses(torch.tensor(2.0), torch.tensor(0.5))
    assert losses.total(TrainingSettings(value_weight=3)).item() == 3.5


def test_loss_of_plies_left_by_hand() -> None:
    """In tens of plies: 1 said where it was 1.5, and 3 where it was 1."""
    output, target = torch.tensor([1.0, 3.0]), torch.tensor([15.0, 10.0])
    assert plies_left_loss(output, target, ONES).item() == pytest.approx((0.5**2 / 2 + (2 - 0.5)) / 2)
    assert plies_left_loss(output, target, torch.tensor([3.0, 1.0])).item() == pytest.approx((3 * 0.5**2 / 2 + 1.5) / 4)


def test_what_is_learned_besides_counts_for_the_gradient_only() -> None:
    losses = Losses(torch.tensor(2.0), torch.tensor(0.5), torch.tensor(3.0))
    settings = TrainingSettings(value_weight=4, plies_left_weight=0.5)
    assert losses.total(settings).item() == 4
    assert losses.objective(settings).item() == 5.5


def test_squared_loss_before_the_softmax_by_hand() -> None:
    logits = torch.tensor([[0.2, 0.3, 0.5], [0.1, 0.1, 0.8]])
    first, second = 0.3**2 + 0.2**2 + 0.5**2, 0.1**2 + 0.15**2 + 0.05**2
    assert policy_loss(logits, TARGET, ONES, "mse_logits").item() == pytest.approx((first + second) / 2, rel=1e-5)


LEGAL = torch.tensor([[True, True, False], [False, True, True]])


@pytest.mark.parametrize("kind", ["cross_entropy", "kl", "mse", "mse_logits"])
def test_illegal_actions_are_left_out_of_the_loss(kind: str) -> None:
    """Whatever the network says about an illegal action, the loss and its gradient do not see it."""
    losses = []
    for illegal in (-3.0, 5.0):
        logits = LOGITS.clone().masked_fill(~LEGAL, illegal).requires_grad_()
        loss = policy_loss(logits, TARGET, ONES, kind, LEGAL)
        loss.backward()  # type: ignore[no-untyped-call]
        assert logits.grad is not None
        assert (logits.grad[~LEGAL] == 0).all()
        assert (logits.grad[LEGAL] != 0).any()
        losses.append(loss.item())
    assert losses[0] == losses[1]
    assert math.isfinite(losses[0])


def test_cross_entropy_among_legal_actions_by_hand() -> None:
    first = -(0.5 * math.log(0.2 / 0.5) + 0.5 * math.log(0.3 / 0.5))
    second = -(0.25 * math.log(0.1 / 0.9) + 0.75 * math.log(0.8 / 0.9))
    found = policy_loss(LOGITS, TARGET, ONES, "cross_entropy", LEGAL).item()
    assert found == pytest.approx((first + second) / 2, rel=1e-6)


@pytest.mark.parametrize("name", ["tictactoe", "connect4", "othello:size=6"])
def test_batches_know_the_legal_actions_under_every_symmetry(name: str) -> None:
    game = find_game(name)
    memory = PositionMemory(game)
    memory.add(GameColumns.from_games(random_records(name, 6)))
    positions, stream = memory.positions(), new_stream(3)
    plain = BatchMaker(game, symmetries=False).make(positions, np.arange(positions.size), stream)
    for index in range(positions.size):
        assert list(np.flatnonzero(plain.legal[index])) == game.legal_actions(positions.states[index])
    turned = BatchMaker(game, symmetries=True).make(positions, np.arange(positions.size), stream)
    assert (turned.legal.sum(1) == plain.legal.sum(1)).all()
    assert (turned.policy[~turned.legal] == 0).all()
    assert (turned.legal != plain.legal).any()


# -- epochs -----------------------------------------------------------------------------------------------------------
def epoch_batches(batch: int, held_out: float, seed: int = 3) -> EpochBatches:
    game = find_game("tictactoe")
    memory = PositionMemory(game)
    memory.add(GameColumns.from_games(random_records("tictactoe", 20)))
    return EpochBatches(game, memory.positions(), batch, held_out, False, new_stream(seed))


def positions_in(parts: Iterable[Batch]) -> list[bytes]:
    """Each position with what is learned from it, sorted."""
    rows = [(b.planes[i].tobytes(), b.policy[i].tobytes(), b.plies_left[i].tobytes()) for b in parts for i in range(len(b))]
    return sorted(b"".join(row) for row in rows)


def test_an_epoch_has_every_position_once_but_those_held_out() -> None:
    whole, split = epoch_batches(16, 0.0), epoch_batches(16, 0.2)
    every = positions_in(whole.epoch())
    learned, tested = positions_in(split.epoch()), positions_in(split.held_out)
    assert whole.held_out == []
    assert sorted(learned + tested) == every
    assert len(tested) == math.ceil(0.2 * len(every))
    assert positions_in(split.epoch()) == learned  # the same in the next epoch
    assert len(list(split.epoch())) == split.steps


def test_epochs_are_repeatable_and_in_new_orders() -> None:
    one, two = epoch_batches(16, 0.2), epoch_batches(16, 0.2)
    first, again, second = next(one.epoch()), next(two.epoch()), next(one.epoch())
    assert np.array_equal(first.planes, again.planes)
    assert not np.array_equal(first.planes, second.planes)


def test_the_weights_of_the_best_epoch_stay() -> None:
    """Far too high a learning rate: later epochs are worse, and the report is of the weights that stayed."""
    learner = new_learner(epochs=6, held_out=0.3, learning_rate=0.3, averaging=0, optimizer="adam", schedule="constant")
    split = epoch_batches(16, 0.3)
    losses, validate = [], learner.validate

    def remember(parts: Sequence[Batch]) -> float:
        losses.append(validate(parts))
        return losses[-1]

    learner.validate = remember  # type: ignore[assignment, method-assign]
    report = learner.train_epochs(split, 6, 0.0)
    assert len(losses) == 6
    assert report.validation == min(losses) < losses[-1]
    assert validate(split.held_out) == pytest.approx(min(losses), rel=1e-5)
    assert report.steps == 6 * split.steps == learner.steps


def test_settings_that_contradict_each_other_are_refused() -> None:
    with pytest.raises(ValueError, match="held_out needs epochs"):
        TrainingSettings(held_out=0.2)
    with pytest.raises(ValueError, match="exclude each other"):
        TrainingSettings(steps=1, epochs=1)


# -- targets and schedules --------------------------------------------------------------------------------------------
@pytest.mark.parametrize(("target", "share"), [("z", 0.0), ("average", 0.5), ("q", 1.0)])
def test_the_value_target_is_what_the_settings_say(target: str, share: float) -> None:
    settings = ValueTargetSettings.model_validate({"target": target})
    assert [settings.mix_at(step) for step in (0, 10_000)] == [share, share]


def test_the_mixed_value_target_goes_from_z_to_q() -> None:
    settings = ValueTargetSettings(target="mixed", steps=100)
    assert [settings.mix_at(step) for step in (0, 25, 100, 500)] == [0.0, 0.25, 1.0, 1.0]


def test_a_network_learns_the_target_that_it_is_given() -> None:
    """Results and searches contradict each other: the value follows the one that the settings name."""
    (batch,) = batches(1)
    parts = [replace(batch, z=0 * batch.z + 0.8, q=0 * batch.q - 0.8)] * 60
    means = {}
    for target in ("z", "average", "q"):
        learner = new_learner(value={"target": target}, averaging=0, learning_rate=0.01)
        train(learner, parts)
        means[target] = learner.network(torch.from_numpy(batch.planes))[1].mean().item()
    assert means["z"] > 0.6
    assert abs(means["average"]) < 0.2
    assert means["q"] < -0.6


def learner_of_plies_left(plies_left: bool, weight: float = 0.1) -> Learner:
    torch.set_num_threads(1)
    network = build_network(SMALL.model_copy(update={"plies_left": plies_left}), find_game("tictactoe"), seed=1)
    return Learner(network, TrainingSettings(plies_left_weight=weight, learning_rate=0.01, averaging=0), device="cpu")


def test_plies_left_are_learned() -> None:
    parts = batches(1) * 30
    learner = learner_of_plies_left(True)
    first, last = (learner.train(iter(parts).__next__, len(parts), 0.0) for _ in range(2))
    assert first.plies_left is not None and last.plies_left is not None
    assert last.plies_left < first.plies_left / 2
    assert learner_of_plies_left(False).train(iter(parts).__next__, 1, 0.0).plies_left is None


@pytest.mark.parametrize("weight", [0.0, 0.1])
def test_the_tower_learns_from_plies_left_by_their_weight(weight: float) -> None:
    parts = batches(3)
    learners = [learner_of_plies_left(plies_left, weight) for plies_left in (False, True)]
    for learner in learners:
        train(learner, parts)
    without, besides = (learner.network.tower.state_dict() for learner in learners)
    assert all(torch.equal(without[name], besides[name]) for name in without) == (weight == 0)


def test_schedules_of_the_learning_rate() -> None:
    cosine = TrainingSettings(schedule="cosine", final_rate=0.1)
    assert [rate_factor(cosine, at) for at in (0, 0.5, 1, 2)] == pytest.approx([1, 0.55, 0.1, 0.1])
    steps = TrainingSettings(schedule="steps")
    assert [rate_factor(steps, at) for at in (0, 0.59, 0.6, 0.84, 0.85, 1)] == pytest.approx([1, 1, 1 / 3, 1 / 3, 1 / 9, 1 / 9])
    assert rate_factor(TrainingSettings(schedule="constant"), 0.9) == 1


def test_the_learning_rate_of_a_training_follows_its_schedule() -> None:
    learner = new_learner(learning_rate=0.01, final_rate=0.1)
    (batch,) = batches(1)
    assert learner.train(lambda: batch, 1, 0.5).learning_rate == pytest.approx(0.0055)
    assert learner.optimizer.param_groups[0]["lr"] == pytest.approx(0.0055)


# -- the learner ------------------------------------------------------------------------------------------------------
def test_gradients_are_clipped() -> None:
    (batch,) = batches(1)
    moved = []
    for clip in (0.0, 1e-3):
        learner = new_learner(optimizer="sgd", momentum=0, weight_decay=0, learning_rate=1.0, averaging=0, clip=clip)
        before = [parameter.detach().clone() for parameter in learner.network.parameters()]
        train(learner, [batch])
        squares = [(new.detach() - old).square().sum() for new, old in zip(learner.network.parameters(), before, strict=True)]
        moved.append(math.sqrt(float(sum(squares))))
    assert moved[0] > 1e-2
    assert moved[1] == pytest.approx(1e-3, rel=1e-3)


def test_without_averaging_the_newest_network_plays() -> None:
    learner = new_learner(averaging=0)
    assert learner.playing is learner.network


def test_averaged_weights_are_the_mean_that_the_formula_gives() -> None:
    learner = new_learner(averaging=0.15)
    name = "policy"
    expected = first_tensor(learner.network.state_dict(), name).clone()
    for step, batch in enumerate(batches(4), start=1):
        train(learner, [batch])
        decay = min(0.15, (1 + step) / (10 + step))
        expected = decay * expected + (1 - decay) * first_tensor(learner.network.state_dict(), name)
    assert torch.allclose(first_tensor(learner.playing.state_dict(), name), expected, atol=1e-6)
    assert not torch.allclose(
        first_tensor(learner.playing.state_dict(), name), first_tensor(learner.network.state_dict(), name)
    )


def first_tensor(tensors: dict[str, Tensor], prefix: str) -> Tensor:
    return next(tensor for name, tensor in tensors.items() if name.startswith(prefix))


@pytest.mark.parametrize("optimizer", ["sgd", "adam", "adamw"])
@pytest.mark.parametrize("averaging", [0.0, 0.9])
def test_a_restored_learner_goes_on_bit_for_bit(optimizer: str, averaging: float) -> None:
    parts = batches(10)
    whole = new_learner(optimizer=optimizer, averaging=averaging)
    train(whole, parts[:5])
    restored = new_learner(optimizer=optimizer, averaging=averaging)
    restored.restore(whole.state())
    assert restored.steps == 5
    for learner in (whole, restored):
        train(learner, parts[5:], progress=0.5)
    assert weights_of(restored) == weights_of(whole)


def test_a_state_does_not_change_when_training_goes_on() -> None:
    learner = new_learner()
    parts = batches(4)
    train(learner, parts[:2])
    state = learner.state()
    copy = {name: tensor.clone() for name, tensor in state.items()}
    train(learner, parts[2:])
    assert all(torch.equal(state[name], copy[name]) for name in copy)


def test_a_state_of_another_network_is_refused() -> None:
    other = Learner(build_network(NetworkSettings(blocks=2, channels=8), find_game("tictactoe")), TrainingSettings(), "cpu")
    with pytest.raises(BadInput, match="does not fit the run"):
        new_learner().restore(other.state())
    with pytest.raises(BadInput, match="another shape"):
        new_learner().begin_with(other.network)


@pytest.mark.parametrize("value_head", ["scalar", "wdl"])
@pytest.mark.parametrize("loss", ["cross_entropy", "kl", "mse"])
def test_losses_fall(loss: str, value_head: str) -> None:
    learner = new_learner(policy_loss=loss, value_head=value_head, learning_rate=0.01)
    (batch,) = batches(1)
    before = learner.train(lambda: batch, 1, 0.0)
    after = learner.train(lambda: batch, 80, 0.0)
    end = learner.train(lambda: batch, 1, 0.0)
    assert end.policy < after.policy < before.policy
    assert end.value < after.value < before.value


def test_losses_that_are_not_finite_are_said() -> None:
    learner = new_learner()
    (batch,) = batches(1)
    broken = replace(batch, z=batch.z * np.nan)
    with pytest.raises(BadInput, match="no longer finite"):
        learner.train(lambda: broken, 1, 0.0)
