"""Games for tests of the log."""

import random
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from sqlalchemy import event

from boardzero.arena.game import record_of
from boardzero.events.games import GamePlayed, GameRecord
from boardzero.games.catalogue import find_game
from boardzero.games.position import Position
from boardzero.storage.database import Database
from boardzero.storage.entries import StoredGame
from boardzero.storage.game_files import parse_games
from boardzero.storage.queries import GameFilter, list_games

GOOD_GGF = "(;GM[Othello]PB[a]PW[b]RE[?]BO[8 " + "-" * 27 + "O*------*O" + "-" * 27 + " *]B[d3];)"


def random_position(specification: str, seed: int, plies: int | None = None) -> Position:
    """After random moves: to the end, or so many."""
    draw = random.Random(seed)
    position = Position(find_game(specification), seed=seed)
    while not position.over and (plies is None or len(position.actions) < plies):
        position.play(draw.choice(position.legal_actions()))
    return position


def random_record(specification: str = "tictactoe", seed: int = 0, **changes: object) -> GameRecord:
    position = random_position(specification, seed)
    result = "draw" if position.winner is None else ("first", "second")[position.winner]
    record = record_of(position, ("random", "mcts:sims=10"), 0, (0.5, 0.25), result, "rules")  # type: ignore[arg-type]
    return replace(record, **changes)  # type: ignore[arg-type]


def silence(sentence: str) -> None:
    """For who should have nothing to say."""
    raise AssertionError(sentence)


def played(number: int, record: GameRecord, players: tuple[str, str] = ("random", "mcts:sims=10")) -> GamePlayed:
    return GamePlayed(players, number, 100, (0.0, float(number)), record)


def games_in(url: str, which: GameFilter | None = None) -> list[StoredGame]:
    """All games of a log, the newest first."""
    database = Database(url)
    try:
        with database.reading() as connection:
            return list_games(connection, which or GameFilter())
    finally:
        database.close()


@contextmanager
def heard_statements(database: Database) -> Iterator[list[tuple[str, Any]]]:
    """What the database is asked meanwhile, with the values."""
    heard: list[tuple[str, Any]] = []

    def hear(_connection: Any, _cursor: Any, statement: str, values: Any, *_: Any) -> None:
        if statement.startswith("SELECT"):
            heard.append((statement, values))

    event.listen(database.engine, "before_cursor_execute", hear)
    yield heard
    event.remove(database.engine, "before_cursor_execute", hear)


def read_back(content: bytes, form: str) -> StoredGame:
    """The one game of a file."""
    (game,) = parse_games(content, form, "file")
    assert isinstance(game, StoredGame), game
    return game
