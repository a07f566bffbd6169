"""Where the games of a run come from: threads of this process, or workers on many machines.

A training asks for games by these two protocols only, so it never knows which of them it has.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from boardzero.replay.record import SelfPlayGame
from boardzero.search.forest import Evaluator, SearchCounts
from boardzero.selfplay.continuous import ContinuousSelfPlay
from boardzero.selfplay.pool import TakeIn, play_games
from boardzero.selfplay.worker import SelfPlayWorker


@dataclass(frozen=True)
class Goal:
    """How much is wanted until the next training."""

    games: int = 0
    positions: int = 0  # to learn from

    def is_reached(self, games: int, positions: int) -> bool:
        return games >= self.games and positions >= self.positions


class PlayingWorker(Protocol):
    """One of those who play."""

    @property
    def next_number(self) -> int:
        """Of the game that it begins next; nobody has begun that one yet."""


class ContinuousGames(Protocol):
    """Self-play that goes on beside training."""

    def use(self, generation: int, share_done: float) -> None:
        """Go on with this network, as suits a run of which so much is over; games under way go on with it, too."""

    def finished(self) -> list[SelfPlayGame]:
        """Games that have ended since the last call, each once. What went wrong is heard here."""

    def hold(self, ahead: bool) -> None:
        """Is there more to learn from than the learner can use soon? Then nobody needs to hurry."""

    def close(self) -> None:
        """Stop playing; what has ended until then waits in `finished`."""


class SelfPlaySource(Protocol):
    """All who play for a run."""

    @property
    def workers(self) -> Sequence[PlayingWorker]: ...

    @property
    def cores_here(self) -> int:
        """Cores of this machine that are busy with playing."""

    def counts(self) -> SearchCounts:
        """What all searches did since this was made."""

    def play(self, generation: int, share_done: float, goal: Callable[[], Goal], take_in: TakeIn) -> None:
        """Play until `take_in` says that there are enough; goal says how much is wanting still."""

    def begin(self, generation: int, share_done: float) -> ContinuousGames:
        """Play without a pause from now on."""


class LocalSelfPlay:
    """Workers in threads of this process."""

    def __init__(self, workers: Sequence[SelfPlayWorker], evaluator_of: Callable[[int], Callable[[], Evaluator]]) -> None:
        """evaluator_of: for a generation, what makes evaluators with its network, one for each thread."""
        self.workers, self._evaluator_of = workers, evaluator_of

    @property
    def cores_here(self) -> int:
        return len(self.workers)

    def counts(self) -> SearchCounts:
        return total_counts([worker.forest.counts() for worker in self.workers])

    def play(self, generation: int, share_done: float, goal: Callable[[], Goal], take_in: TakeIn) -> None:
        for worker in self.workers:
            worker.set_share_done(share_done)
        play_games(self.workers, self._evaluator_of(generation), generation, take_in)

    def begin(self, generation: int, share_done: float) -> ContinuousSelfPlay:
        return ContinuousSelfPlay(self.workers, self._evaluator_of, generation, share_done)


def total_counts(counts: Sequence[SearchCounts]) -> SearchCounts:
    """All of them together."""
    return SearchCounts(
        sum(count.simulations for count in counts),
        sum(count.evaluations for count in counts),
        sum(count.cache_hits for count in counts),
        sum(count.known_results for count in counts),
    )
