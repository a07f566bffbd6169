"""The players of a run as Ray actors: made wherever there are cores or GPUs, started anew by Ray when they or their machines
die, and more of them when machines join.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import Any

from boardzero.cluster.orders import Answer, Lease
from boardzero.cluster.player import Player
from boardzero.errors import BadInput
from boardzero.settings.run import RunSettings

LOOK_SECONDS = 3.0  # between two looks at which machines there are
GPU_PLAYERS = 4  # players that share a GPU
MOST_FAILURES = 5  # players that die one after another before any of them has answered


@dataclass(eq=False)
class Hand:
    """A player as the driver sees it."""

    actor: Any
    uses_gpu: bool
    lease: Lease | None = None
    lease_order: int = 0  # that the lease was sent with
    next_number: int = 0
    order: int = 0  # the number of the last order
    acknowledged: int = 0  # answers up to this order are in the journal
    waiting: dict[Any, int] = field(default_factory=dict)  # answers that are to come → number of the order
    arrived: set[int] = field(default_factory=set)  # orders beyond `acknowledged` whose answers have come
    node: str = ""
    generation: int = -1  # of the network of its last answer
    at_goal: int = -1  # the newest phase in which it had nothing left to do
    last_answer: float = field(default_factory=time.monotonic)

    def acknowledge(self, order: int) -> None:
        """Its answer is in the journal, or will never come."""
        self.arrived.add(order)
        while self.acknowledged + 1 in self.arrived:
            self.acknowledged += 1
            self.arrived.discard(self.acknowledged)


@dataclass(frozen=True)
class Machine:
    """One node of the cluster."""

    identity: str
    name: str
    cores: int
    gpus: int


class Workforce:
    """As many players as were asked for, or as the machines have cores for."""

    def __init__(self, ray: Any, settings: RunSettings, wanted: int, spare_cores: int = 1) -> None:
        """wanted: 0 means one for each core but the spare ones, and some for each GPU."""
        self._ray, self._wanted, self._spare = ray, wanted, spare_cores
        self._settings, self.games_in_flight = settings.model_dump_json(), settings.selfplay.games
        self.hands: list[Hand] = []
        self.machines: dict[str, Machine] = {}  # those that are alive, by identity
        self.failures = 0  # players that died for good since one of them answered
        self.restarts = 0  # players that Ray started anew
        self._looked = -LOOK_SECONDS
        self._actor_class = ray.remote(max_restarts=-1, max_task_retries=-1, concurrency_groups={"control": 1})(
            _actor_class(ray)
        )
        self.look()

    def look(self) -> None:
        """From time to time: which machines are there, and is there room for more players?"""
        if time.monotonic() - self._looked < LOOK_SECONDS:
            return
        self._looked = time.monotonic()
        machines = machines_of(self._ray)
        self.machines = {machine.identity: machine for machine in machines}
        gpus = sum(machine.gpus for machine in machines)
        cores = sum(machine.cores for machine in machines)
        on_gpus = min(GPU_PLAYERS * gpus, self._wanted or cores)
        wanted = self._wanted or max(1, on_gpus or cores - self._spare)
        while len(self.hands) < wanted:
            self._hire(sum(hand.uses_gpu for hand in self.hands) < on_gpus)

    def is_alive(self, hand: Hand) -> bool:
        """Has it answered, on a machine that is still there?"""
        return hand.node in self.machines

    def replace(self, hand: Hand, reason: str) -> None:
        """Ray has given it up: take another one."""
        self.failures += 1
        if self.failures >= MOST_FAILURES:
            raise BadInput(f"The players on the cluster do not start: {reason}")
        self.hands.remove(hand)
        self._hire(hand.uses_gpu)

    def heard(self, hand: Hand, answer: Answer) -> None:
        self.failures = 0
        hand.node, hand.generation, hand.next_number = answer.node, answer.generation, answer.next_number
        hand.last_answer = time.monotonic()

    def dismiss(self) -> None:
        """Their processes end."""
        for hand in self.hands:
            self._ray.kill(hand.actor)
        self.hands.clear()

    def _hire(self, uses_gpu: bool) -> None:
        options = {"num_cpus": 1, "scheduling_strategy": "SPREAD"}
        if uses_gpu:
            options["num_gpus"] = 1 / GPU_PLAYERS
        actor = self._actor_class.options(**options).remote(self._settings, version("boardzero"))
        self.hands.append(Hand(actor, uses_gpu))


def _actor_class(ray: Any) -> type[Any]:
    """The player as Ray starts it; made here, so that it needs no Ray at import."""

    class PlayerActor:
        def __init__(self, settings: str, version_of_driver: str) -> None:
            import ray

            node: str = ray.get_runtime_context().get_node_id()
            fetch: Callable[[Any], bytes] = ray.get
            self._player = Player(settings, version_of_driver, fetch, node)

        def play(self, order: Any) -> Answer:
            return self._player.play(order)

        @ray.method(concurrency_group="control")  # type: ignore[untyped-decorator]
        def hurry(self, phase: int) -> None:
            self._player.hurry(phase)

    return PlayerActor


def machines_of(ray: Any) -> list[Machine]:
    """Those of the cluster that are alive."""
    return [_machine(node) for node in ray.nodes() if node["Alive"]]


def _machine(node: dict[str, Any]) -> Machine:
    resources = node["Resources"]
    name = f"{node['NodeManagerHostname']} ({node['NodeManagerAddress']})"
    return Machine(node["NodeID"], name, int(resources.get("CPU", 0)), int(resources.get("GPU", 0)))
