"""Values that look ahead: between what the search found and how the game ended."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from replay_records import random_records

from boardzero.games.catalogue import find_game
from boardzero.replay.columns import GameColumns
from boardzero.replay.replaying import replay_games
from boardzero.replay.tracing import traced_values

GAMES = ["tictactoe", "connect4", "othello:size=4", "latrunculi:size=6"]


def plain_trace(values: list[float], result_after: float, decay: float) -> list[float]:
    """The definition, ply by ply from the end; `result_after` is for the side to move after the last ply."""
    traced: list[float] = []
    following = result_after
    for value in reversed(values):
        following = -following if np.isnan(value) else (1 - decay) * value + decay * -following
        traced.insert(0, following)
    return traced


@pytest.mark.parametrize("specification", GAMES)
@given(decay=st.floats(0.01, 1), learned_share=st.floats(0.1, 1), seed=st.integers(0, 1000))
@settings(deadline=None, max_examples=15)
def test_a_trace_is_a_mean_of_all_later_values_and_the_result(
    specification: str, decay: float, learned_share: float, seed: int
) -> None:
    records = random_records(specification, 3, seed, learned_share=learned_share)
    traced = traced_values(GameColumns.from_games(records), decay)
    expected: list[float] = []
    game = find_game(specification)
    for record in records:
        first = record.result if game.turn(record.start) == 0 else -record.result
        expected += plain_trace([float(v) for v in record.values], first if record.plies % 2 == 0 else -first, decay)
    assert np.allclose(traced, expected, atol=1e-5)


def test_without_decay_values_are_what_the_searches_found() -> None:
    games = GameColumns.from_games(random_records("connect4", 3))
    assert traced_values(games, 0) is games.values


@pytest.mark.parametrize("specification", GAMES)
def test_with_full_decay_values_are_the_results(specification: str) -> None:
    games = GameColumns.from_games(random_records(specification, 5, learned_share=0.5))
    results = replay_games(find_game(specification), games).results
    assert np.allclose(traced_values(games, 1)[games.learned], results)
