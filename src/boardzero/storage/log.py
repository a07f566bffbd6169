"""The log as those who play see it: give it rows and go on; it writes them beside the work, now or when the database answers.

with GameLog("postgresql://localhost/boardzero", print) as log:
    log.write([entry])
"""

import queue
import threading
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from types import TracebackType

from boardzero.errors import BadInput
from boardzero.storage.database import Database, DatabaseDown, RowsRefused
from boardzero.storage.entries import Entry, write_entries
from boardzero.storage.places import data_folder
from boardzero.storage.spool import Spool

RETRY_SECONDS = 10.0  # between two attempts to reach a database that does not answer
GATHER_SECONDS = 0.05  # rows that come within this time are written together
CLOSE_SECONDS = 90.0  # how long the end waits for the database, before what is left is kept on disk

Say = Callable[[str], None]


class GameLog:
    """Writes rows in a thread of its own. A database that does not answer costs the work nothing, and no row."""

    def __init__(
        self,
        database: str,
        say: Say,
        *,
        retry_seconds: float = RETRY_SECONDS,
        folder: Path | None = None,
        patient: bool = False,
    ) -> None:
        """say: hears a sentence when the database stops answering, and when it answers again.

        A database that can never work (a bad URL, a wrong password) is refused at once (BadInput). patient: games have been
        played already, so one that will not have us, whatever the reason, is only one that does not answer.
        """
        self.database = Database(database)
        self._say, self._retry_seconds = say, retry_seconds
        self._spool = Spool(folder or data_folder(), self.database.name)
        self._rows: queue.SimpleQueue[Entry | threading.Event | None] = queue.SimpleQueue()
        self._pending: list[Entry] = []  # taken from the queue, and neither in the database nor on disk yet
        self._down_until: float | None = None  # the moment of the next attempt, while the database does not answer
        try:
            self.database.prepare_writing()
            self._spool.empty_into(self._write)
        except (DatabaseDown, BadInput) as error:
            if isinstance(error, BadInput) and not patient:
                raise
            self._tell_down(error)
        self._thread = threading.Thread(target=self._work, name="game log", daemon=True)
        self._thread.start()

    def __enter__(self) -> "GameLog":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def write(self, entries: Iterable[Entry]) -> None:
        """Take rows; they are in the database, or on disk, within a moment."""
        for entry in entries:
            self._rows.put(entry)

    def flush(self) -> None:
        """Wait until all that was given is in the database, or on disk."""
        done = threading.Event()
        self._rows.put(done)
        done.wait()

    def close(self) -> None:
        """The same, then let go of the database."""
        self._rows.put(None)
        self._thread.join(CLOSE_SECONDS)
        if self._thread.is_alive():  # the database hangs; should it still take these rows, they are the same rows
            self._keep([*self._pending, *self._left()])
        self._spool.close()
        self.database.close()

    def _left(self) -> list[Entry]:
        """What nobody has taken from the queue."""
        left: list[Entry] = []
        while not self._rows.empty():
            item = self._rows.get()
            if isinstance(item, Entry):
                left.append(item)
        return left

    # -- in the thread -------------------------------------------------------------------------------------------------
    def _work(self) -> None:
        going_on = True
        while going_on:
            waiters, going_on = self._gather()
            try:
                self._store()
            except Exception as error:  # a fault of the program: it is shown, and nobody waits for ever
                threading.excepthook(threading.ExceptHookArgs((type(error), error, error.__traceback__, self._thread)))
            finally:
                for waiter in waiters:
                    waiter.set()

    def _gather(self) -> tuple[list[threading.Event], bool]:
        """Wait for rows, at most until the next attempt is due; who waits for them, and whether there may be more."""
        waiters: list[threading.Event] = []
        patience = None if self._down_until is None else max(0.0, self._down_until - time.monotonic())
        try:
            item = self._rows.get(timeout=patience)
            until = time.monotonic() + GATHER_SECONDS
            while True:
                if item is None:
                    return waiters, False
                if isinstance(item, Entry):
                    self._pending.append(item)
                else:
                    waiters.append(item)
                    until = 0.0
                item = self._rows.get(timeout=max(0.0, until - time.monotonic()))
        except queue.Empty:
            return waiters, True

    def _store(self) -> None:
        """Bring what is pending into the database; or to disk, while the database does not answer or anything else fails."""
        try:
            if self._down_until is not None and time.monotonic() < self._down_until:
                self._keep(self._pending)
                return
            if self._down_until is not None:
                self._tell_up(self._spool.empty_into(self._write))
            if self._pending:
                self._write(self._pending)
        except Exception as error:
            self._keep(self._pending)
            self._tell_down(error)
            if not isinstance(error, DatabaseDown | BadInput):
                raise
        finally:
            self._pending = []

    def _write(self, entries: list[Entry]) -> int:
        return store_rows(self.database, entries, self._say)

    def _keep(self, entries: list[Entry]) -> None:
        if not entries:
            return
        try:
            self._spool.append(entries)
        except (OSError, TypeError, ValueError) as error:  # the disk, or a row that is no JSON
            said = getattr(error, "strerror", None) or error
            self._say(f"{len(entries)} rows for the game log are lost: they cannot be kept on disk ({said}).")

    def _tell_down(self, error: Exception) -> None:
        if self._down_until is None:
            said = str(error).rstrip(".")
            self._say(
                f"The game log '{self.database.name}' does not answer ({said}); games are kept in '{self._spool.folder}'"
                " and written when it answers again."
            )
        self._down_until = time.monotonic() + self._retry_seconds

    def _tell_up(self, written: int) -> None:
        self._down_until = None
        self._say(f"The game log '{self.database.name}' answers again; {written} rows that were kept meanwhile were written.")


def store_rows(database: Database, entries: list[Entry], say: Say) -> int:
    """Write rows in one transaction; how many were new. Rows that the database will not take do not keep the others out."""
    try:
        with database.writing() as connection:
            return write_entries(connection, entries)
    except RowsRefused as error:
        if len(entries) > 1:
            return sum(store_rows(database, [entry], say) for entry in entries)
        say(f"The game log '{database.name}' refused a row of {entries[0].table}: {error}.")
        return 0
