"""A database from its URL, set up for several writers at once; what is wrong with it becomes one sentence."""

import re
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Connection, Engine, create_engine, event, make_url
from sqlalchemy.exc import ArgumentError, DataError, DBAPIError, IntegrityError, SQLAlchemyError

from boardzero.errors import BadInput
from boardzero.storage.schema import WRITING, bring_up_to_date

BUSY_SECONDS = 30  # how long a writer waits for the others in SQLite
CONNECT_SECONDS = 5  # how long a server may take to answer at first
STATEMENT_SECONDS = 60  # … and to do one thing
ALLOWED = "a file (games.sqlite), sqlite:///FILE or postgresql://USER:PASSWORD@HOST/DATABASE"


class DatabaseDown(Exception):
    """The database does not answer; its message is what was said, without a full stop."""


class RowsRefused(Exception):
    """The database answers, but will not take these rows."""


class Database:
    """The tables of one database, in the newest version once `prepare` has been called."""

    def __init__(self, text: str) -> None:
        """`text`: a URL, or the path of a SQLite file; one that can never work is refused (BadInput), nothing is opened."""
        self.url = parse_url(text)
        self.is_sqlite = self.url.get_backend_name() == "sqlite"
        self.name = str(self.url.database) if self.is_sqlite else _shown(self.url)
        self.engine = _make_engine(self.url)
        self._ready = False

    def prepare(self) -> None:
        """Bring the tables up to date; raises DatabaseDown, or BadInput where trying again later would not help."""
        if not self._ready:
            with self.errors_said():
                bring_up_to_date(self.engine)
            self._ready = True

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        self.prepare()
        with self.errors_said(), self.engine.connect() as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """One transaction: all of it is there afterwards, or nothing."""
        self.prepare()
        with self.errors_said(), self.engine.execution_options(**{WRITING: True}).begin() as connection:
            yield connection

    def close(self) -> None:
        self.engine.dispose()

    @contextmanager
    def errors_said(self) -> Iterator[None]:
        """What the database driver raises inside becomes DatabaseDown or BadInput."""
        try:
            yield
        except (DataError, IntegrityError) as error:
            raise RowsRefused(_what_was_said(error)) from error
        except SQLAlchemyError as error:
            said = _what_was_said(error)
            if _is_refusal(said):
                raise BadInput(f"The database '{self.name}' cannot be used: {said}.") from None
            raise DatabaseDown(said) from error


def parse_url(text: str) -> URL:
    """A URL; a text without `://` is the path of a SQLite file."""
    if not text.strip():
        raise BadInput(f"The database has no name; it is {ALLOWED}.")
    if "://" not in text:
        return _file_url(text)
    try:
        url = make_url(re.sub(r"^postgres(ql)?://", "postgresql+psycopg://", text))
    except (ArgumentError, ValueError):
        raise BadInput(f"'{_without_password(text)}' is not the URL of a database; it is {ALLOWED}.") from None
    if url.drivername in ("sqlite", "sqlite+pysqlite"):
        return _file_url(url.database or "")
    if url.drivername != "postgresql+psycopg":
        raise BadInput(f"'{url.drivername}' is not a database that boardzero writes to; it takes {ALLOWED}.")
    if not url.database:
        raise BadInput(f"'{_shown(url)}' names no database; it is {ALLOWED}.")
    return url


def _file_url(path: str) -> URL:
    if path in ("", ":memory:"):
        raise BadInput("A database in memory would be lost at once; name a file.")
    file = Path(path).expanduser().absolute()
    if file.is_dir():
        raise BadInput(f"The database '{path}' is a folder; name a file.")
    try:
        with file.open("rb") as opened:
            beginning = opened.read(16)
    except FileNotFoundError:
        beginning = b""
        if not file.parent.is_dir():
            raise BadInput(f"The database '{path}' cannot be made: there is no folder '{file.parent}'.") from None
    except OSError as error:
        raise BadInput(f"The database '{path}' cannot be read: {error.strerror or error}.") from None
    if beginning and beginning != b"SQLite format 3\x00":
        raise BadInput(f"'{path}' is not a SQLite database; name another file.")
    return URL.create("sqlite", database=str(file))


def _make_engine(url: URL) -> Engine:
    if url.get_backend_name() == "sqlite":
        engine = create_engine(url, connect_args={"timeout": BUSY_SECONDS, "isolation_level": None})
        event.listen(engine, "connect", _set_up_sqlite)
        event.listen(engine, "begin", _begin_in_sqlite)
        return engine
    patience = {
        "connect_timeout": CONNECT_SECONDS,
        "tcp_user_timeout": 1000 * STATEMENT_SECONDS,
        "options": f"-c statement_timeout={1000 * STATEMENT_SECONDS}",
    }
    try:
        return create_engine(url, pool_pre_ping=True, connect_args=patience)
    except ModuleNotFoundError:
        raise BadInput("PostgreSQL needs a driver: pip install 'boardzero[postgres]'.") from None


def _set_up_sqlite(connection: Any, _: Any) -> None:
    """Readers and one writer at a time, who do not block each other; a commit survives a killed process."""
    cursor = connection.cursor()
    cursor.execute(f"pragma busy_timeout={1000 * BUSY_SECONDS}")
    for setting in ("journal_mode=wal", "synchronous=normal", "foreign_keys=on"):
        cursor.execute(f"pragma {setting}")
    cursor.close()


def _begin_in_sqlite(connection: Connection) -> None:
    """A writer waits for its turn before it reads, so that it never has to give up in the middle."""
    writing = connection.get_execution_options().get(WRITING, False)
    connection.exec_driver_sql("begin immediate" if writing else "begin")


def _what_was_said(error: SQLAlchemyError) -> str:
    """The driver's own words, on one line, without a full stop."""
    original = error.orig if isinstance(error, DBAPIError) and error.orig is not None else error
    if isinstance(original, sqlite3.Error):
        return str(original)
    lines = [line.strip() for line in str(original).strip().splitlines() if line.strip()]
    return (lines[0] if lines else type(original).__name__).rstrip(".")


def _is_refusal(said: str) -> bool:
    """Did the database answer that it will not have us, so that waiting is no use?"""
    waiting = ("starting up", "shutting down", "too many", "in recovery", "terminating connection")
    refused_by_server = "FATAL:" in said and not any(reason in said for reason in waiting)
    not_a_database = "file is not a database" in said or "permission denied" in said or "readonly database" in said
    return refused_by_server or not_a_database or "failed to resolve host" in said


def _shown(url: URL) -> str:
    return url.set(drivername="postgresql").render_as_string(hide_password=True)


def _without_password(text: str) -> str:
    return re.sub(r"(://[^:/@]*):[^@]*@", r"\1:***@", text)
