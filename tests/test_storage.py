"""The game log: its tables, its migrations, several writers at once, what is stored."""

import contextlib
import math
import random
import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import insert, inspect, select, text
from storage_helpers import games_in, random_record, silence

from boardzero.errors import BadInput
from boardzero.storage import log as log_module
from boardzero.storage import schema
from boardzero.storage.database import Database
from boardzero.storage.entries import Entry, StoredGame, game_entry, id_of, new_id, write_entries
from boardzero.storage.listeners import log_game
from boardzero.storage.log import GameLog
from boardzero.storage.queries import (
    GameFilter,
    all_ratings,
    count_games,
    list_evaluations,
    list_matches,
    newest_ratings,
)
from boardzero.storage.tables import games as games_table
from boardzero.storage.tables import generations as generations_table
from boardzero.storage.tables import metadata
from boardzero.storage.tables import runs as runs_table

pytestmark = pytest.mark.usefixtures("own_data_folder")


# -- tables and migrations ---------------------------------------------------------------------------------------------
def test_migrations_make_the_tables_that_the_program_uses(url: str) -> None:
    database = Database(url)
    database.prepare()
    with database.engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), metadata) == []
    database.close()


def test_the_versions_that_are_known_are_those_of_the_migrations() -> None:
    config = Config()
    config.set_main_option("script_location", str(schema.MIGRATIONS))
    scripts = ScriptDirectory.from_config(config)
    assert scripts.get_current_head() == schema.NEWEST
    assert sorted(script.revision for script in scripts.walk_revisions()) == list(schema.VERSIONS)


@pytest.mark.parametrize("version", schema.VERSIONS[:-1])
def test_an_older_database_is_upgraded_and_keeps_its_games(url: str, version: str) -> None:
    database = Database(url)
    schema.bring_up_to_date(database.engine, version)
    games = [StoredGame(id_of(number), random_record("connect4", number), "match") for number in range(3)]
    with database.engine.begin() as connection:
        there = {column["name"] for column in inspect(connection).get_columns("games")}
        for game in games:
            values = game_entry(game).values
            connection.execute(insert(games_table).values({name: values[name] for name in there}))
    database.prepare()
    with database.reading() as connection:
        assert compare_metadata(MigrationContext.configure(connection), metadata) == []
    database.close()
    assert sorted(games_in(url), key=lambda game: game.id) == sorted(games, key=lambda game: game.id)
    assert len(games_in(url, GameFilter(player="mcts", source="match"))) == 3


def test_tables_of_a_newer_program_are_refused(tmp_path: Path) -> None:
    path = str(tmp_path / "games.sqlite")
    Database(path).prepare()
    with sqlite3.connect(path) as connection:
        connection.execute("update alembic_version set version_num = '9999'")
    with pytest.raises(BadInput, match="newer boardzero"):
        Database(path).prepare()


@pytest.mark.parametrize(
    "statement",
    [
        "create table games (title text)",
        "create table alembic_version (version_num varchar(32))",
        "create table alembic_version as select 'ae1027a6acf' as version_num",
        "create table alembic_version as select '0001a' as version_num",
    ],
)
def test_a_database_of_another_program_is_refused_and_not_touched(tmp_path: Path, statement: str) -> None:
    path = tmp_path / "theirs.sqlite"
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute(statement)
        connection.commit()
    with pytest.raises(BadInput, match="belongs to another program"):
        Database(str(path)).prepare()
    with contextlib.closing(sqlite3.connect(path)) as connection:
        assert len(connection.execute("select name from sqlite_master").fetchall()) == 1


