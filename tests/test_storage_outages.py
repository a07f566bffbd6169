"""Databases that do not answer, or must not be used: games are kept and written later, and nothing is lost."""

import contextlib
import json
import os
import sqlite3
import time
from pathlib import Path

import pytest
from postgres_server import PostgresServer
from sqlalchemy import text
from storage_helpers import games_in, random_record, silence

from boardzero.errors import BadInput
from boardzero.storage import database as database_module
from boardzero.storage import schema
from boardzero.storage.database import Database, DatabaseDown
from boardzero.storage.entries import Entry, StoredGame, game_entry, new_id, write_entries
from boardzero.storage.listeners import log_game
from boardzero.storage.log import GameLog
from boardzero.storage.queries import GameFilter
from boardzero.storage.spool import FILE, Spool

pytestmark = pytest.mark.usefixtures("own_data_folder")


def test_while_the_database_is_down_games_are_kept_and_written_later(server: PostgresServer) -> None:
    url = server.new_database()
    said: list[str] = []
    log = GameLog(url, said.append, retry_seconds=0.2)
    first = log_game(log, random_record("tictactoe", 1), "play")
    log.flush()
    server.stop()
    try:
        kept = [log_game(log, random_record("tictactoe", seed), "play") for seed in range(2, 5)]
        log.flush()
        assert len(said) == 1 and "does not answer" in said[0] and "games are kept in" in said[0]
    finally:
        server.start()
    until = time.monotonic() + 120
    while len(said) < 2 and time.monotonic() < until:
        log.flush()
        time.sleep(0.1)
    last = log_game(log, random_record("tictactoe", 6), "play")
    log.close()
    assert {game.id for game in games_in(url)} == {first, *kept, last}
    assert "answers again; 3 rows that were kept meanwhile were written" in said[1] and len(said) == 2


def test_games_of_a_process_that_ended_during_an_outage_are_written_by_the_next(server: PostgresServer) -> None:
    url = server.new_database()
    said: list[str] = []
    server.stop()
    try:
        with GameLog(url, said.append) as log:
            ids = {log_game(log, random_record("tictactoe", seed), "play") for seed in range(3)}
        with GameLog(url, said.append) as log:
            ids.add(log_game(log, random_record("tictactoe", 9), "play"))
        with pytest.raises(DatabaseDown):
            Database(url).prepare()
    finally:
        server.start()
    assert len(said) == 2, "each process says it once"
    GameLog(url, silence).close()
    assert {game.id for game in games_in(url)} == ids
    GameLog(url, silence).close()
    assert len(games_in(url)) == 4, "and nothing twice"


def test_a_database_that_stays_locked_gets_its_games_later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database_module, "BUSY_SECONDS", 0.05)
    url, said = str(tmp_path / "games.sqlite"), list[str]()
    with GameLog(url, said.append, retry_seconds=0.05) as log:
        with contextlib.closing(sqlite3.connect(url, isolation_level=None)) as other:
            other.execute("begin immediate")
            log_game(log, random_record(), "play")
            log.flush()
            assert len(said) == 1 and "does not answer (database is locked)" in said[0]
            other.execute("rollback")
        time.sleep(0.1)
        log_game(log, random_record(seed=1), "play")
    assert len(games_in(url)) == 2 and "answers again" in said[-1]


def test_a_database_that_is_deleted_under_a_writer_is_made_again(tmp_path: Path) -> None:
    """What is written to a deleted file would be lost without a word."""
    url = str(tmp_path / "games.sqlite")
    with GameLog(url, silence) as log:
        log_game(log, random_record(), "play")
        log.flush()
        for path in tmp_path.glob("games.sqlite*"):
            path.unlink()
        last = log_game(log, random_record(seed=1), "play")
    assert [game.id for game in games_in(url)] == [last]


def test_a_database_that_may_only_be_read_is_read_and_not_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    url = str(tmp_path / "games.sqlite")
    with GameLog(url, silence) as log:
        log_game(log, random_record(), "play")
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    assert len(games_in(url)) == 1
    with pytest.raises(BadInput, match="cannot be used: attempt to write a readonly database"):
        GameLog(url, silence)
    assert not list(tmp_path.glob("games.sqlite-*")), "nothing is put beside it"


def test_an_older_database_that_may_only_be_read_is_read_if_it_lacks_nothing_but_indexes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = str(tmp_path / "games.sqlite")
    database = Database(url)
    schema.bring_up_to_date(database.engine, "0002")
    with database.engine.begin() as connection:
        write_entries(connection, [game_entry(StoredGame(new_id(), random_record()))])
    database.close()
    monkeypatch.setattr(database_module, "_may_only_be_read", lambda file: True)
    assert len(games_in(url, GameFilter(player="mcts", longest=9))) == 1


def test_a_postgresql_of_somebody_else_is_used_as_it_is(server: PostgresServer) -> None:
    """Who does not own the tables cannot bring them up to date."""
    url = server.new_database()
    database = Database(url)
    schema.bring_up_to_date(database.engine, "0002")
    with database.engine.begin() as connection:
        connection.execute(text("create role guest login"))
        connection.execute(text("grant select, insert on all tables in schema public to guest"))
    with GameLog(url.replace("boardzero@", "guest@"), silence) as log:
        logged = log_game(log, random_record(), "play")
    with database.engine.connect() as connection:
        assert schema.version_of(connection) == "0002"
    database.close()
    assert [game.id for game in games_in(url)] == [logged]


