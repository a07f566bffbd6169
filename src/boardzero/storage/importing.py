"""Games from files, into the database."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

from sqlalchemy import Connection, Table, select

from boardzero.events.games import GameRecord
from boardzero.storage.database import Database
from boardzero.storage.entries import StoredGame, game_entry, id_of_record
from boardzero.storage.log import Say, store_rows
from boardzero.storage.tables import games, matches, runs

AT_ONCE = 1000


def import_games(database: Database, found: Iterable[StoredGame], say: Say) -> int:
    """Write the games that the log does not have yet; how many those were. say: hears of each that the database refuses."""
    added, some = 0, []
    for game in found:
        some.append(game)
        if len(some) == AT_ONCE:
            added += _write(database, some, say)
            some = []
    return added + _write(database, some, say)


def _write(database: Database, found: list[StoredGame], say: Say) -> int:
    with database.reading() as connection:
        known_runs = _known(connection, runs, {game.run for game in found})
        known_matches = _known(connection, matches, {game.match for game in found})
        there = _there_already(connection, found)
    settled = (
        replace(
            game,
            run=game.run if game.run in known_runs else None,
            match=game.match if game.match in known_matches else None,
        )
        for game in found
        if game.id not in there
    )
    return store_rows(database, [game_entry(game) for game in settled], say)


def _there_already(connection: Connection, found: list[StoredGame]) -> set[str]:
    """Ids of games from files without ids that the log has under another one, because it logged them itself."""
    moments = {game.record.ended for game in found if game.id == id_of_record(game.record)} - {""}
    columns = (games.c.game, games.c.start, games.c.moves, games.c.first, games.c.second, games.c.result, games.c.ended)
    logged = Counter(tuple(row) for row in connection.execute(select(*columns).where(games.c.ended.in_(moments))))
    copies: Counter[tuple[str, ...]] = Counter()
    there = set()
    for game in found:
        likeness = _likeness(game.record)
        copies[likeness] += 1
        if copies[likeness] <= logged[likeness] and game.id == id_of_record(game.record, copies[likeness]):
            there.add(game.id)
    return there


def _likeness(record: GameRecord) -> tuple[str, ...]:
    """What two games have in common that are the same."""
    return (record.game, record.start, record.moves, *record.players, record.result, record.ended)


def _known(connection: Connection, table: Table, ids: set[str | None]) -> set[str]:
    """Which of the ids the database has: what another log knows of runs and matches does not come with the games."""
    return set(connection.execute(select(table.c.id).where(table.c.id.in_(ids - {None}))).scalars())
