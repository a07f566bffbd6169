"""When there is enough for the next training, how long that training is, and what time it is in a run."""

import json
import time
from pathlib import Path

import pytest
from replay_records import random_records
from training_runs import settings_of

from boardzero.replay.replay import GameTotals
from boardzero.selfplay.source import Goal
from boardzero.training.quota import MOST_AHEAD, Quota
from boardzero.training.run_clock import CLOCK, RunClock, kept_seconds
from boardzero.training.run_folder import RunFolder


class Run:
    """A quota, and what it asks the run about."""

    def __init__(
        self, *changes: str, positions: int = 0, games: int = 0, window: int = 1000, generation: int = 1, copied: int = 0
    ) -> None:
        self.window, self.generation = window, generation
        waiting = GameTotals(games, positions)
        self.quota = Quota(settings_of(*changes), waiting, lambda: self.window, lambda: self.generation, copied)


def test_the_first_training_wants_more_than_the_others() -> None:
    run = Run("training.first_positions=200", "training.positions=150", positions=160, generation=0)
    assert run.quota.wanted == 200 and not run.quota.is_reached()
    assert run.quota.goal() == Goal(positions=40)
    run.generation = 1
    assert run.quota.wanted == 150 and run.quota.is_reached()


def test_games_are_counted_where_the_settings_say_so() -> None:
    run = Run("training.games=7", positions=3, games=4)
    assert (run.quota.unit, run.quota.counted, run.quota.wanted) == ("games", 4, 7)
    run.quota.count(random_records("tictactoe", 3))
    assert run.quota.games == 7 and run.quota.positions > 3 and run.quota.is_reached()


def test_a_cleared_window_has_to_fill_again() -> None:
    clearing = ("replay.window.clear_on_promotion=true", "replay.window.kind=all", "training.first_positions=200")
    run = Run(*clearing, "training.positions=50", positions=60, window=120)
    assert not run.quota.is_reached() and run.quota.goal() == Goal(positions=80)
    run.window = 200
    assert run.quota.is_reached()


def test_those_who_play_are_far_ahead_with_several_trainings_worth() -> None:
    run = Run("training.positions=50", positions=50 * MOST_AHEAD - 1)
    assert run.quota.is_reached() and not run.quota.is_far_passed
    run.quota.positions += 1
    assert run.quota.is_far_passed


@pytest.mark.parametrize(
    ("changes", "positions", "window", "generation", "copied", "steps"),
    [
        ((), 640, 1000, 1, 0, 20),  # each of 640 positions twice, 64 at a time
        ((), 640, 320, 1, 0, 10),  # half of them have left the window
        (("mode=concurrent",), 6400, 9000, 1, 3200, 5),  # self-play is ahead: no more than the 160 that were wanted
        (("mode=concurrent",), 6400, 9000, 0, 0, 10),  # the first time, no more than 320
        (("mode=concurrent",), 6400, 9000, 0, 3200, 100),  # but the games of another run are all learned from
        (("training.steps=3",), 640, 1000, 1, 0, 3),
        ((), 0, 1000, 1, 0, 1),  # the time is over, and there is nothing new
    ],
)
def test_a_training_is_as_long_as_its_positions_are_worth(
    changes: tuple[str, ...], positions: int, window: int, generation: int, copied: int, steps: int
) -> None:
    usual = ("training.passes=2", "training.batch=64", "training.positions=160", "training.first_positions=320")
    run = Run(*usual, *changes, positions=positions, window=window, generation=generation, copied=copied)
    run.quota.begin_training()
    assert (run.quota.learned_positions, run.quota.positions) == (positions, 0)
    assert run.quota.steps() == steps


def test_the_clock_goes_on_from_where_it_was_and_can_stand_still(tmp_path: Path) -> None:
    begun, clock = time.perf_counter(), RunClock(RunFolder(tmp_path), 100.0)
    with clock.stopped():
        before = clock.seconds
        time.sleep(0.05)
        assert clock.seconds == before
    after = clock.seconds
    assert 100.0 <= before <= after <= 100.0 + time.perf_counter() - begun - 0.05


def test_the_folder_is_told_when_games_were_last_taken_in(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path)
    said: list[str] = []
    assert kept_seconds(folder, said.append) == 0
    clock = RunClock(folder, 100.0)
    clock.note_games()
    assert kept_seconds(folder, said.append) == 0, "not for every game"
    clock._begun -= 30
    clock.note_games()
    kept = kept_seconds(folder, said.append)
    assert 130 <= kept < 131
    clock._begun -= 30  # without any game
    clock.keep()
    assert kept_seconds(folder, said.append) == kept
    (tmp_path / CLOCK).write_text(json.dumps({"second": 5}))
    assert kept_seconds(folder, said.append) == 0
    assert len(said) == 1 and CLOCK in said[0]
