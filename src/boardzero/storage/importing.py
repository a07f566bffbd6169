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
    """The log as files see it: formats without ids bring games that are there under others, and the other way round.

    Two games that boardzero gave different ids are two games, however equal. One that comes without an id, or that came so
    before, is known by its content; each such game stands for one of the others only, for the same may be played twice. What
    the log holds of a moment is read once, when the first game of that moment comes: of many games a file tells only the day.
    """

    def __init__(self) -> None:
        self._read: set[str] = {""}  # moments; two games of unknown days are two games
        self._ids: set[str] = set()  # of the games in the log, and those that they would have, if they came without ids
        self._copies: Counter[str] = Counter()  # how often the log has a game, by its `id_of_record`
        self._nameless: Counter[str] = Counter()  # how many of these came without ids, and stand for no other yet

    def add(self, connection: Connection, found: list[StoredGame]) -> list[StoredGame]:
        """Those of the games that the log does not have; from now on it has them."""
        moments = {game.record.ended for game in found} - self._read
        if moments:
            self._read |= moments
            statement = select(games).where(games.c.ended.in_(moments))
            self._take([game_from_row(row) for row in connection.execute(statement)])
        return [game for game in found if self._is_new(game)]

    def _take(self, logged: list[StoredGame]) -> None:
        """Games that are in the log: all that it has of some moments, or one more."""
        own = {game.id for game in logged}
        self._ids |= own
        for game in logged:
            content = id_of_record(game.record)
            self._copies[content] += 1
            without_id = id_of_record(game.record, self._copies[content])
            self._nameless[content] += without_id in own
            self._ids.add(without_id)

    def _is_new(self, game: StoredGame) -> bool:
        if game.id in self._ids:
            return False
        content = id_of_record(game.record)
        has_id = game.id != id_of_record(game.record, self._copies[content] + 1)
        if has_id and self._nameless[content]:
            self._nameless[content] -= 1
            self._ids.add(game.id)
            return False
        if game.record.ended:
            self._take([game])
        return True


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
        new = logged.add(connection, found)
    settled = (
        replace(
            game,
            run=game.run if game.run in known_runs else None,
            match=game.match if game.match in known_matches else None,
        )
        for game in new
    )
    return store_rows(database, [game_entry(game) for game in settled], say)


def _known(connection: Connection, table: Table, ids: set[str | None]) -> set[str]:
    """Which of the ids the database has: what another log knows of runs and matches does not come with the games."""
    return set(connection.execute(select(table.c.id).where(table.c.id.in_(ids - {None}))).scalars())
