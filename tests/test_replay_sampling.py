"""Training batches: what is drawn how often, symmetries, signs, merged duplicates."""

import threading
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from replay_records import random_record, random_records

from boardzero.errors import BadInput
from boardzero.games.catalogue import find_game
from boardzero.games.randomness import new_stream
from boardzero.games.rules import Game, State
from boardzero.replay.columns import GameColumns
from boardzero.replay.positions import PositionMemory
from boardzero.replay.record import SelfPlayGame
from boardzero.replay.replay import Replay
from boardzero.replay.replaying import replay_games
from boardzero.replay.sampler import Batch, BatchMaker
from boardzero.settings.replay import ReplaySettings
from boardzero.settings.specification import parse_parameters

GAMES = ["tictactoe", "connect4", "connect4:rows=4,columns=9", "othello:size=4", "gomoku:size=6", "latrunculi:size=4,limit=40"]
GAMES += ["latrunculi:size=4,start=random,limit=40"]  # every game has its own start


def _replay(folder: Path, records: list[SelfPlayGame], **options: object) -> Replay:
    replay = Replay(find_game(records[0].game), parse_parameters(ReplaySettings, options, "replay"), folder)
    replay.add(records)
    return replay


def _states(game: Game, record: SelfPlayGame) -> list[State]:
    """The state before each action."""
    states = [record.start]
    for action in record.actions[:-1]:
        states.append(game.next_state(states[-1], int(action)))
    return states


# -- replaying ---------------------------------------------------------------------------------------------------------
@given(st.sampled_from(GAMES), st.integers(0, 2**32 - 1), st.sampled_from([0.0, 0.4, 1.0]))
@settings(deadline=None, max_examples=40)
def test_games_are_played_again_as_they_were(specification: str, seed: int, learned_share: float) -> None:
    game = find_game(specification)
    records = random_records(specification, 3, seed, learned_share=learned_share)
    states, results, last_states = replay_games(game, GameColumns.from_games(records))
    expected = [
        (state, record.result if game.turn(state) == 0 else -record.result)
        for record in records
        for state, learned in zip(_states(game, record), record.learned, strict=True)
        if learned
    ]
    for record, last in zip(records, last_states, strict=True):
        assert np.array_equal(last, game.next_state(_states(game, record)[-1], int(record.actions[-1])))
    assert len(states) == len(results) == len(expected)
    for state, result, (expected_state, expected_result) in zip(states, results, expected, strict=True):
        assert np.array_equal(state, expected_state) and result == expected_result


def test_passes_of_othello_are_played_again() -> None:
    game = find_game("othello:size=4")
    records = [record for record in random_records("othello:size=4", 60) if game.action_count - 1 in record.actions]
    assert records, "some of the games have a pass"
    states = replay_games(game, GameColumns.from_games(records)).states
    assert len(states) == sum(record.plies for record in records)


def test_a_resigned_game_ends_where_it_was_resigned(tmp_path: Path) -> None:
    record = random_record(find_game("connect4"), 3, resign_after=6)
    assert record.resigned
    replay = _replay(tmp_path, [record], symmetries=False)
    content = replay.content()
    assert content.results.tolist() == [1, -1, 1, -1, 1, -1]  # the first player won
    assert content.plies.tolist() == [0, 1, 2, 3, 4, 5]
    assert content.plies_left.tolist() == [6, 5, 4, 3, 2, 1]


# -- batches -----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("specification", GAMES)
def test_samples_are_the_encoded_positions_under_a_symmetry(specification: str) -> None:
    game = find_game(specification)
    records = random_records(specification, 2, first=5)
    memory = PositionMemory(game)
    memory.add(GameColumns.from_games(records))
    positions = memory.positions()
    indices = np.repeat(np.arange(positions.size), 8)
    batch = BatchMaker(game, symmetries=True).make(positions, indices, new_stream(1))
    seen = set()
    for sample, index in enumerate(indices):
        policy = positions.dense_policy(int(index), game.action_count)
        fitting = [
            symmetry.name
            for symmetry in game.symmetries
            if np.array_equal(batch.planes[sample], game.encoded(game.transformed(positions.states[index], symmetry)))
            and np.array_equal(batch.policy[sample], symmetry.apply_to_actions(policy))
        ]
        assert fitting, f"sample {sample} is no view of its position"
        seen.update(fitting[:1] if len(fitting) == 1 else [])
        assert batch.z[sample] == positions.results[index] and batch.q[sample] == positions.values[index]
    assert seen == {symmetry.name for symmetry in game.symmetries}, "every symmetry occurs"


