"""Analysis, exact results, review and search trees."""

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest
from starlette.testclient import TestClient
from web_servers import messages, ok, refusal, serving

from boardzero.errors import BadInput
from boardzero.games.catalogue import find_game
from boardzero.games.position import Position
from boardzero.web.limits import MOST_SIMULATIONS
from boardzero.web.players import parse_player
from boardzero.web.study.analysis import Analyst
from boardzero.web.study.review import PROBES_AT_ONCE, accuracy_of, bounded_loss, class_of
from boardzero.web.thinking.solvers import Solvers


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    with serving(tmp_path_factory.mktemp("web")) as client:
        yield client


def test_an_analysis_ends_with_a_final_report_and_exact_results(client: TestClient) -> None:
    told = messages(client.get("/api/analysis", params={"game": "connect4", "moves": "44", "seconds": 0.5}))
    assert told[-1][0] == "end"
    analyses = [data for name, data in told if name == "analysis"]
    assert [each["final"] for each in analyses] == [False] * (len(analyses) - 1) + [True]
    best = analyses[-1]["moves"][0]
    assert best["line"][0] == best["move"] and best["visits"] > 0 and 0 < best["prior"] < 1
    assert sum(move["share"] for move in analyses[-1]["moves"]) == pytest.approx(1)
    exact = next(data for name, data in told if name == "exact")
    assert exact["moves"][0]["move"] == "4" and exact["moves"][0]["text"] == "wins in 39 plies"


@pytest.mark.parametrize(("game", "player"), [("othello", "mcts"), ("gomoku:size=9", "heuristic")])
def test_games_without_a_network_are_analysed_by_others(client: TestClient, game: str, player: str) -> None:
    told = messages(client.get("/api/analysis", params={"game": game, "seconds": 0.3}))
    final = [data for name, data in told if name == "analysis"][-1]
    assert final["final"] and final["player"] == player and len(final["moves"]) >= 4


def test_what_goes_wrong_in_a_stream_is_told_in_it(client: TestClient) -> None:
    told = messages(client.get("/api/analysis", params={"game": "othello", "player": "alphazero"}))
    assert told[0] == ("trouble", {"error": "No network is shipped for othello; train one, or choose another player."})
    assert messages(client.get("/api/analysis", params={"game": "connect4", "moves": "1122334"}))[0][0] == "trouble"
    assert messages(client.get("/api/review", params={"game": "connect4"}))[0][0] == "trouble"


@pytest.mark.parametrize(
    ("game", "moves", "move", "text"),
    [
        ("connect4", "112233", "4", "wins in 1 ply"),
        ("tictactoe", "a1 b1 a2 b2", "a3", "wins in 1 ply"),
        ("tictactoe", "a1 b1 a2", "b2", "loses in 2 plies"),
        ("tictactoe", "", "b2", "draws"),
    ],
)
def test_exact_results_in_words(client: TestClient, game: str, moves: str, move: str, text: str) -> None:
    report = ok(client.get("/api/exact", params={"game": game, "moves": moves}))
    found = {each["move"]: each["text"] for each in report["moves"]}
    assert found[move] == text


def test_positions_that_no_solver_knows_are_refused(client: TestClient) -> None:
    assert "60 cells are empty" in refusal(client.get("/api/exact", params={"game": "othello"}), 400)
    refusal(client.get("/api/exact", params={"game": "gomoku"}), 400)


def test_the_raw_policy_is_a_distribution_over_the_legal_moves(client: TestClient) -> None:
    report = ok(client.get("/api/policy", params={"game": "connect4", "moves": "444444"}))
    assert {move["move"] for move in report["moves"]} == set("123567")
    assert sum(move["probability"] for move in report["moves"]) == pytest.approx(1, abs=1e-5)
    assert sum(share for share in report["cells"] if share) == pytest.approx(1, abs=1e-5)


def test_a_review_finds_the_blunder_that_the_solver_knows(client: TestClient) -> None:
    moves = "b2 b1 a1 c3 a3 a2 c1"  # answering the centre at an edge loses
    told = messages(client.get("/api/review", params={"game": "tictactoe", "moves": moves, "simulations": 20}))
    assert {data["ply"] for name, data in told if name == "ply"} == set(range(8))
    summary = next(data for name, data in told if name == "summary")
    assert [move["ply"] for move in summary["moves"]] == list(range(1, 8))
    blunder = summary["moves"][1]
    assert (blunder["move"], blunder["side"]) == ("b1", 1) and blunder["class"] in ("inaccuracy", "mistake", "blunder")
    assert 0.05 <= blunder["lost"] <= 0.5  # the search says how much; the solver, that it gave a draw away
    assert blunder["best"] in ("a1", "a3", "c1", "c3")
    assert summary["moves"][6]["class"] == "best" and summary["graph"][7] == 1.0
    assert [side["moves"] for side in summary["players"]] == [4, 3]
    assert summary["players"][0]["accuracy"] > summary["players"][1]["accuracy"]


