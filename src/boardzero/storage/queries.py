"""What is asked of the log: lists with filters, one game by its id, what a match came to."""

import re
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, Table, and_, case, func, or_, select, true

from boardzero.errors import BadInput
from boardzero.storage.entries import StoredGame, game_from_row
from boardzero.storage.tables import evaluations, games, generations, matches, ratings, runs

RESULTS = ("first", "second", "draw", "unfinished")
WINS = ("won", "lost")  # of the player that is asked for
DATE = re.compile(r"\d{4}(-(0[1-9]|1[0-2])(-(0[1-9]|[12]\d|3[01])(T\d\d:\d\d(:\d\d)?Z?)?)?)?", re.ASCII)
LAST = "~"  # sorts behind every digit and letter


@dataclass(frozen=True)
class GameFilter:
    """Which games; what is None does not matter. `*` stands for anything in names, and `mcts` for every `mcts:…`."""

    game: str | None = None
    player: str | None = None  # on either side
    first: str | None = None
    second: str | None = None
    result: str | None = None  # first, second, draw, unfinished; with a player also won, lost
    source: str | None = None
    since: str | None = None  # a day, a month, a year or a moment: this one and later
    until: str | None = None  # … and earlier, the whole day or year included
    shortest: int | None = None  # plies
    longest: int | None = None
    run: str | None = None  # the id's beginning
    match: str | None = None

    def __post_init__(self) -> None:
        allowed = RESULTS + (WINS if self.player else ())
        if self.result is not None and self.result not in allowed:
            more = "" if self.player else "; with a player also won and lost"
            raise BadInput(f"There is no result '{self.result}'; a result is one of {', '.join(RESULTS)}{more}.")
        for date in (self.since, self.until):
            if date is not None and not DATE.fullmatch(date):
                raise BadInput(f"'{date}' is not a date; write it like 2031-01-31, 2031-01 or 2031.")
        for beginning, kind in ((self.run, "training run"), (self.match, "match")):
            if beginning is not None:
                _refuse_bad_id(beginning, kind)

    def condition(self) -> ColumnElement[bool]:
        parts: list[ColumnElement[bool]] = []
        if self.game is not None:
            parts.append(_of_game(self.game))
        for name, column in (
            (self.first, games.c.first),
            (self.second, games.c.second),
            (self.source, games.c.source),
        ):
            if name is not None:
                parts.append(_named(column, name))
        if self.player is not None:
            parts.append(self._of_player(self.player))
        elif self.result is not None:
            parts.append(games.c.result == self.result)
        if self.since is not None:
            parts.append(games.c.ended >= self.since)
        if self.until is not None:
            parts += [games.c.ended > "", games.c.ended <= self.until + LAST]  # who knows when the others were
        if self.shortest is not None:
            parts.append(games.c.plies >= self.shortest)
        if self.longest is not None:
            parts.append(games.c.plies <= self.longest)
        if self.run is not None:  # not by the index of runs: a log may hold little but the games of one
            parts.append(_begins(games.c.run.concat(""), self.run))
        if self.match is not None:
            parts.append(_begins(games.c.match, self.match))
        return and_(True, *parts)

    def _of_player(self, player: str) -> ColumnElement[bool]:
        as_first, as_second = _named(games.c.first, player), _named(games.c.second, player)
        if self.result in WINS:
            own, other = ("first", "second") if self.result == "won" else ("second", "first")
            return or_(and_(as_first, games.c.result == own), and_(as_second, games.c.result == other))
        either = or_(as_first, as_second)
        return either if self.result is None else and_(either, games.c.result == self.result)


def list_games(connection: Connection, which: GameFilter, limit: int | None = None, skip: int = 0) -> list[StoredGame]:
    """The newest first."""
    found = which.condition()
    if limit is not None or skip:  # an index tells which these are; only they are read as a whole
        found = games.c.id.in_(_newest_first(select(games.c.id).where(found)).limit(limit).offset(skip))
    return [game_from_row(row) for row in connection.execute(_newest_first(select(games).where(found)))]


def count_games(connection: Connection, which: GameFilter) -> int:
    return connection.execute(select(func.count()).select_from(games).where(which.condition())).scalar_one()


def games_page(connection: Connection, which: GameFilter, limit: int, skip: int = 0) -> tuple[list[StoredGame], int]:
    """Some of the games, the newest first, and how many there are in all, which need not be counted where the list ends."""
    page = list_games(connection, which, limit, skip)
    ends_here = len(page) < limit and (page or skip == 0)
    return page, skip + len(page) if ends_here else count_games(connection, which)


def find_stored_game(connection: Connection, beginning: str) -> StoredGame:
    """The game whose id begins so; none, or more than one, is refused (BadInput)."""
    return game_from_row(_the_one(connection, games, beginning, "game"))


