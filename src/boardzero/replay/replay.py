"""The memory of self-play: games go in and to disk, batches for training come out.

replay = Replay(find_game("connect4"), ReplaySettings(), folder)
replay.load()                            # what earlier runs left in the folder
replay.add(games)                        # durable within five seconds
batch = replay.sample(512, new_stream(seed))
"""

import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from boardzero.errors import BadInput
from boardzero.games.randomness import Stream, draw_word
from boardzero.games.rules import Game
from boardzero.replay.columns import GameColumns
from boardzero.replay.merging import merge_equal
from boardzero.replay.positions import PositionMemory, Positions
from boardzero.replay.record import SelfPlayGame
from boardzero.replay.sampler import Batch, BatchMaker, GameDraw, draw_positions
from boardzero.replay.shards import DamagedShard, ShardIndex, read_shard, read_shard_index, set_aside
from boardzero.replay.store import GameStore
from boardzero.replay.window import Window
from boardzero.settings.replay import ReplaySettings


@dataclass(frozen=True)
class LoadReport:
    """What was found in the folder."""

    shards: int  # new ones
    damaged: tuple[str, ...]  # a sentence about each file that was set aside
    lost_bytes: int  # of journals: a torn tail, as a crash leaves it


@dataclass(frozen=True)
class KnownShard:
    """A shard whose games are in the window, or have been."""

    index: ShardIndex
    end: int  # the number after that of its last game, among all that came into memory


@dataclass(frozen=True)
class GameTotals:
    """How much there is of some games."""

    games: int = 0
    positions: int = 0  # to learn from
    next_number: int = 0  # one more than the highest number of a game


