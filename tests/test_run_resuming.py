"""Runs that are stopped or killed, and go on where they stood."""

import contextlib
from pathlib import Path

import pytest
from training_runs import assert_nothing_lost_or_twice, begin, checkpoint_of, game_numbers, run, run_generations, stop_after

from boardzero.errors import BadInput
from boardzero.events.training import GenerationDone, Remark, SelfPlayProgress, TrainingEvent
from boardzero.network.weights import read_header
from boardzero.training.learner import Learner
from boardzero.training.loop import Training
from boardzero.training.run_clock import keep_seconds
from boardzero.training.tensorboard import TensorBoardLog


def test_a_run_killed_between_generations_goes_on(tmp_path: Path) -> None:
    folder = begin(tmp_path / "run")
    settings = folder.settings()
    run_generations(folder, 1)
    before, _ = checkpoint_of(folder)
    run(folder)
    after, _ = checkpoint_of(folder)
    assert before.generation == 1
    assert after.generation == 3
    assert after.seconds > before.seconds
    assert folder.settings() == settings
    assert_nothing_lost_or_twice(folder)


def test_what_was_learned_before_a_resume_is_as_if_there_had_been_none(tmp_path: Path) -> None:
    """The first generations of an interrupted run are those of the whole one."""
    whole, parts = begin(tmp_path / "whole", "keep_every=1"), begin(tmp_path / "parts", "keep_every=1")
    run(whole)
    run_generations(parts, 1)
    run_generations(parts, 2)
    checksums = [read_header(folder.network(1)).checksum for folder in (whole, parts)]
    assert checksums[0] == checksums[1]


def test_games_since_the_checkpoint_count_for_the_generation(tmp_path: Path) -> None:
    folder = begin(tmp_path / "run", generations=2)
    run_generations(folder, 1)
    with Training(folder, lambda _: None) as training:
        stop_after(training, games=20)
        training.run()
    waiting = len(game_numbers(folder)) - checkpoint_of(folder)[0].games
    assert waiting >= 20
    with Training(folder, lambda _: None) as training:
        assert training.quota.games == waiting
        assert min(worker.next_number for worker in training.workers) > max(game_numbers(folder))
        training.run()
    assert_nothing_lost_or_twice(folder)
    assert checkpoint_of(folder)[0].positions < 150 + 200 + 150  # no more were played than were needed


@pytest.mark.parametrize("killed", [False, True])
def test_the_time_of_games_that_stay_counts_when_a_run_goes_on(tmp_path: Path, killed: bool) -> None:
    """Otherwise every stop would be a gift of games that took no time."""
    folder = begin(tmp_path / "run", "training.first_positions=100000", generations=None, minutes=60)

    def end(event: TrainingEvent) -> None:
        if isinstance(event, SelfPlayProgress) and event.finished:
            if killed:
                raise InterruptedError
            training.stop()

    with contextlib.suppress(InterruptedError), Training(folder, end) as training:
        training.clock._begun -= 100  # as if it had played for so long
        training.run()
    with Training(folder, lambda _: None) as again:
        assert again.quota.games > 0 and 100 <= again.seconds < 160


def test_the_time_of_what_is_done_again_does_not_count_twice(tmp_path: Path) -> None:
    folder = begin(tmp_path / "run", generations=3)
    run_generations(folder, 1)
    keep_seconds(folder, 1000.0)  # but no game has come since the checkpoint
    with Training(folder, lambda _: None) as again:
        assert again.seconds < 500


def test_a_run_that_waits_for_its_first_game_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = begin(tmp_path / "run", generations=None, minutes=1)
    events: list[TrainingEvent] = []
    with Training(folder, events.append) as training:
        monkeypatch.setattr(type(training.replay), "positions", 0)
        assert not training.is_over() and not events
        training.clock._begun -= 60
        assert not training.is_over() and not training.is_over()
        (remark,) = [event for event in events if isinstance(event, Remark)]
        assert "no game has ended yet" in remark.sentence
        assert {"event": "Remark", "sentence": remark.sentence} in folder.read_events()
        monkeypatch.setattr(type(training.replay), "positions", 9)
        assert training.is_over()


