"""Runs: repeatable, resumed without loss, and robust against damage."""

import contextlib
import errno
import itertools
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest
import torch
from replay_records import same_games
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from training_runs import begin, checkpoint_of, game_numbers, games_on_disk, run

from boardzero.arena.match import Match, MatchSettings
from boardzero.cores import usable_cores
from boardzero.errors import BadInput
from boardzero.events.training import DamageFound, GenerationDone, Remark, SelfPlayProgress, TrainingEvent
from boardzero.games.catalogue import find_game
from boardzero.network.weights import ONNX_SUFFIX, load_network, read_header
from boardzero.players.catalogue import find_player
from boardzero.replay.record import SelfPlayGame
from boardzero.replay.replay import Replay
from boardzero.training.learner import Learner
from boardzero.training.loop import Training
from boardzero.training.resuming import keep_clock
from boardzero.training.run_folder import RunFolder, troubles_of_the_disk_said


def assert_nothing_lost_or_twice(folder: RunFolder) -> None:
    """Every game of the run is on disk, once, and counted once."""
    numbers = game_numbers(folder)
    assert len(set(numbers)) == len(numbers)
    progress, _ = checkpoint_of(folder)
    counted = [games for games in games_on_disk(folder) if (games.generations < progress.generation).any()]
    played = sum(int((games.generations < progress.generation).sum()) for games in counted)
    assert progress.games == played
    positions = sum(int(games.positions[games.generations < progress.generation].sum()) for games in counted)
    assert progress.positions == positions


def damage(path: Path) -> None:
    """Turn some bits in the middle of a file."""
    content = bytearray(path.read_bytes())
    middle = len(content) // 2
    content[middle : middle + 8] = bytes(byte ^ 255 for byte in content[middle : middle + 8])
    path.write_bytes(content)


def sentences(events: Sequence[TrainingEvent]) -> list[str]:
    return [event.sentence for event in events if isinstance(event, DamageFound)]


# -- learning ---------------------------------------------------------------------------------------------------------
def test_a_run_learns_tic_tac_toe(tmp_path: Path) -> None:
    """The loss falls, and the network without any search beats random play clearly."""
    folder = begin(
        tmp_path / "run", "network.channels=16", "training.first_positions=600", "training.positions=600",
        "selfplay.cap.full_simulations=32", "training.learning_rate=0.01", "selfplay.games=64", generations=8,
    )  # fmt: skip
    done = [event for event in run(folder) if isinstance(event, GenerationDone)]
    assert [event.generation for event in done] == list(range(1, 9))
    assert done[-1].policy_loss + done[-1].value_loss < 0.75 * (done[0].policy_loss + done[0].value_loss)
    game = find_game("tictactoe")
    players = find_player(f"alphazero:network={folder.path},sims=1", game), find_player("random", game)
    score = Match(players, MatchSettings(games=60)).play().total.score
    assert score is not None and score > 0.8


def test_the_same_seed_gives_the_same_games_and_weights(tmp_path: Path) -> None:
    folders = [begin(tmp_path / name) for name in ("one", "two")]
    for folder in folders:
        run(folder)
    one, two = (games_on_disk(folder) for folder in folders)
    assert len(one) == len(two) > 1
    assert all(same_games(left, right) for left, right in zip(one, two, strict=True))
    (progress, state), (_, other) = (checkpoint_of(folder) for folder in folders)
    assert progress.generation == 3
    assert state.keys() == other.keys()
    assert all(torch.equal(state[name], other[name]) for name in state)
    networks = [read_header(folder.network(3)).checksum for folder in folders]
    assert networks[0] == networks[1]


def test_another_seed_gives_other_games(tmp_path: Path) -> None:
    folders = [begin(tmp_path / str(seed), seed=seed, generations=1) for seed in (1, 2)]
    for folder in folders:
        run(folder)
    assert not same_games(games_on_disk(folders[0])[0], games_on_disk(folders[1])[0])


def test_several_workers_share_a_run(tmp_path: Path) -> None:
    folder = begin(tmp_path / "run", "selfplay.workers=3")
    run(folder)
    assert_nothing_lost_or_twice(folder)


def test_training_has_all_cores_unless_the_run_is_to_be_repeatable(tmp_path: Path) -> None:
    run(begin(tmp_path / "many", "selfplay.workers=2", generations=1))
    assert torch.get_num_threads() == len(usable_cores())
    run(begin(tmp_path / "one", generations=1))
    assert torch.get_num_threads() == 1


