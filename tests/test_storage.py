"""The game log: its tables, its migrations, several writers at once, what is stored and how it is found."""

import contextlib
import math
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from postgres_server import PostgresServer
from sqlalchemy import insert, select, text
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
    count_games,
    find_stored_game,
    list_evaluations,
    list_games,
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


def test_a_database_of_the_first_version_is_upgraded_and_keeps_its_games(url: str) -> None:
    database = Database(url)
    schema.bring_up_to_date(database.engine, "0001")
    record = random_record("connect4", 3)
    values = game_entry(StoredGame(new_id(), record, "match")).values
    del values["who"]  # came with the second version
    with database.engine.begin() as connection:
        columns = {column.name for column in games_table.columns} - {"who"}
        connection.execute(insert(games_table).values({name: values[name] for name in columns}))
    database.close()
    (game,) = games_in(url)
    assert game == StoredGame(values["id"], record, "match", who="")


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
        assert newest_ratings(connection, "othello") == []
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


# -- filters -----------------------------------------------------------------------------------------------------------
@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def filled(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    """Ten games that differ in everything that can be asked for."""
    if request.param == "sqlite":
        database = Database(str(tmp_path_factory.mktemp("filled") / "games.sqlite"))
    else:
        running: PostgresServer = request.getfixturevalue("server")
        database = Database(running.new_database())
    entries: list[Entry] = [
        Entry("runs", {"id": id_of("run"), "folder": "r", "game": "gomoku", "settings": {}, "begun": "2031", "who": "me"})
    ]
    for number in range(10):
        record = replace(
            random_record("tictactoe", number),
            game="connect4" if number < 5 else "connect4:rows=5" if number < 8 else "connect4x",
            players=("mcts:sims=10" if number % 2 else "mctsx", "perfect" if number % 3 else "mcts"),
            result="first" if number < 3 else "second" if number < 6 else "draw",
            plies=number,
            ended=f"2031-01-{number + 1:02}T12:00:00Z",
        )
        run = id_of("run") if number == 7 else None
        game_id = f"a{number}" if number > 7 else f"{number}" * 32
        entries.append(game_entry(StoredGame(game_id, record, "play" if number % 2 else "match", run=run)))
    with database.writing() as connection:
        write_entries(connection, entries)
    yield database
    database.close()


@pytest.mark.parametrize(
    ("which", "numbers"),
    [
        (GameFilter(), [9, 8, 7, 6, 5, 4, 3, 2, 1, 0]),
        (GameFilter(game="connect4"), [7, 6, 5, 4, 3, 2, 1, 0]),
        (GameFilter(game="connect4:rows=5"), [7, 6, 5]),
        (GameFilter(game="connect4:columns=7,rows=5"), [7, 6, 5]),
        (GameFilter(game="connect4:rows=6"), [4, 3, 2, 1, 0]),
        (GameFilter(game="connect4*", longest=1), [1, 0]),
        (GameFilter(player="mcts"), [9, 7, 6, 5, 3, 1, 0]),
        (GameFilter(first="mcts"), [9, 7, 5, 3, 1]),
        (GameFilter(second="mcts"), [9, 6, 3, 0]),
        (GameFilter(player="mcts*", result="won"), [3, 2, 1, 0]),
        (GameFilter(player="perfect", result="lost"), [2, 1]),
        (GameFilter(player="perfect", result="draw"), [8, 7]),
        (GameFilter(result="second"), [5, 4, 3]),
        (GameFilter(source="play", shortest=4), [9, 7, 5]),
        (GameFilter(since="2031-01-09"), [9, 8]),
        (GameFilter(until="2031-01-02"), [1, 0]),
        (GameFilter(since="2031-01", until="2031-01-01"), [0]),
        (GameFilter(until="2030"), []),
        (GameFilter(run=id_of("run")[:6]), [7]),
        (GameFilter(player="100%"), []),
        (GameFilter(player="MCTS*"), []),
        (GameFilter(player="PERFECT"), []),
        (GameFilter(player="_cts*"), []),
    ],
)
def test_filters_give_what_is_asked_for(filled: Database, which: GameFilter, numbers: list[int]) -> None:
    with filled.reading() as connection:
        assert [game.record.plies for game in list_games(connection, which)] == numbers
        assert count_games(connection, which) == len(numbers)


def test_a_game_is_found_by_the_beginning_of_its_id(filled: Database) -> None:
    with filled.reading() as connection:
        assert find_stored_game(connection, "3333").record.plies == 3
        with pytest.raises(BadInput, match="There is no game 'b'"):
            find_stored_game(connection, "b")
        with pytest.raises(BadInput, match="is not the id of a game"):
            find_stored_game(connection, "%")
    with filled.reading() as connection, pytest.raises(BadInput, match="Several games begin with 'a'"):
        find_stored_game(connection, "a")


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"result": "won"}, "There is no result 'won'"),
        ({"since": "yesterday"}, "'yesterday' is not a date"),
        ({"until": "2031-13"}, "'2031-13' is not a date"),
    ],
)
def test_filters_that_mean_nothing_are_refused(asked: dict[str, str], said: str) -> None:
    with pytest.raises(BadInput, match=said):
        GameFilter(**asked)  # type: ignore[arg-type]


def test_a_game_of_an_unknown_day_was_played_neither_before_nor_after_another(tmp_path: Path) -> None:
    url = str(tmp_path / "games.sqlite")
    with GameLog(url, silence) as log:
        log_game(log, random_record(ended=""), "import")
    assert len(games_in(url)) == 1
    assert games_in(url, GameFilter(until="2031")) == games_in(url, GameFilter(since="1900")) == []


def test_evaluations_are_those_of_one_run(url: str) -> None:
    run: dict[str, Any] = {"folder": "here", "game": "tictactoe", "settings": {}, "begun": "2031", "who": "me"}
    with GameLog(url, silence) as log:
        log.write(Entry("runs", {**run, "id": beginning + 31 * "0"}) for beginning in ("a", "b"))
        log.write([Entry("runs", {**run, "id": "b" + 31 * "1"})])
    database = Database(url)
    with database.reading() as connection:
        assert list_evaluations(connection, "a") == []
        for beginning, said in (("b", "Several training runs begin with 'b'"), ("c", "There is no training run 'c'")):
            with pytest.raises(BadInput, match=said):
                list_evaluations(connection, beginning)
    database.close()
