"""What people see of a run: a picture on a terminal, lines elsewhere."""

import io
import re
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console
from training_runs import begin

from boardzero.cli.training_panel import TrainingPanel, clock, curve, kept_event, network_line
from boardzero.cli.training_view import TrainingView
from boardzero.events.training import (
    DamageFound,
    GenerationDone,
    LearningProgress,
    NetworksCompared,
    PerfectPlayMeasured,
    SelfPlayProgress,
    StrengthMeasured,
    TrainingEvent,
)
from boardzero.network.cost import count_parameters
from boardzero.training.loop import Training
from boardzero.training.run_folder import Promotions

GENERATION = GenerationDone(
    generation=3, seconds=33.0, games=1200, positions=9000, window=8000, mean_plies=7.5, selfplay_seconds=8.0,
    training_seconds=2.0, simulations_per_second=51_000.0, evaluations_per_second=24_000.0, cache_hits=0.25, steps=77,
    policy_loss=1.234, value_loss=0.345, learning_rate=0.0015, games_per_second=77.5, positions_per_second=1500.0, best=2,
    validation_loss=1.777,
)  # fmt: skip
MATCH = StrengthMeasured(
    generation=3, seconds=33.0, opponent="mcts:sims=16", kind="mcts", simulations=16, moving_first=(13, 1, 1),
    moving_second=(9, 2, 4), score=0.7833, interval=(0.61, 0.89), first_score=0.9, first_interval=(0.65, 0.98),
    second_score=0.667, second_interval=(0.41, 0.85), match_seconds=2.0,
)  # fmt: skip
EVENTS: list[TrainingEvent] = [
    GENERATION,
    MATCH,
    PerfectPlayMeasured(3, 33.0, 100, 400, 18),
    NetworksCompared(3, 2, 33.0, 12, 1, 7, True, 3.0),
    SelfPlayProgress(3, 5000, 12_000, 1500, 4.0, 200_000, 100_000, 30_000, 300),
]


def view_of(training: Training, terminal: bool, events: list[TrainingEvent], width: int = 104) -> str:
    console = Console(file=io.StringIO(), force_terminal=terminal, width=width, soft_wrap=True)
    view = TrainingView(verbose=False, console=console)
    with view.following(training):
        for event in events:
            view.show(event)
    view.finished()
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def picture_of(training: Training, events: list[TrainingEvent], width: int) -> str:
    panel = TrainingPanel(training)
    for event in events:
        panel.take(event)
    console = Console(file=io.StringIO(), width=width)
    console.print(panel)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


@pytest.fixture
def training(tmp_path: Path) -> Training:
    with Training(begin(tmp_path / "run"), lambda _: None) as training:
        return training


@pytest.mark.parametrize("width", [80, 104, 200])
def test_the_picture_shows_everything_at_every_width(training: Training, width: int) -> None:
    picture = picture_of(training, EVENTS, width)
    parameters = f"{count_parameters(training.learner.network):,} parameters"
    for expected in (
        "tictactoe", "3 generations", "1 blocks × 8 channels", parameters, "16 games at once", "adamw", "50,000",
        "25,000", "23 %", "1.234", "0.345", "1.579", "1.777", "mcts:sims=16", "+13 =1 −1", "+9 =2 −4", "78 %", "61–89",
        "4.5 %", "+12 =1 −7", "5,000 of 12,000 positions", "the run:",
    ):  # fmt: skip
        assert expected in picture, expected
    assert all(len(line) <= width for line in picture.splitlines())


def test_network_is_shown_as_it_is_before_and_after_it_has_grown(tmp_path: Path) -> None:
    folder = begin(tmp_path / "run", "growth.share=0.5", "growth.blocks=2", "growth.channels=12")
    with Training(folder, lambda _: None) as training:
        assert "1 blocks × 8 channels" in network_line(training)
        assert "2 × 12 after 50 % of the run" in network_line(training)
        training._grow()
        assert "2 blocks × 12 channels" in network_line(training)
        assert "after" not in network_line(training)


