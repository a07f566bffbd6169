"""The parts of a cluster beside self-play: learners that share a batch, matches elsewhere, scaling."""

import io
import math
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from cluster_machines import machines
from replay_records import random_records
from rich.console import Console
from training_runs import begin, run, settings_of

from boardzero.cli.cluster import opened_training, summary
from boardzero.cli.training_view import TrainingView
from boardzero.cluster.broadcast import Broadcast
from boardzero.cluster.scaling import Assumptions, Measured, fit_rate, limits, predict, saturating_cores
from boardzero.errors import BadInput
from boardzero.events.cluster import ClusterState
from boardzero.games.catalogue import find_game
from boardzero.games.randomness import new_stream
from boardzero.network.build import build_network
from boardzero.network.weights import save_network
from boardzero.replay.replay import Replay
from boardzero.replay.sampler import Batch
from boardzero.training.gate import Gate
from boardzero.training.learner import Learner
from boardzero.training.run_folder import RunFolder
from boardzero.training.strength import Opponent, StrengthMeter

pytest.importorskip("ray", reason="a cluster needs Ray: pip install 'boardzero[cluster]'")

from boardzero.cluster import learning
from boardzero.cluster.learner_gpus import LearnerGpus
from boardzero.cluster.learning import DistributedLearner
from boardzero.cluster.matches import RemoteGate, RemoteStrengthMeter, Tasks

MEASURED = Measured(
    games_per_core=2.0,
    simulations_per_game=2000.0,
    positions_per_game=15.0,
    bytes_per_game=3000.0,
    driver_seconds_per_game=0.001,
    learner_positions=12_000.0,
    network_bytes=200_000,
)


@pytest.fixture(scope="module")
def ray() -> Iterator[Any]:
    with machines(2, gpus=3) as (connected, _):  # GPUs are only counted
        yield connected


def batches(path: Path, count: int, size: int) -> list[Batch]:
    replay = Replay(find_game("tictactoe"), settings_of().replay, path)
    replay.add(random_records("tictactoe", 60))
    stream = new_stream(3)
    return [replay.sample(size, stream) for _ in range(count)]


# -- learners ----------------------------------------------------------------------------------------------------------------
def test_parts_of_a_batch_are_the_whole_batch(tmp_path: Path) -> None:
    whole = batches(tmp_path, 1, 65)[0]
    parts = whole.split(4)
    assert [len(part) for part in parts] == [16, 16, 16, 17]
    assert np.array_equal(np.concatenate([part.planes for part in parts]), whole.planes)
    assert np.array_equal(np.concatenate([part.weight for part in parts]), whole.weight)


def test_two_processes_learn_what_one_learns_and_one_goes_on_alone(ray: Any, tmp_path: Path) -> None:
    """Without batch normalisation, which would see only a part of the batch in each process."""
    settings = settings_of("network.batch_norm=false", "training.averaging=0.9", "training.clip=1", "training.optimizer=sgd")
    game, drawn = find_game("tictactoe"), batches(tmp_path, 5, 65)
    alone = Learner(build_network(settings.network, game, 1), settings.training, "cpu")
    said: list[str] = []
    shared = DistributedLearner(build_network(settings.network, game, 1), settings.training, ray, settings, 2, said.append)
    try:
        reports = [learner.train(iter(drawn).__next__, 4, 0.0) for learner in (alone, shared)]
        assert shared.ranks == 2
        assert reports[0].policy == pytest.approx(reports[1].policy, rel=1e-4)
        assert reports[0].value == pytest.approx(reports[1].value, rel=1e-4)
        for name, tensor in alone.playing.state_dict().items():
            assert torch.allclose(tensor, shared.playing.state_dict()[name], atol=1e-5), name
        for helper in shared._helpers:
            ray.kill(helper)
        shared.train(iter(drawn[4:]).__next__, 1, 0.0)
        assert (shared.ranks, shared.steps) == (1, 5)
        assert len(said) == 1 and "goes on alone" in said[0]
    finally:
        shared.close()


