"""Self-play on a real Ray of two machines, and what happens when parts of it die in the middle of a run."""

import itertools
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
from training_runs import begin, checkpoint_of, game_numbers, games_on_disk, run, settings_of

from boardzero.cluster import failures as failures_module
from boardzero.cluster import workforce as workforce_module
from boardzero.cluster.orders import LEASE, Order, SentNetwork
from boardzero.cluster.workforce import Workforce
from boardzero.errors import BadInput
from boardzero.events.cluster import ClusterState
from boardzero.events.training import GenerationDone, TrainingEvent
from boardzero.network.weights import read_header
from boardzero.replay.columns import GameColumns
from boardzero.training.run_folder import RunFolder

pytest.importorskip("ray", reason="a cluster needs Ray: pip install 'boardzero[cluster]'")

from cluster_recording import IN_FLIGHT, Recorded, check_every_game_once, gaps

LONGER = ("training.positions=400", "selfplay.cap.full_simulations=60")
CONCURRENT = ("mode=concurrent", "evaluation.share=0")


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


def table_of(parts: list[GameColumns]) -> list[tuple[int, bytes, bytes]]:
    """Number, moves and values of every game, in the order they came."""
    games = [part[index] for part in parts for index in range(len(part))]
    return [(game.number, game.actions.tobytes(), game.values.tobytes()) for game in games]


def test_gaps_are_counted_for_every_life_of_a_player() -> None:
    assert gaps([0, 1, 4, LEASE + 1, LEASE + 2, 3 * LEASE]) == {0: 2, 1: 1, 3: 0}


def test_one_player_gives_the_same_games_and_networks_as_one_thread(two_machines: tuple[Any, Any], tmp_path: Path) -> None:
    ray, _ = two_machines
    here, there = begin(tmp_path / "here", generations=2), begin(tmp_path / "there", generations=2)
    training, _ = train(there, ray, players=1)
    run(here)
    assert table_of(games_on_disk(here)) == table_of(games_on_disk(there))
    assert read_header(here.newest_network()).checksum == read_header(there.newest_network()).checksum
    check_every_game_once(there, training)
    assert training.selfplay.cores_here == 1


def test_ray_starts_no_player_on_a_machine_that_is_left_out(two_machines: tuple[Any, Any]) -> None:
    ray, _ = two_machines
    workforce = Workforce(ray, settings_of(), 1, print)
    try:
        for left_out, other in itertools.permutations(workforce.machines):
            workforce.dismiss()
            workforce._hire(False, {left_out})
            nothing = Order(1, 0, 1, SentNetwork(0, "", None, None), 0.0, 1.0, 1)  # without numbers of games, none is played
            assert ray.get(workforce.hands[0].actor.play.remote(nothing), timeout=120).node == other
    finally:
        workforce.dismiss()


def test_players_of_another_version_end_the_run_with_the_reason(
    two_machines: tuple[Any, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ray, _ = two_machines
    folder = begin(tmp_path / "run", generations=1)
    monkeypatch.setattr(workforce_module, "version", lambda _: "0.0.0")
    monkeypatch.setattr(failures_module, "MOST_FAILURES", 1)  # starting players takes long
    with pytest.raises(BadInput, match="install the same version everywhere"):
        train(folder, ray, 2)
    told = [event["sentence"] for event in folder.read_events() if event["event"] == "DamageFound"]
    assert any(sentence.startswith("A player on") and "no more are started there" in sentence for sentence in told)


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
    check_every_game_once(folder, training)
    assert killed and checkpoint_of(folder)[0].generation == 4
    assert max(gaps(training.intake.taken).values()) <= IN_FLIGHT


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
    folder = begin(tmp_path / "run", *LONGER, *CONCURRENT, generations=1000)
    states: list[ClusterState] = []

    def change_machines(event: TrainingEvent) -> None:
        if isinstance(event, GenerationDone) and event.generation == 2:
            cluster.remove_node(next(iter(cluster.worker_nodes)), allow_graceful=False)
            while sum(node["Alive"] for node in ray.nodes()) > 1:
                time.sleep(0.2)
        if isinstance(event, GenerationDone) and event.generation == 4:
            cluster.add_node(num_cpus=1, **LITTLE)
        if isinstance(event, GenerationDone) and (states[-1].playing, states[-1].restarts) == (2, 1):
            training.stop()  # the player of the dead machine plays on the new one

    training = Recorded(folder, change_machines, ray, 2, states.append)
    with training:
        training.run()
    check_every_game_once(folder, training)
    assert 4 < checkpoint_of(folder)[0].generation < 1000
    assert min(len(state.machines) for state in states) == 1 and len(states[-1].machines) == 2


@pytest.mark.slow
def test_a_killed_driver_is_resumed_without_losing_a_game_that_players_were_told_about(
    two_machines: tuple[Any, Any], tmp_path: Path
) -> None:
    ray, cluster = two_machines
    folder, log = begin(tmp_path / "run", *LONGER, generations=6), tmp_path / "told"
    program = Path(__file__).with_name("cluster_recording.py")
    driver = subprocess.Popen([sys.executable, program, folder.path, cluster.address, "2", log], stdout=subprocess.DEVNULL)
    end = time.monotonic() + 120
    while len(folder.network_generations()) < 3 and time.monotonic() < end:
        time.sleep(0.2)
    driver.kill()
    driver.wait()
    before, told = game_numbers(folder), [int(line) for line in log.read_text().splitlines()]
    assert told and set(told) <= set(before)
    training, _ = train(folder, ray, 2)
    check_every_game_once(folder, training, before)
    assert checkpoint_of(folder)[0].generation == 6
