"""Live games: played, taken back, shared, and there again after a kill."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from starlette.testclient import TestClient
from web_servers import ok, refusal, reply_to, serving

from boardzero.web.game_log import GameLog
from boardzero.web.thinking.jobs import Busy
from boardzero.web.thinking.solvers import Solvers


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    with serving(tmp_path_factory.mktemp("web")) as client:
        yield client


def begin(client: TestClient, game: str, first: str = "human", second: str = "human", **more: Any) -> Any:
    return ok(client.post("/api/games", json={"game": game, "players": [first, second], **more}))


def play(client: TestClient, game: dict[str, Any], move: str) -> Any:
    wish = {"move": move, "ply": game["position"]["plies"]}
    return reply_to(client, ok(client.post(f"/api/games/{game['id']}/moves", json=wish)))


def log_id(client: TestClient, game: dict[str, Any]) -> str:
    """Of a finished game, as soon as it has one."""
    until = time.monotonic() + 120
    while (logged := ok(client.get(f"/api/games/{game['id']}"))["log"]) is None and time.monotonic() < until:
        time.sleep(0.05)
    assert isinstance(logged, str)
    return logged


def do(client: TestClient, game: dict[str, Any], what: str, **wish: Any) -> Any:
    return ok(client.post(f"/api/games/{game['id']}/{what}", json=wish))


@pytest.mark.parametrize(
    ("game", "machine"),
    [
        ("connect4", "alphazero:sims=10"),
        ("connect4", "perfect"),
        ("tictactoe", "perfect"),
        ("othello:size=4", "minimax:depth=2"),
        ("gomoku:size=5", "heuristic:sims=5"),
        ("latrunculi:size=4", "mcts:sims=10"),
        ("tictactoe", "random"),
    ],
)
def test_a_whole_game_against_a_machine(client: TestClient, game: str, machine: str) -> None:
    state = reply_to(client, begin(client, game, machine, "human"))
    assert state["position"]["plies"] == 1
    while not state["position"]["over"]:
        assert not state["trouble"]
        state = play(client, state, state["position"]["legal"][0]["move"])
    assert state["reason"] == "rules" and state["result"] in ("first", "second", "draw")
    logged = ok(client.get(f"/api/log/{log_id(client, state)}"))
    assert logged["moves"] == state["position"]["moves"] and logged["result"] == state["result"]
    assert logged["players"] == [machine, "human"] and logged["source"] == "page"


def test_a_machine_says_what_it_thought(client: TestClient) -> None:
    state = play(client, begin(client, "connect4", "human", "alphazero:sims=20"), "4")
    opinion = state["opinion"]
    assert opinion["side"] == 1 and opinion["ply"] == 1 and opinion["simulations"] == 20
    assert opinion["line"][0] == state["position"]["last"]["move"]
    assert opinion["win_probability"] == pytest.approx((opinion["value"] + 1) / 2)


def test_undo_takes_back_both_moves_against_a_machine_and_redo_brings_them_back(client: TestClient) -> None:
    before = play(client, begin(client, "connect4", "human", "random"), "4")
    taken = do(client, before, "undo")
    assert taken["position"]["moves"] == "" and taken["redo"] == list(before["position"]["moves"])
    assert do(client, taken, "redo")["position"]["moves"] == before["position"]["moves"]


def test_undo_takes_back_one_move_between_people(client: TestClient) -> None:
    state = play(client, play(client, begin(client, "connect4"), "4"), "3")
    assert do(client, state, "undo")["position"]["moves"] == "4"
    state = play(client, do(client, state, "undo"), "7")
    assert state["position"]["moves"] == "7" and state["redo"] == []


def test_one_can_go_to_any_move_and_back(client: TestClient) -> None:
    state = begin(client, "connect4", moves="4433")
    assert do(client, state, "goto", ply=1)["position"]["moves"] == "4"
    assert do(client, state, "goto", ply=4)["position"]["moves"] == "4433"
    assert "no move 9" in refusal(client.post(f"/api/games/{state['id']}/goto", json={"ply": 9}), 400)


def test_restart_keeps_the_given_opening(client: TestClient) -> None:
    state = play(client, begin(client, "connect4", moves="44"), "3")
    again = do(client, state, "restart")
    assert again["position"]["moves"] == "44" and again["redo"] == []


def test_a_resigned_game_is_over_and_logged(client: TestClient) -> None:
    state = do(client, play(client, begin(client, "connect4"), "4"), "resign", side=1)
    assert (state["result"], state["reason"]) == ("first", "resignation") and not state["position"]["legal"]
    assert ok(client.get(f"/api/log/{log_id(client, state)}"))["reason"] == "resignation"
    refusal(client.post(f"/api/games/{state['id']}/moves", json={"move": "4", "ply": 1}), 400)
    assert do(client, state, "undo")["result"] == "unfinished"


def test_players_can_change_sides_in_the_middle(client: TestClient) -> None:
    state = play(client, begin(client, "connect4"), "4")
    state = reply_to(client, do(client, state, "players", players=["human", "random"]))
    assert state["position"]["plies"] == 2 and state["titles"] == ["Human", "Random"]


def test_a_paused_machine_waits(client: TestClient) -> None:
    state = do(client, begin(client, "connect4", "human", "random"), "pause", paused=True)
    state = play(client, state, "4")
    time.sleep(0.2)
    assert ok(client.get(f"/api/games/{state['id']}"))["position"]["plies"] == 1
    assert reply_to(client, do(client, state, "pause", paused=False))["position"]["plies"] == 2


def test_a_move_that_comes_too_late_is_refused(client: TestClient) -> None:
    state = play(client, begin(client, "connect4"), "4")
    sentence = refusal(client.post(f"/api/games/{state['id']}/moves", json={"move": "4", "ply": 0}), 409)
    assert "has 1 moves by now" in sentence


def test_nobody_moves_for_the_machine(client: TestClient) -> None:
    state = do(client, begin(client, "connect4", "human", "random"), "pause", paused=True)
    state = ok(client.post(f"/api/games/{state['id']}/moves", json={"move": "4", "ply": 0}))
    assert "played by the computer" in refusal(
        client.post(f"/api/games/{state['id']}/moves", json={"move": "4", "ply": 1}), 400
    )


@pytest.mark.parametrize(
    ("player", "part"),
    [
        ("alphazero:network=/etc/passwd", "id has letters"),
        ("alphazero:network=../runs.1", "id has letters"),
        ("alphazero:network=nothing-1234.3", "no run"),
        ("alphazero:sims=1000000", "less than or equal to 20000"),
        ("mcts:seconds=1000", "less than or equal to 30"),
        ("mcts:nodes=5", "no parameter 'nodes'"),
        ("minimax:depth=99", "less than or equal to 20"),
        ("engine:gtp:rm", "There is no player 'engine'"),
        ("nobody", "There is no player 'nobody'"),
    ],
)
def test_players_beyond_the_limits_are_refused(client: TestClient, player: str, part: str) -> None:
    wish = {"game": "connect4", "players": ["human", player]}
    assert part in refusal(client.post("/api/games", json=wish), 400)


def test_players_that_cannot_play_a_game_are_refused(client: TestClient) -> None:
    for game, player in (("othello", "heuristic"), ("latrunculi", "perfect"), ("gomoku", "alphazero")):
        refusal(client.post("/api/games", json={"game": game, "players": [player, "human"]}), 400)


def test_a_machine_that_cannot_move_says_why(client: TestClient) -> None:
    state = begin(client, "othello", "perfect", "human")
    while state["thinking"]:
        time.sleep(0.05)
        state = ok(client.get(f"/api/games/{state['id']}"))
    assert "last moves only" in state["trouble"]


def test_a_busy_solver_is_asked_again(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    solve, asked = Solvers.scores, []

    async def busy_at_first(*arguments: Any) -> Any:
        asked.append(1)
        if len(asked) == 1:
            raise Busy("The solver is busy.")
        return await solve(*arguments)

    monkeypatch.setattr(Solvers, "scores", busy_at_first)
    state = play(client, begin(client, "tictactoe", "human", "perfect"), "a1")
    assert state["position"]["plies"] == 2 and not state["trouble"] and len(asked) == 2


def test_unknown_games_are_not_found(client: TestClient) -> None:
    assert "There is no game" in refusal(client.get("/api/games/nothing"), 404)
    assert client.post("/api/games/nothing/undo", json={}).status_code == 404


@pytest.mark.parametrize("database", ["postgresql://me@127.0.0.1:1/games", "postgresql://me@nowhere.invalid/games"])
def test_a_game_ends_as_usual_while_the_log_is_down_and_is_kept_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, database: str
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    said: list[str] = []
    with serving(tmp_path, database=database, say=said.append) as client:
        state = begin(client, "tictactoe")
        for move in ("a1", "b1", "a2", "b2", "a3"):
            state = play(client, state, move)
        assert state["result"] == "first" and state["reason"] == "rules"
        log_id(client, state)
    (kept,) = (tmp_path / "data").rglob("rows.jsonl")
    game = json.loads(kept.read_text())["values"]
    assert (game["first"], game["second"], game["result"], game["source"]) == ("human", "human", "first", "page")
    assert len(said) == 1 and "does not answer" in said[0]


def test_a_slow_log_delays_no_end_of_a_game_and_saving_waits_for_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    free = threading.Event()
    add = GameLog._add
    monkeypatch.setattr(GameLog, "_add", lambda log, record: free.wait(120) and add(log, record))
    with serving(tmp_path) as client:
        begun = time.monotonic()
        state = do(client, play(client, begin(client, "connect4"), "4"), "resign", side=1)
        assert state["result"] == "first" and state["log"] is None and time.monotonic() - begun < 60
        free.set()
        saved = do(client, state, "save")["log"]
        assert saved == log_id(client, state) and ok(client.get("/api/log"))["total"] == 1


def test_without_logging_only_what_somebody_saves_is_logged(tmp_path: Path) -> None:
    with serving(tmp_path, log_games=False) as client:
        state = do(client, play(client, begin(client, "connect4"), "4"), "resign", side=1)
        assert state["log"] is None and ok(client.get("/api/log"))["total"] == 0
        do(client, state, "save")
        assert ok(client.get("/api/log"))["total"] == 1


def test_a_game_of_the_log_can_be_gone_on_with(client: TestClient) -> None:
    saved = ok(client.post("/api/log", json={"game": "othello", "players": ["Ada", "Alan"], "moves": "d3 c5"}))
    state = ok(client.post("/api/games", json={"log": saved["log"]}))
    assert state["position"]["moves"] == "d3 c5"
    assert ok(client.get("/api/log", params={"player": "Ada"}))["games"][0]["result"] == "unfinished"


def test_a_game_goes_on_after_a_restart_of_the_server(tmp_path: Path) -> None:
    with serving(tmp_path) as client:
        state = play(client, begin(client, "connect4", "human", "random"), "4")
        do(client, state, "undo")
    with serving(tmp_path) as client:
        found = ok(client.get(f"/api/games/{state['id']}"))
        assert found["redo"] == list(state["position"]["moves"])
        assert play(client, found, "1")["position"]["plies"] == 2


def test_finished_games_that_nobody_looks_at_are_not_in_memory(tmp_path: Path) -> None:
    with serving(tmp_path) as client:
        states = [begin(client, "tictactoe") for _ in range(3)]
        assert ok(client.get("/api/status"))["games"] == 3
        for state in states[:2]:
            for move in ("a1", "b1", "a2", "b2", "a3"):
                state = play(client, state, move)
            assert log_id(client, state)
        assert ok(client.get(f"/api/games/{states[0]['id']}"))["result"] == "first"
        assert ok(client.get("/api/status"))["games"] == 1
        assert do(client, states[0], "undo")["position"]["plies"] == 4  # and can be gone on with
        assert ok(client.get("/api/status"))["games"] == 2


def test_a_finished_game_that_a_killed_server_did_not_log_is_logged_by_the_next(tmp_path: Path) -> None:
    with serving(tmp_path, log_games=False) as client:
        state = do(client, play(client, begin(client, "connect4"), "4"), "resign", side=1)
        play(client, begin(client, "connect4"), "4")
        assert ok(client.get("/api/log"))["total"] == 0
    for _ in range(2):  # once, however often it starts
        with serving(tmp_path) as client:
            logged = log_id(client, state)
            assert [each["id"] for each in ok(client.get("/api/log"))["games"]] == [logged]


# -- a real server in a process of its own -----------------------------------------------------------------------------
class RealServer:
    """`boardzero serve` at a free port."""

    def __init__(self, folder: Path, *options: str) -> None:
        command = [sys.executable, "-c", "from boardzero.cli.main import main; main()", "serve", "--port", "0"]
        files = [
            "--runs",
            str(folder / "runs"),
            "--live",
            str(folder / "live.sqlite"),
            "--database",
            str(folder / "log.sqlite"),
        ]
        self.process = subprocess.Popen([*command, *files, *options], stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        self.address = self.process.stdout.readline().split()[-1].rstrip("/")  # it listens when it says so
        self.client = httpx.Client(base_url=self.address, timeout=120)

    def end(self, how: signal.Signals) -> None:
        self.client.close()
        self.process.send_signal(how)
        self.process.wait(120)
        assert self.process.stdout is not None
        self.process.stdout.close()


@pytest.mark.skipif(os.name != "posix", reason="kills as POSIX does")
def test_a_killed_server_loses_no_finished_move_and_two_browsers_share_a_game(tmp_path: Path) -> None:
    server = RealServer(tmp_path)
    state = ok(server.client.post("/api/games", json={"game": "connect4", "players": ["human", "human"]}))
    heard: list[str] = []
    ready, done = threading.Event(), threading.Event()

    def listen() -> None:
        """The other browser."""
        with httpx.stream("GET", f"{server.address}/api/games/{state['id']}/events", timeout=120) as stream:
            for line in stream.iter_lines():
                if line.startswith("data: "):
                    heard.append(json.loads(line.removeprefix("data: "))["position"]["moves"])
                    ready.set()
                    if heard[-1] == "4453":
                        done.set()
                        return

    threading.Thread(target=listen, daemon=True).start()
    assert ready.wait(120)
    for ply, move in enumerate("4453"):
        ok(server.client.post(f"/api/games/{state['id']}/moves", json={"move": move, "ply": ply}))
    assert done.wait(120), heard
    server.end(signal.SIGKILL)
    again = RealServer(tmp_path)
    try:
        assert ok(again.client.get(f"/api/games/{state['id']}"))["position"]["moves"] == "4453"
    finally:
        again.end(signal.SIGINT)
    assert again.process.returncode in (0, -signal.SIGINT, 130)
