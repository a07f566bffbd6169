"""Self-play of several games in turn."""

from collections.abc import Callable, Sequence

from boardzero.games.rules import Game
from boardzero.search.forest import SearchCounts
from boardzero.selfplay.continuous import ContinuousSelfPlay
from boardzero.selfplay.pool import TakeIn
from boardzero.selfplay.source import Goal, LocalSelfPlay, total_counts
from boardzero.selfplay.worker import SelfPlayWorker


class SelfPlayInTurn:
    """Workers for each game. Those of one game play at a time; the others wait with their unfinished games, so that long
    games are not lost whenever another game's turn comes.
    """

    def __init__(self, make: Callable[[Game], LocalSelfPlay], game: Callable[[], Game], coming: Callable[[], set[str]]) -> None:
        """make: the workers of a game; game: whose turn it is; coming: specifications of those that may still be played."""
        self._make, self._game, self._coming = make, game, coming
        self._made: dict[str, LocalSelfPlay] = {}
        self._counts_before: list[SearchCounts] = []  # of workers that are not there any more

    @property
    def workers(self) -> Sequence[SelfPlayWorker]:
        """Of the game whose turn it is."""
        return self._now.workers

    @property
    def cores_here(self) -> int:
        return self._now.cores_here

    def counts(self) -> SearchCounts:
        return total_counts([*self._counts_before, *(source.counts() for source in self._made.values())])

    def play(self, generation: int, share_done: float, goal: Callable[[], Goal], take_in: TakeIn) -> None:
        for specification in self._made.keys() - self._coming():  # their memory is of no use any more
            self._counts_before.append(self._made.pop(specification).counts())
        self._now.play(generation, share_done, goal, take_in)

    def begin(self, generation: int, share_done: float) -> ContinuousSelfPlay:
        return self._now.begin(generation, share_done)

    @property
    def _now(self) -> LocalSelfPlay:
        game = self._game()
        if game.specification not in self._made:
            self._made[game.specification] = self._make(game)
        return self._made[game.specification]
