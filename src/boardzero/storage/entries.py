"""Rows on their way into the database: plain values with an id of their own, so that writing twice is writing once."""

import getpass
import hashlib
import math
import platform
import re
import time
import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from typing import Any

from sqlalchemy import Connection, Table
from sqlalchemy.dialects import postgresql, sqlite

from boardzero.events.games import GameRecord
from boardzero.storage import tables

TABLES: dict[str, Table] = {table.name: table for table in tables.metadata.sorted_tables}  # what is referred to comes first

REPEATED = ("generations", "evaluations")  # tables of what a run that was stopped may do once more


@dataclass(frozen=True)
class Entry:
    """One row; its values can be written as JSON."""

    table: str
    values: dict[str, Any]


@dataclass(frozen=True)
class StoredGame:
    """A game in the log: the record, and how it came there."""

    id: str
    record: GameRecord
    source: str = "import"
    match: str | None = None
    number: int | None = None
    run: str | None = None
    generation: int | None = None
    who: str = ""


def new_id() -> str:
    return uuid.uuid4().hex


def id_of(*parts: object) -> str:
    """The same for the same parts, different from all others."""
    return hashlib.sha256("\0".join(map(str, parts)).encode()).hexdigest()[:32]


def is_id(text: str) -> bool:
    """Is it one that `new_id` or `id_of` made?"""
    return re.fullmatch(r"[0-9a-f]{32}", text) is not None


def id_of_record(record: GameRecord, copy: int = 1) -> str:
    """For games from files, which have no id: the same game again is the same row. copy: the how manieth in its file it is."""
    found = id_of("record", record.game, record.start, record.moves, record.result, record.ended, *record.players)
    return found if copy == 1 else id_of(found, copy)


def now() -> str:
    return moment(time.time())


def moment(seconds: float) -> str:
    """Seconds since 1970 as the log writes them."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


@cache
def who() -> str:
    """user@machine"""
    try:
        user = getpass.getuser()
    except (OSError, KeyError):
        user = "somebody"
    return f"{user}@{platform.node()}"


def clean_text(text: str) -> str:
    """Without what some database cannot hold: zero bytes, and halves of characters."""
    return text.replace("\0", "").encode(errors="replace").decode()


def storable(value: Any) -> Any:
    """The same for all that is in a value, which may be JSON; numbers that are none become None."""
    match value:
        case str():
            return clean_text(value)
        case float() if not math.isfinite(value):
            return None
        case dict():
            return {storable(key): storable(part) for key, part in value.items()}
        case list() | tuple():
            return [storable(part) for part in value]
    return value


def game_entry(game: StoredGame) -> Entry:
    record = game.record
    values = {
        "id": game.id,
        "game": record.game,
        "first": record.players[0],
        "second": record.players[1],
        "result": record.result,
        "reason": record.reason,
        "source": game.source,
        "plies": record.plies,
        "opening": record.opening,
        "seconds_first": record.seconds[0],
        "seconds_second": record.seconds[1],
        "ended": record.ended,
        "match": game.match,
        "number": game.number,
        "run": game.run,
        "generation": game.generation,
        "start": record.start,
        "moves": record.moves,
        "remark": record.remark,
        "who": game.who,
    }
    return Entry("games", values)


def game_from_row(row: Any) -> StoredGame:
    """A row of the table of games, or anything with its columns as attributes."""
    record = GameRecord(
        game=row.game,
        players=(row.first, row.second),
        start=row.start,
        moves=row.moves,
        opening=row.opening,
        plies=row.plies,
        result=row.result,
        reason=row.reason,
        seconds=(row.seconds_first, row.seconds_second),
        ended=row.ended,
        remark=row.remark,
    )
    return StoredGame(row.id, record, row.source, row.match, row.number, row.run, row.generation, row.who)


def write_entries(connection: Connection, entries: Iterable[Entry]) -> int:
    """Insert the rows that are not there yet; how many were new. Rows that others refer to go first.

    What a resumed run did again (a generation, an evaluation) is as it went the last time.
    """
    by_table: dict[str, list[dict[str, Any]]] = {}
    for entry in entries:
        by_table.setdefault(entry.table, []).append(entry.values)
    return sum(_insert(connection, TABLES[name], by_table[name]) for name in TABLES if name in by_table)


def _insert(connection: Connection, table: Table, rows: Sequence[dict[str, Any]]) -> int:
    insert = sqlite.insert if connection.dialect.name == "sqlite" else postgresql.insert
    names = [column.name for column in table.columns]
    statement = insert(table)
    if table.name in REPEATED:
        newer = statement.excluded.ended >= table.c.ended if "ended" in names else None
        statement = statement.on_conflict_do_update(
            index_elements=list(table.primary_key), set_={name: statement.excluded[name] for name in names}, where=newer
        )
    else:
        statement = statement.on_conflict_do_nothing()
    complete = [{name: storable(row.get(name)) for name in names} for row in rows]
    return connection.execute(statement.execution_options(preserve_rowcount=True), complete).rowcount
