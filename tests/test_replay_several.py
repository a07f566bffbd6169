"""Batches from the memories of several games."""

from pathlib import Path

import numpy as np
import pytest
from replay_records import random_records

from boardzero.games.catalogue import find_game
from boardzero.games.randomness import new_stream
from boardzero.replay.several import Replays
from boardzero.settings.replay import ReplaySettings

FREE, EXACT, LARGE = "gomoku:size=5", "gomoku:size=5,rule=standard", "gomoku:size=6"
RULE_PLANE = 2  # 1 everywhere where exactly five win


def remembering(folder: Path, counts: dict[str, int]) -> tuple[Replays, dict[str, float]]:
    """So many games of each specification, and its share of all positions."""
    games = [find_game(name) for name in counts]
    replay, positions = Replays(games, ReplaySettings(), folder), {}
    for name, count in counts.items():
        records = random_records(name, count)
        replay.add(records)
        positions[name] = sum(record.plies for record in records)
    replay.learn_from(games)
    return replay, {name: own / replay.positions for name, own in positions.items()}


@pytest.mark.parametrize("counts", [{FREE: 2, EXACT: 40}, {EXACT: 40, FREE: 2}])
def test_a_rule_with_few_positions_is_drawn_as_often_as_it_should_be(tmp_path: Path, counts: dict[str, int]) -> None:
    replay, shares = remembering(tmp_path, counts)
    stream = new_stream(1)
    batches = [replay.sample(8, stream) for _ in range(2000)]
    assert {len(batch) for batch in batches} == {8}
    drawn = 1 - np.mean([batch.planes[:, RULE_PLANE, 0, 0].mean() for batch in batches])
    assert drawn == pytest.approx(shares[FREE], rel=0.15)


def test_sizes_are_drawn_in_proportion_to_their_positions(tmp_path: Path) -> None:
    replay, shares = remembering(tmp_path, {FREE: 5, LARGE: 20, EXACT: 5})
    stream = new_stream(2)
    drawn = np.mean([replay.sample(4, stream).planes.shape[2] == 6 for _ in range(2000)])
    assert drawn == pytest.approx(shares[LARGE], abs=0.04)
