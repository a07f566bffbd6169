"""The parts of a cluster beside self-play: learners that share a batch, matches elsewhere, other storage, scaling."""

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import numpy as np
import pytest
import torch
from cluster_machines import machines
from replay_records import random_records
from training_runs import begin, game_numbers, run, settings_of

from boardzero.cluster.mirror import Mirror, is_remote, local_folder
from boardzero.cluster.scaling import Assumptions, Measured, fit_rate, limits, predict, saturating_cores
from boardzero.errors import BadInput
from boardzero.games.catalogue import find_game
from boardzero.games.randomness import new_stream
from boardzero.network.build import build_network
from boardzero.replay.replay import Replay
from boardzero.replay.sampler import Batch
from boardzero.training.gate import Gate
from boardzero.training.learner import Learner
from boardzero.training.run_folder import RunFolder

pytest.importorskip("ray", reason="a cluster needs Ray: pip install 'boardzero[cluster]'")

from boardzero.cluster.learning import DistributedLearner
from boardzero.cluster.matches import RemoteGate, Tasks

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
    with machines(2) as (connected, _):
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
    shared = DistributedLearner(build_network(settings.network, game, 1), settings.training, ray, settings, 2)
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
    finally:
        shared.close()


# -- matches -----------------------------------------------------------------------------------------------------------------
def test_a_gate_elsewhere_finds_what_the_gate_here_finds(ray: Any, tmp_path: Path) -> None:
    changes = ("gate.kind=ratio", "gate.games=6", "gate.simulations=8")
    folder = begin(tmp_path / "run", *changes, generations=1)
    run(folder)
    settings = folder.settings()
    here = Gate(find_game("tictactoe"), settings, folder, 1).compare(1, 0, lambda: None)
    there = RemoteGate(settings, folder, 1, Tasks(ray, settings, folder, lambda: 2)).compare(1, 0, lambda: None)
    assert here == there


# -- other storage -----------------------------------------------------------------------------------------------------------
def test_addresses_of_storage_are_told_from_paths() -> None:
    assert is_remote("s3://bucket/run") and not is_remote("runs/here")
    assert local_folder("s3://bucket/my run") == Path("runs/bucket-my-run")


def test_a_run_is_resumed_on_a_machine_that_has_only_the_copy(tmp_path: Path) -> None:
    url = f"memory://{uuid4().hex}/run"
    first, second = begin(tmp_path / "first", generations=2), RunFolder(tmp_path / "second")
    with Mirror(url, first.path) as mirror:
        run(first)
        mirror.raise_failure()
    with Mirror(url, second.path):
        assert game_numbers(second) == game_numbers(first)
        settings = second.settings().model_copy(update={"generations": 3})
        (second.path / "settings.json").write_text(settings.model_dump_json())
        run(second)
    assert set(game_numbers(first)) < set(game_numbers(second))
    with Mirror(url, tmp_path / "third"):
        assert game_numbers(RunFolder(tmp_path / "third")) == game_numbers(second)


def test_what_is_removed_here_is_removed_there(tmp_path: Path) -> None:
    url = f"file://{tmp_path / 'there'}"
    with Mirror(url, tmp_path / "here") as mirror:
        (tmp_path / "here").mkdir()
        (tmp_path / "here" / "old").write_text("old")
        mirror.copy()
        assert (tmp_path / "there" / "old").is_file()
        (tmp_path / "here" / "old").unlink()
    assert not (tmp_path / "there" / "old").exists()


def test_two_drivers_do_not_share_a_copy(tmp_path: Path) -> None:
    url = f"file://{tmp_path / 'there'}"
    (tmp_path / "there").mkdir()
    owner = tmp_path / "there" / "owner.json"
    owner.write_text(json.dumps({"owner": "another:1", "seconds": time.time()}))
    with pytest.raises(BadInput, match="another:1 is training in"), Mirror(url, tmp_path / "here"):
        pass
    owner.write_text(json.dumps({"owner": "another:1", "seconds": time.time() - 100}))
    with Mirror(url, tmp_path / "here"):
        pass


def test_storage_that_nobody_knows_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="cannot be reached"):
        Mirror("nowhere://run", tmp_path)


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
