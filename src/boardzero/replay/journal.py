"""The journal: an append-only file that makes finished games durable within seconds.

A journal is a row of frames, each with one or more games: MAGIC, length and CRC32 of what follows, and the games as an Arrow
record batch. Whatever a crash does to the file, every complete frame can be found and read.
"""

import os
import struct
import threading
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from boardzero.errors import BadInput
from boardzero.replay.columns import SCHEMA, GameColumns
from boardzero.replay.durable import sync_folder
from boardzero.replay.record import SelfPlayGame

MAGIC = b"BZG1"  # its last character is the version of the schema
HEADER = struct.Struct("<4sII")  # magic, length, CRC32
SYNC_SECONDS = 4.0  # after which what was appended is forced to disk; a finished game is to be durable within 5


class Journal:
    """A new journal, open for appending. A killed process loses nothing that was appended; a power cut, at most 5 seconds."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.games = 0
        self._file = path.open("xb", buffering=0)
        self._lock = threading.Lock()
        self._timer: threading.Timer | None = None
        self._failure: OSError | None = None
        sync_folder(path.parent)

    def append(self, games: GameColumns | Sequence[SelfPlayGame] | SelfPlayGame) -> None:
        """Add games as one frame; they are on disk after `sync`, which comes by itself within 5 seconds."""
        columns = _as_columns(games)
        frame = frame_of(columns)
        with self._lock:
            self._raise_failure()
            self._write(frame)
            self.games += len(columns)
            if self._timer is None:
                self._timer = threading.Timer(SYNC_SECONDS, self._sync_in_time)
                self._timer.daemon = True
                self._timer.start()

    def sync(self) -> None:
        """When this returns, all that was appended is on disk."""
        with self._lock:
            self._raise_failure()
            self._sync()

    def close(self) -> None:
        with self._lock:
            if self._file.closed:
                return
            try:
                self._raise_failure()
                self._sync()
            finally:
                self._file.close()

    def _write(self, frame: bytes) -> None:
        rest = memoryview(frame)
        while rest:
            rest = rest[self._file.write(rest) :]

    def _sync(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        os.fsync(self._file.fileno())

    def _sync_in_time(self) -> None:
        with self._lock:
            if self._file.closed:
                return
            try:
                self._sync()
            except OSError as error:  # in a thread of its own: said to whoever appends or syncs next
                self._failure = error

    def _raise_failure(self) -> None:
        failure, self._failure = self._failure, None
        if failure is not None:
            raise failure


@dataclass(frozen=True)
class JournalContent:
    """What could be read of a journal."""

    games: GameColumns | None  # None if there are none
    lost_bytes: int  # of frames that are not complete: a torn tail, as a crash leaves it


def read_journal(path: Path) -> JournalContent:
    """Every complete frame, in order; what lies between or after them is left out and counted."""
    data = path.read_bytes()
    if data[:3] == MAGIC[:3] and data[3:4] not in (b"", MAGIC[3:]):
        raise BadInput(f"The journal '{path}' has schema {data[3:4]!r}; this version of boardzero reads {MAGIC[3:]!r}.")
    return parse_journal(data)


def parse_journal(data: bytes) -> JournalContent:
    """The same for the bytes of a journal, or for a part of them."""
    batches, read, position = [], 0, 0
    while (position := data.find(MAGIC, position)) >= 0:
        payload = _payload_at(data, position)
        if payload is None:
            position += 1
            continue
        batches.append(pa.ipc.read_record_batch(pa.py_buffer(payload), SCHEMA))
        read += HEADER.size + len(payload)
        position += HEADER.size + len(payload)
    games = GameColumns.from_table(pa.Table.from_batches(batches, SCHEMA)) if batches else None
    return JournalContent(games, len(data) - read)


def frame_of(games: GameColumns) -> bytes:
    """Games as one frame, which is complete or not valid at all."""
    payload = games.to_table().combine_chunks().to_batches()[0].serialize().to_pybytes()
    return HEADER.pack(MAGIC, len(payload), zlib.crc32(payload)) + payload


def _payload_at(data: bytes, position: int) -> bytes | None:
    """What the frame at this place holds, if the frame is complete."""
    if position + HEADER.size > len(data):
        return None
    _, length, checksum = HEADER.unpack_from(data, position)
    payload = data[position + HEADER.size : position + HEADER.size + length]
    return payload if len(payload) == length and zlib.crc32(payload) == checksum else None


def _as_columns(games: GameColumns | Sequence[SelfPlayGame] | SelfPlayGame) -> GameColumns:
    if isinstance(games, GameColumns):
        return games
    return GameColumns.from_games([games] if isinstance(games, SelfPlayGame) else games)
