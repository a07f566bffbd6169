"""Games from files, into a log that may have them already."""

from pathlib import Path

import pytest
from storage_helpers import games_in, heard_statements, random_record, silence

from boardzero.storage import importing
from boardzero.storage.database import Database
from boardzero.storage.entries import StoredGame, id_of_record
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
