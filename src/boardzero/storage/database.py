"""A database from its URL, set up for several writers at once; what is wrong with it becomes one sentence."""

import os
import re
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

from sqlalchemy import URL, Connection, Engine, create_engine, event, false, make_url, select
from sqlalchemy.exc import ArgumentError, DataError, DBAPIError, IntegrityError, SQLAlchemyError

from boardzero.errors import BadInput
from boardzero.storage.schema import AS_GOOD, WRITING, bring_up_to_date, version_of
from boardzero.storage.tables import games

BUSY_SECONDS = 30  # how long a writer waits for the others in SQLite
CONNECT_SECONDS = 5  # how long a server may take to answer at first
STATEMENT_SECONDS = 60  # … and to do one thing
REFUSALS = (  # drivers have no codes for these that both have
    *("file is not a database", "unable to open database file", "disk image is malformed", "readonly database"),
    *("permission denied", "must be owner", "read-only transaction", "failed to resolve host", "invalid ", "bad value for"),
)
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
        self._file: tuple[int, int] | None = None  # that the connections have open, of SQLite

    def prepare(self) -> None:
        """Bring the tables up to date; raises DatabaseDown, or BadInput where trying again later would not help."""
        if self._ready and self._identity() != self._file:  # deleted or replaced: what is open leads to nowhere
            self.engine.dispose()
            self._ready = False
        if not self._ready:
            try:
                with self.errors_said():
                    bring_up_to_date(self.engine)
            except BadInput:
                if not self._is_as_good():
                    raise
            self._ready, self._file = True, self._identity()

    def _is_as_good(self) -> bool:
        """Could somebody with more rights than we have bring the tables up to date, and do we need nothing of it?"""
        with self.errors_said(), self.engine.connect() as connection:
            return version_of(connection) in AS_GOOD

    def prepare_writing(self) -> None:
        """The same, for those who are going to write: they hear now if they may not (BadInput)."""
        with self.writing() as connection:
            connection.execute(games.insert().from_select(games.columns.keys(), select(games).where(false())))

    def _identity(self) -> tuple[int, int] | None:
        """Of the file that has the database's name now."""
        if not self.is_sqlite:
            return None
        try:
            found = os.stat(self.name)
        except OSError:
            return None
        return found.st_dev, found.st_ino

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """What cannot be asked (a number, or a character, that no database holds) is refused (BadInput)."""
        self.prepare()
        try:
            with self.errors_said(), self.engine.connect() as connection:
                yield connection
        except (RowsRefused, OverflowError, UnicodeEncodeError) as error:
            raise BadInput(f"The database '{self.name}' cannot be asked this: {' '.join(str(error).split())}.") from None

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
            if _is_too_long(error):
                raise RowsRefused(said) from error
            self._ready = False  # whatever answers next time may be another database, without tables
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
    try:
        file = Path(path).expanduser().absolute()
        if file.is_dir():
            raise BadInput(f"The database '{path}' is a folder; name a file.")
        if not file.exists():
            beginning = b""
            if not file.parent.is_dir():
                raise BadInput(f"The database '{path}' cannot be made: there is no folder '{file.parent}'.")
        elif not file.is_file():
            raise BadInput(f"The database '{path}' is not a file.")
        else:
            with file.open("rb") as opened:
                beginning = opened.read(16)
    except (OSError, RuntimeError) as error:  # it may not be read, its name is too long, ~ is nobody's home, …
        said = getattr(error, "strerror", None) or str(error).rstrip(".")
        raise BadInput(f"The database '{path}' cannot be read: {said}.") from None
    if beginning and beginning != b"SQLite format 3\x00":
        raise BadInput(f"'{path}' is not a SQLite database; name another file.")
    return URL.create("sqlite", database=str(file))


def _make_engine(url: URL) -> Engine:
    if url.get_backend_name() == "sqlite":
        only_read = _may_only_be_read(Path(str(url.database)))
        opened = _to_be_read(Path(str(url.database))) if only_read else url
        engine = create_engine(opened, connect_args={"timeout": BUSY_SECONDS, "isolation_level": None})
        event.listen(engine, "connect", _set_up_sqlite)
        if not only_read:
            event.listen(engine, "connect", _set_up_writing_in_sqlite)
        event.listen(engine, "begin", _begin_in_sqlite)
        return engine
    patience = {"connect_timeout": CONNECT_SECONDS, "tcp_user_timeout": 1000 * STATEMENT_SECONDS}
    unsaid = {name: value for name, value in patience.items() if name not in url.query}  # the URL's own words count
    try:
        engine = create_engine(url, pool_pre_ping=True, connect_args=unsaid)
    except ModuleNotFoundError:
        raise BadInput("PostgreSQL needs a driver: pip install 'boardzero[postgres]'.") from None
    event.listen(engine, "connect", _set_up_postgresql)
    return engine


def _may_only_be_read(file: Path) -> bool:
    return file.exists() and not (os.access(file, os.W_OK) and os.access(file.parent, os.W_OK))


def _to_be_read(file: Path) -> URL:
    """Somebody else's log, or one on a medium that cannot be written; where nobody is writing, it needs no files beside it."""
    untouched = {} if Path(f"{file}-wal").exists() else {"immutable": "1"}
    return URL.create("sqlite", database=f"file:{quote(str(file))}", query={"mode": "ro", "uri": "true", **untouched})


def _set_up_sqlite(connection: Any, _: Any) -> None:
    """Patient, and with patterns that tell small letters from capitals, as PostgreSQL's do."""
    for setting in (f"busy_timeout={round(1000 * BUSY_SECONDS)}", "case_sensitive_like=on"):
        connection.execute(f"pragma {setting}")


def _set_up_writing_in_sqlite(connection: Any, _: Any) -> None:
    """Readers and one writer at a time, who do not block each other; a commit survives a power failure."""
    for setting in ("journal_mode=wal", "synchronous=full", "foreign_keys=on"):
        connection.execute(f"pragma {setting}")


def _set_up_postgresql(connection: Any, _: Any) -> None:
    """Not among the connection's options, which are the URL's to say, and which a pool in between may not know."""
    connection.execute(f"set statement_timeout = {1000 * STATEMENT_SECONDS}")
    connection.commit()


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


def _is_too_long(error: SQLAlchemyError) -> bool:
    """Is it about a value for which PostgreSQL's indexes have no room? It counts that among its troubles, not the row's."""
    return str(getattr(getattr(error, "orig", None), "sqlstate", "")) == "54000"  # program_limit_exceeded


def _is_refusal(said: str) -> bool:
    """Did the database answer that it will not have us, so that waiting is no use?"""
    waiting = ("starting up", "shutting down", "too many", "in recovery", "terminating connection")
    refused_by_server = "FATAL:" in said and not any(reason in said for reason in waiting)
    return refused_by_server or any(reason in said for reason in REFUSALS)


def _shown(url: URL) -> str:
    return url.set(drivername="postgresql").render_as_string(hide_password=True)


def _without_password(text: str) -> str:
    return re.sub(r"(://[^:/@]*):[^@]*@", r"\1:***@", text)
