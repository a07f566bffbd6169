"""Many games as flat arrays, and as the Arrow table that journals and shards keep: no Python loop over positions.

The table has a row for each game; whatever belongs to a ply is a list in it, and the policies are lists of lists.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from boardzero.errors import BadInput
from boardzero.replay.record import SelfPlayGame, SparsePolicies, offsets_from

SCHEMA = pa.schema(
    [
        ("game", pa.string()),
        ("seed", pa.int64()),
        ("number", pa.int64()),
        ("first_generation", pa.int32()),
        ("generation", pa.int32()),
        ("result", pa.int8()),
        ("resigned", pa.bool_()),
        ("positions", pa.int32()),  # how many of the plies are to be learned from
        ("start", pa.list_(pa.uint64())),
        ("actions", pa.list_(pa.int32())),
        ("values", pa.list_(pa.float32())),
        ("learned", pa.list_(pa.bool_())),
        ("kinds", pa.list_(pa.uint8())),
        ("policy_actions", pa.list_(pa.list_(pa.int32()))),
        ("policy_shares", pa.list_(pa.list_(pa.uint16()))),
    ]
)


@dataclass(frozen=True, eq=False)
class GameColumns:
    """Games of one specification; the fields are those of `SelfPlayGame`, for G games, P plies in all.

    starts        uint64 [G, words]
    ply_offsets   int64 [G + 1]  game i has the plies ply_offsets[i] … ply_offsets[i + 1]
    actions, policies, values, learned, kinds   [P]
    the others    [G]
    """

    game: str
    seeds: npt.NDArray[np.int64]
    numbers: npt.NDArray[np.int64]
    first_generations: npt.NDArray[np.int32]
    generations: npt.NDArray[np.int32]
    results: npt.NDArray[np.int8]
    resigned: npt.NDArray[np.bool_]
    starts: npt.NDArray[np.uint64]
    ply_offsets: npt.NDArray[np.int64]
    actions: npt.NDArray[np.int32]
    values: npt.NDArray[np.float32]
    learned: npt.NDArray[np.bool_]
    kinds: npt.NDArray[np.uint8]
    policies: SparsePolicies

    def __len__(self) -> int:
        return len(self.results)

    @property
    def positions(self) -> npt.NDArray[np.int64]:
        """[G]: how many plies of each game are to be learned from."""
        return np.add.reduceat(self.learned.astype(np.int64), self.ply_offsets[:-1])

    def __getitem__(self, index: int) -> SelfPlayGame:
        first, end = int(self.ply_offsets[index]), int(self.ply_offsets[index + 1])
        return SelfPlayGame(
            game=self.game,
            start=self.starts[index],
            actions=self.actions[first:end],
            policies=self.policies.rows(first, end),
            values=self.values[first:end],
            learned=self.learned[first:end],
            kinds=self.kinds[first:end],
            result=int(self.results[index]),
            resigned=bool(self.resigned[index]),
            first_generation=int(self.first_generations[index]),
            generation=int(self.generations[index]),
            seed=int(self.seeds[index]),
            number=int(self.numbers[index]),
        )

    @classmethod
    def from_games(cls, games: Sequence[SelfPlayGame]) -> "GameColumns":
        """At least one game; all of one specification."""
        return cls(
            game=_only({game.game for game in games}),
            seeds=np.array([game.seed for game in games], np.int64),
            numbers=np.array([game.number for game in games], np.int64),
            first_generations=np.array([game.first_generation for game in games], np.int32),
            generations=np.array([game.generation for game in games], np.int32),
            results=np.array([game.result for game in games], np.int8),
            resigned=np.array([game.resigned for game in games], np.bool_),
            starts=np.stack([game.start for game in games]),
            ply_offsets=offsets_from(np.array([game.plies for game in games])),
            actions=np.concatenate([game.actions for game in games]).astype(np.int32),
            values=np.concatenate([game.values for game in games]).astype(np.float32),
            learned=np.concatenate([game.learned for game in games]).astype(np.bool_),
            kinds=np.concatenate([game.kinds for game in games]).astype(np.uint8),
            policies=SparsePolicies.joined([game.policies for game in games]),
        )

    @classmethod
    def empty(cls, game: str, words: int) -> "GameColumns":
        """No games at all, whose states would have so many words."""
        per_game, per_ply = np.zeros(0, np.int64), np.zeros(0, np.int32)
        return cls(
            game=game,
            seeds=per_game,
            numbers=per_game,
            first_generations=per_ply,
            generations=per_ply,
            results=per_game.astype(np.int8),
            resigned=per_game.astype(np.bool_),
            starts=np.zeros((0, words), np.uint64),
            ply_offsets=np.zeros(1, np.int64),
            actions=per_ply,
            values=per_ply.astype(np.float32),
            learned=per_ply.astype(np.bool_),
            kinds=per_ply.astype(np.uint8),
            policies=SparsePolicies(np.zeros(1, np.int64), per_ply, per_ply.astype(np.uint16)),
        )

    # -- tables --------------------------------------------------------------------------------------------------------
    def to_table(self) -> pa.Table:
        words = self.starts.shape[1]
        per_ply = self.ply_offsets
        columns = {
            "game": pa.array([self.game] * len(self)),
            "seed": self.seeds,
            "number": self.numbers,
            "first_generation": self.first_generations,
            "generation": self.generations,
            "result": self.results,
            "resigned": self.resigned,
            "positions": self.positions.astype(np.int32),
            "start": _lists(np.arange(len(self) + 1) * words, self.starts.reshape(-1)),
            "actions": _lists(per_ply, self.actions),
            "values": _lists(per_ply, self.values),
            "learned": _lists(per_ply, self.learned),
            "kinds": _lists(per_ply, self.kinds),
            "policy_actions": _lists(per_ply, _lists(self.policies.offsets, self.policies.actions)),
            "policy_shares": _lists(per_ply, _lists(self.policies.offsets, self.policies.shares)),
        }
        return pa.table(columns, schema=SCHEMA)

    @classmethod
    def from_table(cls, table: pa.Table) -> "GameColumns":
        """The table of at least one game; the arrays are copies, so that nothing of the table stays in memory."""
        columns = {name: table.column(name).combine_chunks() for name in SCHEMA.names}
        policies = columns["policy_actions"].flatten()
        return cls(
            game=_only(set(columns["game"].unique().to_pylist())),
            seeds=_array(columns["seed"]),
            numbers=_array(columns["number"]),
            first_generations=_array(columns["first_generation"]),
            generations=_array(columns["generation"]),
            results=_array(columns["result"]),
            resigned=_array(columns["resigned"]),
            starts=_array(columns["start"].flatten()).reshape(len(table), -1),
            ply_offsets=_offsets(columns["actions"]),
            actions=_array(columns["actions"].flatten()),
            values=_array(columns["values"].flatten()),
            learned=_array(columns["learned"].flatten()),
            kinds=_array(columns["kinds"].flatten()),
            policies=SparsePolicies(
                _offsets(policies), _array(policies.flatten()), _array(columns["policy_shares"].flatten().flatten())
            ),
        )


def _lists(offsets: npt.NDArray[np.int64], values: Any) -> pa.ListArray:
    return pa.ListArray.from_arrays(pa.array(offsets.astype(np.int32)), pa.array(values))


def _offsets(lists: pa.ListArray) -> npt.NDArray[np.int64]:
    offsets = lists.offsets.to_numpy().astype(np.int64)
    return offsets - offsets[0]


def _array(column: pa.Array) -> npt.NDArray[Any]:
    return np.array(column.to_numpy(zero_copy_only=False))


def _only(games: set[str]) -> str:
    if len(games) != 1:
        raise BadInput(f"Records of one game are kept together, not of {len(games)}: {', '.join(sorted(games))}.")
    return next(iter(games))
