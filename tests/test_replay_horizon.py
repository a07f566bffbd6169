"""Results that look some way ahead: what boards on the way, and ends that are near, come to."""

import math
from pathlib import Path

import numpy as np
import pytest
from replay_records import random_record, random_records

from boardzero.errors import BadInput
from boardzero.games.catalogue import find_game
from boardzero.games.latrunculi import Latrunculi
from boardzero.games.position import Position
from boardzero.replay.columns import GameColumns
from boardzero.replay.horizon import board_worths
from boardzero.replay.positions import PositionMemory, Positions
from boardzero.replay.record import SelfPlayGame
from boardzero.replay.replay import Replay
from boardzero.settings.replay import ReplaySettings
from boardzero.settings.specification import parse_parameters

UNEVEN = "latrunculi:size=4,start=uneven,quiet=20"


def content(records: list[SelfPlayGame], horizon: float = 0.0, board_worth: float = 0.0) -> Positions:
    memory = PositionMemory(find_game(records[0].game), horizon=horizon, board_worth=board_worth)
    memory.add(GameColumns.from_games(records))
    return memory.positions()


def test_a_board_is_worth_more_the_more_of_it_one_side_has() -> None:
    game = find_game("latrunculi:start=uneven")
    states = np.stack([game.initial_state(seed) for seed in range(50)])
    for state, worth in zip(states, board_worths(game, states, 0.6), strict=True):
        first, second = (int(np.count_nonzero(np.isin(game.cells(state), pieces))) for pieces in ((1, 3), (2, 4)))
        lead = (first - second) / (first + second)
        assert worth == pytest.approx(0.6 * math.copysign(math.sqrt(abs(lead)), lead), abs=1e-6)


def test_men_in_hand_count_as_much_as_those_on_the_board() -> None:
    game = find_game("latrunculi:size=4")
    assert isinstance(game, Latrunculi)
    position = Position(game)
    while sum(game.in_hand(position.state)):
        assert game.in_hand(position.state)[0] + np.count_nonzero(game.cells(position.state) == 1) == 4
        assert board_worths(game, position.state[None], 0.6) == 0
        position.play(position.legal_actions()[-1])


@pytest.mark.parametrize("horizon", [1.0, 5.0, 30.0])
def test_results_ahead_are_means_of_the_boards_that_follow_and_of_the_result(horizon: float) -> None:
    records, passed_on = random_records(UNEVEN, 150), 1 - 1 / horizon
    found, game = content(records, horizon, 0.5), find_game(UNEVEN)
    assert {record.result for record in records} == {-1, 0, 1}
    worths, start = board_worths(game, found.states, 0.5), 0
    for record in records:
        boards = [float(worth) for worth in worths[start + 1 : start + record.plies]]
        for ply in range(record.plies):
            later = boards[ply:]
            expected = sum((1 - passed_on) * passed_on**k * board for k, board in enumerate(later))
            expected += passed_on ** len(later) * record.result
            sign = 1 if game.turn(found.states[start + ply]) == 0 else -1
            assert found.results[start + ply] == pytest.approx(sign * expected, abs=1e-5)
        start += record.plies


def test_without_a_worth_of_boards_sooner_wins_are_worth_more() -> None:
    records = random_records("tictactoe", 60)
    plain, ahead = content(records), content(records, 10)
    assert set(plain.results) == {-1, 0, 1}
    assert np.allclose(ahead.results, plain.results * 0.9 ** (plain.plies_left - 1))


def test_a_resigned_game_ends_where_it_was_resigned() -> None:
    record = random_record(find_game("connect4"), 3, resign_after=4)
    assert np.allclose(np.abs(content([record], 10).results), [0.9**3, 0.9**2, 0.9, 1])


def test_of_plies_that_are_not_learned_from_the_next_board_counts() -> None:
    records = random_records(UNEVEN, 30, learned_share=0.4)
    found, game = content(records, 8, 0.5), find_game(UNEVEN)
    first = found.results * np.where([game.turn(state) == 0 for state in found.states], 1, -1)
    worths = board_worths(game, found.states, 0.5)
    together = found.games[1:] == found.games[:-1]
    share = (1 - 1 / 8) ** (found.plies[1:] - found.plies[:-1])
    assert together.sum() > 50 and len({*share[together]}) > 2
    last = np.append(~together, True)
    late = (1 - 1 / 8) ** (found.plies_left[last] - 1)
    assert len({*late}) > 1, "after some of them plies follow that are not learned from"
    results = np.array([record.result for record in records])[found.games[last]]
    assert np.allclose(first[last], late * results + (1 - late) * worths[last], atol=1e-5)
    assert np.allclose(first[:-1][together], (share * first[1:] + (1 - share) * worths[1:])[together], atol=1e-5)


def test_the_replay_of_a_run_looks_as_far_as_its_settings_say(tmp_path: Path) -> None:
    records = random_records(UNEVEN, 20)
    settings = ReplaySettings.model_validate({"horizon": 12, "board_worth": 0.3})
    replay = Replay(find_game(UNEVEN), settings, tmp_path)
    replay.add(records)
    assert np.array_equal(replay.content().results, content(records, 12, 0.3).results)


def test_who_is_ahead_must_be_seen_on_the_board() -> None:
    with pytest.raises(BadInput, match=r"\(network.final_board, replay.horizon\): whose the piece"):
        PositionMemory(find_game("openspiel:tic_tac_toe"), horizon=5)


def test_a_horizon_of_less_than_a_ply_is_refused() -> None:
    with pytest.raises(BadInput, match="less than a ply"):
        parse_parameters(ReplaySettings, {"horizon": 0.5}, "replay")
