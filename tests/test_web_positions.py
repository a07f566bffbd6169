"""Games and positions as the page gets them."""

import asyncio
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from starlette.testclient import TestClient
from web_servers import ok, refusal, serving

from boardzero.games.catalogue import BUILT_IN, find_game
from boardzero.games.position import Position
from boardzero.web.describing.looks import LOOKS
from boardzero.web.describing.position import describe_position
from boardzero.web.routes import positions as routes

VARIANTS = [specification for looks in LOOKS.values() for _, specification in looks.sizes]


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    with serving(tmp_path_factory.mktemp("web")) as client:
        yield client


def position(client: TestClient, game: str, moves: str = "", **more: Any) -> Any:
    return ok(client.get("/api/position", params={"game": game, "moves": moves, **more}))


def test_every_game_is_offered_with_sizes_that_exist(client: TestClient) -> None:
    catalogue = ok(client.get("/api/catalogue"))
    assert {game["name"] for game in catalogue["games"]} == set(BUILT_IN)
    for game in catalogue["games"]:
        for size in game["sizes"]:
            assert ok(client.get("/api/board", params={"game": size["game"]}))["game"] == size["game"]


def test_a_game_without_a_shipped_network_says_so_and_offers_other_players(client: TestClient) -> None:
    with_network, without = (ok(client.get("/api/board", params={"game": game})) for game in ("connect4", "othello"))
    assert with_network["network"]["id"] == "shipped-connect4" and not with_network["network_remark"]
    assert with_network["levels"][-1]["player"].startswith("alphazero:")
    assert without["network"] is None and "No network is shipped for othello" in without["network_remark"]
    available = {player["name"] for player in without["players"] if player["available"]}
    assert "alphazero" not in available and {"human", "mcts", "minimax", "random"} <= available
    assert all(level["player"].startswith("mcts:") for level in without["levels"])


@pytest.mark.parametrize("specification", VARIANTS)
@settings(max_examples=5, deadline=None)
@given(st.integers(0, 2**32))
def test_described_moves_are_where_the_rules_put_them(specification: str, seed: int) -> None:
    """Whatever a move changes is its source, its target or among its changes; and the other way round."""
    game = find_game(specification)
    played, draw = Position(game), np.random.default_rng(seed)
    for _ in range(12):
        described = describe_position(played)
        assert [move.action for move in described.legal] == played.legal_actions()
        if played.over:
            break
        move = described.legal[int(draw.integers(len(described.legal)))]
        before = game.cells(played.state).reshape(-1)
        played.play(move.move)
        changed = set(np.flatnonzero(game.cells(played.state).reshape(-1) != before))
        assert changed == {cell for cell in (move.source, move.target, *move.changes) if cell is not None}
        if move.jump:
            assert move.path[-1] == move.target


def test_a_row_of_jumps_names_every_landing(client: TestClient) -> None:
    board = "......../......../......../......../......../......../......../XX.O...O X"
    moves = {move["move"]: move for move in position(client, "latrunculi:start=rows", start=board)["legal"]}
    assert moves["a1-e1"]["jump"] and moves["a1-e1"]["path"] == [58, 60]
    assert not moves["a1-a2"]["jump"] and moves["a1-a2"]["path"] == []


def test_the_winning_line_is_told(client: TestClient) -> None:
    won = position(client, "connect4", "1122334")
    assert won["winner"] == 0 and won["lines"] == [[35, 36, 37, 38]] and won["sentence"] == "Red won."
    diagonal = position(client, "tictactoe", "a1 a2 b2 a3 c3")
    assert diagonal["lines"] == [[2, 4, 6]]


def test_whole_games_are_described_beside_the_event_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    threads: list[int] = []

    def glance(_: object) -> list[Any]:
        threads.append(threading.get_ident())
        return []

    monkeypatch.setattr(routes, "glance_at_all", glance)
    asyncio.run(routes.positions("connect4", "44", None))
    assert len(threads) == 1 and threads != [threading.get_ident()]


