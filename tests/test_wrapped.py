"""Rules in ordinary Python behind the addresses that compiled code calls: here tic-tac-toe, interpreted."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any, cast

import numpy as np
import pytest
from numba import float32, int64, uint64, void

from boardzero.games import tictactoe
from boardzero.games.compiled import compiled
from boardzero.games.conformance import check_game
from boardzero.games.counting import count_positions, count_sequences, play_random_games
from boardzero.games.rules import ENCODE_RULE, EncodeRule, Game, Outcome, Planes, State
from boardzero.games.tictactoe import TicTacToe
from boardzero.games.wrapped import raise_kept_error, wrap_rules
from boardzero.settings.specification import Parameters


def interpreted(rule: Any) -> Any:
    """The Python function that a compiled rule was made of."""
    return rule.py_func


def wrapped_game(**replaced: Any) -> Game:
    """Tic-tac-toe with wrapped rules, some of them replaced."""
    game: Any = TicTacToe(Parameters())
    functions = {name: interpreted(getattr(tictactoe, name)) for name in ("legal", "apply", "encode")} | replaced
    rules = wrap_rules(**functions)
    game.legal, game.apply, game.encode = rules.legal, rules.apply, rules.encode
    return cast(Game, game)


def failing(*arguments: Any) -> int:
    raise ZeroDivisionError("a bug in the rules")


@compiled(void(ENCODE_RULE, uint64[::1], float32[:, :, ::1], int64))
def encode_often(encode: EncodeRule, state: State, planes: Planes, times: int) -> None:
    for _ in range(times):
        encode(state, planes)


def test_wrapped_rules_keep_the_contract() -> None:
    check_game(wrapped_game(), seeds=range(3))


def test_compiled_code_counts_the_same_through_wrapped_rules() -> None:
    assert [count_sequences(wrapped_game(), depth) for depth in range(1, 5)] == [9, 72, 504, 3024]
    assert count_positions(wrapped_game(), 4) == count_positions(TicTacToe(Parameters()), 4)


def test_compiled_code_plays_the_same_random_games_through_wrapped_rules() -> None:
    assert play_random_games(wrapped_game(), 50, seed=3) == play_random_games(TicTacToe(Parameters()), 50, seed=3)


def test_planes_arrive_in_their_three_dimensions() -> None:
    def numbered(state: State, planes: Planes) -> None:
        planes[:] = np.arange(planes.size, dtype=np.float32).reshape(planes.shape) + np.float32(state[1])

    planes = np.zeros((4, 3, 5), np.float32)
    encode_often(wrapped_game(encode=numbered).encode, np.array([0, 100, 0], np.uint64), planes, 1)
    assert np.array_equal(planes, 100 + np.arange(60).reshape(4, 3, 5))


def test_wrapped_rules_are_called_from_threads_without_the_gil() -> None:
    game, seeds = wrapped_game(), range(6)
    expected = [play_random_games(TicTacToe(Parameters()), 20, seed) for seed in seeds]
    with ThreadPoolExecutor(3) as threads:
        assert list(threads.map(lambda seed: play_random_games(game, 20, seed), seeds)) == expected


def test_error_in_python_is_raised_at_once() -> None:
    game = wrapped_game(apply=failing)
    with pytest.raises(ZeroDivisionError):
        game.next_state(game.initial_state(), 0)


@pytest.mark.parametrize("rule", ["legal", "apply"])
def test_error_inside_compiled_code_ends_its_games_and_is_raised_at_the_next_call(rule: str) -> None:
    game = wrapped_game(**{rule: failing})
    assert play_random_games(game, 7).draws == 7
    with pytest.raises(ZeroDivisionError, match="a bug in the rules"):
        play_random_games(game, 7)


def test_error_inside_compiled_code_is_raised_by_the_next_rule_called_from_python() -> None:
    game = wrapped_game(apply=failing)
    play_random_games(game, 1)
    with pytest.raises(ZeroDivisionError):
        game.legal_actions(game.initial_state())
    assert game.legal_actions(game.initial_state()) == list(range(9)), "it is raised once"


def test_error_inside_compiled_code_can_be_asked_for() -> None:
    game = wrapped_game(encode=failing)
    planes = np.ones((2, 3, 3), np.float32)
    encode_often(game.encode, game.initial_state(), planes, 3)
    assert not planes.any()
    with pytest.raises(ZeroDivisionError):
        raise_kept_error(game)
    raise_kept_error(game)
    raise_kept_error(TicTacToe(Parameters()))


def test_finished_game_stays_finished_while_an_error_is_kept() -> None:
    game = wrapped_game(legal=failing)
    board = game.board_from_text("XXX/OO./... O")
    assert game.outcome(board) is Outcome.MOVER_WON
    assert count_sequences(game, 1, board) == 0
    with pytest.raises(ZeroDivisionError):
        raise_kept_error(game)


def test_interrupt_inside_compiled_code_is_not_lost() -> None:
    def interrupted(*arguments: Any) -> int:
        raise KeyboardInterrupt

    game = wrapped_game(apply=interrupted)
    play_random_games(game, 1000)
    with pytest.raises(KeyboardInterrupt):
        raise_kept_error(game)
