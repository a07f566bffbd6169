"""Games in: which of those that players answer with count, and when a player may forget them."""

from boardzero.cluster.leases import Leases
from boardzero.cluster.orders import Answer, SentNetwork
from boardzero.cluster.tallies import Tallies
from boardzero.cluster.workforce import Hand
from boardzero.errors import BadInput
from boardzero.replay.journal import parse_journal
from boardzero.replay.record import SelfPlayGame


class Intake:
    """Takes in what the players of one run answer: each game once, and only by a network that was sent."""

    def __init__(self, seed: int, leases: Leases, tallies: Tallies) -> None:
        self._seed, self._leases, self._tallies = seed, leases, tallies
        self._checksums: dict[int, str] = {}  # of the networks that were sent, by generation
        self._unwritten: list[tuple[Hand, int]] = []  # answers whose games are on their way into the journal, by order

    def expect(self, network: SentNetwork) -> None:
        """Games by this network are to come."""
        self._checksums[network.generation] = network.checksum

    def take(self, hand: Hand, order: int, answer: Answer) -> list[SelfPlayGame]:
        """The games of an answer that count; one that cannot be right is refused (BadInput)."""
        games = self._accepted(hand, answer)
        self.close(hand, order)
        if answer.at_goal:
            hand.at_goal = max(hand.at_goal, answer.phase)
        return games

    def close(self, hand: Hand, order: int) -> None:
        """Nothing more comes of this order; the player hears so when its games are in the journal."""
        self._unwritten.append((hand, order))

    def acknowledge(self) -> None:
        """All games that were taken are in the journal."""
        for hand, order in self._unwritten:
            hand.acknowledge(order)
        self._unwritten.clear()

    def _accepted(self, hand: Hand, answer: Answer) -> list[SelfPlayGame]:
        if answer.lease is None:  # Ray has started this player anew: what it had under way is lost
            if answer.order >= hand.lease_order and hand.lease is not None:
                self._leases.end(hand.lease.holder)
                hand.lease = None
                self._tallies.restarts += 1
            return []
        games = self._first_seen(answer, answer.lease.holder) if answer.frame else []
        self._tallies.add(answer, len(games))
        return games

    def _first_seen(self, answer: Answer, holder: int) -> list[SelfPlayGame]:
        """Those of this run, by the network that was sent, and each for the first time."""
        content = parse_journal(answer.frame)
        if content.games is None or content.lost_bytes or len(content.games) != answer.games:
            raise BadInput("its games arrived damaged.")
        if self._checksums.get(answer.generation) != answer.checksum:
            raise BadInput("it played with a network that this run has not sent.")
        columns = content.games
        right = (columns.seeds == self._seed) & (columns.generations == answer.generation)
        right &= self._leases.accept(holder, columns.numbers)
        return [columns[index] for index in right.nonzero()[0]]
