"""Every game, at many sizes, keeps the contract; and the suite notices games that do not."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boardzero.games.catalogue import find_game
from boardzero.games.conformance import check_game
from boardzero.games.rules import Game, State
from boardzero.games.tictactoe import TicTacToe
from boardzero.settings.specification import Parameters

GAMES = [
    "tictactoe",
    "connect4",
    "connect4:rows=5,columns=6,connect=4",
    "connect4:rows=4,columns=5,connect=3",
    "connect4:rows=7,columns=8",
    "connect4:rows=1,columns=32,connect=2",
    "connect4:rows=9,columns=9,connect=5",
    "connect4:rows=3,columns=35,connect=7",
    "othello:size=4",
    "othello:size=6",
    "othello",
    "othello:first=white",
    "gomoku:size=5",
    "gomoku:size=9,rule=standard",
    "gomoku",
    "gomoku:size=20",
    "latrunculi:size=4",
    "latrunculi:size=6,start=rows",
    "latrunculi",
    "latrunculi:start=rows",
    "latrunculi:start=random",
    "latrunculi:start=uneven",
    "latrunculi:start=hunt",
    "latrunculi:start=random,least=12",
    "latrunculi:size=6,start=uneven,draws=first",
]


@pytest.mark.parametrize("specification", GAMES)
@settings(max_examples=8, deadline=None)
@given(seed=st.integers(0, 2**63 - 1))
def test_game_keeps_the_contract(specification: str, seed: int) -> None:
    check_game(find_game(specification), seeds=[seed])


@pytest.mark.parametrize("specification", GAMES)
def test_canonical_name_finds_an_equal_game(specification: str) -> None:
    game = find_game(specification)
    again = find_game(game.specification)
    assert again.specification == game.specification
    assert np.array_equal(game.initial_state(3), again.initial_state(3))


class Broken(TicTacToe):
    """Tic-tac-toe with one rule replaced."""

    def __init__(self, **replaced: Callable[..., Any]) -> None:
        super().__init__(Parameters())
        for name, rule in replaced.items():
            setattr(self, name, rule)


def _legal_without_the_last(state: State, actions: Any) -> int:
    return max(0, TicTacToe.legal(state, actions) - 1)


def _legal_backwards(state: State, actions: Any) -> int:
    count = TicTacToe.legal(state, actions)
    actions[:count] = actions[:count][::-1].copy()
    return count


def _apply_that_never_ends(state: State, action: int, next_state: State) -> int:
    TicTacToe.apply(state, action, next_state)
    next_state[0] &= np.uint64(4)
    return 0


def _apply_that_forgets_the_turn(state: State, action: int, next_state: State) -> int:
    outcome = TicTacToe.apply(state, action, next_state)
    next_state[0] ^= np.uint64(4)
    return outcome


def _apply_that_spoils_its_input(state: State, action: int, next_state: State) -> int:
    outcome = TicTacToe.apply(state, action, next_state)
    state[1] ^= np.uint64(1)
    return outcome


def _encode_one_plane_only(state: State, planes: Any) -> None:
    before = planes[1].copy()
    TicTacToe.encode(state, planes)
    planes[1] = before


def _encode_with_a_favourite_corner(state: State, planes: Any) -> None:
    TicTacToe.encode(state, planes)
    planes[0, 0, 0] += 2


@pytest.mark.parametrize(
    ("rule", "function", "promise"),
    [
        ("legal", _legal_without_the_last, "legal actions"),
        ("legal", _legal_backwards, "in increasing order"),
        ("apply", _apply_that_never_ends, "moving and turning the board commute"),
        ("apply", _apply_that_forgets_the_turn, "alternate"),
        ("apply", _apply_that_spoils_its_input, "apply leaves the state"),
        ("encode", _encode_one_plane_only, "fills every cell"),
        ("encode", _encode_with_a_favourite_corner, "planes turn with the board"),
    ],
)
def test_the_suite_notices_a_broken_rule(rule: str, function: Callable[..., Any], promise: str) -> None:
    broken: Game = Broken(**{rule: function})
    with pytest.raises(AssertionError, match=promise):
        check_game(broken, seeds=range(10))
