"""Questions to the game log: what filters find, in which order, and how little is read for it."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from postgres_server import PostgresServer
from storage_helpers import games_in, heard_statements, random_record, silence

from boardzero.errors import BadInput
from boardzero.storage.database import Database
from boardzero.storage.entries import Entry, StoredGame, game_entry, id_of, write_entries
from boardzero.storage.listeners import log_game
from boardzero.storage.log import GameLog
from boardzero.storage.queries import GameFilter, count_games, find_stored_game, games_page, list_evaluations, list_games

pytestmark = pytest.mark.usefixtures("own_data_folder")


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


@pytest.mark.parametrize(
    ("limit", "skip", "numbers", "counted"),
    [
        (4, 0, [7, 6, 5, 4], True),
        (4, 4, [3, 2, 1, 0], True),
        (5, 5, [2, 1, 0], False),
        (9, 0, [7, 6, 5, 4, 3, 2, 1, 0], False),
        (5, 8, [], True),
    ],
)
def test_a_page_knows_the_number_of_all_games_and_counts_them_only_where_it_must(
    filled: Database, limit: int, skip: int, numbers: list[int], counted: bool
) -> None:
    with filled.reading() as connection, heard_statements(filled) as statements:
        page, total = games_page(connection, GameFilter(game="connect4"), limit, skip)
    assert [game.record.plies for game in page] == numbers and total == 8
    assert any("count(" in statement for statement, _ in statements) == counted


@pytest.mark.parametrize(
    "which",
    [
        GameFilter(),
        GameFilter(game="othello"),
        GameFilter(game="othello:size=6", result="draw"),
        GameFilter(player="mcts"),
        GameFilter(player="mcts:sims=10", source="self-play"),
        GameFilter(player="alphazero", result="won"),
        GameFilter(player="*sims*"),
        GameFilter(first="mcts", second="alphazero:network=a"),
        GameFilter(since="2031", until="2031-03", shortest=5, longest=9),
        GameFilter(run="abc"),
        GameFilter(run="abc", result="first"),
    ],
)
def test_an_index_alone_answers_every_filter_in_the_order_of_the_list(tmp_path: Path, which: GameFilter) -> None:
    """SQLite, asked how it would find the games: it reads and sorts no games but those that are shown."""
    database = Database(str(tmp_path / "games.sqlite"))
    with database.reading() as connection:
        with heard_statements(database) as statements:
            games_page(connection, which, 20, 40)
        (listed, counted) = (
            [row[3] for row in connection.exec_driver_sql(f"explain query plan {statement}", values)]
            for statement, values in statements
        )
    database.close()
    shown, subquery, found, sorted_rows = listed
    assert shown == "SEARCH games USING INDEX sqlite_autoindex_games_1 (id=?)" and subquery == "LIST SUBQUERY 1"
    assert "USING COVERING INDEX games_by_time" in found
    assert sorted_rows == "USE TEMP B-TREE FOR ORDER BY"  # of those that are shown
    assert len(counted) == 1 and "USING COVERING INDEX" in counted[0]


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
        ({"run": "runs/first"}, "'runs/first' is not the id of a training run"),
        ({"match": ""}, "'' is not the id of a match"),
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
