"""Ratings in the game log: `boardzero rate --log` writes them, and the page's server shows them."""

import json
from pathlib import Path

import pytest
from storage_helpers import games_in
from web_servers import ok, serving

from boardzero.cli.main import app
from boardzero.storage.queries import GameFilter

CHEAP = ["rate", "--game", "tictactoe", "random", "minimax:depth=1", "minimax:depth=3", "--no-anchors"]


def rate(folder: Path, *options: str) -> None:
    app([*CHEAP, "--file", str(folder / "rated.jsonl"), *options], standalone_mode=False)


def test_ratings_that_were_logged_are_those_that_the_server_shows(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    database = str(tmp_path / "games.sqlite")
    rate(tmp_path, "--games", "48", "--database", database, "--json")
    answer = json.loads(capsys.readouterr().out)
    with serving(tmp_path) as client:
        shown = ok(client.get("/api/ratings", params={"game": "tictactoe"}))["players"]
        assert ok(client.get("/api/ratings", params={"game": "connect4"}))["players"] == []
    rated = {one["name"]: one for one in answer["players"]}
    assert [one["player"] for one in shown] == [one["name"] for one in answer["players"]]
    for one in shown:
        bounds = [None, None] if one["player"] == "random" else rated[one["player"]]["interval"]  # the anchor is fixed
        assert one["rating"] == pytest.approx(rated[one["player"]]["rating"])
        assert [one["low"], one["high"]] == [bound if bound is None else pytest.approx(bound) for bound in bounds]
    games = games_in(database, GameFilter(source="rating"))
    assert len(games) == answer["games"] >= 48 and sum(one["games"] for one in shown) == 2 * len(games)
    assert {player for game in games for player in game.record.players} == set(rated)


def test_games_are_logged_when_they_are_played_and_not_again(tmp_path: Path) -> None:
    database = str(tmp_path / "games.sqlite")
    rate(tmp_path, "--games", "16")
    rate(tmp_path, "--games", "0", "--database", database, "--json")
    assert games_in(database) == []
    with serving(tmp_path) as client:
        assert len(ok(client.get("/api/ratings", params={"game": "tictactoe"}))["players"]) == 3


def test_a_rating_does_not_need_the_database_to_answer(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    nobody = "postgresql://me@127.0.0.1:1/games"
    rate(tmp_path, "--games", "8", "--database", nobody)
    told = capsys.readouterr()
    assert "does not answer" in told.err and "minimax:depth=3" in told.out
    kept = [path.read_text() for path in (tmp_path / "data").rglob("rows.jsonl")]
    assert len(kept) == 1 and kept[0].count('"table": "ratings"') == 3 and kept[0].count('"table": "games"') >= 8