def test_several_processes_that_make_and_write_one_database_lose_nothing(url: str, tmp_path: Path) -> None:
    writers, count = 3, 100
    script = str(Path(__file__).with_name("storage_writer.py"))
    commands = [[sys.executable, script, url, str(tmp_path), f"writer {writer}", str(count)] for writer in range(writers)]
    running = [subprocess.Popen(command, stderr=subprocess.PIPE, text=True) for command in commands]
    errors = [process.communicate(timeout=120)[1] for process in running]
    assert errors == [""] * writers
    stored = games_in(url)
    assert len(stored) == len({game.id for game in stored}) == writers * count
    database = Database(url)
    with database.reading() as connection:
        matches = list_matches(connection)
    database.close()
    assert sorted(match["player"] for match in matches) == [f"writer {writer}" for writer in range(writers)]
    assert all(match["games"] == match["wins"] + match["draws"] + match["losses"] == count for match in matches)


def test_readers_do_not_wait_for_a_writer(tmp_path: Path) -> None:
    path = str(tmp_path / "games.sqlite")
    database, other = Database(path), Database(path)
    with database.writing() as writing:
        write_entries(writing, [game_entry(StoredGame(new_id(), random_record()))])
        with other.reading() as connection:
            assert count_games(connection, GameFilter()) == 0
    assert len(games_in(path)) == 1


# -- what is stored ----------------------------------------------------------------------------------------------------
def test_a_game_comes_back_as_it_was(url: str) -> None:
    record = random_record("latrunculi:size=4,start=random", 5, remark="it's “odd”: 100 %", players=("häns", "mcts:sims=10"))
    with GameLog(url, silence) as log:
        game_id = log_game(log, record, "play")
    (game,) = games_in(url)
    assert (game.id, game.record, game.source, game.match) == (game_id, record, "play", None)
    assert "@" in game.who


def test_a_row_that_is_written_again_is_there_once(url: str) -> None:
    entry = game_entry(StoredGame(new_id(), random_record()))
    with GameLog(url, silence) as log:
        log.write([entry, entry])
        log.flush()
        log.write([entry])
    assert len(games_in(url)) == 1


def test_the_newest_ratings_are_those_of_the_last_fit_in_exactly_this_game(url: str) -> None:
    common = {"low": 10.0, "high": 90.0, "games": 20, "scale": "elo", "who": "me"}
    fits: list[tuple[str, int, dict[str, float]]] = [
        ("connect4", 2030, {"mcts": 9.0}),
        ("connect4", 2031, {"random": 0.0, "mcts": 50.0}),
        ("connect4:rows=5", 2032, {"a": 1}),
    ]
    with GameLog(url, silence) as log:
        for game, year, rated in fits:
            fit = {**common, "fit": new_id(), "game": game, "made": f"{year}-01-01T00:00:00Z"}
            log.write(Entry("ratings", {**fit, "player": player, "rating": rating}) for player, rating in rated.items())
    database = Database(url)
    with database.reading() as connection:
        assert [(row["player"], row["rating"]) for row in newest_ratings(connection, "connect4")] == [
            ("mcts", 50),
            ("random", 0),
        ]
        assert newest_ratings(connection, "othello") == all_ratings(connection, "othello") == []
        assert [row["player"] for row in all_ratings(connection, "connect4")] == ["mcts", "random", "mcts"]
        assert [row["rating"] for row in all_ratings(connection)] == [1, 50, 0, 9]
        assert [row["player"] for row in newest_ratings(connection)] == ["a"]
    database.close()


def test_what_a_resumed_run_did_again_is_as_it_went_the_last_time(url: str) -> None:
    """An older row that waited on disk for the database does not come back, though."""
    run: dict[str, Any] = {"id": new_id(), "folder": "here", "game": "tictactoe", "settings": {}, "begun": "2031", "who": "me"}

    def generation(ended: str, games: int) -> Entry:
        known = {"run": run["id"], "generation": 4, "ended": ended, "games": games}
        return Entry("generations", {**known, "seconds": 1.0, "positions": 9, "report": {"games": games}})

    evaluation = {"id": new_id(), "run": run["id"], "generation": 4, "kind": "K", "opponent": "random", "seconds": 1.0}
    with GameLog(url, silence) as log:
        log.write(
            [Entry("runs", run), generation("2031-01-01", 10), Entry("evaluations", {**evaluation, "report": {"score": 1}})]
        )
        log.flush()
        log.write([generation("2031-01-02", 20), Entry("evaluations", {**evaluation, "report": {"score": 2}})])
        log.flush()
        log.write([generation("2030-12-31", 5)])
    database = Database(url)
    with database.reading() as connection:
        rows = connection.execute(text("select games, ended from generations")).all()
        (evaluated,) = list_evaluations(connection, run["id"])
    database.close()
    assert [tuple(row) for row in rows] == [(20, "2031-01-02")]
    assert evaluated["report"] == {"score": 2}


