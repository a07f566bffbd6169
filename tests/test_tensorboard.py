"""What TensorBoard shows of a run."""

from dataclasses import replace
from pathlib import Path

import pytest
from measured_runs import generation_done, strength
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from boardzero.events.training import Measurement
from boardzero.training.tensorboard import TensorBoardLog


def shown(folder: Path, *events: Measurement) -> dict[str, dict[int, float]]:
    """By curve and generation."""
    log = TensorBoardLog(folder, 0)
    for event in events:
        log.write(event)
    log.close()
    read = EventAccumulator(str(folder))
    read.Reload()
    return {tag: {point.step: point.value for point in read.Scalars(tag)} for tag in read.Tags()["scalars"]}


def test_time_and_steps_of_training_are_shown(tmp_path: Path) -> None:
    curves = shown(tmp_path, generation_done(1), generation_done(2))
    assert curves["run/seconds"] == {1: 60, 2: 120}
    assert curves["run/steps"] == {1: 7, 2: 14}


def test_scores_are_shown_with_their_intervals(tmp_path: Path) -> None:
    curves = shown(tmp_path, replace(strength(3, "previous", "generation 1"), interval=(0.61, 0.89)))
    both, first, second = (
        [curves[f"score against 2 generations ago/{side}{end}"][3] for end in ("", ", at least (95 %)", ", at most (95 %)")]
        for side in ("both sides", "moving first", "moving second")
    )
    assert both == pytest.approx([0.75, 0.61, 0.89])
    assert first == pytest.approx([0.83, 0.6, 0.95]) and second == pytest.approx([0.67, 0.4, 0.85])