def test_an_attempt_is_judged(client: TestClient) -> None:
    asked = {"game": "tictactoe", "moves": "b2"}
    bad, good = (ok(client.get("/api/judge", params={**asked, "move": move})) for move in ("b1", "a1"))
    assert bad["class"] in ("inaccuracy", "mistake", "blunder") and 0.05 <= bad["lost"] <= 0.5
    assert (good["class"], good["lost"]) == ("best", 0)
    assert "illegal" in refusal(client.get("/api/judge", params={**asked, "move": "b2"}), 400)


def test_classes_go_by_lost_win_probability() -> None:
    lost = [0.0, 0.03, 0.07, 0.15, 0.2]
    assert [class_of(each) for each in lost] == ["excellent", "good", "inaccuracy", "mistake", "blunder"]
    assert accuracy_of([0.0, 0.0]) == 100 and accuracy_of([]) is None
    accuracies = [accuracy_of([each]) or 0 for each in lost]
    assert accuracies == sorted(accuracies, reverse=True)


@pytest.mark.parametrize(
    ("said", "exact", "lost"),
    [
        (0.3, 0.0, "good"),  # it wins all the same, only later
        (0.01, 0.0, "excellent"),
        (0.0, 0.5, "inaccuracy"),  # the search did not see what was given away
        (0.12, 0.5, "mistake"),
        (0.9, 0.5, "blunder"),
        (0.9, 1.0, "blunder"),
    ],
)
def test_exact_results_bound_what_the_search_says_of_a_move(said: float, exact: float, lost: str) -> None:
    assert class_of(bounded_loss(said, exact)) == lost
    assert bounded_loss(said, exact) <= max(exact, 0.05)


def test_reviews_ask_the_solver_about_few_positions_at_once(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    solve, asking, most = Solvers.scores, 0, 0

    async def counted(*arguments: Any) -> Any:
        nonlocal asking, most
        asking += 1
        most = max(most, asking)
        try:
            await asyncio.sleep(0.01)
            return await solve(*arguments)
        finally:
            asking -= 1

    monkeypatch.setattr(Solvers, "scores", counted)
    told = messages(client.get("/api/review", params={"game": "tictactoe", "moves": "a1 b1 c1 a2 c2", "simulations": 5}))
    assert told[-2][0] == "summary" and most == PROBES_AT_ONCE


def test_a_limit_of_simulations_is_a_limit_whatever_the_network_is_called() -> None:
    """`sims` in another parameter says nothing about simulations."""
    asked: list[int | None] = []

    class Pool:
        shelf = None

        def job_for(self, choice: Any, game: Any, state: Any, simulations: int | None, seconds: float) -> Any:
            asked.append(simulations)
            raise BadInput("That is enough.")

    async def ask(player: str) -> None:
        analyst, choice = Analyst(Pool()), parse_player(player)  # type: ignore[arg-type]
        with pytest.raises(BadInput):
            await anext(analyst._shared_reports(Position(find_game("connect4")), choice, 1.0))

    for player in ("alphazero:network=my-sims-1234.3", "alphazero:sims=7", "alphazero"):
        asyncio.run(ask(player))
    assert asked == [MOST_SIMULATIONS, 7, MOST_SIMULATIONS]


@pytest.mark.parametrize("game", ["othello", "latrunculi:size=6"])
def test_where_no_network_is_the_tree_is_one_of_random_games(client: TestClient, game: str) -> None:
    tree = ok(client.post("/api/trees", json={"game": game, "simulations": 300}))
    root = tree["root"]
    assert tree["simulations"] == 300 and sum(child["visits"] for child in root["children"]) >= 299
    assert all(child["prior"] is None for child in root["children"])
    opened = next(child for child in root["children"] if child["expandable"])
    node = ok(client.get(f"/api/trees/{tree['id']}", params={"path": str(opened["action"])}))
    assert node["visits"] == opened["visits"] and node["value"] == pytest.approx(-opened["value"])
    assert node["moves"] == [opened["move"]] and node["turn"] == 1 and node["children"]
    assert "does not reach" in refusal(client.get(f"/api/trees/{tree['id']}", params={"path": "99999"}), 400)


def test_a_tree_can_be_looked_into(client: TestClient) -> None:
    tree = ok(client.post("/api/trees", json={"game": "connect4", "simulations": 100}))
    root = tree["root"]
    assert root["visits"] == 101 and sum(child["visits"] for child in root["children"]) == 100
    opened = next(child for child in root["children"] if child["expandable"])
    node = ok(client.get(f"/api/trees/{tree['id']}", params={"path": str(opened["action"])}))
    assert node["visits"] == opened["visits"] and node["value"] == pytest.approx(-opened["value"])
    assert node["moves"] == [opened["move"]] and node["turn"] == 1
    refusal(client.get(f"/api/trees/{tree['id']}", params={"path": "3,3,3,3,3,3,3,3,3"}), 400)
    refusal(client.get(f"/api/trees/{tree['id']}", params={"path": "../x"}), 400)
    assert "forgotten" in refusal(client.get("/api/trees/nothing"), 404)
    assert "keeps no tree" in refusal(client.post("/api/trees", json={"game": "othello", "player": "minimax"}), 400)
