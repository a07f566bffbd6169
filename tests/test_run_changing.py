"""Runs that go on to another end, or with other settings, than they were begun with."""

from pathlib import Path

import pytest
from training_runs import begin, checkpoint_of, game_numbers, run

from boardzero.errors import BadInput
from boardzero.events.training import GenerationDone
from boardzero.network.weights import read_header
from boardzero.settings.training import TrainingSettings
from boardzero.training.changing import change_run
from boardzero.training.learner import rate_factor
from boardzero.training.loop import Training
from boardzero.training.run_folder import RunFolder


@pytest.fixture
def finished(tmp_path: Path) -> RunFolder:
    """A run of two generations whose network has grown with the second."""
    changes = ("growth.share=0.4", "growth.blocks=2", "growth.channels=12", "selfplay.growth=4", "keep_every=1")
    folder = begin(tmp_path / "run", *changes, generations=2)
    run(folder)
    return folder


def test_finished_run_goes_on_to_a_later_end(finished: RunFolder) -> None:
    numbers = game_numbers(finished)
    change_run(finished, pytest.fail, generations=4)
    done = [event.generation for event in run(finished) if isinstance(event, GenerationDone)]
    assert done == [3, 4]
    assert set(numbers) < set(game_numbers(finished))
    assert checkpoint_of(finished)[0].games == len(game_numbers(finished))


def test_schedules_go_on_as_at_this_point_of_the_longer_run(finished: RunFolder) -> None:
    """The learning rate is that of the middle, the searches too; the network does not shrink."""
    change_run(finished, pytest.fail, generations=4)
    with Training(finished, lambda _: None) as training:
        assert training.share_done == 0.5
        assert training.progress.grown and training.learner.network.settings.channels == 12
    rates = [event.learning_rate for event in run(finished) if isinstance(event, GenerationDone)]
    settings = TrainingSettings()
    assert rates == pytest.approx([settings.learning_rate * rate_factor(settings, share) for share in (0.5, 0.75)])
    assert [read_header(finished.network(number)).settings.channels for number in range(5)] == [8, 8, 12, 12, 12]


def test_searches_are_those_of_the_longer_run(finished: RunFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    change_run(finished, pytest.fail, generations=4)
    simulations = []
    with Training(finished, lambda _: None) as training:
        worker = training.selfplay.workers[0]
        monkeypatch.setattr(training, "complete_generation", lambda *_: training.stop())
        training.run()
        simulations.append(worker._cap.full_simulations)  # type: ignore[attr-defined]
    assert simulations == [2 * 16]  # four times as many at the end, twice in the middle


def test_run_of_minutes_is_extended_and_its_clock_goes_on(tmp_path: Path) -> None:
    folder = begin(tmp_path / "run", generations=None, minutes=1e-3)
    with Training(folder, lambda _: None) as training:
        training.clock._begun += 1  # it has not begun yet
        training.run()
    before = checkpoint_of(folder)[0].seconds
    change_run(folder, pytest.fail, minutes=60)
    with Training(folder, lambda _: None) as training:
        assert (training.settings.minutes, training.settings.generations) == (60, None)
        assert before <= training.seconds
        assert 0 < training.share_done < 0.5


@pytest.mark.parametrize(
    ("end", "said"),
    [
        ((None, 2), "has 2 generations behind it"),
        ((1e-6, None), "minutes behind it"),
        ((5, 5), "not both"),
        ((-1, None), "minutes"),
    ],
)
def test_end_that_is_none_is_refused_and_nothing_changed(
    finished: RunFolder, end: tuple[float | None, int | None], said: str
) -> None:
    before = (finished.path / "settings.json").read_bytes()
    with pytest.raises(BadInput, match=said):
        change_run(finished, pytest.fail, minutes=end[0], generations=end[1])
    assert (finished.path / "settings.json").read_bytes() == before


def test_end_of_a_run_that_is_at_work_is_not_changed(finished: RunFolder) -> None:
    with Training(finished, lambda _: None), pytest.raises(BadInput, match="Another process is training"):
        change_run(finished, pytest.fail, generations=4)
    assert finished.settings().generations == 2


def test_damaged_settings_are_named_before_they_are_changed(finished: RunFolder) -> None:
    path = finished.path / "settings.json"
    path.write_text("{")
    said: list[str] = []
    change_run(finished, said.append, generations=4)
    assert len(said) == 1 and str(path) in said[0]
    assert path.with_name("settings.json.damaged").read_text() == "{"
    assert finished.settings().generations == 4


def test_settings_of_learning_are_changed_and_the_end_stays(finished: RunFolder) -> None:
    change_run(finished, pytest.fail, changes=["training.passes=3", "selfplay.cap.full_simulations=20"])
    settings = finished.settings()
    assert (settings.training.passes, settings.selfplay.cap.full_simulations, settings.generations) == (3, 20, 2)


def test_changed_settings_are_those_that_the_run_goes_on_with(finished: RunFolder) -> None:
    change_run(finished, pytest.fail, generations=3, changes=["training.steps=7"])
    before = [event["steps"] for event in finished.read_events() if event["event"] == "GenerationDone"]
    after = [event.steps for event in run(finished) if isinstance(event, GenerationDone)]
    assert after == [before[-1] + 7]


@pytest.mark.parametrize("change", ["network.blocks=9", "game=othello", "seed=4", "minutes=3", "growth.share=0", "nothing"])
def test_what_the_files_of_a_run_rest_on_is_not_changed(finished: RunFolder, change: str) -> None:
    before = (finished.path / "settings.json").read_bytes()
    with pytest.raises(BadInput, match="cannot be changed in a run that has begun; search, selfplay"):
        change_run(finished, pytest.fail, changes=[change])
    assert (finished.path / "settings.json").read_bytes() == before


def test_unknown_setting_is_refused(finished: RunFolder) -> None:
    with pytest.raises(BadInput, match=r"There is no setting 'training\.pases'"):
        change_run(finished, pytest.fail, changes=["training.pases=3"])
