"""Self-play, training and matches at the same time: nothing is lost, networks are exchanged, and everything ends."""

import threading
import time
from collections.abc import Sequence
from pathlib import Path

import pytest
from training_runs import begin, checkpoint_of, game_numbers, games_on_disk, run, stop_after

from boardzero.errors import BadInput
from boardzero.events.training import GenerationDone, NetworksCompared, StrengthMeasured, TrainingEvent
from boardzero.replay import journal
from boardzero.replay.journal import Journal
from boardzero.replay.record import SelfPlayGame
from boardzero.replay.replay import Replay
from boardzero.selfplay.worker import SelfPlayWorker
from boardzero.training.gate import Gate
from boardzero.training.learner import Learner
from boardzero.training.loop import Training

CONCURRENT = ("mode=concurrent", "selfplay.workers=2", "replay.shard_games=500")


def test_a_concurrent_run_learns_and_loses_nothing(tmp_path: Path) -> None:
    folder = begin(tmp_path / "run", *CONCURRENT, generations=4)
    done = [event for event in run(folder) if isinstance(event, GenerationDone)]
    assert [event.generation for event in done] == [1, 2, 3, 4]
    numbers = game_numbers(folder)
    assert len(set(numbers)) == len(numbers)
    assert checkpoint_of(folder)[0].games <= len(numbers)
    played_by = {int(number) for games in games_on_disk(folder) for number in games.generations}
    assert len(played_by) > 1 and played_by <= {0, 1, 2, 3, 4}  # a training may end before any game of the last network
    assert threading.active_count() == 1 or not [t for t in threading.enumerate() if "ThreadPool" in t.name]


def test_a_concurrent_run_without_enough_games_learns_from_what_there_is(tmp_path: Path) -> None:
    folder = begin(tmp_path / "run", *CONCURRENT, "training.first_positions=1000000", generations=None, minutes=0.02)
    (done,) = [event for event in run(folder) if isinstance(event, GenerationDone)]
    assert done.generation == 1 and 0 < done.positions < 1_000_000
    assert folder.network(1).is_file()


def test_games_that_ended_last_are_forced_to_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those that nobody will learn from any more, too: the run may be given a later end."""
    folder = begin(tmp_path / "run", *CONCURRENT, generations=1)
    unforced: set[Path] = set()
    append, sync = Journal._write, Journal._sync

    def write(self: Journal, frame: bytes) -> None:
        append(self, frame)
        unforced.add(self.path)

    def force(self: Journal) -> None:
        sync(self)
        unforced.discard(self.path)

    monkeypatch.setattr(Journal, "_write", write)
    monkeypatch.setattr(Journal, "_sync", force)
    monkeypatch.setattr(journal, "SYNC_SECONDS", 1000.0)
    run(folder)
    assert game_numbers(folder) and not unforced


def test_games_go_on_while_it_trains(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = begin(tmp_path / "run", *CONCURRENT, generations=1)
    train, seen = Learner.train, []

    with Training(folder, lambda _: None) as training:

        def slow(self: Learner, *arguments: object) -> object:
            for _ in range(6000):  # five minutes at most
                time.sleep(0.05)
                if training.quota.games > 0:
                    break
            seen.append(training.quota.games)
            return train(self, *arguments)  # type: ignore[arg-type]

        monkeypatch.setattr(Learner, "train", slow)
        training.run()
    assert seen[0] > 0
    assert checkpoint_of(folder)[0].games + seen[0] <= len(game_numbers(folder))  # those count for the next generation


def test_the_gate_compares_while_the_others_go_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Training reaches further generations before the first comparison has ended."""
    folder = begin(
        tmp_path / "run", *CONCURRENT, "gate.kind=percentage", "gate.games=4", "evaluation.share=0",
        generations=4,
    )  # fmt: skip
    compare = Gate.compare
    generations: list[tuple[int, int]] = []

    with Training(folder, lambda event: None) as training:

        def slow(self: Gate, *arguments: object) -> object:
            for _ in range(6000):  # five minutes at most
                time.sleep(0.05)
                if training.progress.generation >= arguments[0] + 1:  # type: ignore[operator]
                    break
            generations.append((int(str(arguments[0])), training.progress.generation))
            return compare(self, *arguments)  # type: ignore[arg-type]

        monkeypatch.setattr(Gate, "compare", slow)
        monkeypatch.setattr(Gate, "is_passed", lambda *_: True)
        training.settings = training.settings.model_copy(update={"generations": 3})
        training.run()
        assert training.promotions.promoted[0] == 1
        assert training.best in training.promotions.promoted
    assert generations[0][1] > generations[0][0]