def test_without_symmetries_positions_stay_as_they_were(tmp_path: Path) -> None:
    records = random_records("gomoku:size=6", 2)
    game = find_game("gomoku:size=6")
    replay = _replay(tmp_path, records, symmetries=False)
    batch = _whole(replay)
    planes = {game.encoded(state).tobytes() for record in records for state in _states(game, record)}
    assert {sample.tobytes() for sample in batch.planes} == planes


def _whole(replay: Replay) -> Batch:
    (batch,) = replay.epoch(replay.positions, new_stream(0))
    return batch


def test_results_and_values_are_for_the_side_to_move(tmp_path: Path) -> None:
    game = find_game("tictactoe")
    record = next(record for record in random_records("tictactoe", 20) if record.result == 1)
    replay = _replay(tmp_path, [record], symmetries=False)
    content = replay.content()
    assert content.results.tolist() == [1.0 if ply % 2 == 0 else -1.0 for ply in range(record.plies)]
    assert np.array_equal(content.values, record.values), "the search's value already is"
    batch = _whole(replay)
    own_stones, other_stones = batch.planes[:, 0].sum(axis=(1, 2)), batch.planes[:, 1].sum(axis=(1, 2))
    assert np.array_equal(batch.z, np.where(own_stones == other_stones, 1, -1)), "the first player has the move at even plies"
    assert game.turn(content.states[0]) == 0


def test_policies_of_samples_sum_to_one(tmp_path: Path) -> None:
    batch = _replay(tmp_path, random_records("othello:size=4", 10, learned_share=0.5)).sample(500, new_stream(2))
    np.testing.assert_allclose(batch.policy.sum(axis=1), 1, atol=1e-6)
    assert (batch.weight == 1).all()


def test_the_same_stream_gives_the_same_batches(tmp_path: Path) -> None:
    replays = [_replay(tmp_path / name, random_records("connect4", 20)) for name in ("one", "other")]
    streams = [new_stream(5), new_stream(5)]
    for _ in range(3):
        left, right = (replay.sample(100, stream) for replay, stream in zip(replays, streams, strict=True))
        for name, array in vars(left).items():
            assert np.array_equal(array, getattr(right, name)), name
    assert not np.array_equal(left.planes, replays[0].sample(100, new_stream(6)).planes)


# -- how often ---------------------------------------------------------------------------------------------------------
def _shares(replay: Replay, samples: int = 200_000) -> np.ndarray:
    """How often each position was drawn, told by its value, as a share."""
    values = replay.content().values
    assert len(np.unique(values)) == len(values)
    order = np.argsort(values)
    drawn = replay.sample(samples, new_stream(9)).q
    return np.bincount(order[np.searchsorted(values[order], drawn)], minlength=len(values)) / samples


def test_positions_are_drawn_evenly(tmp_path: Path) -> None:
    replay = _replay(tmp_path, random_records("tictactoe", 10, learned_share=0.6))
    np.testing.assert_allclose(_shares(replay), 1 / replay.positions, atol=0.002)


def test_games_are_drawn_in_proportion_to_their_length_then_positions_evenly(tmp_path: Path) -> None:
    records = random_records("tictactoe", 12, learned_share=0.15)
    counts = np.array([np.count_nonzero(record.learned) for record in records])
    assert 0 in counts and counts.max() > 1, "games without positions and with several are among them"
    lengths = np.array([record.plies for record in records]) * (counts > 0)
    expected = np.repeat(lengths / lengths.sum() / np.maximum(counts, 1), counts)
    np.testing.assert_allclose(_shares(_replay(tmp_path, records, draw="games")), expected, atol=0.003)


def test_an_epoch_has_every_position_once(tmp_path: Path) -> None:
    replay = _replay(tmp_path, random_records("connect4", 10))
    batches = list(replay.epoch(64, new_stream(4)))
    assert [len(batch) for batch in batches[:-1]] == [64] * (len(batches) - 1)
    drawn = np.concatenate([batch.q for batch in batches])
    assert np.array_equal(np.sort(drawn), np.sort(replay.content().values))
    assert not np.array_equal(drawn, replay.content().values), "in random order"