def test_a_run_of_no_time_at_all_ends_with_a_network(tmp_path: Path) -> None:
    folder = begin(tmp_path / "run", generations=None, minutes=1e-6)
    with Training(folder, lambda _: None) as training:
        training.run()
        assert training.progress.generation == 0  # over before it began
        training._begun = time.perf_counter() + 1
        training.run()
        assert training.progress.generation >= 1
    assert_nothing_lost_or_twice(folder)


# -- going on ---------------------------------------------------------------------------------------------------------
def run_generations(folder: RunFolder, generations: int) -> None:
    """Stop, as a kill would, after so many generations."""

    def end(event: TrainingEvent) -> None:
        if isinstance(event, GenerationDone) and event.generation == generations:
            raise InterruptedError

    with pytest.raises(InterruptedError), Training(folder, end) as training:
        training.run()


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
        assert training._new_games == waiting
        assert min(worker.next_number for worker in training.workers) > max(game_numbers(folder))
        training.run()
    assert_nothing_lost_or_twice(folder)
    assert checkpoint_of(folder)[0].positions < 150 + 200 + 150  # no more were played than were needed


def stop_after(training: Training, games: int) -> None:
    """Ask the run to stop when so many games of a generation are finished."""
    add = training.replay.add

    def add_and_count(finished: Sequence[SelfPlayGame]) -> None:
        add(finished)
        if training._new_games + len(finished) >= games:
            training.stop()

    training.replay.add = add_and_count  # type: ignore[assignment, method-assign]


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
        training._begun -= 100  # as if it had played for so long
        training.run()
    with Training(folder, lambda _: None) as again:
        assert again._new_games > 0 and 100 <= again.seconds < 160


def test_the_time_of_what_is_done_again_does_not_count_twice(tmp_path: Path) -> None:
    folder = begin(tmp_path / "run", generations=3)
    run_generations(folder, 1)
    keep_clock(folder, 1000.0)  # but no game has come since the checkpoint
    with Training(folder, lambda _: None) as again:
        assert again.seconds < 500


def test_a_run_that_waits_for_its_first_game_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = begin(tmp_path / "run", generations=None, minutes=1)
    events: list[TrainingEvent] = []
    with Training(folder, events.append) as training:
        monkeypatch.setattr(type(training.replay), "positions", 0)
        assert not training.is_over() and not events
        training._begun -= 60
        assert not training.is_over() and not training.is_over()
        (remark,) = [event for event in events if isinstance(event, Remark)]
        assert "no game has ended yet" in remark.sentence
        assert {"event": "Remark", "sentence": remark.sentence} in folder.read_events()
        monkeypatch.setattr(type(training.replay), "positions", 9)
        assert training.is_over()


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


def test_old_networks_are_forgotten_and_some_kept_for_good(tmp_path: Path) -> None:
    folder = begin(tmp_path / "run", "keep_every=3", "training.positions=20", "training.first_positions=20", generations=8)
    run(folder)
    assert folder.network_generations() == [0, 3, 6, 7, 8]


# -- damage -----------------------------------------------------------------------------------------------------------
@pytest.fixture
def begun(tmp_path: Path) -> RunFolder:
    """A run of three generations after the second."""
    folder = begin(tmp_path / "run")
    run_generations(folder, 2)
    return folder


@pytest.mark.parametrize("how", ["bits", "cut", "empty", "text"])
def test_a_damaged_checkpoint_is_set_aside_and_the_one_before_used(begun: RunFolder, how: str) -> None:
    path = begun.checkpoint
    if how == "bits":
        damage(path)
    else:
        path.write_bytes({"cut": path.read_bytes()[:-100], "empty": b"", "text": b"not a checkpoint"}[how])
    with Training(begun, lambda _: None) as training:
        assert training.progress.generation == 1
    assert path.with_name(path.name + ".damaged").is_file()
    run(begun)
    assert_nothing_lost_or_twice(begun)
    assert checkpoint_of(begun)[0].generation == 3
    told = next(event for event in begun.read_events() if event["event"] == "DamageFound")
    assert told["sentence"].startswith(f"The checkpoint '{path}' is damaged")


def test_without_any_checkpoint_the_newest_network_goes_on(begun: RunFolder) -> None:
    progress, _ = checkpoint_of(begun)
    damage(begun.checkpoint)
    damage(begun.checkpoint_before)
    with Training(begun, lambda _: None) as training:
        assert training.progress.generation == 2
        assert (training.progress.games, training.progress.positions) == (progress.games, progress.positions)
        stored = load_network(begun.network(2)).network.state_dict()
        own = training.learner.network.state_dict()
        assert all(torch.equal(own[name], stored[name]) for name in stored)
        training.run()
    assert_nothing_lost_or_twice(begun)