def test_a_run_whose_time_is_up_before_its_first_game_begins_learns_once(tmp_path: Path) -> None:
    """On a busy machine the start alone may take as long; whoever waits for a network gets one."""
    folder = begin(tmp_path / "run", generations=None, minutes=1e-6)
    events = run(folder)
    (done,) = [event for event in events if isinstance(event, GenerationDone)]
    assert done.generation == 1 and done.positions > 0 and folder.network(1).is_file()
    assert not [event for event in run(folder) if isinstance(event, GenerationDone)], "only once"


def test_enough_games_on_disk_are_trained_on_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run killed while it trained plays no further games for that generation."""
    folder = begin(tmp_path / "run", generations=1)
    with monkeypatch.context() as patch:
        patch.setattr(Learner, "train", raise_interrupted)
        with pytest.raises(InterruptedError), Training(folder, lambda _: None) as training:
            training.run()
    numbers = game_numbers(folder)
    run(folder)
    assert game_numbers(folder) == numbers
    assert_nothing_lost_or_twice(folder)


def raise_interrupted(*_: object) -> None:
    raise InterruptedError


def test_a_run_stopped_in_training_begins_that_training_anew(tmp_path: Path) -> None:
    whole, parts = (begin(tmp_path / name, generations=1) for name in ("whole", "parts"))
    run(whole)
    with Training(parts, lambda _: None) as training:
        sample, drawn = training.replay.sample, iter(range(3))

        def stop_at_third(*arguments: object) -> object:
            if next(drawn, None) is None:
                training.stop()
            return sample(*arguments)  # type: ignore[arg-type]

        training.replay.sample = stop_at_third  # type: ignore[assignment, method-assign]
        training.run()
        assert training.progress.generation == 0
    run(parts)
    assert read_header(whole.network(1)).checksum == read_header(parts.network(1)).checksum


def test_a_finished_run_has_nothing_left_to_do(tmp_path: Path) -> None:
    folder = begin(tmp_path / "run", generations=1)
    run(folder)
    numbers = game_numbers(folder)
    assert run(folder) == []
    assert game_numbers(folder) == numbers


def test_an_existing_run_is_not_begun_again(tmp_path: Path) -> None:
    begin(tmp_path / "run")
    with pytest.raises(BadInput, match="boardzero resume"):
        begin(tmp_path / "run")


def test_two_processes_do_not_train_in_one_folder(tmp_path: Path) -> None:
    folder = begin(tmp_path / "run")
    with Training(folder, lambda _: None), pytest.raises(BadInput, match="Another process is training in"):
        Training(folder, lambda _: None)
    with Training(folder, lambda _: None):  # it was let go
        pass


def test_a_run_that_cannot_go_on_is_let_go(tmp_path: Path) -> None:
    """Whoever tries in the same process what was wrong finds the folder free."""
    folder = begin(tmp_path / "run", generations=1)
    run(folder)
    settings = folder.settings()
    wider = settings.network.model_copy(update={"channels": 9})
    folder.save_settings(settings.model_copy(update={"network": wider}))
    with pytest.raises(BadInput, match="does not fit the run") as refused:
        Training(folder, lambda _: None)
    folder.save_settings(settings)
    with Training(folder, lambda _: None) as training:
        assert training.progress.generation == 1
    assert refused.traceback  # which holds on to all that the first attempt had


def test_a_failure_at_the_end_lets_the_folder_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """TensorBoard writes until the end, and a disk may be full."""

    def fail(_: object) -> None:
        raise OSError(28, "No space left on device")

    folder = begin(tmp_path / "run")
    with monkeypatch.context() as patch:
        patch.setattr(TensorBoardLog, "close", fail)
        with pytest.raises(OSError, match="No space left"), Training(folder, lambda _: None):
            pass
    with Training(folder, lambda _: None):
        pass


def test_old_networks_are_forgotten_and_some_kept_for_good(tmp_path: Path) -> None:
    folder = begin(tmp_path / "run", "keep_every=3", "training.positions=20", "training.first_positions=20", generations=8)
    run(folder)
    assert folder.network_generations() == [0, 3, 6, 7, 8]