def test_the_picture_of_a_run_that_has_just_begun(training: Training) -> None:
    picture = picture_of(training, [], 80)
    assert "generation 1: beginning" in picture
    assert "strength" not in picture
    assert "generation 1: learning, step 5 of 20" in picture_of(training, [LearningProgress(1, 5, 20)], 80)


def test_the_picture_says_when_it_plays_matches(training: Training) -> None:
    with training.stopwatch.part("measuring"):
        assert "measuring its strength" in picture_of(training, EVENTS, 80)
    with training.stopwatch.part("comparing"):
        assert "against the best" in picture_of(training, EVENTS, 80)


def test_a_resumed_run_shows_what_was_known(training: Training) -> None:
    training.progress = training.progress.__class__(generation=3)
    for event in EVENTS[:4]:
        training.folder.append_event(event)
    picture = picture_of(training, [], 104)
    assert "mcts:sims=16" in picture
    assert "1.234" in picture


def test_events_of_other_kinds_or_versions_are_passed_over() -> None:
    assert kept_event({"event": "DamageFound", "sentence": "…"}) is None
    assert kept_event({"event": "GenerationDone", "unheard": 1}) is None
    assert kept_event({"event": "PerfectPlayMeasured", "generation": 1, "seconds": 2.0, "simulations": 3, "positions": 4,
                       "mistakes": 1}) == PerfectPlayMeasured(1, 2.0, 3, 4, 1)  # fmt: skip


def test_plain_lines_elsewhere(training: Training) -> None:
    said = view_of(training, False, [*EVENTS, DamageFound("A file is damaged [really].")])
    assert "\x1b" not in said
    lines = said.splitlines()
    assert any(line.startswith("generation   3     0.6 min") for line in lines)
    assert "  against mcts:sims=16: 78 % (61–89), moving first +13 =1 −1, second +9 =2 −4" in lines
    assert "  against perfect play: 4.5 % mistakes (18 of 400 drawn positions, 100 simulations)" in lines
    assert "  generation 3 against 2: +12 =1 −7; it takes over" in lines
    assert "A file is damaged [really]." in lines


def test_the_end_says_what_was_reached_and_how_to_play_it(training: Training) -> None:
    for terminal in (True, False):
        said = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", view_of(training, terminal, EVENTS))
        assert "4.5 %" in said and "mistakes against perfect play at" in said
        assert "against mcts:sims=16" in said
        assert f"boardzero play tictactoe --second alphazero:network={training.folder.path}" in said


def test_total_loss_is_the_one_that_is_trained_by(tmp_path: Path) -> None:
    with Training(begin(tmp_path / "run", "training.value_weight=2"), lambda _: None) as training:
        assert re.search(r"total +1\.924", picture_of(training, EVENTS, 104))  # 1.234 + 2 · 0.345


@pytest.mark.parametrize(("promoted", "named"), [((), ""), ((2,), "/networks/generation-00002.safetensors"), ((2, 3), "")])
def test_the_end_of_a_gated_run_names_the_network_that_passed_last(
    training: Training, promoted: tuple[int, ...], named: str
) -> None:
    """The newest network is as good as the gate says; where it has not passed, the one before it that has."""
    training.progress = replace(training.progress, generation=3)
    training.promotions = Promotions(promoted, compared=3)
    said = view_of(training, False, EVENTS)
    assert said.endswith(f"--second alphazero:network={training.folder.path}{named}\n")
    assert ("Generation 2 is the last that passed the gate." in said) == bool(named)


def test_small_curves_and_clocks() -> None:
    assert curve([]) == curve([1.0]) == ""
    assert curve([3.0, 2.0, 1.0]) == "█▅▁"
    assert len(curve([float(n) for n in range(1000)])) == 24
    assert [clock(seconds) for seconds in (0, 65, 3605)] == ["0:00", "1:05", "1:00:05"]