def test_a_spool_that_was_only_just_made_is_left_to_its_process(tmp_path: Path) -> None:
    spool = Spool(tmp_path, "db")
    made = spool.path.parent
    spool.close()  # as if it were not locked yet
    assert Spool(tmp_path, "db").empty_into(len) == 0 and made.is_dir()


def test_a_spool_of_a_living_process_is_left_alone_and_torn_lines_are_skipped(tmp_path: Path) -> None:
    entries = [game_entry(StoredGame(new_id(), random_record("tictactoe", seed))) for seed in range(3)]
    spool, other = Spool(tmp_path, "db"), Spool(tmp_path, "db")
    spool.append(entries[:2])
    taken: list[Entry] = []

    def write(some: list[Entry]) -> int:
        taken.extend(some)
        return len(some)

    assert other.empty_into(write) == 0, "its process lives"
    path = spool.path
    spool.close()
    with path.open("ab") as file:
        file.write(json.dumps({"table": "games", "values": {"id": "x"}}).encode()[:-5])
    assert other.empty_into(write) == 2
    assert taken == entries[:2]
    assert not list(tmp_path.rglob(FILE)), "what was written is not kept"


def test_rows_that_cannot_be_written_stay_in_the_spool(tmp_path: Path) -> None:
    spool = Spool(tmp_path, "db")
    spool.append([game_entry(StoredGame(new_id(), random_record()))])
    spool.close()

    def fail(some: list[Entry]) -> int:
        raise DatabaseDown("no")

    with pytest.raises(DatabaseDown):
        Spool(tmp_path, "db").empty_into(fail)
    assert Spool(tmp_path, "db").empty_into(len) == 1
    assert Spool(tmp_path, "another").empty_into(len) == 0


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("", "has no name"),
        ("mysql://localhost/games", "'mysql' is not a database that boardzero writes to"),
        ("postgresql://localhost", "names no database"),
        ("postgresql://me:secret@local host:99999999/x", "is not the URL of a database|cannot be used"),
        ("sqlite://", "would be lost at once"),
        ("nowhere/at/all/games.sqlite", "there is no folder"),
        (".", "is a folder"),
        (os.devnull, "is not a file"),
        ("n" * 300, "cannot be read"),
        ("~nobody-of-this-name/games.sqlite", "cannot be read"),
        ("postgresql://127.0.0.1:99999/games", "invalid port number"),
        ("postgresql://127.0.0.1:1/games?nonsense=1", "invalid connection option"),
    ],
)
def test_a_database_that_can_never_work_is_refused(name: str, said: str) -> None:
    with pytest.raises(BadInput, match=said) as refusal:
        Database(name).prepare()
    assert "secret" not in str(refusal.value)


def test_another_file_is_not_taken_for_a_database(tmp_path: Path) -> None:
    path = tmp_path / "letter.sqlite"
    path.write_text("Dear Ann, this is not a database, as you can see.")
    with pytest.raises(BadInput, match="is not a SQLite database"):
        Database(str(path))


def test_a_server_that_will_not_have_us_is_refused_at_once(server: PostgresServer) -> None:
    with pytest.raises(BadInput, match="does not exist"):
        GameLog(server.url("no_such_database"), silence)


def test_a_wrong_password_is_refused_at_once(server: PostgresServer) -> None:
    server.require_password("locked", "right")
    url = server.new_database().replace("boardzero@", "locked:{}@")
    with pytest.raises(BadInput, match="password authentication failed"):
        GameLog(url.format("wrong"), silence)


def test_a_server_that_only_lets_us_read_is_refused_by_who_writes(server: PostgresServer) -> None:
    url = server.new_database()
    with GameLog(url, silence) as log:
        log_game(log, random_record(), "play")
        with log.database.writing() as connection:
            connection.execute(text("create role reader login"))
            connection.execute(text("grant select on all tables in schema public to reader"))
    reader = url.replace("boardzero@", "reader@")
    assert len(games_in(reader)) == 1
    with pytest.raises(BadInput, match="permission denied for table games"):
        GameLog(reader, silence)


def test_what_the_url_says_of_the_connection_holds(server: PostgresServer) -> None:
    url = server.new_database()
    database = Database(url)
    with database.engine.begin() as connection:
        connection.execute(text("create schema elsewhere"))
    database.close()
    with GameLog(f"{url}?options=-csearch_path%3Delsewhere", silence) as log:
        log_game(log, random_record(), "play")
    database = Database(url)
    with database.engine.connect() as connection:
        assert connection.execute(text("select count(*) from elsewhere.games")).scalar() == 1
    database.close()


def test_the_password_is_never_shown() -> None:
    assert "secret" not in str(Database("postgresql://me:secret@127.0.0.1:1/games").name)


def test_games_stay_when_the_writer_is_gone_at_once(url: str) -> None:
    """WAL and a commit a batch: what `flush` has returned from is there, whatever becomes of the process."""
    log = GameLog(url, silence)
    log_game(log, random_record(), "play")
    log.flush()
    assert len(games_in(url)) == 1
    with log.database.engine.connect() as connection:
        if log.database.is_sqlite:
            assert connection.execute(text("pragma journal_mode")).scalar() == "wal"
    log.close()
