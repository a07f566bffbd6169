"""Trainings on the page: listed, watched, started, stopped; their networks played."""

import asyncio
import json
import time
from collections.abc import Iterator
from contextlib import aclosing
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient
from training_runs import SMALL, begin
from web_servers import ok, refusal, reply_to, serving

from boardzero.events.training import LearningProgress, SelfPlayProgress
from boardzero.training import loop
from boardzero.training.lock import FolderLock
from boardzero.training.loop import Training
from boardzero.web.learning import keeper as keeper_module
from boardzero.web.learning.folder import EventTail, ProgressTail
from boardzero.web.learning.keeper import RunKeeper
from boardzero.web.learning.watching import GameTail, watch_run
from boardzero.web.networks import RunShelf, run_id


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a finished run of tic-tac-toe."""
    folder = tmp_path_factory.mktemp("web")
    with Training(begin(folder / "runs" / "First Run", generations=2), lambda _: None) as training:
        training.run()
    return folder


@pytest.fixture(scope="module")
def client(folder: Path) -> Iterator[TestClient]:
    with serving(folder) as client:
        yield client


RUN = run_id("First Run")


def test_ids_are_letters_digits_and_dashes_and_differ() -> None:
    assert run_id("First Run").startswith("first-run-") and run_id("../..").startswith("run-")
    assert len({run_id(name) for name in ("a b", "a-b", "a_b", "A B")}) == 4


def test_runs_are_listed_with_how_far_they_came(client: TestClient) -> None:
    runs = ok(client.get("/api/runs"))
    (run,) = [run for run in runs["runs"] if run["id"] == RUN]
    assert (run["game"], run["state"], run["generation"], run["share"]) == ("tictactoe", "finished", 2, 1.0)
    assert run["network_generations"][-1] == 2 and run["games"] > 0 and not run["mine"]


def test_a_run_tells_its_events_and_settings(client: TestClient) -> None:
    run = ok(client.get(f"/api/runs/{RUN}"))
    done = [event for event in run["events"] if event["event"] == "GenerationDone"]
    assert [event["generation"] for event in done] == [1, 2] and done[0]["policy_loss"] > 0
    assert run["settings"]["network"]["blocks"] == 1


def test_any_generation_can_be_played_and_two_can_play_each_other(client: TestClient) -> None:
    networks = ok(client.get("/api/board", params={"game": "tictactoe"}))["networks"]
    assert networks[0]["id"] == f"{RUN}.2"
    players = ["human", f"alphazero:sims=8,network={RUN}.newest"]
    state = ok(client.post("/api/games", json={"game": "tictactoe", "players": players}))
    state = reply_to(client, ok(client.post(f"/api/games/{state['id']}/moves", json={"move": "b2", "ply": 0})))
    assert state["position"]["plies"] == 2
    both = [f"alphazero:sims=4,network={each['id']}" for each in networks[:2]]
    state = ok(client.post("/api/games", json={"game": "tictactoe", "players": both, "pause_seconds": 0}))
    while state["result"] == "unfinished":
        assert not state["trouble"]
        state = ok(client.get(f"/api/games/{state['id']}", params={"beyond": state["version"], "wait": 20}))


def test_a_network_of_another_game_is_refused(client: TestClient) -> None:
    wish = {"game": "connect4", "players": [f"alphazero:network={RUN}.2", "human"]}
    sentence = refusal(client.post("/api/games", json=wish), 400)
    assert f"The network '{RUN}.2' was built for tictactoe and cannot play connect4" in sentence and "/" not in sentence
    sentence = refusal(client.get("/api/policy", params={"game": "tictactoe", "network": f"{RUN}.77"}), 400)
    assert "has no network of generation 77; there are 0, 1, 2" in sentence


def test_a_network_that_cannot_be_read_is_refused_by_its_id(tmp_path: Path) -> None:
    run = begin(tmp_path / "runs" / "broken", generations=1)
    run.network(3).parent.mkdir(parents=True, exist_ok=True)
    run.network(3).write_bytes(b"nothing of this kind")
    with serving(tmp_path) as client:
        wish = {"game": "tictactoe", "players": [f"alphazero:network={run_id('broken')}.3", "human"]}
        sentence = refusal(client.post("/api/games", json=wish), 400)
    assert sentence == f"The network '{run_id('broken')}.3' cannot be read."


def test_what_is_under_way_is_in_a_file_while_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loop, "TOLD_EVERY", -1.0)  # every step
    path, told, heard = tmp_path / "run", [], []
    tail = ProgressTail(path)

    def listen(event: object) -> None:
        heard.append(type(event).__name__)
        if isinstance(event, SelfPlayProgress | LearningProgress):
            told.append(tail.read())
            assert tail.read() is None  # nothing new

    with Training(begin(path, generations=1), listen) as training:
        training.run()
    assert {"SelfPlayProgress", "LearningProgress", "GenerationDone"} <= set(heard)
    assert {each["event"] for each in told if each} == {"SelfPlayProgress", "LearningProgress"}
    assert not (path / "progress.json").exists()


def test_whoever_watches_a_run_hears_what_is_under_way(tmp_path: Path) -> None:
    folder = begin(tmp_path / "runs" / "going", generations=1)
    keeper = RunKeeper(RunShelf(tmp_path / "runs"))
    doing = {"event": "LearningProgress", "generation": 1, "step": 3, "steps": 9}
    (folder.path / "progress.json").write_text(json.dumps(doing))

    async def first(number: int) -> list[Any]:
        async with aclosing(watch_run(keeper, run_id("going"))) as messages:  # type: ignore[type-var]
            return [(await anext(messages)) for _ in range(number)]

    lock = FolderLock(folder.path)  # somebody trains there
    try:
        assert asyncio.run(asyncio.wait_for(first(2), 120))[1] == ("training", doing)
    finally:
        lock.release()


def test_games_of_self_play_come_from_the_journal(folder: Path, tmp_path: Path) -> None:
    path = tmp_path / "run"
    with Training(begin(path, "replay.shard_games=100000", generations=1), lambda _: None) as training:
        training.run()
        tail = GameTail(path)
        game = tail.newest()
        assert tail.newest() is None  # nothing new
    assert game is not None and game.plies == len(game.moves.split()) == len(game.values)
    assert game.start is None and all(value is None or 0 <= value <= 1 for value in game.values)


def test_events_are_read_once_and_torn_lines_when_they_are_whole(tmp_path: Path) -> None:
    file, tail = tmp_path / "events.jsonl", EventTail(tmp_path)
    assert tail.read() == []
    file.write_bytes(b'{"event": "A"}\n{"event": ')
    assert tail.read() == [{"event": "A"}]
    with file.open("ab") as more:
        more.write(b'"B"}\nnonsense\n')
    assert tail.read() == [{"event": "B"}] and tail.read() == []


@pytest.mark.parametrize(
    ("wish", "status", "part"),
    [
        ({"game": "tictactoe"}, 422, "minutes or of generations"),
        ({"game": "tictactoe", "minutes": 1, "generations": 1}, 422, "minutes or of generations"),
        ({"game": "nothing", "minutes": 1}, 400, "There is no game"),
        ({"game": "tictactoe", "minutes": 1, "settings": ["nothing=1"]}, 400, "There is no setting"),
        ({"game": "tictactoe", "minutes": 1, "settings": ["network.blocks=many"]}, 400, "network.blocks"),
        ({"game": "tictactoe", "minutes": 1, "settings": ["--run=/tmp"]}, 422, "pattern"),
        ({"game": "tictactoe", "minutes": 1e9}, 422, "less than"),
    ],
)
def test_bad_trainings_are_refused(client: TestClient, wish: dict[str, Any], status: int, part: str) -> None:
    assert part in refusal(client.post("/api/runs", json=wish), status)


def test_trainings_can_be_forbidden(tmp_path: Path) -> None:
    with serving(tmp_path, training=False) as client:
        assert not ok(client.get("/api/runs"))["can_train"]
        assert "--no-training" in refusal(client.post("/api/runs", json={"game": "tictactoe", "minutes": 1}), 400)


def wait_for(client: TestClient, run: str, *states: str) -> Any:
    deadline = time.monotonic() + 300
    while (found := ok(client.get(f"/api/runs/{run}")))["state"] not in states:
        assert time.monotonic() < deadline, found
        time.sleep(0.2)
    return found


def test_a_training_is_started_stopped_resumed_and_ends_with_the_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keeper_module, "BACKGROUND", 0)  # beside other tests it would hardly get a core
    with serving(tmp_path) as client:
        wish = {"game": "tictactoe", "generations": 1000, "settings": SMALL}
        run = ok(client.post("/api/runs", json=wish))["id"]
        assert "runs already" in refusal(client.post("/api/runs", json=wish), 409)
        while not wait_for(client, run, "running")["events"]:
            time.sleep(0.2)
        ok(client.post(f"/api/runs/{run}/stop", json={}))
        stopped = wait_for(client, run, "stopped")
        assert stopped["generation"] >= 1 and not stopped["trouble"]
        assert "does not run" in refusal(client.post(f"/api/runs/{run}/stop", json={}), 400)
        ok(client.post(f"/api/runs/{run}/resume", json={}))
        while wait_for(client, run, "running")["generation"] <= stopped["generation"]:
            time.sleep(0.2)
    with serving(tmp_path) as client:
        assert ok(client.get(f"/api/runs/{run}"))["state"] == "stopped"
        (name,) = [path.name for path in (tmp_path / "runs").iterdir()]
        assert json.loads((tmp_path / "runs" / name / "settings.json").read_text())["generations"] == 1000
