"""What the players did: in all, and on each machine over the last seconds."""

import time
from collections import defaultdict, deque
from dataclasses import dataclass

from boardzero.cluster.orders import Answer
from boardzero.cluster.workforce import Workforce
from boardzero.events.cluster import ClusterState, MachineState
from boardzero.search.forest import SearchCounts
from boardzero.selfplay.source import total_counts

SPAN = 10.0  # seconds that speeds are means over


@dataclass(frozen=True)
class _Counted:
    """What is kept of an answer."""

    moment: float  # when it came
    games: int  # that counted
    simulations: int
    seconds: float  # spent on the order


class Tallies:
    """Counts answers."""

    def __init__(self) -> None:
        self.counts = SearchCounts(0, 0, 0, 0)
        self.games = 0  # that counted
        self.restarts = 0  # players that were started anew
        self.processor_seconds = 0.0
        self._begun = time.monotonic()
        self._recent: dict[str, deque[_Counted]] = defaultdict(deque)  # by machine

    def add(self, answer: Answer, games: int) -> None:
        """games: of the answer that counted."""
        self.counts = total_counts([self.counts, answer.counts])
        self.games += games
        self.processor_seconds += answer.processor_seconds
        self._recent[answer.node].append(_Counted(time.monotonic(), games, answer.counts.simulations, answer.seconds))

    def state(self, workforce: Workforce, generation: int, held: bool) -> ClusterState:
        machines = tuple(self._machine(workforce, identity, generation) for identity in workforce.machines)
        return ClusterState(
            generation=generation,
            machines=machines,
            players=len(workforce.hands),
            playing=sum(workforce.is_alive(hand) for hand in workforce.hands),
            orders=sum(len(hand.waiting) for hand in workforce.hands),
            restarts=self.restarts,
            games=self.games,
            held=held,
        )

    def _machine(self, workforce: Workforce, identity: str, newest: int) -> MachineState:
        machine, recent, now = workforce.machines[identity], self._recent[identity], time.monotonic()
        while recent and now - recent[0].moment > SPAN:
            recent.popleft()
        span = max(1.0, min(SPAN, now - self._begun))
        hands = [hand for hand in workforce.hands if hand.node == identity]
        oldest = min((hand.generation for hand in hands), default=newest)
        return MachineState(
            name=machine.name,
            cores=machine.cores,
            gpus=machine.gpus,
            players=len(hands),
            games_per_second=sum(answer.games for answer in recent) / span,
            simulations_per_second=sum(answer.simulations for answer in recent) / span,
            busy=sum(answer.seconds for answer in recent) / (span * max(1, len(hands))),
            generation=oldest,
            lag=max(0, newest - oldest),
        )
