"""The positions of the window in flat arrays, filled as games come and emptied as they leave.

lessons/4_reinforcement.py explains this.
"""

from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from boardzero.games.owners import owner_rule
from boardzero.games.rules import TURN_BIT, Game
from boardzero.replay.columns import GameColumns
from boardzero.replay.endings import NO_ENDINGS, Endings, final_boards
from boardzero.replay.horizon import board_worths, results_ahead
from boardzero.replay.record import SparsePolicies, offsets_from
from boardzero.replay.replaying import replay_games
from boardzero.replay.tracing import traced_values

Number = TypeVar("Number", bound=np.generic)


class Positions(NamedTuple):
    """N positions, as compiled code takes them.

    Of a merged position, results and values are means, and game and ply are those of its oldest occurrence.
    """

    states: npt.NDArray[np.uint64]  # [N, words]
    policy_starts: npt.NDArray[np.int64]  # [N]  the first entry of each policy, less policy_base
    policy_counts: npt.NDArray[np.int32]  # [N]
    policy_actions: npt.NDArray[np.int32]  # [entries]
    policy_probabilities: npt.NDArray[np.float32]  # [entries]
    results: npt.NDArray[np.float32]  # [N]  z, for the side to move; with a horizon, what it comes to within that
    values: npt.NDArray[np.float32]  # [N]  q, for the side to move
    weights: npt.NDArray[np.float32]  # [N]
    games: npt.NDArray[np.int64]  # [N]  the number of the game among all that came into memory
    plies: npt.NDArray[np.int32]  # [N]  played before this position
    plies_left: npt.NDArray[np.int32]  # [N]  played from this position on
    policy_base: int = 0
    endings: Endings = NO_ENDINGS

    @property
    def size(self) -> int:
        return len(self.results)

    def dense_policy(self, index: int, action_count: int) -> npt.NDArray[np.float32]:
        """[actions]: the policy of one position."""
        first = int(self.policy_starts[index]) - self.policy_base
        entries = slice(first, first + int(self.policy_counts[index]))
        policy = np.zeros(action_count, np.float32)
        policy[self.policy_actions[entries]] = self.policy_probabilities[entries]
        return policy


