"""Self-play on a cluster: orders out, games in, each exactly once; never more under way than two orders for each player."""

import time
from collections.abc import Callable, Sequence
from typing import Any

from boardzero.cluster.broadcast import Broadcast
from boardzero.cluster.intake import Intake
from boardzero.cluster.leases import Leases
from boardzero.cluster.orders import LEASE, Answer, Failure, Order, SentNetwork
from boardzero.cluster.tallies import Tallies
from boardzero.cluster.workforce import Hand, Say, Workforce
from boardzero.errors import BadInput
from boardzero.events.cluster import ClusterListener
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
SILENCE_SECONDS = 20.0  # after which somebody should know that nobody plays


class ClusterSelfPlay:
    """The games of a run, from players on a cluster. It is both a SelfPlaySource and the ContinuousGames of one."""

    def __init__(
        self,
        ray: Any,
        workforce: Workforce,
        seed: int,
        first_number: int,
        broadcast: Broadcast,
        tell: ClusterListener,
        say: Say,
        cores_here: int = 0,
    ) -> None:
        """Games are numbered from first_number on; cores_here: of this machine, that players are busy on."""
        self._ray, self.workforce, self._broadcast = ray, workforce, broadcast
        self.leases = Leases(first_number, max(LEASE, 4 * workforce.games_in_flight))
        self.tallies, self.cores_here = Tallies(), cores_here
        self._intake = Intake(seed, self.leases, self.tallies)
        self._tell, self._say = tell, say
        self._waiting: dict[Any, Hand] = {}  # answers that are to come
        self._phase, self._share_done = 0, 0.0
        self._goal: Goal | None = None
        self._network: SentNetwork | None = None
        self._left: list[SelfPlayGame] = []  # that came in at the end
        self._held, self._told = False, 0.0
        self._silent_since: float | None = time.monotonic()  # None: somebody has answered, or silence was said

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
                enough = take_in(self._arrived(WAIT_SECONDS))
                self._intake.acknowledge()
                if enough:
                    return
                if self._everybody_at_goal():
                    self._begin_phase(generation, goal())
        finally:
            self._let_hurry()
            take_in(self._remaining())
            self._intake.acknowledge()

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
        """Whoever asks again has put what it got before into the journal."""
        self._intake.acknowledge()
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
            self._network = self._broadcast.network(generation)
            self._intake.expect(self._network)

    def _give_orders(self) -> None:
        self.workforce.look()
        for hand in [] if self._held else self.workforce.hands:
            while len(hand.waiting) < ORDERS_WAITING and hand.at_goal < self._phase:
                self._give_order(hand)
        self._tell_state()

    def _give_order(self, hand: Hand) -> None:
        assert self._network is not None
        lease, renews = None, False
        hand.order += 1
        if hand.lease is None:
            lease = hand.lease = self.leases.grant()
            hand.lease_order, hand.next_number = hand.order, lease.first
        elif hand.lease.end - hand.next_number < self.leases.size // 2:
            lease, renews = self.leases.renew(hand.lease), True
            hand.lease, hand.next_number = lease, max(hand.next_number, lease.first)
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
            renews=renews,
        )
        reference = hand.actor.play.remote(order)
        hand.waiting[reference] = hand.order
        self._waiting[reference] = hand

    def _let_hurry(self) -> None:
        for hand in self.workforce.hands:
            if hand.waiting and self.workforce.is_alive(hand):
                hand.actor.hurry.remote(self._phase)

    def _everybody_at_goal(self) -> bool:
        alive = [hand for hand in self.workforce.hands if self.workforce.is_alive(hand)]
        return bool(alive) and all(hand.at_goal >= self._phase and not hand.waiting for hand in alive)

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
        hand = self._waiting.pop(reference, None)
        if hand is None:  # another answer of this player, in the same moment, was the reason to give it up
            return []
        order = hand.waiting.pop(reference)
        try:
            answer: Answer | Failure = self._ray.get(reference)
        except (self._ray.exceptions.RayTaskError, self._ray.exceptions.ActorDiedError) as error:
            self._give_up(hand, hand.node, " ".join(str(error).split()))
            return []
        except self._ray.exceptions.RayError:  # the machine was cut off, or the answer was lost with it
            self._intake.close(hand, order)
            return []
        if isinstance(answer, Failure):
            self._give_up(hand, answer.node, answer.reason)
            return []
        self._silent_since = None
        self.workforce.heard(hand, answer)
        try:
            return self._intake.take(hand, order, answer)
        except BadInput as error:
            self._give_up(hand, answer.node, str(error))
            return []

    def _give_up(self, hand: Hand, node: str, reason: str) -> None:
        """Nothing more is expected of this player."""
        self._silent_since = None
        for reference in hand.waiting:
            self._waiting.pop(reference, None)
        if hand.lease is not None:
            self.leases.end(hand.lease.holder)
        self.tallies.restarts += 1
        self.workforce.give_up(hand, node, reason)

    # -- telling -----------------------------------------------------------------------------------------------------------
    def _tell_state(self) -> None:
        if time.monotonic() - self._told > TOLD_EVERY and self._network is not None:
            self._told = time.monotonic()
            self._tell(self.tallies.state(self.workforce, self._network.generation, self._held))
        if self._silent_since is not None and time.monotonic() - self._silent_since > SILENCE_SECONDS:
            self._silent_since = None
            self._say(
                f"No worker has answered for {SILENCE_SECONDS:.0f} s: they still compile the game, or Ray has no"
                " core left for them, as `ray status` would say."
            )
