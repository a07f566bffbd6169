"""Programs of others on the page: named by the operator, chosen by name, one dialogue a game, faults that lose."""

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from brain_program import NAME, brain_program
from starlette.testclient import TestClient
from storage_helpers import games_in
from web_servers import messages, ok, refusal, reply_to, serving

from boardzero.cli.main import main
from boardzero.errors import BadInput
from boardzero.players.catalogue import player_class
from boardzero.web.players import ENGINE_PREFIX, KINDS, parse_engines, parse_player


@contextmanager
def server_with(folder: Path, fault: str = "pass") -> Iterator[TestClient]:
    """A server with an engine called `plain`, which plays the first free cell from the top."""
    note = f"open({str(folder / 'started')!r}, 'a').write(f'{{os.getpid()}}\\n')"
    engines = parse_engines([f"plain=engine:gomocup,patience=60:{brain_program(folder, fault, begun=note)}"])
    with serving(folder, engines=engines) as client:
        yield client


def begin(client: TestClient, *players: str, game: str = "gomoku:size=7") -> Any:
    return ok(client.post("/api/games", json={"game": game, "players": players}))


def played_in(game: Any) -> list[str]:
    moves: str = game["position"]["moves"]
    return moves.split()


def move(client: TestClient, game: Any, text: str) -> Any:
    played = ok(client.post(f"/api/games/{game['id']}/moves", json={"move": text, "ply": len(played_in(game))}))
    return reply_to(client, played)


def test_a_visitor_plays_an_engine_that_the_operator_has_named(tmp_path: Path) -> None:
    with server_with(tmp_path) as client:
        board = ok(client.get("/api/board", params={"game": "gomoku:size=7"}))
        (offer,) = (offer for offer in board["players"] if offer["name"] == "engine-plain")
        assert offer["available"] and offer["takes"] == [] and offer["usual"] == "engine-plain"
        assert NAME not in str(board)
        game = begin(client, "human", "engine-plain")
        assert game["titles"][1] == "plain"
        for text in ("d4", "d3", "d2"):
            game = move(client, game, text)
        assert played_in(game) == ["d4", "a7", "d3", "b7", "d2", "c7"]
        game = ok(client.post(f"/api/games/{game['id']}/undo", json={}))
        game = move(client, game, "d1")
        assert played_in(game)[4:] == ["d1", "c7"]
        game = move(client, game, "d5")
        game = move(client, game, "d6")  # d1, d3 to d6: not five; the engine has four in a row and wins
        assert game["result"] == "second" and game["reason"] == "rules"
        begin(client, "human", "engine-plain")
        assert len((tmp_path / "started").read_text().split()) == 1  # one program for one game, and none before it must move
    assert {entry.record.players for entry in games_in(str(tmp_path / "games.sqlite"))} == {("human", "engine-plain")}


def test_every_game_has_a_program_of_its_own_which_ends_with_it(tmp_path: Path) -> None:
    with server_with(tmp_path) as client:
        games = [reply_to(client, begin(client, "engine-plain", "human")) for _ in range(2)]
        assert all(played_in(game) == ["a7"] for game in games)
        first, second = map(int, (tmp_path / "started").read_text().split())
        ok(client.post(f"/api/games/{games[0]['id']}/resign", json={"side": 1}))
        assert wait_until_ended(first) and not wait_until_ended(second, seconds=0.0)
    assert wait_until_ended(first) and wait_until_ended(second)


def wait_until_ended(pid: int, seconds: float = 120.0) -> bool:
    deadline = time.monotonic() + seconds
    while True:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        if time.monotonic() >= deadline:
            return False
        time.sleep(0.02)


@pytest.mark.parametrize(
    ("fault", "reason", "sentence"),
    [
        ("turns > 1 and sys.exit('out of stones')", "failure", "engine-plain ended with code 1 (out of stones)"),
        ("x, y = (3, 3) if turns > 1 else (x, y)", "illegal move", "engine-plain played d4, which is illegal"),
        ("if turns > 1: print('hello 5', 'ERROR no', sep='\\n', flush=True); continue", "failure", "which is no move"),
    ],
)
def test_a_fault_of_an_engine_is_a_loss_with_a_remark(tmp_path: Path, fault: str, reason: str, sentence: str) -> None:
    with server_with(tmp_path, fault) as client:
        game = move(client, begin(client, "human", "engine-plain"), "d4")
        game = move(client, game, "d3")
        assert (game["result"], game["reason"]) == ("first", reason) and sentence in game["trouble"]
        assert "lost by a fault" in game["position"]["sentence"] and game["position"]["legal"] == []
        again = ok(client.post(f"/api/games/{game['id']}/restart", json={}))
        assert again["result"] == "unfinished" and again["trouble"] == ""
        assert played_in(move(client, again, "d4")) == ["d4", "a7"]  # it has been started anew
    (entry,) = games_in(str(tmp_path / "games.sqlite"))
    assert entry.record.reason == reason and sentence in entry.record.remark


def test_visitors_never_name_commands(tmp_path: Path) -> None:
    with server_with(tmp_path) as client:
        for player in (
            "engine:gomocup:cat",
            "engine",
            "engine-plain:command=cat",
            "engine-../x",
            f"engine-{'x' * 31}",
            "engine-",
        ):
            refusal(client.post("/api/games", json={"game": "gomoku:size=7", "players": ["human", player]}), 400)
        other = {"game": "gomoku:size=7", "players": ["human", "engine-other"]}
        assert refusal(client.post("/api/games", json=other), 400) == "There is no engine 'other' on this server."
        othello = {"game": "othello", "players": ["human", "engine-plain"]}
        assert "plays gomoku, not othello" in refusal(client.post("/api/games", json=othello), 400)
        (trouble, *_) = messages(client.get("/api/analysis", params={"game": "gomoku:size=7", "player": "engine:gomocup:cat"}))
        assert trouble[0] == "trouble" and "There is no player 'engine'" in trouble[1]["error"]
    assert not (tmp_path / "started").exists()


def test_no_kind_of_player_that_visitors_may_choose_starts_a_program() -> None:
    assert not any(player_class(name).starts_program for name in KINDS)
    with pytest.raises(BadInput):
        parse_player("engine:gtp:cat")
    assert parse_player(f"{ENGINE_PREFIX}plain").engine == "plain" and parse_player("mcts").engine is None


@pytest.mark.parametrize(
    "text",
    [
        "plain",
        "plain=mcts",
        "Plain=engine:gtp:cat",
        "=engine:gtp:cat",
        "a=engine:gtp",
        "a=engine:uci:cat",
        "a=engine:gtp:none-1",
    ],
)
def test_what_cannot_be_an_engine_is_refused_when_the_server_starts(
    text: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    places = ["--live", str(tmp_path / "live"), "--database", str(tmp_path / "log"), "--runs", str(tmp_path)]
    monkeypatch.setattr(sys, "argv", ["boardzero", "serve", "--port", "0", *places, "--engine", text])
    with pytest.raises(SystemExit) as ended:
        main()
    told = capsys.readouterr().err
    assert ended.value.code == 2 and told.count("\n") == 1, told
