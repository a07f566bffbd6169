"""A machine of a real Ray that stands still in the middle of a run: it is slow, its network pauses, or it is cut off."""

import os
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cluster_machines import machines
from training_runs import begin, checkpoint_of

from boardzero.events.cluster import ClusterState
from boardzero.events.training import GenerationDone, TrainingEvent

pytest.importorskip("ray", reason="a cluster needs Ray: pip install 'boardzero[cluster]'")

from cluster_recording import IN_FLIGHT, Recorded, check_every_game_once, gaps

CHANGES = ("training.positions=400", "selfplay.cap.full_simulations=60", "mode=concurrent", "evaluation.share=0")


@pytest.mark.slow
@pytest.mark.parametrize("seconds", [5, 30])
def test_a_machine_may_stand_still_while_the_others_go_on(tmp_path: Path, seconds: int) -> None:
    """5 s: it is slow, or its network pauses, and goes on. 30 s: it is taken for dead meanwhile."""
    with machines(1, 1) as (ray, cluster):
        folder = begin(tmp_path / "run", *CHANGES, generations=100_000)
        states: list[ClusterState] = []
        paused: list[float] = []
        during: list[int] = []
        processes = _processes_of(next(iter(cluster.worker_nodes)))

        def go_on() -> None:
            for process in processes():
                os.kill(process, signal.SIGCONT)
            threading.Timer(6, training.stop).start()

        def pause_at_second_generation(event: TrainingEvent) -> None:
            if not isinstance(event, GenerationDone):
                return
            if event.generation == 2:
                for process in processes():
                    os.kill(process, signal.SIGSTOP)
                paused.append(time.monotonic())
                threading.Timer(seconds, go_on).start()
            elif paused and time.monotonic() - paused[0] < seconds:
                during.append(event.generation)

        training = Recorded(folder, pause_at_second_generation, ray, 2, states.append)
        with training:
            training.run()
        check_every_game_once(folder, training)
        assert during and checkpoint_of(folder)[0].generation > during[-1]
        assert max(gaps(training.intake.taken).values()) <= IN_FLIGHT
        assert (min(len(state.machines) for state in states[2:]) == 1) == (seconds == 30)


def _processes_of(node: Any) -> Callable[[], list[int]]:
    """The raylet of a machine and everything that it has started."""
    raylet = node.all_processes["raylet"][0].process.pid

    def below(process: int) -> list[int]:
        path = Path(f"/proc/{process}/task/{process}/children")
        children = [int(word) for word in path.read_text().split()] if path.exists() else []
        return [process, *(further for child in children for further in below(child))]

    return lambda: below(raylet) if Path(f"/proc/{raylet}").exists() else []
