"""The players of a run as Ray actors: made wherever there are cores or GPUs, started anew by Ray when they or their machines
die, and more of them when machines join.
"""

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import Any

from boardzero.cluster.failures import MOST_FAILURES, SPAN, Failures
from boardzero.cluster.game_file import SentGame
from boardzero.cluster.orders import Answer, Failure, Lease, Order
from boardzero.cluster.player import Player
from boardzero.errors import BadInput
from boardzero.settings.run import RunSettings

LOOK_SECONDS = 3.0  # between two looks at which machines there are
GPU_PLAYERS = 4  # players that share a GPU
START_SECONDS = 180.0  # that players may take until the first of them answers: rules are compiled on every new machine
RESTARTS = 3  # of one player by Ray; one that dies more often is given up, and counts as failed
NODE_LABEL = "ray.io/node-id"  # that Ray gives to every machine

Say = Callable[[str], None]


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

    def __init__(
        self,
        ray: Any,
        settings: RunSettings,
        wanted: int,
        say: Say,
        spare_cores: int = 1,
        taken_gpus: Mapping[str, int] | None = None,
    ) -> None:
        """wanted: 0 means one for each core but the spare ones, and some for each GPU.

        taken_gpus: those of each machine that are not for players.
        """
        self._ray, self._wanted, self._say, self._spare = ray, wanted, say, spare_cores
        self._taken_gpus = taken_gpus or {}
        self._settings, self.games_in_flight = settings.model_dump_json(), settings.selfplay.games
        self._game = SentGame.of(settings.game)
        self.hands: list[Hand] = []
        self.machines: dict[str, Machine] = {}  # those that are alive, by identity
        self._failures = Failures()
        self._begun, self._looked = time.monotonic(), -LOOK_SECONDS
        self._actor_class = ray.remote(max_restarts=RESTARTS, max_task_retries=-1, concurrency_groups={"control": 1})(
            _actor_class(ray)
        )
        self.look()

    def look(self) -> None:
        """From time to time: which machines are there, and is there room for more players?"""
        if time.monotonic() - self._looked < LOOK_SECONDS:
            return
        self._looked = time.monotonic()
        self.machines = {machine.identity: machine for machine in machines_of(self._ray)}
        avoided = self._failures.avoided()
        usable = [machine for machine in self.machines.values() if machine.identity not in avoided]
        on_gpus, on_cores = places(usable, self._taken_gpus, self._spare)
        wanted = self._wanted or max(1, on_gpus + on_cores)
        while len(self.hands) < wanted:
            self._hire(sum(hand.uses_gpu for hand in self.hands) < on_gpus, avoided)

    def is_alive(self, hand: Hand) -> bool:
        """Has it answered, on a machine that is still there?"""
        return hand.node in self.machines

    def give_up(self, hand: Hand, node: str, reason: str) -> None:
        """A player failed, or Ray does not start it any more: another one takes its place.

        One failure costs nothing but the player. A machine on which it happens again and again gets no more players for a
        while; if no machine is left, or nobody plays for long, the run ends (BadInput).
        """
        self.hands.remove(hand)
        self._ray.kill(hand.actor)
        if not node or node in self.machines:  # otherwise its machine is gone, which is no failure of the player
            self._count_failure(node, reason)
        self._looked = -LOOK_SECONDS
        self.look()

    def _count_failure(self, node: str, reason: str) -> None:
        count, avoided = self._failures.add(node), self._failures.avoided()
        if all(machine.identity in avoided for machine in self.machines.values() if machine.cores) or self._nobody_starts():
            raise BadInput(f"The players on the cluster fail again and again: {reason}")
        place = self.machines[node].name if node else "a machine that Ray does not name"
        after = f"; no more are started there for {SPAN / 60:.0f} minutes" if node in avoided else ""
        if count <= MOST_FAILURES:
            self._say(f"A player on {place} failed{after}: {reason}")

    def _nobody_starts(self) -> bool:
        patient = time.monotonic() - self._begun < START_SECONDS
        return not patient and not any(self.is_alive(hand) for hand in self.hands)

    def heard(self, hand: Hand, answer: Answer) -> None:
        hand.node, hand.generation, hand.next_number = answer.node, answer.generation, answer.next_number

    def dismiss(self) -> None:
        """Their processes end."""
        for hand in self.hands:
            self._ray.kill(hand.actor)
        self.hands.clear()

    def _hire(self, uses_gpu: bool, avoided: Iterable[str]) -> None:
        options: dict[str, Any] = {"num_cpus": 1, "scheduling_strategy": "SPREAD"}
        if uses_gpu:
            options["num_gpus"] = 1 / GPU_PLAYERS
        if avoided:
            options["label_selector"] = {NODE_LABEL: f"!in({','.join(sorted(avoided))})"}
        actor = self._actor_class.options(**options).remote(self._settings, self._game, version("boardzero"))
        self.hands.append(Hand(actor, uses_gpu))


def places(machines: Iterable[Machine], taken_gpus: Mapping[str, int], spare_cores: int) -> tuple[int, int]:
    """How many players there is room for: on GPUs, and on the cores of machines that have none for them."""
    on_gpus = on_cores = 0
    for machine in machines:
        gpus = machine.gpus - taken_gpus.get(machine.identity, 0)
        if gpus > 0:
            on_gpus += min(GPU_PLAYERS * gpus, machine.cores)
        else:
            on_cores += machine.cores
    return on_gpus, max(0, on_cores - spare_cores)


def _actor_class(ray: Any) -> type[Any]:
    """The player as Ray starts it; made here, so that it needs no Ray at import."""

    class PlayerActor:
        """What goes wrong with a player is an answer, too, so that the driver hears where it was."""

        def __init__(self, settings: str, game: SentGame, version_of_driver: str) -> None:
            import ray

            self._node: str = ray.get_runtime_context().get_node_id()
            self._make: Callable[[], Player] = lambda: Player(settings, game, version_of_driver, ray.get, self._node)
            self._player: Player | None = None

        def play(self, order: Order) -> Answer | Failure:
            try:
                self._player = self._player or self._make()
                return self._player.play(order)
            except BadInput as error:
                return Failure(self._node, str(error))
            except Exception as error:
                return Failure(self._node, f"{type(error).__name__}: {error}")

        @ray.method(concurrency_group="control")  # type: ignore[untyped-decorator]
        def hurry(self, phase: int) -> None:
            if self._player is not None:
                self._player.hurry(phase)

    return PlayerActor


def machines_of(ray: Any) -> list[Machine]:
    """Those of the cluster that are alive."""
    return [_machine(node) for node in ray.nodes() if node["Alive"]]


def this_machine(ray: Any) -> Machine | None:
    """The one that the driver runs on; None if it does not belong to the cluster."""
    here = ray.get_runtime_context().get_node_id()
    return next((machine for machine in machines_of(ray) if machine.identity == here), None)


def _machine(node: dict[str, Any]) -> Machine:
    resources = node["Resources"]
    name = f"{node['NodeManagerHostname']} ({node['NodeManagerAddress']})"
    return Machine(node["NodeID"], name, int(resources.get("CPU", 0)), int(resources.get("GPU", 0)))