def test_an_error_of_the_learner_itself_is_not_taken_for_a_helpers(
    ray: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings, game = settings_of("network.batch_norm=false"), find_game("tictactoe")
    monkeypatch.setattr(learning, "GRACE_SECONDS", 1.0)
    shared = DistributedLearner(build_network(settings.network, game, 1), settings.training, ray, settings, 2, print)

    def fail(*_: object) -> None:
        raise RuntimeError("out of memory")

    try:
        monkeypatch.setattr(shared._rank, "backward", fail)
        with pytest.raises(RuntimeError, match="out of memory"):
            shared.train(iter(batches(tmp_path, 1, 65)).__next__, 1, 0.0)
    finally:
        shared.close()


def test_the_learners_gpus_are_set_aside_but_for_the_one_that_players_share(ray: Any) -> None:
    gpus = LearnerGpus(ray, print, known=3)
    assert (gpus.count, list(gpus.reserved.values())) == (3, [2])
    gpus.release()
    assert (LearnerGpus(ray, print, known=0).count, LearnerGpus(ray, print, known=1).reserved) == (0, {})


def go_on() -> None: ...


def tasks_of(ray: Any, folder: RunFolder, said: list[str]) -> Tasks:
    return Tasks(ray, folder.settings(), Broadcast(ray, folder.network), lambda: 2, said.append)


# -- matches -----------------------------------------------------------------------------------------------------------------
def test_a_gate_elsewhere_finds_what_the_gate_here_finds(ray: Any, tmp_path: Path) -> None:
    changes = ("gate.kind=ratio", "gate.games=6", "gate.simulations=8")
    folder = begin(tmp_path / "run", *changes, generations=1)
    run(folder)
    settings = folder.settings()
    said: list[str] = []
    here = Gate(find_game("tictactoe"), settings, folder, 1).compare(1, 0, go_on)
    there = RemoteGate(settings, folder, 1, tasks_of(ray, folder, said)).compare(1, 0, go_on)
    assert (here, said) == (there, [])


def test_a_measurement_elsewhere_finds_what_one_here_finds_and_needs_no_other_opponent(ray: Any, tmp_path: Path) -> None:
    """One opponent of the run is a file of this machine, which a task for another opponent must not look for."""
    game, file = find_game("tictactoe"), tmp_path / "another.safetensors"
    save_network(file, build_network(settings_of().network, game, 5).eval(), game)
    opponents_of_run = f"evaluation.opponents=random alphazero:network={file}"
    folder, said = begin(tmp_path / "run", "evaluation.games=4", opponents_of_run, generations=1), list[str]()
    run(folder)
    settings = folder.settings()
    local = StrengthMeter(find_game("tictactoe"), settings, folder, 1, 0.0, go_on)
    remote = RemoteStrengthMeter(settings, folder, 1, 0.0, go_on, tasks_of(ray, folder, said))
    file.unlink()
    for opponent in (Opponent("random", "random"), Opponent("previous", "generation 0", 0)):
        (here, games), (there, others) = (meter._match(opponent, 1, 5.0) for meter in (local, remote))
        assert replace(here, match_seconds=0.0) == replace(there, match_seconds=0.0)
        assert games == others and len(games) == 4
    assert said == []


def test_a_match_that_fails_elsewhere_is_played_here(ray: Any, tmp_path: Path) -> None:
    folder, said = begin(tmp_path / "run", generations=1), list[str]()
    run(folder)
    assert tasks_of(ray, folder, said).run(math.sqrt, (0,), (), go_on, lambda: -1.0) == -1.0  # which takes one argument
    sentence = "A match failed on the cluster and is played here instead: math.sqrt() takes exactly one argument (2 given)"
    assert said == [sentence]


# -- commands ----------------------------------------------------------------------------------------------------------------
def test_who_resumes_a_run_that_plays_and_learns_in_turns_hears_that_machines_wait(tmp_path: Path) -> None:
    heard = io.StringIO()
    view = TrainingView(False, Console(file=heard, width=500))
    with (
        pytest.raises(BadInput, match="No cluster answers"),
        opened_training(begin(tmp_path / "run"), print, view, "127.0.0.1:1"),
    ):
        pass
    assert "all machines wait while it learns" in heard.getvalue()


def test_the_status_says_how_much_waits_for_the_learner() -> None:
    state = ClusterState(3, (), 2, 2, 4, 0, 10, False, backlog=1200, wanted=600)
    assert "1,200 of 600 positions for the next training" in summary(state)


# -- scaling -----------------------------------------------------------------------------------------------------------------
def test_few_cores_are_limited_by_players_and_many_by_the_first_part_that_is_full() -> None:
    few, many = predict(MEASURED, Assumptions(), 10), predict(MEASURED, Assumptions(), 10_000)
    assert (few.limit, few.games) == ("players", 20.0)
    assert (many.limit, many.games) == ("learner", 12_000 / 4 / 15)
    assert max(many.shares.values()) == 1.0


def test_the_point_of_saturation_is_where_players_overtake() -> None:
    for name, cores in saturating_cores(MEASURED, Assumptions()).items():
        before, there = (limits(MEASURED, Assumptions(), int(count)) for count in (cores - 1, cores))
        assert before["players"] < before[name] and there["players"] >= there[name]


def test_players_beyond_the_cores_add_nothing_to_the_fit() -> None:
    assert fit_rate({1: 3.0, 2: 6.0, 4: 6.0, 8: 6.0}, cores=2) == pytest.approx(3.0)
