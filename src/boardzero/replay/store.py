"""The folder of journals and shards: numbered in the order they were begun, each with the name of who wrote it.

    00000007-main.parquet    a shard
    00000008-main.journal    games since then
    ledger.json              what was deleted, and what no window reaches back to any more

Several writers may share a folder; each seals only its own journals, and all read each other's shards.
"""

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from boardzero.errors import BadInput
from boardzero.replay.columns import GameColumns
from boardzero.replay.durable import TEMPORARY, remove_durably, write_durably
from boardzero.replay.journal import Journal
from boardzero.replay.shards import Sealing, ShardIndex, seal, set_aside

JOURNAL, SHARD = ".journal", ".parquet"
LEDGER = "ledger.json"
WRITER = re.compile(r"[A-Za-z0-9_]+")


@dataclass
class Ledger:
    """What the files in the folder no longer tell."""

    pruned: dict[str, tuple[int, int]] = field(default_factory=dict)  # deleted shard → its games and positions
    cleared: int = 0  # shards up to this number are not learned from any more


class GameStore:
    """Appends games to a journal, seals it into shards, and deletes old shards."""

    def __init__(self, folder: Path, writer: str = "main") -> None:
        if not WRITER.fullmatch(writer):
            raise BadInput(f"'{writer}' cannot name a writer of games; letters, digits and _ can.")
        self.folder, self.writer = folder, writer
        folder.mkdir(parents=True, exist_ok=True)
        self._journal: Journal | None = None
        self.damaged: list[str] = []  # a sentence about each file that was set aside
        self.ledger = self._read_ledger()

    # -- writing -------------------------------------------------------------------------------------------------------
    @property
    def journal_games(self) -> int:
        """Games that are not in a shard yet."""
        return self._journal.games if self._journal else 0

    def append(self, games: GameColumns) -> None:
        if self._journal is None:
            self._journal = Journal(self.folder / f"{self.last_number() + 1:08d}-{self.writer}{JOURNAL}")
        self._journal.append(games)

    def sync(self) -> None:
        if self._journal is not None:
            self._journal.sync()

    def seal(self) -> Path | None:
        """Make a shard of the journal, if there is one; the next game begins a new journal."""
        if self._journal is None:
            return None
        journal, self._journal = self._journal, None  # should the disk fail now, it is sealed by `recover`
        journal.close()
        return seal(journal.path, journal.path.with_suffix(SHARD)).shard

    def recover(self) -> list[Sealing]:
        """Seal the journals that this writer left behind when it was killed, and remove what it was writing."""
        for temporary in (*self.folder.glob(f"*-{self.writer}{SHARD}{TEMPORARY}"), *self.folder.glob(LEDGER + TEMPORARY)):
            remove_durably(temporary)
        left = sorted(self.folder.glob(f"*-{self.writer}{JOURNAL}"))
        left = [path for path in left if self._journal is None or path != self._journal.path]
        sealings = [seal(path, path.with_suffix(SHARD)) for path in left]
        for path, sealing in zip(left, sealings, strict=True):
            if sealing.aside is not None:
                self.damaged.append(
                    f"The journal '{path}' is damaged or torn: {sealing.lost_bytes} of its bytes are no whole game. "
                    f"All others were kept; it was renamed to '{sealing.aside.name}'."
                )
        return sealings

    # -- what is there -------------------------------------------------------------------------------------------------
    def shards(self) -> list[Path]:
        """In the order they were begun."""
        return sorted(self.folder.glob(f"[0-9]*-*{SHARD}"))

    def last_number(self) -> int:
        """The highest number that any file has, or had."""
        names = [path.name for path in self.folder.iterdir()] + list(self.ledger.pruned)
        return max((number_of(name) for name in names), default=0)

    # -- forgetting ----------------------------------------------------------------------------------------------------
    def prune(self, shards: Iterable[ShardIndex], most_bytes: int) -> list[Path]:
        """Delete these shards, oldest first, while all shards together are larger than they may be."""
        sizes = {path: path.stat().st_size for path in self.shards()}
        total, doomed = sum(sizes.values()), []
        for index in shards:
            if total <= most_bytes:
                break
            total -= sizes.pop(index.path, 0)
            self.ledger.pruned[index.path.name] = (len(index.positions), int(index.positions.sum()))
            doomed.append(index.path)
        if doomed:
            self._write_ledger()  # first, so that what is deleted is still counted
        for path in doomed:
            remove_durably(path)
        return doomed

    def clear(self, number: int) -> None:
        """Let no window reach back to shards up to this number, not even after a restart."""
        self.ledger.cleared = max(self.ledger.cleared, number)
        self._write_ledger()

    def is_cleared(self, shard: Path) -> bool:
        return number_of(shard.name) <= self.ledger.cleared

    def pruned_totals(self) -> tuple[int, int]:
        """Games and positions of the shards that are not there any more."""
        present = {path.name for path in self.shards()}
        gone = [counts for name, counts in self.ledger.pruned.items() if name not in present]
        return sum(games for games, _ in gone), sum(positions for _, positions in gone)

    def _read_ledger(self) -> Ledger:
        path = self.folder / LEDGER
        if not path.exists():
            return Ledger()
        try:
            content = json.loads(path.read_text(encoding="utf-8"))
            pruned = {str(name): (int(games), int(positions)) for name, (games, positions) in content["pruned"].items()}
            return Ledger(pruned, int(content["cleared"]))
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            self.damaged.append(
                f"The ledger '{path}' is damaged ({error}); it was renamed to '{set_aside(path).name}', "
                "and games that were deleted before are not counted any more."
            )
            return Ledger()

    def _write_ledger(self) -> None:
        content = {"pruned": self.ledger.pruned, "cleared": self.ledger.cleared}
        write_durably(self.folder / LEDGER, json.dumps(content, indent=1).encode())


def number_of(name: str) -> int:
    """The number that a file of the folder begins with; 0 for other files."""
    digits = name.partition("-")[0]
    return int(digits) if digits.isdecimal() else 0
