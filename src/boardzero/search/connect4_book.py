"""Opening books for Connect Four: exact scores of early positions, shipped as data.

A book holds, for one board, every position up to some number of stones in which the next two plies decide nothing (the
solver sees those at once), one of each mirrored pair: the one with the smaller key. Its file is a NumPy archive:

    board        rows, columns, connect, most stones of a position
    key_steps    [8, entries]: the bytes of the differences of successive keys, lowest bytes first; they compress well so
    scores       [entries]: for the side to move, as `connect4_solver.py` says

`tools/make_connect4_book.py` makes one.
"""

from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path

import numpy as np
import numpy.typing as npt

from boardzero.games.connect4 import ConnectFour
from boardzero.search.connect4_threats import mirrored

SHIPPED = {(6, 7, 4): "connect4_6x7.npz"}  # by rows, columns and length to connect


@dataclass(frozen=True)
class Book:
    """Scores of positions with up to `most_stones` stones, found by their keys."""

    rows: int
    columns: int
    connect: int
    most_stones: int
    keys: npt.NDArray[np.uint64]  # [entries], increasing
    scores: npt.NDArray[np.int8]  # [entries], for the side to move

    def find(self, key: int) -> int | None:
        """The score of a position or of its mirror image; None if the book does not hold it."""
        key = self.canonical(key)
        index = int(np.searchsorted(self.keys, np.uint64(key)))
        if index == len(self.keys) or int(self.keys[index]) != key:
            return None
        return int(self.scores[index])

    def canonical(self, key: int) -> int:
        """The smaller of a position's key and its mirror image's."""
        return min(key, mirrored(key, self.rows, self.columns))

    def write(self, path: Path) -> None:
        steps = np.diff(self.keys, prepend=np.uint64(0)).astype("<u8")
        np.savez_compressed(
            path,
            board=np.array([self.rows, self.columns, self.connect, self.most_stones], np.int16),
            key_steps=np.ascontiguousarray(steps.view(np.uint8).reshape(-1, 8).T),
            scores=self.scores,
        )


def read_book(path: Path) -> Book:
    with np.load(path, allow_pickle=False) as archive:
        steps = np.ascontiguousarray(archive["key_steps"].T).view("<u8").reshape(-1)
        rows, columns, connect, most_stones = (int(number) for number in archive["board"])
        return Book(rows, columns, connect, most_stones, np.cumsum(steps, dtype=np.uint64), archive["scores"])


def shipped_book(game: ConnectFour) -> Book | None:
    """The book that comes with boardzero for this board, if there is one."""
    name = SHIPPED.get((game.rows, game.columns, game.connect))
    return None if name is None else _shipped_book(name)


@cache
def _shipped_book(name: str) -> Book:
    with resources.as_file(resources.files("boardzero.search") / "data" / name) as path:
        return read_book(path)
