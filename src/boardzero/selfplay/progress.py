"""A game of self-play while it is being played.

lessons/4_reinforcement.py explains this.
"""

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from boardzero.games.rules import Game, State
from boardzero.replay.record import SearchKind, SelfPlayGame, SparsePolicies

RESIGN_AFTER = 2  # own moves in a row that look lost


@dataclass
class GameInProgress:
    """Moves so far and what the searches found; `finish` makes the record of it."""

    number: int
    start: State
    generation: int  # of the network when it began
    plays_on: bool  # is it one of those that are never resigned, to measure how often resigning is wrong?
    actions: list[int] = field(default_factory=list)
    policies: list[npt.NDArray[np.float32]] = field(default_factory=list)  # [actions] each
    values: list[float] = field(default_factory=list)
    kinds: list[SearchKind] = field(default_factory=list)
    lost_in_a_row: list[int] = field(default_factory=lambda: [0, 0])  # of each side's own moves
    would_resign: int | None = None  # the side that first looked lost

    def add_opening_move(self, action: int, action_count: int) -> None:
        """A random move: nothing is to be learned from it."""
        self._add(action, _no_policy(action_count), np.nan, SearchKind.NONE)

    def add_move(self, action: int, policy: npt.NDArray[np.float32], value: float, full: bool) -> None:
        """Only the policy of a full search is learned from: others are not kept, for some games have thousands of actions."""
        kept = policy.copy() if full else _no_policy(len(policy))
        self._add(action, kept, value, SearchKind.FULL if full else SearchKind.FAST)

    def looks_lost(self, side: int, value: float, threshold: float) -> bool:
        """Has this side's value been below the threshold for long enough to resign?"""
        self.lost_in_a_row[side] = self.lost_in_a_row[side] + 1 if value < threshold else 0
        if self.lost_in_a_row[side] < RESIGN_AFTER:
            return False
        if self.would_resign is None:
            self.would_resign = side
        return True

    def finish(self, game: Game, result: int, early: bool, generation: int, seed: int) -> SelfPlayGame:
        """The record; the result is for the first player."""
        kinds = np.array(self.kinds, np.uint8)
        learned = kinds == SearchKind.FULL
        return SelfPlayGame(
            game=game.specification,
            start=self.start,
            actions=np.array(self.actions, np.int32),
            policies=SparsePolicies.from_dense(np.stack(self.policies), learned),
            values=np.array(self.values, np.float32),
            learned=learned,
            kinds=kinds,
            result=result,
            resigned=early,
            first_generation=self.generation,
            generation=generation,
            seed=seed,
            number=self.number,
        )

    def _add(self, action: int, policy: npt.NDArray[np.float32], value: float, kind: SearchKind) -> None:
        self.actions.append(action)
        self.policies.append(policy)
        self.values.append(value)
        self.kinds.append(kind)


def _no_policy(actions: int) -> npt.NDArray[np.float32]:
    """[actions] zeros that take no memory."""
    return np.broadcast_to(np.float32(0), (actions,))
