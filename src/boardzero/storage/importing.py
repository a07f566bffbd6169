"""Games from files, into the database."""

from collections.abc import Iterable
from dataclasses import replace

from sqlalchemy import Connection, Table, select

from boardzero.storage.database import Database
from boardzero.storage.entries import StoredGame, game_entry
from boardzero.storage.log import Say, store_rows
from boardzero.storage.tables import matches, runs

AT_ONCE = 1000


def import_games(database: Database, games: Iterable[StoredGame], say: Say) -> int:
    """Write the games that the log does not have yet; how many those were. say: hears of each that the database refuses."""
    added, some = 0, []
    for game in games:
        some.append(game)
        if len(some) == AT_ONCE:
            added += _write(database, some, say)
            some = []
    return added + _write(database, some, say)


def _write(database: Database, games: list[StoredGame], say: Say) -> int:
    with database.reading() as connection:
        known_runs = _known(connection, runs, {game.run for game in games})
        known_matches = _known(connection, matches, {game.match for game in games})
    settled = (
        replace(
            game,
            run=game.run if game.run in known_runs else None,
            match=game.match if game.match in known_matches else None,
        )
        for game in games
    )
    return store_rows(database, [game_entry(game) for game in settled], say)


def _known(connection: Connection, table: Table, ids: set[str | None]) -> set[str]:
    """Which of the ids the database has: what another log knows of runs and matches does not come with the games."""
    return set(connection.execute(select(table.c.id).where(table.c.id.in_(ids - {None}))).scalars())
