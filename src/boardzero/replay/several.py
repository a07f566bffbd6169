"""The memories of all games of a run: one folder each, batches from those that are learned from at the moment."""

import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from boardzero.games.randomness import Stream, draw_below, draw_word
from boardzero.games.rules import Game
from boardzero.replay.positions import Positions
from boardzero.replay.record import SelfPlayGame
from boardzero.replay.replay import GameTotals, LoadReport, Replay
from boardzero.replay.sampler import Batch
from boardzero.replay.store import GameStore
from boardzero.settings.replay import ReplaySettings


class Replays:
    """A `Replay` for each game. With one game it is nothing more than that game's.

    The first game's files are in the folder itself, those of the others in folders within it.
    """

    def __init__(self, games: Sequence[Game], settings: ReplaySettings, folder: Path, final_boards: bool = False) -> None:
        """final_boards: do batches tell how games ended on the board?"""
        shared = settings.model_copy(update={"disk_bytes": settings.disk_bytes // len(games)})
        self._replays = {
            game.specification: Replay(game, shared, _folder_of(game, games, folder), final_boards=final_boards)
            for game in games
        }
        self.first = self._replays[games[0].specification]
        self._learned = [self.first]  # in use at the moment

    def learn_from(self, games: Sequence[Game]) -> None:
        """Draw batches from the windows of these games, from now on."""
        self._learned = [self._replays[name] for name in dict.fromkeys(game.specification for game in games)]

    @property
    def positions(self) -> int:
        """How many can be drawn."""
        return sum(replay.positions for replay in self._learned)

    # -- games in ------------------------------------------------------------------------------------------------------
    def load(self) -> LoadReport:
        reports = [replay.load() for replay in self._replays.values()]
        damaged = tuple(sentence for report in reports for sentence in report.damaged)
        return LoadReport(sum(one.shards for one in reports), damaged, sum(one.lost_bytes for one in reports))

    def add(self, games: Sequence[SelfPlayGame]) -> None:
        for specification in dict.fromkeys(game.game for game in games):
            self._replays[specification].add([game for game in games if game.game == specification])

    def sync(self) -> None:
        for replay in self._replays.values():
            replay.sync()

    def totals(self) -> GameTotals:
        """Of all games that the run ever played, also of those that are not on disk any more."""
        there = [replay.totals() for replay in self._replays.values()]
        pruned = [replay.store.pruned_totals() for replay in self._replays.values()]
        return GameTotals(
            sum(one.games for one in there) + sum(games for games, _ in pruned),
            sum(one.positions for one in there) + sum(positions for _, positions in pruned),
            max(one.next_number for one in there),
        )

    # -- batches out ---------------------------------------------------------------------------------------------------
    def sample(self, count: int, stream: Stream) -> Batch:
        """This many positions of one size of board, drawn in proportion to how many there are of each game.

        Games that share a size (rules, starts) share a batch: what is the same in a whole batch is lost when it is normalised,
        and so would be a plane that tells the rule.
        """
        filled = [replay for replay in self._learned if replay.positions]
        if len(filled) < 2:
            return (filled or self._learned)[0].sample(count, stream)
        drawn = draw_below(stream, sum(replay.positions for replay in filled))
        ends = np.cumsum([replay.positions for replay in filled])
        chosen = filled[int(np.searchsorted(ends, drawn, side="right"))].game
        alike = [replay for replay in filled if _shape(replay.game) == _shape(chosen)]
        if len(alike) == 1:
            return alike[0].sample(count, stream)
        ends = np.cumsum([0] + [replay.positions for replay in alike])
        edges = (ends * count + draw_below(stream, int(ends[-1]))) // ends[-1]  # rounded by chance: small windows count, too
        parts = [replay.sample(int(part), stream) for replay, part in zip(alike, np.diff(edges), strict=True) if part]
        return Batch.joined(parts, np.random.default_rng(int(draw_word(stream))).permutation(count))

    # -- of a run with one game ------------------------------------------------------------------------------------------
    @property
    def store(self) -> GameStore:
        return self.first.store

    def content(self) -> Positions:
        return self.first.content()

    def seal(self) -> int:
        return self.first.seal()

    def clear(self, number: int) -> None:
        self.first.clear(number)


def _shape(game: Game) -> tuple[int, int, int]:
    return game.rows, game.columns, game.action_count


def _folder_of(game: Game, games: Sequence[Game], folder: Path) -> Path:
    """`gomoku:size=9,rule=standard` → gomoku_size=9_rule=standard, within the folder."""
    return folder if game is games[0] else folder / re.sub(r"[^A-Za-z0-9=.-]+", "_", game.specification)