def test_what_no_database_can_hold_does_not_keep_a_row_out(url: str) -> None:
    """Names that are no text, and figures that are none, as a training that diverges has them."""
    run = {"id": new_id(), "game": "tictactoe", "settings": {}, "begun": "2031", "who": "me"}
    figures = {"generation": 1, "ended": "2031", "seconds": 1.0, "games": 1, "positions": 1}
    with GameLog(url, silence) as log:
        log.write([Entry("runs", {**run, "folder": "a\0b\udcff"})])
        report = {"loss": math.nan, "names": ["\ud800"]}
        log.write([Entry("generations", {**figures, "run": run["id"], "value_loss": math.inf, "report": report})])
    database = Database(url)
    with database.reading() as connection:
        assert connection.execute(select(runs_table.c.folder)).scalar() == "ab?"
        row = connection.execute(select(generations_table)).one()
    database.close()
    assert row.value_loss is None and row.report == {"loss": None, "names": ["?"]}


def test_a_question_that_no_database_understands_is_refused(url: str) -> None:
    database = Database(url)
    for asked in (GameFilter(shortest=10**30), GameFilter(player="\udcff")):
        with pytest.raises(BadInput, match="cannot be asked this"), database.reading() as connection:
            count_games(connection, asked)
    database.close()


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_fault_of_the_program_loses_no_rows_and_lets_nobody_wait(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    url, works = str(tmp_path / "games.sqlite"), log_module.store_rows

    def fail(*_: object) -> int:
        raise RuntimeError("unheard of")

    with GameLog(url, said.append, retry_seconds=0.05) as log:
        monkeypatch.setattr(log_module, "store_rows", fail)
        log_game(log, random_record(), "test")
        log.flush()  # returns
        log.write([Entry("games", {"id": object()})])  # can be written nowhere
        log.flush()
        monkeypatch.setattr(log_module, "store_rows", works)
        time.sleep(0.1)
        log_game(log, random_record(seed=1), "test")
    assert len(games_in(url)) == 2
    assert "unheard of" in said[0] and "1 rows for the game log are lost" in said[1] and "answers again" in said[2]


def test_a_row_that_the_database_refuses_does_not_keep_others_out(url: str) -> None:
    said: list[str] = []
    good, orphan = (game_entry(StoredGame(new_id(), random_record(), match=match)) for match in (None, "no such match"))
    with GameLog(url, said.append) as log:
        log.write([orphan, good])
    assert [game.id for game in games_in(url)] == [good.values["id"]]
    assert len(said) == 1 and "refused a row of games" in said[0]


def test_a_name_that_is_too_long_for_an_index_does_not_keep_other_games_out(url: str) -> None:
    """PostgreSQL has no room for it, and says so as if it were in trouble itself; SQLite takes it."""
    said: list[str] = []
    draw = random.Random(1)
    name = "".join(chr(draw.randrange(0x4E00, 0x9000)) for _ in range(3000))  # cannot be packed
    with GameLog(url, said.append) as log:
        log_game(log, random_record(players=(name, "mcts")), "play")
        good = log_game(log, random_record(), "play")
    stored = {game.id: game.record.players[0] for game in games_in(url)}
    assert good in stored
    if url.startswith("postgresql"):
        assert len(stored) == 1 and len(said) == 1 and "refused a row of games: index row" in said[0]
    else:
        assert len(stored) == 2 and name in stored.values() and not said
