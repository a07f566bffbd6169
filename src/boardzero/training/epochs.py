"""Whole passes through the window, with a part of it held out to test on."""

import math
from collections.abc import Callable, Iterator

import numpy as np

from boardzero.games.randomness import Stream, draw_word
from boardzero.games.rules import Game
from boardzero.replay.positions import Positions
from boardzero.replay.sampler import Batch, BatchMaker


class EpochBatches:
    """The positions of a window as they are now, split once into those that are learned and those that are held out."""

    def __init__(self, game: Game, positions: Positions, batch: int, held_out: float, symmetries: bool, stream: Stream) -> None:
        """held_out is a share; at least one position is learned, and at least one held out if the share is not 0."""
        self._positions, self._batch, self._stream = positions, batch, stream
        self._batches = BatchMaker(game, symmetries)
        self._draw = np.random.default_rng(int(draw_word(stream)))
        order = self._draw.permutation(positions.size)
        tested = min(math.ceil(held_out * positions.size), positions.size - 1)
        self._learned = order[tested:]
        plain = BatchMaker(game, symmetries=False)
        self.held_out = [plain.make(positions, np.sort(order[:tested])[i : i + batch], stream) for i in range(0, tested, batch)]

    @property
    def steps(self) -> int:
        """Batches of an epoch; the last may be smaller."""
        return math.ceil(len(self._learned) / self._batch)

    def drawer(self, before_each: Callable[[], None] | None = None) -> Callable[[], Batch]:
        """The next batch of a new epoch at each call, which calls `before_each` first."""
        batches = self.epoch()

        def draw() -> Batch:
            if before_each is not None:
                before_each()
            return next(batches)

        return draw

    def epoch(self) -> Iterator[Batch]:
        """Every learned position once, in a new random order."""
        order = self._draw.permutation(self._learned)
        for first in range(0, len(order), self._batch):
            yield self._batches.make(self._positions, order[first : first + self._batch], self._stream)