def test_a_concurrent_run_clears_its_window_safely(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Gate, "is_passed", lambda *_: True)
    folder = begin(
        tmp_path / "run", *CONCURRENT, "gate.kind=percentage", "gate.games=4",
        "replay.window.clear_on_promotion=true", "replay.window.kind=all", generations=10,
    )  # fmt: skip
    events = run(folder)
    assert any(isinstance(event, NetworksCompared) and event.promoted for event in events)
    assert checkpoint_of(folder)[0].generation == 10


def test_strength_is_measured_beside_it(tmp_path: Path) -> None:
    quick = ("evaluation.every=1", "evaluation.games=4", "evaluation.share=1", "evaluation.positions=0")
    folder = begin(tmp_path / "run", *CONCURRENT, *quick, generations=3)
    events: list[TrainingEvent] = []
    with Training(folder, events.append) as training:
        training.clock._begun -= 1000  # so that there is time for everything, however slow the machine is
        training.run()
    measured = [event for event in events if isinstance(event, StrengthMeasured)]
    assert {event.kind for event in measured} >= {"random", "mcts"}


def test_a_network_in_a_match_is_not_forgotten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Training is several generations further when the match ends, and the network is still there to take over."""
    changes = ("gate.kind=percentage", "gate.games=2", "keep_every=1000", "evaluation.share=0")
    folder = begin(tmp_path / "run", *CONCURRENT, *changes, "training.positions=40", generations=6)
    compare = Gate.compare
    with Training(folder, lambda _: None) as training:

        def slow(self: Gate, *arguments: object) -> object:
            score = compare(self, *arguments)  # type: ignore[arg-type]
            for _ in range(6000):  # five minutes at most
                time.sleep(0.05)
                if training.progress.generation >= min(6, arguments[0] + 3):  # type: ignore[operator]
                    break
            return score

        monkeypatch.setattr(Gate, "compare", slow)
        monkeypatch.setattr(Gate, "is_passed", lambda *_: True)
        training.run()
        promoted = training.promotions.promoted
    assert promoted[0] == 1
    assert set(promoted) <= set(folder.network_generations())


def test_a_stopped_run_keeps_every_game_and_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = begin(tmp_path / "run", *CONCURRENT, generations=100_000)
    said: list[int] = []
    work = SelfPlayWorker.run

    def reporting(self: SelfPlayWorker, evaluate: object, generation: int, on_game: object, stop: object) -> None:
        def report(game: SelfPlayGame) -> None:
            said.append(game.number)
            on_game(game)  # type: ignore[operator]

        work(self, evaluate, generation, report, stop)  # type: ignore[arg-type]

    monkeypatch.setattr(SelfPlayWorker, "run", reporting)
    for _ in range(3):
        with Training(folder, lambda _: None) as training:
            stop_after(training, games=60)
            training.run()
        assert sorted(game_numbers(folder)) == sorted(said)
    progress, _ = checkpoint_of(folder)
    assert progress.games <= len(said)
    with Training(folder, lambda _: None) as training:
        assert training.progress.games + training.quota.games == len(said)


def test_a_failing_worker_ends_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise BadInput("It is broken.")

    monkeypatch.setattr(SelfPlayWorker, "run", fail)
    with pytest.raises(BadInput, match="It is broken"):
        run(begin(tmp_path / "run", *CONCURRENT))


def test_a_failing_training_ends_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise BadInput("It is broken.")

    monkeypatch.setattr(Learner, "train", fail)
    with pytest.raises(BadInput, match="It is broken"):
        run(begin(tmp_path / "run", *CONCURRENT))


def test_a_disk_that_fails_ends_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = begin(tmp_path / "run", *CONCURRENT)
    add, calls = Replay.add, iter(range(5))

    def fail_later(self: Replay, games: Sequence[SelfPlayGame]) -> None:
        if games and next(calls, None) is None:
            raise OSError(28, "No space left on device")
        add(self, games)

    with monkeypatch.context() as patch:
        patch.setattr(Replay, "add", fail_later)
        with pytest.raises(OSError, match="No space left"):
            run(folder)
    events: list[TrainingEvent] = run(folder)
    assert any(isinstance(event, GenerationDone) for event in events)
    numbers = game_numbers(folder)
    assert len(set(numbers)) == len(numbers)
