"""Alpha-beta finds what plain minimax finds, sooner; what it calls exact is exact; limits are kept."""

import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from search_positions import (
    Solver,
    plain_minimax,
    position_at,
    positions_with_a_threat,
    positions_with_a_win,
    random_positions,
    safe_actions,
    winning_actions,
)

from boardzero.games.catalogue import find_game
from boardzero.games.position import Position
from boardzero.games.randomness import new_stream
from boardzero.games.rules import Game
from boardzero.search.alphabeta import PROVEN, WIN
from boardzero.search.deepening import search
from boardzero.search.heuristics import HIGHEST, find_heuristic, no_heuristic

DEPTHS = {
    "tictactoe": 5,
    "connect4": 4,
    "connect4:rows=4,columns=5,connect=3": 5,
    "connect4:rows=9,columns=9": 3,
    "othello:size=6": 4,
    "othello:size=4": 5,
    "gomoku:size=5": 3,
    "gomoku:size=7,rule=standard": 2,
    "latrunculi:size=4": 3,
    "latrunculi:size=4,start=rows": 4,
}
TICTACTOE = find_game("tictactoe")
SMALL = find_game("connect4:rows=4,columns=4,connect=3")
SOLVERS = {game: Solver(game) for game in (TICTACTOE, SMALL)}
GAMES = ["tictactoe", "connect4", "connect4:rows=9,columns=9", "othello:size=4", "gomoku:size=9"]
WINNABLE = [*GAMES, "latrunculi:size=4"]  # there, who is about to lose the last man but one cannot help it


@settings(deadline=None, max_examples=60)
@given(name=st.sampled_from(list(DEPTHS)), seed=st.integers(0, 10_000), ply=st.integers(0, 60), data=st.data())
def test_alphabeta_equals_minimax_without_pruning(name: str, seed: int, ply: int, data: st.DataObject) -> None:
    game = find_game(name)
    depth = data.draw(st.integers(1, DEPTHS[name]))
    position = position_at(game, seed, ply)
    heuristic = find_heuristic(game)
    report = search(game, position.state, depth=depth)
    if report.exact is None:
        assert report.depth == min(depth, game.max_plies)
    assert report.score == plain_minimax(game, position.state, report.depth, heuristic)
    chosen = game.next_state(position.state, report.actions[0].action)
    if not game.outcome(chosen):
        assert report.score == -plain_minimax(game, chosen, report.depth - 1, heuristic, ply=1)


@settings(deadline=None, max_examples=40)
@given(name=st.sampled_from(list(DEPTHS)), seed=st.integers(0, 10_000), ply=st.integers(0, 60))
def test_every_action_gets_its_minimax_value(name: str, seed: int, ply: int) -> None:
    game = find_game(name)
    position = position_at(game, seed, ply)
    report = search(game, position.state, depth=DEPTHS[name] - 1, every_action=True)
    assert sorted(scored.action for scored in report.actions) == position.legal_actions()
    scores = [scored.score for scored in report.actions if scored.score is not None]
    assert len(scores) == len(report.actions)
    assert scores == sorted(scores, reverse=True)
    for scored in report.actions:
        successor = game.next_state(position.state, scored.action)
        if not game.outcome(successor):
            expected = -plain_minimax(game, successor, report.depth - 1, find_heuristic(game), ply=1)
            assert scored.score == expected


