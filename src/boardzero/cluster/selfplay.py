"""Self-play on a cluster: orders out, games in, each exactly once; never more under way than two orders for each player."""

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from boardzero.cluster.leases import Leases
from boardzero.cluster.orders import LEASE, Answer, Order, SentNetwork
from boardzero.cluster.tallies import Tallies
from boardzero.cluster.workforce import Hand, Workforce
from boardzero.errors import BadInput
from boardzero.events.cluster import ClusterListener
from boardzero.network.header import ONNX_SUFFIX, parse_header
from boardzero.network.weights import load_network, read_header
from boardzero.replay.journal import parse_journal
from boardzero.replay.record import SelfPlayGame
from boardzero.search.forest import SearchCounts
from boardzero.selfplay.pool import TakeIn
from boardzero.selfplay.source import Goal

ORDERS_WAITING = 2  # of each player: it goes on with the second while the answer to the first is on its way
ORDER_SECONDS = 1.0
ANSWERS_A_SECOND = 200  # that one driver should have to take in: with more players, each order takes longer
MOST_GAMES = 2048  # in one answer
WAIT_SECONDS = 0.2  # between two looks at what has arrived
GRACE_SECONDS = 5.0  # that a player which has been told to hurry may take
TOLD_EVERY = 1.0


class ClusterSelfPlay:
    """The games of a run, from players on a cluster. It is both a SelfPlaySource and the ContinuousGames of one."""

    def __init__(
        self,
        ray: Any,
        workforce: Workforce,
        seed: int,
        first_number: int,
        network_path: Callable[[int], Path],
        tell: ClusterListener,
        cores_here: int = 0,
    ) -> None:
        """network_path: the file of a generation's network; games are numbered from first_number on."""
        self._ray, self.workforce, self._seed = ray, workforce, seed
        self.leases = Leases(first_number, max(LEASE, 4 * workforce.games_in_flight))
        self.tallies, self.cores_here = Tallies(), cores_here
        self._network_path, self._tell = network_path, tell
        self._waiting: dict[Any, Hand] = {}  # answers that are to come
        self._phase, self._share_done = 0, 0.0
        self._goal: Goal | None = None
        self._network: SentNetwork | None = None
        self._checksums: dict[int, str] = {}
        self._left: list[SelfPlayGame] = []  # that came in at the end
        self._held, self._told = False, 0.0

    # -- what a training asks for ------------------------------------------------------------------------------------------
    @property
    def workers(self) -> Sequence[Hand]:
        return self.workforce.hands

    def counts(self) -> SearchCounts:
        return self.tallies.counts

    def play(self, generation: int, share_done: float, goal: Callable[[], Goal], take_in: TakeIn) -> None:
        """Until `take_in` says so. With one player, it stops at the very move at which there are enough."""
        self._share_done = share_done
        self._begin_phase(generation, goal())
        try:
            while True:
                self._give_orders()
                if take_in(self._arrived(WAIT_SECONDS)):
                    return
                if self._everybody_at_goal():
                    self._begin_phase(generation, goal())
        finally:
            self._let_hurry()
            take_in(self._remaining())

    def begin(self, generation: int, share_done: float) -> "ClusterSelfPlay":
        self._held, self._share_done = False, share_done
        self._begin_phase(generation, None)
        self._give_orders()
        return self

    def use(self, generation: int, share_done: float) -> None:
        """Orders from now on are for this network; those under way end within their second or two."""
        self._share_done = share_done
        self._begin_phase(generation, None)

    def finished(self) -> list[SelfPlayGame]:
        games = self._left + self._arrived(0)
        self._left = []
        self._give_orders()
        return games

    def hold(self, ahead: bool) -> None:
        """No more orders while the learner has enough to do."""
        self._held = ahead

    def close(self) -> None:
        self._held = True
        self._let_hurry()
        self._left += self._remaining()

    # -- orders out --------------------------------------------------------------------------------------------------------
    def _begin_phase(self, generation: int, goal: Goal | None) -> None:
        self._phase += 1
        self._goal = goal
        if self._network is None or self._network.generation != generation:
            self._network = self._send(generation)
            self._checksums[generation] = self._network.checksum

    def _send(self, generation: int) -> SentNetwork:
        """Put a network into the object store, once: every machine fetches it from there, or from another one that has it."""
        path = self._network_path(generation)
        checksum = read_header(path).checksum
        return SentNetwork(generation, checksum, self._ray.put(onnx_bytes(path, checksum)), self._ray.put(path.read_bytes()))

    def _give_orders(self) -> None:
        self.workforce.look()
        for hand in [] if self._held else self.workforce.hands:
            while len(hand.waiting) < ORDERS_WAITING and hand.at_goal < self._phase:
                self._give_order(hand)
        self._tell_state()

    def _give_order(self, hand: Hand) -> None:
        assert self._network is not None
        lease = None
        hand.order += 1
        if hand.lease is None:
            lease = hand.lease = self.leases.grant()
            hand.lease_order, hand.next_number = hand.order, lease.first
        elif hand.lease.end - hand.next_number < self.leases.size // 2:
            lease = hand.lease = self.leases.renew(hand.lease)
            hand.next_number = max(hand.next_number, lease.first)
        order = Order(
            number=hand.order,
            acknowledged=hand.acknowledged,
            phase=self._phase,
            network=self._network,
            share_done=self._share_done,
            seconds=max(ORDER_SECONDS, len(self.workforce.hands) / ANSWERS_A_SECOND),
            most_games=MOST_GAMES,
            goal=self._goal,
            lease=lease,
        )
        reference = hand.actor.play.remote(order)
        hand.waiting[reference] = hand.order
        self._waiting[reference] = hand

    def _let_hurry(self) -> None:
        for hand in self.workforce.hands:
            if hand.waiting and self.workforce.is_alive(hand):
                hand.actor.hurry.remote(self._phase)

    # -- games in ----------------------------------------------------------------------------------------------------------
    def _arrived(self, seconds: float) -> list[SelfPlayGame]:
        """What has come in; if that is nothing, wait so long for something."""
        if not self._waiting:
            time.sleep(seconds)
            return []
        waiting = list(self._waiting)
        ready, _ = self._ray.wait(waiting, num_returns=1, timeout=seconds)
        if ready:
            ready, _ = self._ray.wait(waiting, num_returns=len(waiting), timeout=0)
        return [game for reference in ready for game in self._take(reference)]

    def _remaining(self) -> list[SelfPlayGame]:
        """What those who were told to hurry still answer; who is dead or cut off is not waited for."""
        games, end = [], time.monotonic() + GRACE_SECONDS
        while time.monotonic() < end and any(hand.waiting and self.workforce.is_alive(hand) for hand in self.workforce.hands):
            games += self._arrived(WAIT_SECONDS)
            self.workforce.look()
        return games

    def _take(self, reference: Any) -> list[SelfPlayGame]:
        hand = self._waiting.pop(reference)
        order = hand.waiting.pop(reference)
        try:
            answer: Answer = self._ray.get(reference)
        except self._ray.exceptions.RayTaskError as error:
            cause = getattr(error, "cause", error)
            raise BadInput(f"A player failed: {cause}") from error
        except self._ray.exceptions.ActorDiedError as error:
            self._give_up(hand, error)
            return []
        except self._ray.exceptions.RayError:  # the machine was cut off, or the answer was lost with it
            hand.acknowledge(order)
            return []
        self.workforce.heard(hand, answer)
        games = self._accepted(hand, answer)
        hand.acknowledge(order)
        if answer.at_goal:
            hand.at_goal = max(hand.at_goal, answer.phase)
        return games

    def _accepted(self, hand: Hand, answer: Answer) -> list[SelfPlayGame]:
        """The games of an answer that may count: of this run, by the network that was sent, and each for the first time."""
        if answer.lease is None:  # Ray has started this player anew: what it had under way is lost
            if answer.order >= hand.lease_order:
                self._forget_lease(hand)
            return []
        self.tallies.add(answer)
        if not answer.frame:
            return []
        content = parse_journal(answer.frame)
        if content.games is None or content.lost_bytes or len(content.games) != answer.games:
            raise BadInput(f"A player on {hand.node} sent games that arrived damaged.")
        if self._checksums.get(answer.generation) != answer.checksum:
            raise BadInput(f"A player on {hand.node} played with a network that this run has not sent.")
        columns = content.games
        right = (columns.seeds == self._seed) & (columns.generations == answer.generation)
        right &= self.leases.accept(answer.lease.holder, columns.numbers)
        return [columns[index] for index in right.nonzero()[0]]

    def _forget_lease(self, hand: Hand) -> None:
        if hand.lease is not None:
            self.leases.end(hand.lease.holder)
            self.workforce.restarts += 1
        hand.lease = None

    def _give_up(self, hand: Hand, error: Exception) -> None:
        """Ray will not start this player again."""
        for reference in hand.waiting:
            self._waiting.pop(reference, None)
        if hand.lease is not None:
            self.leases.end(hand.lease.holder)
        if hand in self.workforce.hands:
            self.workforce.replace(hand, " ".join(str(error).split()))

    def _everybody_at_goal(self) -> bool:
        alive = [hand for hand in self.workforce.hands if self.workforce.is_alive(hand)]
        return bool(alive) and all(hand.at_goal >= self._phase and not hand.waiting for hand in alive)

    # -- telling -----------------------------------------------------------------------------------------------------------
    def _tell_state(self) -> None:
        if time.monotonic() - self._told > TOLD_EVERY and self._network is not None:
            self._told = time.monotonic()
            self._tell(self.tallies.state(self.workforce, self._network.generation, self._held))


def onnx_bytes(path: Path, checksum: str) -> bytes:
    """The ONNX file beside a network, if it was made from these weights; otherwise the network is exported anew."""
    from boardzero.network.evaluator import OnnxEvaluator
    from boardzero.network.header import HEADER_KEY
    from boardzero.network.onnx_export import export_onnx

    beside = path.with_suffix(ONNX_SUFFIX)
    try:
        evaluator = OnnxEvaluator(beside)
        if parse_header(evaluator.labels, str(beside)).checksum == checksum:
            return beside.read_bytes()
    except BadInput:
        pass
    stored = load_network(path)
    return export_onnx(stored.network, stored.game, {HEADER_KEY: stored.header.to_text()})