def test_reuse_says_how_often_a_position_was_drawn(tmp_path: Path) -> None:
    replay = _replay(tmp_path, random_records("connect4", 10))
    assert replay.reuse == 0
    for _ in range(3):
        replay.sample(replay.positions, new_stream(0))
    assert replay.reuse == 3
    _whole(replay)
    assert replay.reuse == 4


# -- duplicates --------------------------------------------------------------------------------------------------------
@given(st.integers(0, 2**32 - 1))
@settings(deadline=None, max_examples=20)
def test_merged_positions_are_the_means_of_equal_ones(tmp_path_factory: pytest.TempPathFactory, seed: int) -> None:
    game = find_game("tictactoe")
    records = random_records("tictactoe", 30, seed, learned_share=0.8)
    plain = _replay(tmp_path_factory.mktemp("plain"), records).content()
    replay = _replay(tmp_path_factory.mktemp("merged"), records, duplicates="merge", merged_weight=1)
    merged = replay.content()
    groups: dict[bytes, list[int]] = {}
    for index, state in enumerate(plain.states):
        groups.setdefault(state.tobytes(), []).append(index)
    assert [state.tobytes() for state in merged.states] == list(groups)
    assert merged.size < plain.size
    for index, members in enumerate(groups.values()):
        policies = [plain.dense_policy(member, game.action_count) for member in members]
        np.testing.assert_allclose(merged.dense_policy(index, game.action_count), np.mean(policies, axis=0), atol=1e-6)
        assert merged.results[index] == pytest.approx(plain.results[members].mean(), abs=1e-6)
        assert merged.values[index] == pytest.approx(plain.values[members].mean(), abs=1e-6)
        assert merged.weights[index] == len(members)
        assert merged.plies[index] == plain.plies[members[0]]
        assert abs(merged.plies_left[index] - plain.plies_left[members].mean()) <= 0.5


def test_merged_positions_weigh_one_unless_told_otherwise(tmp_path: Path) -> None:
    records = random_records("tictactoe", 9)
    assert (_replay(tmp_path / "once", records, duplicates="merge").content().weights == 1).all()
    root = _replay(tmp_path / "root", records, duplicates="merge", merged_weight=0.5)
    assert root.content().weights[0] == 3  # all nine games begin with the empty board
    assert root.sample(1000, new_stream(0)).weight.max() == 3


def test_merging_follows_the_window(tmp_path: Path) -> None:
    records = random_records("tictactoe", 12)
    replay = _replay(tmp_path, records[:6], duplicates="merge", window={"kind": "games", "games": 6})
    assert replay.content().games[0] == 0
    replay.add(records[6:])
    expected = _replay(tmp_path / "newest", records[6:], duplicates="merge").content()
    assert np.array_equal(replay.content().states, expected.states)
    assert np.array_equal(replay.content().policy_probabilities, expected.policy_probabilities)


def test_merged_positions_are_not_drawn_by_games() -> None:
    with pytest.raises(BadInput, match="merge"):
        parse_parameters(ReplaySettings, {"duplicates": "merge", "draw": "games"}, "replay")


# -- threads and other rules -------------------------------------------------------------------------------------------
def test_games_can_be_added_while_batches_are_drawn(tmp_path: Path) -> None:
    records = random_records("connect4", 300)
    replay = _replay(tmp_path, records[:1], window={"kind": "games", "games": 20}, symmetries=False)
    whole = _replay(tmp_path / "whole", records, symmetries=False).content()
    known = {(whole.values[index], whole.dense_policy(index, 7).tobytes()) for index in range(whole.size)}

    def add_one_by_one() -> None:
        for record in records[1:]:
            replay.add([record])

    adding = threading.Thread(target=add_one_by_one)
    adding.start()
    stream, batches = new_stream(0), []
    while adding.is_alive():
        batches.append(replay.sample(64, stream))
    adding.join()
    assert replay.games == 20 and len(batches) > 1
    for batch in batches:
        assert {(value, policy.tobytes()) for value, policy in zip(batch.q, batch.policy, strict=True)} <= known


def test_a_game_of_plain_python_rules_is_remembered_too(tmp_path: Path) -> None:
    pytest.importorskip("pyspiel")
    game = find_game("openspiel:tic_tac_toe")
    replay = _replay(tmp_path, random_records("openspiel:tic_tac_toe", 3))
    content = replay.content()
    batch = _whole(replay)
    assert {sample.tobytes() for sample in batch.planes} == {game.encoded(state).tobytes() for state in content.states}
