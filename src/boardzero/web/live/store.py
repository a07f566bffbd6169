"""Live games on disk, in a small SQLite file. A move is there before anybody is told of it: a killed server loses none.

One thread writes; whatever has come together while the last transaction was on its way to the disk is the next one. Games
that nobody has touched for a season are forgotten when the file is opened.
"""

import asyncio
import json
import sqlite3
import threading
from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from queue import SimpleQueue
from typing import Any

from boardzero.errors import BadInput
from boardzero.events.games import Reason

KEPT_DAYS = 90  # since the last change
SCHEMA = """
CREATE TABLE IF NOT EXISTS live_games (id TEXT PRIMARY KEY, changed TEXT NOT NULL, content TEXT NOT NULL) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS live_games_changed ON live_games (changed);
"""


@dataclass
class StoredGame:
    """All that a live game is made of. Whatever else there is to know follows from the rules."""

    id: str
    game: str
    start: str | None  # the board before the first move, where it is not the usual one
    moves: list[str]
    redo: list[str]  # moves that were taken back, the next one last
    players: list[str]
    version: int = 1
    opening: int = 0  # moves that were given when the game began
    paused: bool = False
    resigned: int | None = None  # the side that gave up, or whose engine went wrong
    lost_by: Reason = "resignation"  # what ended the game then
    fault: str = ""  # what the engine did
    log: str | None = None  # its id in the game log
    created: str = ""
    pause_seconds: float = 0.6
    seconds: list[float] = field(default_factory=lambda: [0.0, 0.0])  # that each side's machine thought
    opinion: dict[str, Any] | None = None


Write = tuple[str, Sequence[Any], "Future[None]"]


class LiveStore:
    """The file of live games; `None` keeps them in memory only."""

    def __init__(self, path: Path | None) -> None:
        self._name = str(path) if path is not None else ":memory:"
        self._connection = _open(self._name)
        self._lock = threading.Lock()  # SQLite's connection is used by one thread at a time
        self._writes: SimpleQueue[Write | None] = SimpleQueue()
        self._thread = threading.Thread(target=self._write_all, name="live-store", daemon=True)
        self._thread.start()

    async def save(self, game: StoredGame) -> None:
        """When this returns, the game is on the disk."""
        row = (game.id, datetime.now(UTC).isoformat(), json.dumps(vars(game)))
        await self._put("INSERT OR REPLACE INTO live_games VALUES (?, ?, ?)", row)

    async def note_log(self, identity: str, version: int, log: str) -> None:
        """A game is in the log by now; one that has gone on since this version stays as it is."""
        statement = (
            "UPDATE live_games SET content = json_set(content, '$.log', ?)"
            " WHERE id = ? AND json_extract(content, '$.version') = ?"
        )
        await self._put(statement, (log, identity, version))

    async def _put(self, statement: str, row: Sequence[Any]) -> None:
        written: Future[None] = Future()
        self._writes.put((statement, row, written))
        await asyncio.wrap_future(written)

    def load(self, identity: str) -> StoredGame | None:
        with self._lock:
            row = self._connection.execute("SELECT content FROM live_games WHERE id = ?", (identity,)).fetchone()
        return None if row is None else StoredGame(**json.loads(row[0]))

    def newest_unlogged(self, most: int) -> list[StoredGame]:
        """Those that were changed last and are not in the log, whether over or not."""
        statement = "SELECT content FROM live_games WHERE json_extract(content, '$.log') IS NULL ORDER BY changed DESC LIMIT ?"
        with self._lock:
            rows = self._connection.execute(statement, (most,)).fetchall()
        return [StoredGame(**json.loads(row[0])) for row in rows]

    def close(self) -> None:
        self._writes.put(None)
        self._thread.join(timeout=10)
        self._connection.close()

    def _write_all(self) -> None:
        while (first := self._writes.get()) is not None:
            batch, ending = [first], False
            while not self._writes.empty():
                write = self._writes.get()
                if write is None:
                    ending = True
                    break
                batch.append(write)
            self._write(batch)
            if ending:
                return

    def _write(self, batch: list[Write]) -> None:
        try:
            with self._lock, self._connection:
                for statement, row, _ in batch:
                    self._connection.execute(statement, row)
        except sqlite3.Error as error:
            refusal = BadInput(f"The game could not be kept on the disk: {error}.")
            for _, _, written in batch:
                if written.set_running_or_notify_cancel():
                    written.set_exception(refusal)
            return
        for _, _, written in batch:
            if written.set_running_or_notify_cancel():
                written.set_result(None)


def _open(name: str) -> sqlite3.Connection:
    try:
        connection = sqlite3.connect(name, check_same_thread=False)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        connection.executescript(SCHEMA)
        oldest = datetime.now(UTC) - timedelta(days=KEPT_DAYS)
        with connection:
            connection.execute("DELETE FROM live_games WHERE changed < ?", (oldest.isoformat(),))
    except sqlite3.Error as error:
        raise BadInput(f"Live games cannot be kept in '{name}': {error}.") from None
    return connection