class Column(Generic[Number]):
    """An array that grows at its end and shrinks at its beginning, at a constant cost per entry.

    Memory that was handed out is never moved within, so views stay as they were.
    """

    def __init__(self, dtype: type[Number], *entry: int) -> None:
        self._memory: npt.NDArray[Number] = np.empty((0, *entry), dtype)
        self._first = self._end = 0
        self.dropped = 0  # entries that have left since the beginning

    def __len__(self) -> int:
        return self._end - self._first

    @property
    def values(self) -> npt.NDArray[Number]:
        return self._memory[self._first : self._end]

    def append(self, values: npt.NDArray[Number]) -> None:
        if self._end + len(values) > len(self._memory):
            self._move_to(len(self) + len(values) + (len(self) + len(values)) // 2)
        self._memory[self._end : self._end + len(values)] = values
        self._end += len(values)

    def drop(self, count: int) -> None:
        """Remove the oldest entries."""
        self._first += count
        self.dropped += count
        if 4 * len(self) < len(self._memory):  # give memory back
            self._move_to(2 * len(self))

    def _move_to(self, capacity: int) -> None:
        kept = self.values
        memory = np.empty((capacity, *self._memory.shape[1:]), self._memory.dtype)
        memory[: len(kept)] = kept
        self._memory, self._first, self._end = memory, 0, len(kept)


class PositionMemory:
    """The games of the window and their positions, in the order they came."""

    def __init__(
        self, game: Game, value_decay: float = 0.0, final_boards: bool = False, horizon: float = 0.0, board_worth: float = 0.0
    ) -> None:
        """final_boards: keep how each game ended on the board; horizon, board_worth: what results are (ReplaySettings).

        A game that does not tell whose its pieces are is refused (BadInput) where that is needed.
        """
        self.game, self._value_decay, self._horizon, self._board_worth = game, value_decay, horizon, board_worth
        if final_boards or horizon:
            owner_rule(game)
        self.generations = Column(np.int32)
        self.lengths = Column(np.int32)  # plies
        self.position_counts = Column(np.int64)  # of the plies, those to be learned from
        self._per_game: list[Column[Any]] = [self.generations, self.lengths, self.position_counts]
        self._final_boards: Column[np.int8] | None = None
        if final_boards:
            self._final_boards = Column(np.int8, game.rows * game.columns)
            self._per_game.append(self._final_boards)

        self._states = Column(np.uint64, game.state_length)
        self._policy_starts, self._policy_counts = Column(np.int64), Column(np.int32)
        self._results, self._values, self._weights = Column(np.float32), Column(np.float32), Column(np.float32)
        self._games, self._plies, self._plies_left = Column(np.int64), Column(np.int32), Column(np.int32)
        self._per_position: list[Column[Any]] = [self._states, self._policy_starts, self._policy_counts, self._results]
        self._per_position += [self._values, self._weights, self._games, self._plies, self._plies_left]

        self._policy_actions, self._policy_probabilities = Column(np.int32), Column(np.float32)
        self._per_entry: list[Column[Any]] = [self._policy_actions, self._policy_probabilities]

    @property
    def first_game(self) -> int:
        """The number of the oldest game that is there, among all that came into memory."""
        return self.generations.dropped

    def add(self, games: GameColumns) -> None:
        """Play the games again and take in what is to be learned from; a record that breaks the rules changes nothing."""
        states, results, last_states = replay_games(self.game, games)
        boards = final_boards(self.game, last_states) if self._final_boards is not None else None
        learned = games.learned
        lengths = np.diff(games.ply_offsets)
        plies = np.arange(len(games.actions)) - np.repeat(games.ply_offsets[:-1], lengths)
        numbers = self.first_game + len(self.generations) + np.arange(len(games))
        plies_left = (np.repeat(lengths, lengths) - plies)[learned].astype(np.int32)
        if self._horizon:
            worths = board_worths(self.game, states, self._board_worth)
            ahead = results_ahead(games.results, games.positions, plies_left, worths, self._horizon)
            results = np.where(states[:, 0] & TURN_BIT == 0, ahead, -ahead)
        policies = _rows_where(games.policies, learned)

        self._policy_starts.append(policies.offsets[:-1] + (self._policy_actions.dropped + len(self._policy_actions)))
        self._policy_counts.append(np.diff(policies.offsets).astype(np.int32))
        self._policy_actions.append(policies.actions)
        self._policy_probabilities.append(policies.probabilities())
        self._states.append(states)
        self._results.append(results)
        self._values.append(traced_values(games, self._value_decay)[learned])
        self._weights.append(np.ones(len(results), np.float32))
        self._games.append(np.repeat(numbers, lengths)[learned])
        self._plies.append(plies[learned].astype(np.int32))
        self._plies_left.append(plies_left)

        if self._final_boards is not None and boards is not None:
            self._final_boards.append(boards)
        self.generations.append(games.generations)
        self.lengths.append(lengths.astype(np.int32))
        self.position_counts.append(games.positions)

    def drop(self, games: int) -> None:
        """Forget the oldest games."""
        positions = int(self.position_counts.values[:games].sum())
        entries = int(self._policy_counts.values[:positions].sum())
        for columns, count in ((self._per_game, games), (self._per_position, positions), (self._per_entry, entries)):
            for column in columns:
                column.drop(count)

    def positions(self) -> Positions:
        return Positions(
            states=self._states.values,
            policy_starts=self._policy_starts.values,
            policy_counts=self._policy_counts.values,
            policy_actions=self._policy_actions.values,
            policy_probabilities=self._policy_probabilities.values,
            results=self._results.values,
            values=self._values.values,
            weights=self._weights.values,
            games=self._games.values,
            plies=self._plies.values,
            plies_left=self._plies_left.values,
            policy_base=self._policy_actions.dropped,
            endings=self._endings(),
        )

    def _endings(self) -> Endings:
        if self._final_boards is None:
            return NO_ENDINGS
        games = self._games.values - self.first_game
        return Endings(self._final_boards.values, games, np.arange(len(games) + 1))


def _rows_where(policies: SparsePolicies, wanted: npt.NDArray[np.bool_]) -> SparsePolicies:
    """The wanted rows of sparse policies."""
    counts = np.diff(policies.offsets)
    entries = np.repeat(wanted, counts)
    return SparsePolicies(offsets_from(counts[wanted]), policies.actions[entries], policies.shares[entries])
