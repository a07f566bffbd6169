"""Games from files, into a log that may have them already."""

from dataclasses import replace
from itertools import chain
from pathlib import Path

import pytest
from storage_helpers import games_in, heard_statements, random_record, silence

from boardzero.events.games import GameRecord
from boardzero.storage import importing
from boardzero.storage.database import Database
from boardzero.storage.entries import StoredGame, id_of_record, new_id
from boardzero.storage.importing import import_games
from boardzero.storage.listeners import log_game
from boardzero.storage.log import GameLog

DAY = "2031-01-31"
RECORDS = [random_record("tictactoe", seed, ended=DAY) for seed in range(6)]


@pytest.fixture(autouse=True)
def _two_at_once(monkeypatch: pytest.MonkeyPatch, own_data_folder: Path) -> None:
    monkeypatch.setattr(importing, "AT_ONCE", 2)


def test_a_game_that_was_played_twice_is_known_twice_however_far_apart_a_file_has_it(tmp_path: Path) -> None:
    url = str(tmp_path / "games.sqlite")
    with GameLog(url, silence) as log:
        for _ in range(2):
            log_game(log, RECORDS[0], "match")
    others = [StoredGame(id_of_record(record), record) for record in RECORDS[1:]]
    copies = [StoredGame(id_of_record(RECORDS[0], copy), RECORDS[0]) for copy in (1, 2, 3)]
    database = Database(url)
    assert import_games(database, [copies[0], *others, copies[1]], silence) == len(others)
    assert import_games(database, [*copies, *others], silence) == 1, "the log had two of them"
    assert import_games(database, [*others, *copies], silence) == 0
    database.close()
    assert len(games_in(url)) == len(others) + 3


def test_games_of_one_day_are_compared_with_the_log_once(tmp_path: Path) -> None:
    """A file of 100,000 games that all have the same date would otherwise read the log a hundred times."""
    database = Database(str(tmp_path / "games.sqlite"))
    with heard_statements(database) as statements:
        assert import_games(database, [StoredGame(id_of_record(record), record) for record in RECORDS], silence) == len(RECORDS)
    database.close()
    assert sum("games.ended IN" in statement for statement, _ in statements) == 1


def brought(record: GameRecord, copies: int = 1) -> list[StoredGame]:
    """As a format without ids brings it."""
    return [StoredGame(id_of_record(record, copy), record) for copy in range(1, copies + 1)]


@pytest.mark.parametrize("together", [False, True])
@pytest.mark.parametrize("named_first", [False, True])
def test_a_game_comes_in_once_by_formats_with_and_without_ids(tmp_path: Path, together: bool, named_first: bool) -> None:
    named, nameless = [StoredGame(new_id(), record) for record in RECORDS], [*chain(*map(brought, RECORDS))]
    files = [named, nameless] if named_first else [nameless, named]
    url = str(tmp_path / "games.sqlite")
    database = Database(url)
    for file in [[*chain(*files)]] if together else files:
        import_games(database, file, silence)
    assert import_games(database, nameless, silence) == import_games(database, named, silence) == 0
    database.close()
    assert sorted(game.id for game in games_in(url)) == sorted(game.id for game in files[0])


def test_a_game_without_an_id_stands_for_one_game_only(tmp_path: Path) -> None:
    """Two games that boardzero gave different ids are two, although nothing else tells one from the other."""
    named = [StoredGame(new_id(), RECORDS[0]) for _ in range(3)]
    database = Database(str(tmp_path / "games.sqlite"))
    assert import_games(database, brought(RECORDS[0]), silence) == 1
    assert import_games(database, [*named[:2], *named[:2]], silence) == 1, "the first was there already"
    assert import_games(database, [*reversed(named[:2])], silence) == 0
    assert import_games(database, brought(RECORDS[0], 4), silence) == 2, "the log had two of them"
    assert import_games(database, named, silence) == 0
    database.close()


def test_games_of_unknown_days_are_two_games(tmp_path: Path) -> None:
    record = replace(RECORDS[0], ended="")
    database = Database(str(tmp_path / "games.sqlite"))
    assert import_games(database, [*brought(record), StoredGame(new_id(), record)], silence) == 2
    assert import_games(database, [*brought(record), StoredGame(new_id(), record)], silence) == 1
    database.close()
