"""The version of the tables in a database, and how an older one is brought up to date."""

import re
from pathlib import Path

from sqlalchemy import Connection, Engine, inspect, text

from boardzero.errors import BadInput
from boardzero.storage.tables import metadata

VERSIONS = ("0001", "0002", "0003")  # of migrations/versions
NEWEST = VERSIONS[-1]
AS_GOOD = ("0002", NEWEST)  # versions with the same columns: who has no right to change the tables may use these, if slowly
MIGRATIONS = Path(__file__).parent / "migrations"
LOCK_NUMBER = 7_221_630_115  # of the lock that migrating processes wait for each other with, in PostgreSQL
VERSION_TABLE = "alembic_version"
WRITING = "writing"  # the option of connections that write, so that SQLite's take their turn at once


def bring_up_to_date(engine: Engine, target: str = NEWEST) -> None:
    """Make or change the tables, if they are not the newest already; of several processes one does it, the others wait."""
    with engine.connect() as connection:
        if version_of(connection) == target:
            return
    with engine.execution_options(**{WRITING: True}).begin() as connection:  # SQLite: the only writer from here on
        if connection.dialect.name == "postgresql":
            connection.execute(text("set local statement_timeout = 0"))  # indexes of a large log take their time
            connection.execute(text("select pg_advisory_xact_lock(:number)"), {"number": LOCK_NUMBER})
        found = version_of(connection)
        _refuse_others(connection, found)
        if found != target:
            _migrate(connection, target)


def version_of(connection: Connection) -> str | None:
    """None for a database without boardzero's tables."""
    if not inspect(connection).has_table(VERSION_TABLE):
        return None
    return connection.execute(text(f"select version_num from {VERSION_TABLE}")).scalar()


def _refuse_others(connection: Connection, found: str | None) -> None:
    """Nothing is changed in what a newer program, or another one, has made."""
    if found is None:
        theirs = sorted(set(inspect(connection).get_table_names()) & {*metadata.tables, VERSION_TABLE})
        if theirs:
            raise BadInput(f"The database belongs to another program (it has a table '{theirs[0]}'); name another one.")
    elif re.fullmatch(r"\d{4}", found) and found > NEWEST:
        raise BadInput(
            f"The database was written by a newer boardzero (its tables have version {found});"
            f" this one knows versions up to {NEWEST}."
        )
    elif found not in VERSIONS:
        raise BadInput(f"The database belongs to another program (its tables have version '{found}'); name another one.")


def _migrate(connection: Connection, target: str) -> None:
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    config.attributes["connection"] = connection
    command.upgrade(config, target)