@settings(deadline=None, max_examples=40)
@given(name=st.sampled_from(["tictactoe", "othello:size=4"]), seed=st.integers(0, 10_000), ply=st.integers(0, 9))
def test_distant_ends_found_through_the_table_count_their_plies_from_the_root(name: str, seed: int, ply: int) -> None:
    game = find_game(name)
    positions = list(random_positions(game, seed))
    state = positions[max(0, len(positions) - 2 - ply // 2)].state
    depth = game.max_plies if name == "tictactoe" else 6
    report = search(game, state, depth=depth, every_action=True)
    for scored in report.actions:
        successor = game.next_state(state, scored.action)
        if not game.outcome(successor):
            assert scored.score == -plain_minimax(game, successor, report.depth - 1, find_heuristic(game), ply=1)


@settings(deadline=None, max_examples=40)
@given(name=st.sampled_from(list(DEPTHS)), seed=st.integers(0, 10_000), ply=st.integers(0, 60))
def test_the_table_and_its_size_change_nothing(name: str, seed: int, ply: int) -> None:
    game = find_game(name)
    state = position_at(game, seed, ply).state
    reports = [search(game, state, depth=DEPTHS[name] + 1, table_bits=bits) for bits in (0, 4, 20)]
    found = {(report.score, report.exact, report.actions[0].action, report.depth) for report in reports}
    assert len(found) == 1


@settings(deadline=None, max_examples=60)
@given(game=st.sampled_from([TICTACTOE, SMALL]), seed=st.integers(0, 10_000), ply=st.integers(0, 12), data=st.data())
def test_what_is_called_exact_is_exact(game: Game, seed: int, ply: int, data: st.DataObject) -> None:
    position = position_at(game, seed, ply)
    depth = data.draw(st.integers(1, game.max_plies))
    every_action = data.draw(st.booleans())
    report = search(game, position.state, depth=depth, every_action=every_action)
    assert report.exact in (None, SOLVERS[game].result(position.state))
    for scored in report.actions:
        assert scored.exact in (None, SOLVERS[game].after(position.state, scored.action))
    if depth == game.max_plies:
        assert report.exact is not None


def test_the_shortest_win_is_found_and_scored_by_its_length() -> None:
    position = Position(find_game("connect4"), "4455")
    report = search(position.game, position.state, depth=12)
    assert report.score == WIN - 3
    assert report.depth == len(report.line) == 3
    assert report.exact == 1


def test_a_lost_position_holds_out_as_long_as_possible() -> None:
    position = Position(find_game("connect4"), "44553")  # X threatens both 2 and 6
    report = search(position.game, position.state, depth=12)
    assert report.exact == -1
    assert -report.score >= PROVEN
    assert report.depth == 2


@pytest.mark.parametrize("name", WINNABLE)
def test_an_immediate_win_is_taken(name: str) -> None:
    game = find_game(name)
    positions = positions_with_a_win(game, 15)
    assert positions
    for position in positions:
        assert search(game, position.state, depth=1).actions[0].action in winning_actions(game, position.state)


@pytest.mark.parametrize("name", GAMES)
def test_an_immediate_threat_is_blocked(name: str) -> None:
    game = find_game(name)
    positions = positions_with_a_threat(game, 10)
    assert positions
    for position in positions:
        assert search(game, position.state, depth=2).actions[0].action in safe_actions(game, position.state)


@pytest.mark.parametrize("name", ["connect4", "othello", "gomoku:size=15", "latrunculi"])
def test_the_clock_is_obeyed(name: str) -> None:
    game = find_game(name)
    search(game, game.initial_state(), depth=1)
    start, worked = time.perf_counter(), time.thread_time()
    report = search(game, game.initial_state(), seconds=0.2)
    assert report.depth >= 1
    assert time.perf_counter() - start >= 0.2
    assert time.thread_time() - worked < 0.4  # waiting for a core, on a busy machine, does not count


def test_a_search_without_time_still_looks_one_ply_ahead() -> None:
    position = Position(find_game("connect4"), "455667")
    report = search(position.game, position.state, seconds=1e-9)
    assert report.depth == 1
    assert sorted(scored.action for scored in report.actions) == position.legal_actions()


def test_an_interrupted_depth_keeps_every_action_and_a_playable_line() -> None:
    position = Position(find_game("gomoku:size=13"), "g7 g8 h8")
    for milliseconds in (5, 20, 60):
        report = search(position.game, position.state, seconds=milliseconds / 1000, every_action=True)
        assert sorted(scored.action for scored in report.actions) == position.legal_actions()
        continued = position.copy()
        for action in report.line:
            continued.play(action)


def test_the_stream_decides_between_equally_good_actions() -> None:
    game = find_game("gomoku:size=9")
    state = game.initial_state()
    chosen = [
        search(game, state, depth=1, heuristic=no_heuristic, order=new_stream(seed)).actions[0].action
        for seed in (0, 0, 1, 2, 3)
    ]
    assert chosen[0] == chosen[1]
    assert len(set(chosen)) > 1


@pytest.mark.parametrize("name", list(DEPTHS))
def test_heuristics_are_symmetric_and_bounded(name: str) -> None:
    game = find_game(name)
    heuristic = find_heuristic(game)
    assert heuristic is not no_heuristic
    differing = 0
    for seed in range(3):
        for position in random_positions(game, seed):
            score = heuristic(position.state)
            differing += score != 0
            assert abs(score) <= HIGHEST
            for symmetry in game.symmetries:
                assert heuristic(game.transformed(position.state, symmetry)) == score
    assert differing


def test_gomoku_lines_count_the_same_on_words_as_on_cells() -> None:
    weights = [0, 400, 60, 12, 2, 0]
    for name in ("gomoku:size=9", "gomoku:size=9,rule=standard", "gomoku:size=13"):
        game = find_game(name)
        exact = "standard" in name
        for position in list(random_positions(game, 8))[::5]:
            cells = np.pad(game.cells(position.state).astype(int), 1, constant_values=-1)
            own, other = (_plain_lines(cells, side, exact, weights) for side in (position.turn + 1, 2 - position.turn))
            assert find_heuristic(game)(position.state) == own + own // 2 - other


def _plain_lines(cells: np.ndarray, side: int, exact: bool, weights: list[int]) -> int:
    """The worth of one side's lines of five on a board with a frame of −1."""
    total = 0
    for row, column in np.argwhere(cells >= 0):
        for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
            ends = row + 4 * down, column + 4 * right
            if not (0 < ends[0] < len(cells) - 1 and 0 < ends[1] < len(cells) - 1):
                continue
            line = [cells[row + i * down, column + i * right] for i in range(-1, 6)]
            stones = line[1:6].count(side)
            is_open = stones > 0 and all(cell in (0, side) for cell in line[1:6])
            if is_open and not (exact and side in (line[0], line[6])):
                total += weights[5 - stones]
    return total


def test_other_games_have_no_heuristic() -> None:
    class Other(type(TICTACTOE)):  # type: ignore[misc]
        name = "other"

    assert find_heuristic(Other(TICTACTOE.parameters)) is no_heuristic
