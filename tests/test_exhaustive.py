"""Brute force over the rules contract: known results of tiny games, and plies counted right."""

import time

import pytest

from boardzero.errors import BadInput
from boardzero.games.catalogue import find_game
from boardzero.games.position import Position
from boardzero.search import slices
from boardzero.search.exhaustive import ExhaustiveSolver, Result
from boardzero.search.slices import OutOfTime


@pytest.fixture(scope="module")
def tictactoe() -> ExhaustiveSolver:
    return ExhaustiveSolver(find_game("tictactoe"))


def test_tictactoe_is_a_draw_whatever_the_first_move(tictactoe: ExhaustiveSolver) -> None:
    start = tictactoe.game.initial_state()
    assert tictactoe.result(start) == Result(0, None)
    assert tictactoe.action_values(start) == dict.fromkeys(range(9), 0)


def test_an_edge_reply_to_a_corner_loses_and_the_centre_draws(tictactoe: ExhaustiveSolver) -> None:
    position = Position(tictactoe.game, "a3")
    values = tictactoe.action_values(position.state)
    assert values[4] == 0
    assert all(values[cell] == -1 for cell in range(1, 9) if cell != 4)


def test_the_winner_hurries_and_the_loser_delays(tictactoe: ExhaustiveSolver) -> None:
    state = tictactoe.game.board_from_text("XX./OO./... X")
    assert tictactoe.result(state) == Result(1, 1)
    assert tictactoe.action_results(state)[2] == Result(1, 1)
    lost = tictactoe.game.board_from_text("X.X/.O./X.O O")  # two lines to stop, one stone to do it with
    assert tictactoe.result(lost) == Result(-1, 2)
    assert set(tictactoe.action_values(lost).values()) == {-1}


def test_results_follow_from_those_one_ply_later(tictactoe: ExhaustiveSolver) -> None:
    state = tictactoe.game.initial_state()
    while tictactoe.game.legal_actions(state):
        results = tictactoe.action_results(state)
        assert tictactoe.value(state) == max(result.value for result in results.values())
        state = tictactoe.game.next_state(state, min(results))


def test_finished_games_are_worth_what_they_came_to(tictactoe: ExhaustiveSolver) -> None:
    won = tictactoe.game.board_from_text("XXX/OO./... O")
    assert tictactoe.result(won) == Result(-1, 0)
    assert tictactoe.action_results(won) == {}
    drawn = tictactoe.game.board_from_text("XOX/XOO/OXX O")
    assert tictactoe.result(drawn) == Result(0, None)


def test_both_sides_playing_best_draw_every_tictactoe_game(tictactoe: ExhaustiveSolver) -> None:
    for first in range(9):
        position = Position(tictactoe.game)
        position.play(first)
        while not position.over:
            values = tictactoe.action_values(position.state)
            position.play(max(values, key=lambda action: values[action]))
        assert position.winner is None


@pytest.mark.parametrize(
    ("specification", "result"),
    [
        ("connect4:rows=4,columns=4", Result(0, None)),
        ("connect4:rows=4,columns=5,connect=3", Result(1, 9)),
        ("connect4:rows=3,columns=3,connect=2", Result(1, 3)),
    ],
)
def test_small_connect_four_boards_have_their_known_results(specification: str, result: Result) -> None:
    game = find_game(specification)
    assert ExhaustiveSolver(game).result(game.initial_state()) == result


def test_passes_are_plies_and_the_second_player_wins_othello_on_four_by_four() -> None:
    game = find_game("othello:size=4")
    assert ExhaustiveSolver(game).value(game.initial_state()) == -1


def test_games_that_are_too_large_are_refused() -> None:
    game = find_game("connect4")
    with pytest.raises(BadInput, match="more than 10,000 positions"):
        ExhaustiveSolver(game, most_positions=10_000).value(game.initial_state())
    with pytest.raises(BadInput, match="more than 5 plies"):
        ExhaustiveSolver(game, most_plies=5).value(game.initial_state())


def test_solving_in_the_smallest_slices_comes_to_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    game = find_game("tictactoe")
    state = Position(game, "b2 a1").state
    results = ExhaustiveSolver(game).action_results(state)
    monkeypatch.setattr(slices, "FIRST_SLICE", 1)
    monkeypatch.setattr(slices, "SLICE_SECONDS", 0.0)
    assert ExhaustiveSolver(game).action_results(state) == results


def test_a_limit_ends_solving() -> None:
    game = find_game("connect4:rows=5,columns=5")
    worked = time.thread_time()
    with pytest.raises(OutOfTime):
        ExhaustiveSolver(game).action_results(game.initial_state(), seconds=0.1)
    assert time.thread_time() - worked < 2