def list_matches(connection: Connection, limit: int = 20) -> list[dict[str, Any]]:
    """The newest first; wins, draws and losses are the player's, who has the first side in games 1, 3, 5, …"""
    is_first = games.c.number % 2 == 1
    won = or_(and_(is_first, games.c.result == "first"), and_(~is_first, games.c.result == "second"))
    lost = or_(and_(is_first, games.c.result == "second"), and_(~is_first, games.c.result == "first"))
    counts = [
        func.count(games.c.id).label("games"),
        func.coalesce(func.sum(case((won, 1), else_=0)), 0).label("wins"),
        func.coalesce(func.sum(case((games.c.result == "draw", 1), else_=0)), 0).label("draws"),
        func.coalesce(func.sum(case((lost, 1), else_=0)), 0).label("losses"),
    ]
    newest = select(matches).order_by(matches.c.begun.desc(), matches.c.id.desc()).limit(limit).subquery()
    statement = (
        select(newest, *counts)
        .join(games, games.c.match == newest.c.id, isouter=True)
        .group_by(*newest.c)
        .order_by(newest.c.begun.desc(), newest.c.id.desc())
    )
    return [dict(row) for row in connection.execute(statement).mappings()]


def list_runs(connection: Connection, limit: int = 20) -> list[dict[str, Any]]:
    """The newest first, each with how far it came and how many of its games are in the log."""
    newest = select(runs).order_by(runs.c.begun.desc(), runs.c.id.desc()).limit(limit).subquery()
    last = select(func.max(generations.c.generation)).where(generations.c.run == newest.c.id).scalar_subquery()
    spent = select(func.max(generations.c.seconds)).where(generations.c.run == newest.c.id).scalar_subquery()
    logged = select(func.count()).select_from(games).where(games.c.run == newest.c.id).scalar_subquery()
    statement = select(newest, last.label("generation"), spent.label("seconds"), logged.label("games"))
    return [dict(row) for row in connection.execute(statement.order_by(newest.c.begun.desc())).mappings()]


def list_evaluations(connection: Connection, beginning: str) -> list[dict[str, Any]]:
    """Of the run whose id begins so, in the order of generations; none, or more than one such run, is refused (BadInput)."""
    run = _the_one(connection, runs, beginning, "training run").id
    statement = select(evaluations).where(evaluations.c.run == run)
    statement = statement.order_by(evaluations.c.generation, evaluations.c.opponent, evaluations.c.kind)
    return [dict(row) for row in connection.execute(statement).mappings()]


def newest_ratings(connection: Connection, game: str | None = None) -> list[dict[str, Any]]:
    """Those that were fitted together last, in exactly this game if one is named, the best player first."""
    newest = select(ratings.c.fit).where(_rated_in(game)).order_by(ratings.c.made.desc(), ratings.c.fit).limit(1)
    statement = select(ratings).where(ratings.c.fit == newest.scalar_subquery())
    statement = statement.order_by(ratings.c.rating.desc(), ratings.c.player)
    return [dict(row) for row in connection.execute(statement).mappings()]


def all_ratings(connection: Connection, game: str | None = None) -> list[dict[str, Any]]:
    """The same of every fit, the newest first."""
    order = ratings.c.made.desc(), ratings.c.fit, ratings.c.rating.desc(), ratings.c.player
    statement = select(ratings).where(_rated_in(game)).order_by(*order)
    return [dict(row) for row in connection.execute(statement).mappings()]


def _rated_in(game: str | None) -> ColumnElement[bool]:
    return true() if game is None else ratings.c.game == logged_name(game)


def _the_one(connection: Connection, table: Table, beginning: str, kind: str) -> Any:
    """The row whose id begins so."""
    _refuse_bad_id(beginning, kind)
    found = connection.execute(select(table).where(_begins(table.c.id, beginning)).limit(2)).all()
    if not found:
        raise BadInput(f"There is no {kind} '{beginning}' in the log.")
    if len(found) > 1:
        raise BadInput(f"Several {kind}s begin with '{beginning}'; write more of the id.")
    return found[0]


def _refuse_bad_id(beginning: str, kind: str) -> None:
    if not re.fullmatch(r"[0-9a-f]{1,32}", beginning):
        raise BadInput(f"'{beginning}' is not the id of a {kind}; an id is written with 0 to 9 and a to f.")


def _newest_first(statement: Select[Any]) -> Select[Any]:
    return statement.order_by(games.c.ended.desc(), games.c.id.desc())


def logged_name(game: str) -> str:
    """How the log calls a game that is named with parameters: without those that are the usual ones."""
    from boardzero.games.catalogue import BUILT_IN, find_game

    if ":" not in game or game.partition(":")[0] not in BUILT_IN:  # nobody who asks has a file of rules run
        return game
    return find_game(game).specification


def _of_game(game: str) -> ColumnElement[bool]:
    """`othello` is every Othello, `othello:size=8` only the usual one, which the log calls `othello` too."""
    if "*" in game or ":" not in game:
        return _named(games.c.game, game)
    return games.c.game == logged_name(game)


def _named(column: ColumnElement[Any], name: str) -> ColumnElement[bool]:
    """Exactly this name, or it with any parameters, or a pattern with `*`."""
    if "*" in name:
        pattern = name.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_").replace("*", "%")
        return column.like(pattern, escape="\\")
    if ":" in name:
        return column == name
    return or_(column == name, and_(column >= f"{name}:", column < f"{name};"))  # `;` comes after `:`


def _begins(column: ColumnElement[Any], beginning: str) -> ColumnElement[bool]:
    """As a range, which an index can answer."""
    return and_(column >= beginning, column <= beginning + LAST)
