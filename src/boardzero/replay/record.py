"""What is kept of a finished game of self-play: its moves and what the searches found, but no planes."""

from dataclasses import dataclass
from enum import IntEnum

import numpy as np
import numpy.typing as npt

from boardzero.errors import BadInput
from boardzero.games.rules import Actions, State

FULL_SHARE = 65535  # of the most probable action
ROUNDING = 1e-3  # by which a mean of many results may pass 1


class SearchKind(IntEnum):
    """How a move was found."""

    NONE = 0  # without a search: a random opening move, say
    FAST = 1
    FULL = 2


@dataclass(frozen=True, eq=False)
class SparsePolicies:
    """A row of policies without their zeros, compact and exact to one part in 65535 of the largest probability.

    offsets  int64 [rows + 1]   row i has the entries offsets[i] … offsets[i + 1]; a row without entries was not recorded
    actions  int32 [entries]    increasing within a row
    shares   uint16 [entries]   in proportion to the probabilities; the largest of a row is 65535
    """

    offsets: npt.NDArray[np.int64]
    actions: npt.NDArray[np.int32]
    shares: npt.NDArray[np.uint16]

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @classmethod
    def from_dense(cls, policies: npt.NDArray[np.float32], recorded: npt.NDArray[np.bool_] | None = None) -> "SparsePolicies":
        """[rows, actions] → sparse; rows that are not recorded become empty."""
        largest = policies.max(axis=1, keepdims=True)
        shares = np.rint(policies / np.where(largest > 0, largest, 1) * FULL_SHARE).astype(np.uint16)
        if recorded is not None:
            shares[~recorded] = 0
        rows, actions = np.nonzero(shares)
        counts = np.bincount(rows, minlength=len(policies))
        return cls(offsets_from(counts), actions.astype(np.int32), shares[rows, actions])

    @classmethod
    def joined(cls, parts: "list[SparsePolicies]") -> "SparsePolicies":
        """The rows of all parts, one after another: a game's policies from those of its plies."""
        counts = np.concatenate([np.diff(part.offsets) for part in parts])
        actions = np.concatenate([part.actions for part in parts])
        return cls(offsets_from(counts), actions, np.concatenate([part.shares for part in parts]))

    def rows(self, first: int, end: int) -> "SparsePolicies":
        low, high = self.offsets[first], self.offsets[end]
        return SparsePolicies(self.offsets[first : end + 1] - low, self.actions[low:high], self.shares[low:high])

    def probabilities(self) -> npt.NDArray[np.float32]:
        """[entries]: those of each row sum to 1."""
        row = np.repeat(np.arange(len(self)), np.diff(self.offsets))
        sums = np.bincount(row, weights=self.shares, minlength=len(self))
        return (self.shares / sums[row]).astype(np.float32)

    def to_dense(self, action_count: int) -> npt.NDArray[np.float32]:
        """[rows, actions]; rows that were not recorded are zero."""
        dense = np.zeros((len(self), action_count), np.float32)
        dense[np.repeat(np.arange(len(self)), np.diff(self.offsets)), self.actions] = self.probabilities()
        return dense


@dataclass(frozen=True, eq=False)
class SelfPlayGame:
    """One finished game. Arrays have an entry for each ply.

    game              its specification, `connect4:rows=5`
    start             uint64 [words]  the state that the first action was played in
    actions           int32 [plies]
    policies          [plies]  what each search found; plies without a recorded policy have an empty row
    values            float32 [plies]  the search's value, for the side to move; NaN where there was no search
    learned           bool [plies]  is the position to be learned from? Then it has a policy and a value
    kinds             uint8 [plies]  SearchKind
    result            for the first player: +1, 0 or −1
    resigned          did it end before the rules ended it?
    first_generation  of the network that began the game
    generation        of the network that finished it
    seed, number      which of the games of a run it is
    """

    game: str
    start: State
    actions: Actions
    policies: SparsePolicies
    values: npt.NDArray[np.float32]
    learned: npt.NDArray[np.bool_]
    kinds: npt.NDArray[np.uint8]
    result: int
    resigned: bool
    first_generation: int
    generation: int
    seed: int
    number: int

    def __post_init__(self) -> None:
        lengths = {len(column) for column in (self.actions, self.policies, self.values, self.learned, self.kinds)}
        if len(lengths) > 1 or 0 in lengths:
            raise BadInput(
                f"A game record needs as many policies, values, flags and kinds as actions (at least 1), not {lengths}."
            )
        if self.result not in (-1, 0, 1):
            raise BadInput(f"The result of a game record is {self.result}; it should be +1, 0 or −1.")
        if not np.diff(self.policies.offsets)[self.learned].all():
            raise BadInput("A game record is to be learned from at a ply that has no policy.")
        if not (np.abs(self.values[self.learned]) <= 1 + ROUNDING).all():
            raise BadInput("A game record is to be learned from at a ply whose value is not between −1 and 1.")

    @property
    def plies(self) -> int:
        return len(self.actions)


def offsets_from(counts: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """[n] lengths → [n + 1] offsets of rows that lie one after another."""
    return np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
