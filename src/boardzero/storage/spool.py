"""Rows that the database could not take yet: JSON lines on disk, until it answers again.

Each process keeps its own under spool/DATABASE/PROCESS/ in the user's data folder and holds a lock there. Whoever reaches the
database later writes the rows of all processes that have ended; rows have ids, so none is ever written twice.
"""

import json
import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

from boardzero.errors import BadInput
from boardzero.storage.entries import TABLES, Entry, id_of, new_id, storable
from boardzero.training.lock import FolderLock

FILE = "rows.jsonl"
AT_ONCE = 2000  # rows written in one transaction


class Spool:
    """The rows that wait for one database."""

    def __init__(self, folder: Path, database: str) -> None:
        """folder: the user's data folder; database: its name, without a password."""
        self.folder = folder / "spool" / id_of("spool", database)[:12]
        self._own: Path | None = None
        self._lock: FolderLock | None = None

    @property
    def path(self) -> Path:
        """Where this process keeps its rows; made when first asked for."""
        if self._own is None:
            self._own = self.folder / new_id()
            self._own.mkdir(parents=True)
            self._lock = FolderLock(self._own)
        return self._own / FILE

    def append(self, entries: Sequence[Entry]) -> None:
        """When this returns, the rows are on disk."""
        lines = "".join(json.dumps(storable(asdict(entry)), ensure_ascii=False) + "\n" for entry in entries)
        with self.path.open("ab") as file:
            file.write(lines.encode())
            file.flush()
            os.fsync(file.fileno())

    def empty_into(self, write: Callable[[list[Entry]], int]) -> int:
        """Write the rows of this process, and of those that have ended; how many the database did not have yet."""
        return self._empty_own(write) + sum(self._empty_other(path, write) for path in self._others())

    def close(self) -> None:
        if self._lock is not None:
            self._lock.release()

    def _empty_own(self, write: Callable[[list[Entry]], int]) -> int:
        if self._own is None or self._lock is None:
            return 0
        written = sum(write(entries) for entries in _read(self._own / FILE))
        self._lock.release()
        shutil.rmtree(self._own, ignore_errors=True)
        self._own = self._lock = None
        return written

    def _others(self) -> list[Path]:
        try:
            return sorted(path for path in self.folder.iterdir() if path != self._own)
        except OSError:
            return []

    def _empty_other(self, path: Path, write: Callable[[list[Entry]], int]) -> int:
        if not (path / FILE).is_file():  # nobody's; or just made by a process that will lock it before it writes
            return 0
        try:
            lock = FolderLock(path)
        except (BadInput, OSError):  # its process lives and will write them itself, or somebody else has just done so
            return 0
        try:
            written = sum(write(entries) for entries in _read(path / FILE))
        finally:
            lock.release()
        shutil.rmtree(path, ignore_errors=True)
        return written


def _read(path: Path) -> Iterator[list[Entry]]:
    """The rows of a file in the order they came, some at a time; the last line may be torn, as a crash leaves it."""
    entries: list[Entry] = []
    try:
        file = path.open("rb")
    except FileNotFoundError:
        return
    with file:
        for line in file:
            entry = _parse(line)
            if entry is not None:
                entries.append(entry)
            if len(entries) == AT_ONCE:
                yield entries
                entries = []
    if entries:
        yield entries


def _parse(line: bytes) -> Entry | None:
    try:
        content = json.loads(line)
        return Entry(content["table"], dict(content["values"])) if content["table"] in TABLES else None
    except (ValueError, KeyError, TypeError):
        return None