def test_two_lines_that_one_move_completes_are_told_apart(client: TestClient) -> None:
    won = position(client, "tictactoe", "a3 a2 b3 b2 c2 a1 c1 b1 c3")
    assert sorted(won["lines"]) == [[0, 1, 2], [2, 5, 8]]


def test_an_exact_five_is_the_line_and_six_is_none(client: TestClient) -> None:
    moves = "a1 a9 b1 b9 c1 c9 d1 d9 f1 f9 e1"  # a1 to f1: six
    assert position(client, "gomoku:size=9", moves)["lines"]
    assert not position(client, "gomoku:size=9,rule=standard", moves)["over"]


def test_passes_of_othello_are_told(client: TestClient) -> None:
    board = "XO..../....../....../....../....../.....O O"  # O has nothing to place here, X has
    waiting = position(client, "othello:size=6", start=board)
    assert [move["kind"] for move in waiting["legal"]] == ["pass"]
    assert waiting["sentence"] == "White cannot move and must pass."
    passed = position(client, "othello:size=6", "pass", start=board)
    assert passed["remarks"] == ["White passed: there was nothing else to do."]
    assert passed["turn"] == 0 and passed["start"] == board


def test_games_that_one_side_must_win_are_told_as_such(client: TestClient) -> None:
    board = "XX../X.../...O/..OO X quiet=2 ply=6"
    going_on, over = (
        position(client, "latrunculi:size=4,start=rows,quiet=4,draws=second", start=board, moves=moves)
        for moves in ("", "a4-c4 d2-d3")
    )
    assert "2 more moves without a removal and Black wins." in going_on["remarks"]
    assert over["sentence"] == "Black won what would be a draw."


def test_a_whole_game_comes_position_by_position(client: TestClient) -> None:
    row = ok(client.get("/api/positions", params={"game": "connect4", "moves": "4453"}))["positions"]
    assert [each["ply"] for each in row] == [0, 1, 2, 3, 4]
    assert row[0]["last"] is None and row[4]["last"]["move"] == "3" and row[4]["last"]["side"] == 1
    assert row[4]["board"] == position(client, "connect4", "4453")["board"]["text"]


def test_pasted_notation_is_taken_with_commas_and_spaces(client: TestClient) -> None:
    assert position(client, "connect4", "4, 4 5\n3")["moves"] == "4453"
    assert position(client, "othello", "D3,c5")["moves"] == "d3 c5"


@pytest.mark.parametrize(
    ("asked", "part"),
    [
        ({"game": "chess"}, "There is no game 'chess' on this server"),
        ({"game": "/etc/passwd.py"}, "There is no game '/etc/passwd.py'"),
        ({"game": "openspiel:chess"}, "There is no game 'openspiel'"),
        ({"game": "connect4:rows=100"}, "rows"),
        ({"game": "connect4:rows=30,columns=30"}, "at most 20 × 20"),
        ({"game": f"latrunculi:start=random,seed={10**30}"}, "too large"),
        ({"game": "connect4", "moves": "8"}, "is not a move of Connect Four"),
        ({"game": "connect4", "moves": "4444444"}, "is illegal"),
        ({"game": "connect4", "start": "nonsense"}, "board"),
        ({"game": "connect4", "start": "X....../......./......./......./......./....... O"}, "empty cell below"),
    ],
)
def test_bad_positions_are_refused_with_a_sentence(client: TestClient, asked: dict[str, str], part: str) -> None:
    assert part in refusal(client.get("/api/position", params=asked), 400)


def test_texts_without_end_are_refused(client: TestClient) -> None:
    assert client.get("/api/position", params={"game": "connect4", "moves": "4" * 30_000}).status_code == 422
    assert client.get("/api/position", params={"game": "connect4", "moves": "é" * 10_200}).status_code == 413
    assert client.get("/api/position", params={"game": "c" * 1000}).status_code == 422


def test_the_start_of_a_catalogue_costs_no_network(tmp_path: Path) -> None:
    with serving(tmp_path, shipped=lambda game: tmp_path / "missing.safetensors") as client:
        assert ok(client.get("/api/board", params={"game": "othello"}))["network"]["id"] == "shipped-othello"
        assert ok(client.get("/api/log"))["total"] == 0