def test_a_damaged_network_is_set_aside_and_written_anew(begun: RunFolder) -> None:
    path = begun.network(2)
    checksum = read_header(path).checksum
    damage(path)
    path.with_suffix(ONNX_SUFFIX).write_bytes(b"nothing")
    events = run(begun)
    assert len(sentences(events)) == 1
    assert str(path) in sentences(events)[0]
    assert path.with_name(path.name + ".damaged").is_file()
    assert load_network(path).header.checksum == checksum


def test_a_damaged_shard_is_set_aside(begun: RunFolder) -> None:
    shard = sorted(begun.games.glob("*.parquet"))[0]
    damage(shard)
    events = run(begun)
    assert str(shard) in sentences(events)[0]
    assert checkpoint_of(begun)[0].generation == 3


def test_damaged_settings_are_named(begun: RunFolder) -> None:
    (begun.path / "settings.json").write_text("{")
    with pytest.raises(BadInput, match=r"settings\.json' are damaged"):
        Training(begun, lambda _: None)


def test_what_a_killed_process_was_writing_is_removed(begun: RunFolder) -> None:
    for folder in (begun.path, begun.networks):
        (folder / ".half.part").write_bytes(b"half")
    run(begun)
    assert not list(begun.path.rglob("*.part"))


def test_a_torn_event_does_no_harm(begun: RunFolder) -> None:
    events = begun.read_events()
    with begun.events.open("a") as file:
        file.write('{"event": "Generat')
    run(begun)
    assert begun.read_events()[: len(events)] == events
    assert len(begun.read_events()) == len(events) + 1
    lines = begun.events.read_text().splitlines()
    assert lines[len(events)] == '{"event": "Generat'
    assert json.loads(lines[-1])["generation"] == 3


@pytest.mark.parametrize("files", [10, 13, 16, 19, 22])
def test_a_full_disk_is_said_and_nothing_is_lost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, files: int) -> None:
    """Whichever file it is that finds no room any more, the run goes on later from what was written."""
    folder = begin(tmp_path / "run")
    written = iter(range(files))
    fsync = os.fsync

    def fail_at_last(descriptor: int) -> None:
        if next(written, None) is None:
            raise OSError(errno.ENOSPC, "No space left on device")
        fsync(descriptor)

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", fail_at_last)
        with pytest.raises(BadInput, match=r"disk is full.*boardzero resume"), troubles_of_the_disk_said(folder.path):
            run(folder)
    numbers = game_numbers(folder)
    run(folder)
    assert set(numbers) <= set(game_numbers(folder))
    assert_nothing_lost_or_twice(folder)


def test_other_troubles_of_the_disk_are_said_too(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"cannot go on: .*Permission"), troubles_of_the_disk_said(tmp_path):
        raise PermissionError(errno.EACCES, "Permission denied")


# -- what happened ----------------------------------------------------------------------------------------------------
def test_tensorboard_shows_the_events(begun: RunFolder) -> None:
    run(begun)
    log = EventAccumulator(str(begun.path / "tensorboard"))
    log.Reload()
    losses = {point.step: point.value for point in log.Scalars("loss/policy_loss")}
    told = {event["generation"]: event["policy_loss"] for event in begun.read_events()}
    assert losses == pytest.approx(told, rel=1e-6)
    assert set(losses) == {1, 2, 3}
    totals = {event["generation"]: event["policy_loss"] + event["value_loss"] for event in begun.read_events()}
    assert {point.step: point.value for point in log.Scalars("loss/total_loss")} == pytest.approx(totals, rel=1e-6)


def test_totals_count_the_games_of_later_generations(begun: RunFolder) -> None:
    replay = Replay(find_game("tictactoe"), begun.settings().replay, begun.games)
    replay.load()
    every, later = replay.totals(), replay.totals(1)
    assert every.games == len(game_numbers(begun))
    assert every.next_number == max(game_numbers(begun)) + 1
    assert 0 < later.games < every.games
    assert replay.totals(99).games == 0


# -- how long a generation and its training are ------------------------------------------------------------------------
def test_a_generation_may_be_counted_in_games_and_its_training_in_steps(tmp_path: Path) -> None:
    folder = begin(tmp_path / "run", "training.games=5", "training.steps=2", generations=3)
    done = [event for event in run(folder) if isinstance(event, GenerationDone)]
    assert [event.steps for event in done] == [2, 4, 6]
    assert all(5 <= after.games - before.games < 25 for before, after in itertools.pairwise(done))


