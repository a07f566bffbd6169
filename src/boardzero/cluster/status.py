"""How the runs on a cluster are doing, for whoever asks: each run keeps its newest state in a named actor that ends with it."""

import time
from dataclasses import asdict, dataclass
from typing import Any
from uuid import uuid4

from boardzero.events.cluster import ClusterState, MachineState

PREFIX = "run-"
ASK_SECONDS = 10.0


class Board:
    """Holds what was written last."""

    def __init__(self) -> None:
        self._content: dict[str, Any] = {}

    def write(self, content: dict[str, Any]) -> None:
        self._content = content

    def read(self) -> dict[str, Any]:
        return self._content


class StatusBoard:
    """The driver's side: `show` costs one message."""

    def __init__(self, ray: Any, run: str, game: str) -> None:
        self._ray, self._run, self._game = ray, run, game
        board = ray.remote(num_cpus=0, max_restarts=-1)(Board)
        self._board = board.options(name=f"{PREFIX}{uuid4().hex}").remote()

    def show(self, state: ClusterState) -> None:
        self._board.write.remote({"run": self._run, "game": self._game, "written": time.time(), "state": asdict(state)})

    def close(self) -> None:
        self._ray.kill(self._board)


@dataclass(frozen=True)
class RunOnCluster:
    """A run as it last said."""

    run: str
    game: str
    age: float  # seconds since then
    state: ClusterState


def runs_on(ray: Any) -> list[RunOnCluster]:
    """All runs of the cluster that are under way and have said something."""
    runs = []
    for name in ray.util.list_named_actors():
        if name.startswith(PREFIX):
            try:
                content = ray.get(ray.get_actor(name).read.remote(), timeout=ASK_SECONDS)
            except (ray.exceptions.RayError, ValueError):  # it has ended meanwhile
                continue
            if content:
                machines = tuple(MachineState(**machine) for machine in content["state"].pop("machines"))
                state = ClusterState(machines=machines, **content["state"])
                runs.append(RunOnCluster(content["run"], content["game"], time.time() - content["written"], state))
    return runs
