"""Games that matches save, line by line."""

from pathlib import Path

import pytest
from arena_players import Dice, play, some_games

from boardzero.arena.saved_games import SavedGames, position_of, read_games
from boardzero.errors import BadInput
from boardzero.games.catalogue import find_game


def test_saved_games_are_read_back(tmp_path: Path) -> None:
    games = some_games(3)
    for record in games:
        SavedGames(tmp_path / "games.jsonl").append(record)
    assert read_games(tmp_path / "games.jsonl") == (games, [])


@pytest.mark.parametrize(
    "name", ["latrunculi:size=4,start=random", "othello:size=4", "openspiel:breakthrough,rows=4,columns=3"]
)
def test_a_saved_game_can_be_played_through_again(name: str, tmp_path: Path) -> None:
    if name.startswith("openspiel"):
        pytest.importorskip("pyspiel")
    game = find_game(name)
    path = tmp_path / "games.jsonl"
    for record in play(Dice(game), Dice(game), 4).records:
        SavedGames(path).append(record)
    records, _ = read_games(path)
    assert len(records) == 4
    for record in records:
        position = position_of(record)
        assert position.over and position.winner == record.winner


def test_a_last_line_cut_short_is_skipped_and_named_and_appending_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    games = some_games(3)
    for record in games[:2]:
        SavedGames(path).append(record)
    whole = path.read_bytes()
    for length in range(len(whole) // 2 + 10, len(whole) - 1, 37):
        path.write_bytes(whole[:length])
        records, damaged = read_games(path)
        assert records == games[:1]
        assert damaged == [f"Line 2 of '{path}' is damaged and was skipped."]
        SavedGames(path).append(games[2])
        records, damaged = read_games(path)
        assert records == [games[0], games[2]] and len(damaged) == 1


def test_games_are_not_added_to_another_kind_of_file(tmp_path: Path) -> None:
    path = tmp_path / "letter.txt"
    path.write_text("Dear Ann,\nthank you.\n")
    with pytest.raises(BadInput, match="something else than saved games"):
        SavedGames(path)
    assert path.read_text() == "Dear Ann,\nthank you.\n"


def test_files_that_cannot_be_written_or_read_are_refused(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "missing" / "games.jsonl"):
        with pytest.raises(BadInput, match="cannot be saved"):
            SavedGames(path)
    with pytest.raises(BadInput, match="cannot be read"):
        read_games(tmp_path / "none.jsonl")
