"""Training batches: positions drawn at random, encoded, and turned or mirrored at random, in compiled loops."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from boardzero.games.bits import signed
from boardzero.games.compiled import compiled
from boardzero.games.function_pointers import Addresses, encode_function, legal_function, rule_addresses
from boardzero.games.randomness import Stream, draw_below
from boardzero.games.rules import TURN_BIT, Actions, Game
from boardzero.games.wrapped import raise_kept_error
from boardzero.replay.endings import write_final_board
from boardzero.replay.positions import PositionMemory, Positions


@dataclass(frozen=True, eq=False)
class Batch:
    """What one training step learns from; values are for the side to move."""

    planes: npt.NDArray[np.float32]  # [B, planes, rows, columns]
    policy: npt.NDArray[np.float32]  # [B, actions]
    z: npt.NDArray[np.float32]  # [B]  the result of the game
    q: npt.NDArray[np.float32]  # [B]  the value that the search found
    weight: npt.NDArray[np.float32]  # [B]
    plies_left: npt.NDArray[np.float32]  # [B]
    legal: npt.NDArray[np.bool_]  # [B, actions]
    final_board: npt.NDArray[np.int8]  # [B, cells]  whose each became: 0 nobody's, 1 own, 2 the other's, UNKNOWN; or [B, 0]

    def __len__(self) -> int:
        return len(self.z)

    @classmethod
    def joined(cls, parts: "Sequence[Batch]", order: npt.NDArray[np.int64]) -> "Batch":
        """The positions of all parts in a new order."""
        return cls(
            **{column.name: np.concatenate([getattr(part, column.name) for part in parts])[order] for column in fields(cls)}
        )

    def split(self, parts: int) -> "list[Batch]":
        """Parts of nearly equal size, in order."""
        edges = [len(self) * part // parts for part in range(parts + 1)]
        return [
            Batch(**{column.name: getattr(self, column.name)[first:end] for column in fields(self)})
            for first, end in pairwise(edges)
        ]


class Output(NamedTuple):
    """The arrays of a batch, as compiled code fills them."""

    planes: npt.NDArray[np.float32]
    policy: npt.NDArray[np.float32]
    z: npt.NDArray[np.float32]
    q: npt.NDArray[np.float32]
    weight: npt.NDArray[np.float32]
    plies_left: npt.NDArray[np.float32]
    legal: npt.NDArray[np.bool_]
    final_board: npt.NDArray[np.int8]


class BatchMaker:
    """Makes batches of one game's positions."""

    def __init__(self, game: Game, symmetries: bool) -> None:
        self._game = game
        self._addresses = rule_addresses(game)
        used = game.symmetries if symmetries else game.symmetries[:1]
        self._cells = np.stack([symmetry.cells for symmetry in used])  # [symmetries, cells]
        self._actions = np.stack([symmetry.actions for symmetry in used])  # [symmetries, actions]

    def make(self, positions: Positions, indices: npt.NDArray[np.int64], stream: Stream) -> Batch:
        """The batch of these positions, each under a random symmetry."""
        game, size = self._game, len(indices)
        output = Output(
            planes=np.empty((size, len(game.planes), game.rows, game.columns), np.float32),
            policy=np.zeros((size, game.action_count), np.float32),
            z=np.empty(size, np.float32),
            q=np.empty(size, np.float32),
            weight=np.empty(size, np.float32),
            plies_left=np.empty(size, np.float32),
            legal=np.zeros((size, game.action_count), np.bool_),
            final_board=np.empty((size, positions.endings.cells), np.int8),
        )
        legal_actions = np.empty(game.max_legal, np.int32)
        _fill(self._addresses, self._cells, self._actions, positions, indices, stream, legal_actions, output)
        raise_kept_error(game)
        return Batch(*output)


def draw_positions(positions: Positions, count: int, stream: Stream) -> npt.NDArray[np.int64]:
    """Indices of positions, each as likely as every other, with repetition."""
    indices = np.empty(count, np.int64)
    _draw_evenly(positions.size, stream, indices)
    return indices


class GameDraw:
    """Draws games in proportion to their length, then one of the game's positions."""

    def __init__(self, memory: PositionMemory) -> None:
        counts = memory.position_counts.values
        self._first = np.cumsum(counts) - counts
        self._counts = counts
        self._ends = np.cumsum(np.where(counts > 0, memory.lengths.values, 0), dtype=np.int64)

    def __call__(self, count: int, stream: Stream) -> npt.NDArray[np.int64]:
        indices = np.empty(count, np.int64)
        _draw_by_game(self._ends, self._first, self._counts, stream, indices)
        return indices


@compiled()
def _draw_evenly(positions: int, stream: Stream, indices: npt.NDArray[np.int64]) -> None:
    for sample in range(len(indices)):
        indices[sample] = draw_below(stream, positions)


@compiled()
def _draw_by_game(
    ends: npt.NDArray[np.int64],
    first: npt.NDArray[np.int64],
    counts: npt.NDArray[np.int64],
    stream: Stream,
    indices: npt.NDArray[np.int64],
) -> None:
    """`ends` are the lengths of the games added up; a game without positions has no part in them."""
    for sample in range(len(indices)):
        game = np.searchsorted(ends, draw_below(stream, ends[-1]), side="right")
        indices[sample] = first[game] + draw_below(stream, counts[game])


@compiled()
def _fill(
    addresses: Addresses,
    cells: npt.NDArray[np.int32],
    actions: npt.NDArray[np.int32],
    positions: Positions,
    indices: npt.NDArray[np.int64],
    stream: Stream,
    legal_actions: Actions,
    output: Output,
) -> None:
    """Encode each position, then move what stands on its cells, and its actions, to where a random symmetry takes them."""
    legal = legal_function(addresses[0], addresses[1])
    encode = encode_function(addresses[4], addresses[5])
    planes, rows, columns = output.planes.shape[1:]
    encoded = np.empty((planes, rows, columns), np.float32)
    flat = encoded.reshape(planes, rows * columns)
    for sample in range(len(indices)):
        position = indices[sample]
        symmetry = draw_below(stream, len(cells)) if len(cells) > 1 else 0
        if symmetry == 0:  # the identity
            encode(positions.states[position], output.planes[sample])
        else:
            encode(positions.states[position], encoded)
            turned = output.planes[sample].reshape(planes, rows * columns)
            for plane in range(planes):
                for cell in range(rows * columns):
                    turned[plane, cells[symmetry, cell]] = flat[plane, cell]
        first = positions.policy_starts[position] - positions.policy_base
        for entry in range(first, first + positions.policy_counts[position]):
            action = signed(actions[symmetry, positions.policy_actions[entry]])
            output.policy[sample, action] = positions.policy_probabilities[entry]
        for entry in range(legal(positions.states[position], legal_actions)):
            output.legal[sample, signed(actions[symmetry, legal_actions[entry]])] = True
        output.z[sample] = positions.results[position]
        output.q[sample] = positions.values[position]
        output.weight[sample] = positions.weights[position]
        output.plies_left[sample] = positions.plies_left[position]
        if output.final_board.shape[1] > 0:
            second_to_move = positions.states[position, 0] & TURN_BIT != np.uint64(0)
            write_final_board(positions.endings, position, second_to_move, cells[symmetry], stream, output.final_board[sample])
