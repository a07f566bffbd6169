"""Self-play on a real Ray of two machines, and what happens when parts of it die in the middle of a run."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from cluster_machines import LITTLE, machines
from training_runs import SMALL, begin, checkpoint_of, game_numbers, games_on_disk, run

from boardzero.events.cluster import ClusterState
from boardzero.events.training import GenerationDone, TrainingEvent
from boardzero.network.weights import read_header
from boardzero.replay.columns import GameColumns
from boardzero.training.run_folder import RunFolder

pytest.importorskip("ray", reason="a cluster needs Ray: pip install 'boardzero[cluster]'")

from boardzero.cluster.training import ClusterTraining

LONGER = ("training.positions=400", "selfplay.cap.full_simulations=60")
CONCURRENT = ("mode=concurrent", "evaluation.share=0")


class Recorded(ClusterTraining):
    """Keeps the numbers of the games that were acknowledged: when `take_in` has returned, they are in the journal."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        self.acknowledged: list[int] = []
        super().__init__(*arguments, **named)

    def take_in(self, games: list[Any]) -> None:
        super().take_in(games)
        self.acknowledged += [game.number for game in games]


@pytest.fixture(scope="module")
def two_machines() -> Iterator[tuple[Any, Any]]:
    """One core each."""
    with machines(1, 1) as started:
        yield started


def train(
    folder: RunFolder, ray: Any, players: int, listen: Callable[[TrainingEvent], None] = lambda event: None
) -> tuple[Recorded, list[ClusterState]]:
    states: list[ClusterState] = []
    training = Recorded(folder, listen, ray, players, states.append)
    with training:
        training.run()
    return training, states


def check_every_game_once(folder: RunFolder, acknowledged: list[int]) -> None:
    on_disk = game_numbers(folder)
    assert len(set(on_disk)) == len(on_disk)
    assert sorted(acknowledged) == sorted(on_disk)


def table_of(parts: list[GameColumns]) -> list[tuple[int, bytes, bytes]]:
    """Number, moves and values of every game, in the order they came."""
    games = [part[index] for part in parts for index in range(len(part))]
    return [(game.number, game.actions.tobytes(), game.values.tobytes()) for game in games]


def test_one_player_gives_the_same_games_and_networks_as_one_thread(two_machines: tuple[Any, Any], tmp_path: Path) -> None:
    ray, _ = two_machines
    here, there = begin(tmp_path / "here", generations=2), begin(tmp_path / "there", generations=2)
    training, _ = train(there, ray, players=1)
    run(here)
    assert table_of(games_on_disk(here)) == table_of(games_on_disk(there))
    assert read_header(here.newest_network()).checksum == read_header(there.newest_network()).checksum
    check_every_game_once(there, training.acknowledged)


@pytest.mark.parametrize("mode", [pytest.param((), marks=pytest.mark.slow), CONCURRENT])
def test_a_killed_player_costs_at_most_its_games_in_flight(
    two_machines: tuple[Any, Any], tmp_path: Path, mode: tuple[str, ...]
) -> None:
    ray, _ = two_machines
    folder = begin(tmp_path / "run", *LONGER, *mode, generations=4)
    killed: list[int] = []

    def kill_at_first_generation(event: TrainingEvent) -> None:
        if isinstance(event, GenerationDone) and not killed:
            killed.append(_a_player())
            os.kill(killed[0], signal.SIGKILL)

    training, _ = train(folder, ray, 2, kill_at_first_generation)
    check_every_game_once(folder, training.acknowledged)
    assert killed and checkpoint_of(folder)[0].generation == 4
    missing = set(range(max(n % (1 << 16) for n in training.acknowledged))) - {n % (1 << 16) for n in training.acknowledged}
    assert len(missing) <= 2 * 16  # of two players with 16 games in flight each


def _a_player() -> int:
    """The process of some player."""
    for process in Path("/proc").iterdir():
        if process.name.isdecimal():
            try:
                if (process / "cmdline").read_bytes().startswith(b"ray::PlayerActor"):
                    return int(process.name)
            except OSError:
                continue
    raise AssertionError("no player is running")


@pytest.mark.slow
def test_a_machine_may_die_in_the_middle_and_another_one_join_late(two_machines: tuple[Any, Any], tmp_path: Path) -> None:
    ray, cluster = two_machines
    folder = begin(tmp_path / "run", *LONGER, *CONCURRENT, generations=10)

    def change_machines(event: TrainingEvent) -> None:
        if isinstance(event, GenerationDone) and event.generation == 2:
            cluster.remove_node(next(iter(cluster.worker_nodes)), allow_graceful=False)
            while sum(node["Alive"] for node in ray.nodes()) > 1:
                time.sleep(0.2)
        if isinstance(event, GenerationDone) and event.generation == 4:
            cluster.add_node(num_cpus=1, **LITTLE)

    training, states = train(folder, ray, 2, change_machines)
    check_every_game_once(folder, training.acknowledged)
    assert checkpoint_of(folder)[0].generation == 10
    assert min(len(state.machines) for state in states) == 1
    assert (len(states[-1].machines), states[-1].restarts) == (2, 1)


@pytest.mark.slow
def test_a_killed_driver_is_resumed_without_losing_an_acknowledged_game(two_machines: tuple[Any, Any], tmp_path: Path) -> None:
    ray, cluster = two_machines
    path = tmp_path / "run"
    changes = [part for change in (*SMALL, *LONGER) if "workers" not in change for part in ("--set", change)]
    program = Path(sys.executable).with_name("boardzero")
    command = [program, "train", "tictactoe", "--generations", "6", "--run", path, "--cluster", cluster.address, *changes]
    driver = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    folder, end = RunFolder(path), time.monotonic() + 120
    while not (folder.checkpoint.is_file() and len(folder.network_generations()) > 1) and time.monotonic() < end:
        time.sleep(0.2)
    driver.kill()
    driver.wait()
    before = game_numbers(folder)
    assert before
    training, _ = train(folder, ray, 2)
    check_every_game_once(folder, before + training.acknowledged)
    assert checkpoint_of(folder)[0].generation == 6
