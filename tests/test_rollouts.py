"""Monte-Carlo tree search with random rollouts: what it proves is true, what is forced is found, limits are kept."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from search_positions import (
    Solver,
    position_at,
    positions_with_a_threat,
    positions_with_a_win,
    safe_actions,
    winning_actions,
)

from boardzero.games.catalogue import find_game
from boardzero.games.position import Position
from boardzero.games.randomness import new_stream
from boardzero.search.rollouts import Variant, search

TICTACTOE = find_game("tictactoe")
SMALL = find_game("connect4:rows=4,columns=4,connect=3")
SOLVERS = {game: Solver(game) for game in (TICTACTOE, SMALL)}

GAMES = ["tictactoe", "connect4", "connect4:rows=9,columns=9", "othello:size=4", "gomoku:size=9"]
WINNABLE = [*GAMES, "latrunculi:size=4"]  # there, who is about to lose the last man but one cannot help it
VARIANTS: list[Variant] = ["uct", "every-child"]


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("name", WINNABLE)
def test_an_immediate_win_is_taken(name: str, variant: Variant) -> None:
    game = find_game(name)
    positions = positions_with_a_win(game, 15)
    assert positions
    for position in positions:
        report = search(game, position.state, new_stream(1), simulations=1, variant=variant)
        assert report.actions[0].action in winning_actions(game, position.state)
        assert report.exact == report.actions[0].exact == 1


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("name", GAMES)
def test_an_immediate_threat_is_blocked(name: str, variant: Variant) -> None:
    game = find_game(name)
    positions = positions_with_a_threat(game, 10)
    assert positions
    for position in positions:
        simulations = 2 * len(position.legal_actions())
        report = search(game, position.state, new_stream(1), simulations=simulations, variant=variant)
        assert report.actions[0].action in safe_actions(game, position.state)


@settings(deadline=None, max_examples=60)
@given(
    game=st.sampled_from([TICTACTOE, SMALL]),
    seed=st.integers(0, 10_000),
    ply=st.integers(0, 12),
    variant=st.sampled_from(VARIANTS),
)
def test_what_is_proven_is_true(game, seed: int, ply: int, variant: Variant) -> None:  # type: ignore[no-untyped-def]
    position = position_at(game, seed, ply)
    report = search(game, position.state, new_stream(seed), simulations=2000, variant=variant)
    assert report.exact in (None, SOLVERS[game].result(position.state))
    for found in report.actions:
        assert found.exact in (None, SOLVERS[game].after(position.state, found.action))


def test_a_forced_win_is_proven() -> None:
    position = Position(find_game("connect4"), "4455")  # X plays 3 or 6 and has two places to complete four
    report = search(position.game, position.state, new_stream(3), simulations=20_000)
    assert report.exact == 1
    assert report.simulations < 20_000
    assert len(report.actions[0].line) == 3


@pytest.mark.parametrize("variant", VARIANTS)
def test_every_legal_action_is_reported_once_with_a_line_that_can_be_played(variant: Variant) -> None:
    position = Position(find_game("othello:size=6"))
    report = search(position.game, position.state, new_stream(0), simulations=3000, variant=variant)
    assert sorted(found.action for found in report.actions) == position.legal_actions()
    for found in report.actions:
        continued = position.copy()
        for action in found.line:
            continued.play(action)
        assert found.line[0] == found.action and len(found.line) > 1
        assert found.value is not None and -1 <= found.value <= 1


def test_visits_add_up_to_the_simulations() -> None:
    game = find_game("connect4")
    report = search(game, game.initial_state(), new_stream(0), simulations=500)
    assert report.simulations == 500 == sum(found.visits for found in report.actions)


def test_an_every_child_simulation_rolls_out_every_child() -> None:
    game = find_game("connect4")
    report = search(game, game.initial_state(), new_stream(0), simulations=1, variant="every-child")
    assert [found.visits for found in report.actions] == [1] * 7
    report = search(game, game.initial_state(), new_stream(0), simulations=3, variant="every-child")
    assert sum(found.visits for found in report.actions) == 21


def test_an_every_child_search_chooses_the_highest_bound_and_the_usual_one_the_most_visits() -> None:
    game = find_game("connect4")
    report = search(game, game.initial_state(), new_stream(5), simulations=300, variant="every-child", c=3.0)
    assert report.actions[0].bound == max(found.bound for found in report.actions)
    report = search(game, game.initial_state(), new_stream(5), simulations=300, c=3.0)
    assert report.actions[0].visits == max(found.visits for found in report.actions)


def test_equal_streams_give_equal_searches_and_others_differ() -> None:
    game = find_game("gomoku:size=7")
    reports = [search(game, game.initial_state(), new_stream(seed), simulations=700) for seed in (4, 4, 5)]
    assert reports[0] == reports[1] != reports[2]


def test_a_full_tree_stops_growing_and_the_search_goes_on() -> None:
    game = find_game("connect4")
    report = search(game, game.initial_state(), new_stream(0), simulations=20_000, capacity=200)
    assert report.is_full
    assert report.nodes <= 200
    assert sum(found.visits for found in report.actions) == report.simulations == 20_000
    assert report.actions[0].action == 3
    assert not search(game, game.initial_state(), new_stream(0), simulations=20, capacity=200).is_full


@pytest.mark.parametrize("name", ["connect4", "gomoku:size=15", "latrunculi"])
def test_the_clock_is_obeyed(name: str) -> None:
    game = find_game(name)
    search(game, game.initial_state(), new_stream(0), simulations=1)
    start, worked = time.perf_counter(), time.thread_time()
    report = search(game, game.initial_state(), new_stream(0), seconds=0.2)
    assert report.simulations > 0
    assert time.perf_counter() - start >= 0.2
    assert time.thread_time() - worked < 0.4  # waiting for a core, on a busy machine, does not count