def test_a_run_in_epochs_is_repeatable_and_tells_the_loss_of_what_was_held_out(tmp_path: Path) -> None:
    changes = ("training.epochs=2", "training.held_out=0.2", "training.legal_only=true")
    folders = [begin(tmp_path / name, *changes, generations=2) for name in ("one", "two")]
    runs = [[event for event in run(folder) if isinstance(event, GenerationDone)] for folder in folders]
    assert [event.validation_loss for event in runs[0]] == [event.validation_loss for event in runs[1]]
    assert all(event.validation_loss is not None for event in runs[0])
    assert read_header(folders[0].network(2)).checksum == read_header(folders[1].network(2)).checksum


# -- the disk ---------------------------------------------------------------------------------------------------------
def test_a_run_stays_within_its_disk_limit(tmp_path: Path) -> None:
    """Old shards and networks go; networks kept for good and those promoted stay."""
    limit = 60_000
    folder = begin(
        tmp_path / "run", f"replay.disk_bytes={limit}", "replay.shard_games=20", "replay.window.kind=games",
        "replay.window.games=20", "keep_every=4", "gate.kind=percentage", "gate.percentage=1", "gate.games=2", "gate.every=3",
        "training.positions=60", "training.first_positions=60", generations=10,
    )  # fmt: skip
    run(folder)
    shards = sum(path.stat().st_size for path in folder.games.glob("*.parquet"))
    newest = max(path.stat().st_size for path in folder.games.glob("*.parquet"))
    assert shards <= limit + 2 * newest
    assert len(game_numbers(folder)) < checkpoint_of(folder)[0].games  # some are gone, and still counted
    promoted = set(folder.load_promotions(lambda _: None).promoted)
    assert promoted
    assert set(folder.network_generations()) == {0, 4, 8, 9, 10} | promoted
    again = run(folder)
    assert again == []


# -- kill -9 ----------------------------------------------------------------------------------------------------------
REPORTING = """
import os, sys, time
from pathlib import Path
from boardzero.selfplay.worker import SelfPlayWorker
from boardzero.training.loop import Training
from boardzero.training.run_folder import RunFolder

run = SelfPlayWorker.run
def reporting(self, evaluate, generation, on_game, stop):
    def report(game):
        os.write(1, f"{game.number} {time.time()}\\n".encode())
        on_game(game)
    run(self, evaluate, generation, report, stop)
SelfPlayWorker.run = reporting
with Training(RunFolder(Path(sys.argv[1])), lambda event: None) as training:
    training.run()
"""


GATE = ("gate.kind=percentage", "gate.percentage=20", "gate.games=6")
MODES = {
    "alternating": (),
    "gated": (*GATE, "replay.window.clear_on_promotion=true", "replay.window.kind=all"),
    "concurrent": ("mode=concurrent",),
    "concurrent and gated": (
        "mode=concurrent", *GATE, "replay.window.clear_on_promotion=true", "replay.window.kind=all", "evaluation.every=2",
        "evaluation.games=4",
    ),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("mode", MODES)
def test_killed_twenty_times_nothing_is_lost(tmp_path: Path, mode: str) -> None:
    """Killed at random moments: every game that was finished five seconds before is there, none is twice, and it goes on."""
    changes = ("selfplay.workers=2", "training.positions=400", "replay.shard_games=500", *MODES[mode])
    folder = begin(tmp_path / "run", *changes, generations=100_000)
    draw = random.Random(1)
    finished: dict[int, float] = {}
    generation = 0
    for kill in range(20):
        process = subprocess.Popen([sys.executable, "-c", REPORTING, str(folder.path)], stdout=subprocess.PIPE, text=True)
        first = ""
        try:
            if kill % 2:  # at any moment of the beginning, or after the first game, however slow the machine is
                assert process.stdout is not None
                first = process.stdout.readline()
            time.sleep(draw.uniform(1, 8))
            assert process.poll() is None, f"it ended by itself before kill {kill}"
        finally:
            process.send_signal(signal.SIGKILL)
            killed = time.time()
            said, _ = process.communicate()
        for line in (first + said).splitlines():
            number, when = line.split()
            assert int(number) not in finished
            finished[int(number)] = float(when)
        on_disk = game_numbers(folder)
        assert len(on_disk) == len(set(on_disk))
        assert {number for number, when in finished.items() if when < killed - 5} <= set(on_disk)
        finished = {number: when for number, when in finished.items() if number in set(on_disk)}
        if folder.checkpoint.is_file() or folder.checkpoint_before.is_file():
            progress, _ = checkpoint_of(folder)
            assert progress.generation >= generation
            generation = progress.generation
    assert generation >= 3
    assert len(finished) > 500
    progress, _ = checkpoint_of(folder)
    assert progress.games <= len(game_numbers(folder))
    if mode == "alternating":
        assert_nothing_lost_or_twice(folder)
