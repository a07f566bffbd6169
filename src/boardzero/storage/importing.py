"""Games from files, into the database."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

from sqlalchemy import Connection, Table, select

from boardzero.storage.database import Database
from boardzero.storage.entries import StoredGame, game_entry, game_from_row, id_of_record
from boardzero.storage.log import Say, store_rows
from boardzero.storage.tables import games, matches, runs

AT_ONCE = 1000


class LoggedGames:
    """Games that come without ids may be in the log under others, because it logged them itself.

    What the log holds of a moment is read once, when the first game of that moment comes: of many games a file tells only the
    day.
    """

    def __init__(self) -> None:
        self._read: set[str] = {""}  # moments; two games of unknown days are two games
        self._copies: Counter[str] = Counter()  # how often the log has a game, by its `id_of_record`
        self._ids: set[str] = set()  # that the games of the log would have, if they came from files

    def among(self, connection: Connection, found: list[StoredGame]) -> set[str]:
        """The ids of those games that the log has."""
        moments = {game.record.ended for game in found if game.id == id_of_record(game.record)} - self._read
        if moments:
            self._read |= moments
            for row in connection.execute(select(games).where(games.c.ended.in_(moments))):
                record = game_from_row(row).record
                known = id_of_record(record)
                self._copies[known] += 1
                self._ids.add(id_of_record(record, self._copies[known]))
        return {game.id for game in found} & self._ids


def import_games(database: Database, found: Iterable[StoredGame], say: Say) -> int:
    """Write the games that the log does not have yet; how many those were. say: hears of each that the database refuses."""
    added, some, logged = 0, [], LoggedGames()
    for game in found:
        some.append(game)
        if len(some) == AT_ONCE:
            added += _write(database, some, logged, say)
            some = []
    return added + _write(database, some, logged, say)


def _write(database: Database, found: list[StoredGame], logged: LoggedGames, say: Say) -> int:
    with database.reading() as connection:
        known_runs = _known(connection, runs, {game.run for game in found})
        known_matches = _known(connection, matches, {game.match for game in found})
        there = logged.among(connection, found)
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


def _known(connection: Connection, table: Table, ids: set[str | None]) -> set[str]:
    """Which of the ids the database has: what another log knows of runs and matches does not come with the games."""
    return set(connection.execute(select(table.c.id).where(table.c.id.in_(ids - {None}))).scalars())