class Replay:
    """The games of one folder. Threads may add and sample at the same time."""

    def __init__(
        self, game: Game, settings: ReplaySettings, folder: Path, writer: str = "main", final_boards: bool = False
    ) -> None:
        """final_boards: do batches tell how games ended on the board?"""
        self.game, self.settings = game, settings
        self.store = GameStore(folder, writer)
        self.window = Window(settings.window)
        self.samples = 0  # drawn since this was made
        _, self.total_positions = self.store.pruned_totals()  # of all games ever, also those that left the window
        self._added = 0  # positions that came in since this was made
        self._memory = PositionMemory(game, settings.value_decay, final_boards, settings.horizon, settings.board_worth)
        self._batches = BatchMaker(game, settings.symmetries)
        self._known: dict[str, KnownShard] = {}  # by name, oldest first
        self._source: tuple[Positions, GameDraw | None] | None = None  # what is drawn from; None after a change
        self._lock = threading.RLock()

    # -- what is in the window -----------------------------------------------------------------------------------------
    @property
    def positions(self) -> int:
        """How many positions can be drawn; equal ones count each, whether they are merged or not."""
        with self._lock:  # games that come in move the memory
            return int(self._memory.position_counts.values.sum())

    @property
    def games(self) -> int:
        with self._lock:
            return len(self._memory.generations)

    @property
    def generations(self) -> list[int]:
        """Those of the games in the window, increasing."""
        with self._lock:
            return [int(generation) for generation in np.unique(self._memory.generations.values)]

    @property
    def reuse(self) -> float:
        """How often, on average, a position that came in has been drawn since this was made."""
        return self.samples / max(self._added, 1)

    # -- games in ------------------------------------------------------------------------------------------------------
    def add(self, games: Sequence[SelfPlayGame]) -> None:
        """Remember finished games: on disk within five seconds, in the window at once; a broken record is refused."""
        if not games:
            return
        columns = GameColumns.from_games(games)
        with self._lock:
            self._memory.add(columns)  # plays the games again, and so checks them before they are written
            self.store.append(columns)
            self._count(int(columns.positions.sum()))
            if self.store.journal_games >= self.settings.shard_games:
                self.seal()

    def sync(self) -> None:
        """When this returns, every game that was added is on disk."""
        with self._lock:
            self.store.sync()

    def seal(self) -> int:
        """Make a shard of the games since the last one, so that others can read them, and delete shards that are too many.

        The number of the last shard, up to which the window can be cleared.
        """
        with self._lock:
            shard = self.store.seal()
            if shard is not None:
                self._known[shard.name] = KnownShard(read_shard_index(shard), self._memory.first_game + self.games)
            left = [known.index for known in self._known.values() if known.end <= self._memory.first_game]
            for path in self.store.prune(left, self.settings.disk_bytes):
                del self._known[path.name]
            return self.store.last_number()

    def clear(self, number: int) -> None:
        """Let the games of shards up to this number leave the window for good; they stay on disk as long as there is room."""
        with self._lock:
            self.store.clear(number)
            ends = [known.end for known in self._known.values() if self.store.is_cleared(known.index.path)]
            self._memory.drop(max(0, max(ends, default=0) - self._memory.first_game))
            self._source = None

    def _count(self, positions: int) -> None:
        """Positions came in: let the oldest games go if there are too many now."""
        self.total_positions += positions
        self._added += positions
        memory = self._memory
        first = self.window.first_kept(memory.generations.values, memory.position_counts.values, self.total_positions)
        memory.drop(first)
        self._source = None

    # -- games from disk -----------------------------------------------------------------------------------------------
    def load(self) -> LoadReport:
        """Take in the shards of the folder that are not known yet: at a restart, or those of other writers.

        A damaged shard is set aside. Shards that the window does not reach back to are counted, but not read.
        """
        with self._lock:
            self._memory.add(
                GameColumns.empty(self.game.specification, self.game.state_length)
            )  # games must not wait for a compiler
            sealings = self.store.recover()
            damaged, self.store.damaged = self.store.damaged, []
            shards, known = [], len(self._known)
            for path in self.store.shards():
                if path.name not in self._known:
                    try:
                        shards.append(read_shard_index(path))
                    except DamagedShard as damage:
                        damaged.append(_put_away(damage))
            out_of_reach = self._out_of_reach(shards)
            for index in shards[:out_of_reach]:
                self.total_positions += int(index.positions.sum())
                self._known[index.path.name] = KnownShard(index, self._memory.first_game)
            for index in shards[out_of_reach:]:
                try:
                    self._take_in(index)
                except DamagedShard as damage:
                    damaged.append(_put_away(damage))
            return LoadReport(len(self._known) - known, tuple(damaged), sum(sealing.lost_bytes for sealing in sealings))

    def totals(self, first_generation: int = 0) -> GameTotals:
        """Of the games in shards that a network of this generation, or of a later one, finished."""
        games = positions = next_number = 0
        for known in self._known.values():
            chosen = known.index.generations >= first_generation
            if chosen.any():
                games += int(chosen.sum())
                positions += int(known.index.positions[chosen].sum())
                next_number = max(next_number, int(known.index.numbers[chosen].max()) + 1)
        return GameTotals(games, positions, next_number)

    def _out_of_reach(self, shards: list[ShardIndex]) -> int:
        """How many of the oldest of these shards hold no game of the window."""
        cleared = sum(self.store.is_cleared(index.path) for index in shards)
        recent = shards[cleared:]
        if not recent or self.games:
            return cleared
        generations = np.concatenate([index.generations for index in recent])
        positions = np.concatenate([index.positions for index in recent]).astype(np.int64)
        total = self.total_positions + sum(int(index.positions.sum()) for index in shards)
        first = self.window.first_kept(generations, positions, total)
        ends = np.cumsum([len(index.positions) for index in recent])
        return cleared + int(np.count_nonzero(ends <= first))

    def _take_in(self, index: ShardIndex) -> None:
        games = read_shard(index.path)
        if games.game != self.game.specification:
            raise BadInput(f"'{index.path}' holds games of '{games.game}', not of '{self.game.specification}'.")
        try:
            self._memory.add(games)
        except BadInput as error:
            raise DamagedShard(index.path, error) from error
        self._known[index.path.name] = KnownShard(index, self._memory.first_game + self.games)
        self._count(int(games.positions.sum()))

    # -- batches out ---------------------------------------------------------------------------------------------------
    def content(self) -> Positions:
        """The positions that are drawn from: those of the window, merged if the settings say so."""
        return self._drawn_from()[0]

    def sample(self, count: int, stream: Stream) -> Batch:
        """This many positions, drawn with repetition; the same stream and the same games give the same batch."""
        with self._lock:
            positions, draw_by_game = self._drawn_from()
            self.samples += count
        indices = draw_by_game(count, stream) if draw_by_game else draw_positions(positions, count, stream)
        return self._batches.make(positions, indices, stream)

    def epoch(self, count: int, stream: Stream) -> Iterator[Batch]:
        """Every position of the window as it is now exactly once, in random order; the last batch may be smaller."""
        positions = self.content()
        order = np.random.default_rng(int(draw_word(stream))).permutation(positions.size)
        for first in range(0, len(order), count):
            indices = order[first : first + count]
            with self._lock:
                self.samples += len(indices)
            yield self._batches.make(positions, indices, stream)

    def _drawn_from(self) -> tuple[Positions, GameDraw | None]:
        with self._lock:
            if self._source is None:
                positions = self._memory.positions()
                if positions.size == 0:
                    raise BadInput(
                        "There are no positions to learn from yet; add games, or load them from a folder that has some."
                    )
                if self.settings.duplicates == "merge":
                    positions = merge_equal(positions, self.game.action_count, self.settings.merged_weight)
                self._source = positions, GameDraw(self._memory) if self.settings.draw == "games" else None
            return self._source


def _put_away(damage: DamagedShard) -> str:
    """Set a shard aside, and say so."""
    aside = set_aside(damage.path)
    return f"{damage} It was renamed to '{aside.name}'."
