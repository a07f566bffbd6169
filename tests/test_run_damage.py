"""Runs whose files are damaged, and disks that are full, fail, or have a limit."""

import errno
import json
import os
from collections.abc import Sequence
from pathlib import Path

import pytest
import torch
from training_runs import assert_nothing_lost_or_twice, begin, checkpoint_of, game_numbers, run, run_generations, stop_after

from boardzero.errors import BadInput
from boardzero.events.training import DamageFound, TrainingEvent
from boardzero.network.weights import ONNX_SUFFIX, load_network, read_header
from boardzero.training.gate import Gate
from boardzero.training.loop import Training
from boardzero.training.run_folder import RunFolder, troubles_of_the_disk_said
from boardzero.training.sittings import keep_sitting, read_sittings, this_sitting


def damage(path: Path) -> None:
    """Turn some bits in the middle of a file."""
    content = bytearray(path.read_bytes())
    middle = len(content) // 2
    content[middle : middle + 8] = bytes(byte ^ 255 for byte in content[middle : middle + 8])
    path.write_bytes(content)


def sentences(events: Sequence[TrainingEvent]) -> list[str]:
    return [event.sentence for event in events if isinstance(event, DamageFound)]


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


def test_a_damaged_journal_is_named_and_its_whole_games_stay(begun: RunFolder) -> None:
    with Training(begun, lambda _: None) as training:
        stop_after(training, games=20)
        training.run()
    numbers = set(game_numbers(begun))
    journal = max(begun.games.glob("*.journal"))
    damage(journal)
    whole = set(game_numbers(begun))
    assert whole < numbers
    (sentence,) = sentences(run(begun))
    assert str(journal) in sentence
    assert journal.with_name(journal.name + ".damaged").is_file()
    assert whole <= set(game_numbers(begun))
    assert checkpoint_of(begun)[0].generation == 3


def test_a_damaged_ledger_is_set_aside(begun: RunFolder) -> None:
    ledger = begun.games / "ledger.json"
    ledger.write_text("{")
    (sentence,) = sentences(run(begun))
    assert str(ledger) in sentence
    assert checkpoint_of(begun)[0].generation == 3
    assert_nothing_lost_or_twice(begun)


@pytest.mark.parametrize("content", [b"", b"{", b"null", b"\xff"])
def test_damaged_settings_are_those_of_the_checkpoint(begun: RunFolder, content: bytes) -> None:
    settings, path = begun.settings(), begun.path / "settings.json"
    path.write_bytes(content)
    assert begun.settings() == settings  # who only reads changes nothing
    assert path.read_bytes() == content
    (sentence,) = sentences(run(begun))
    assert str(path) in sentence
    assert path.with_name("settings.json.damaged").read_bytes() == content
    begun.checkpoint.unlink()
    begun.checkpoint_before.unlink()
    assert begun.settings() == settings


def test_damaged_settings_that_no_checkpoint_has_are_named(tmp_path: Path) -> None:
    folder = begin(tmp_path / "run")
    (folder.path / "settings.json").write_text("{")
    with pytest.raises(BadInput, match=r"settings\.json' are damaged"):
        Training(folder, lambda _: None)


def test_a_damaged_clock_is_set_aside_and_time_counts_from_the_checkpoint(begun: RunFolder) -> None:
    path = begun.path / "clock.json"
    path.write_text('{"seconds": ')
    said: list[TrainingEvent] = []
    with Training(begun, said.append) as training:
        assert training.seconds < checkpoint_of(begun)[0].seconds + 60
    (sentence,) = sentences(said)
    assert str(path) in sentence
    assert path.with_name("clock.json.damaged").is_file()


def test_a_torn_sitting_does_no_harm(tmp_path: Path) -> None:
    (tmp_path / "sittings.jsonl").write_text('{"begun": "20')
    keep_sitting(tmp_path, this_sitting())
    assert [sitting.program for sitting in read_sittings(tmp_path)] == [this_sitting().program]


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


@pytest.mark.parametrize(
    ("files", "changes"),
    [
        *((files, ()) for files in (10, 13, 16, 19, 22)),
        *((files, ("selfplay.workers=2",)) for files in (13, 16, 19)),
        *((files, ("selfplay.workers=2", "mode=concurrent")) for files in (13, 16, 19)),
    ],
)
def test_a_full_disk_is_said_and_nothing_is_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, files: int, changes: tuple[str, ...]
) -> None:
    """Whichever file it is that finds no room any more, the run goes on later from what was written."""
    folder = begin(tmp_path / "run", *changes)
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
    after = game_numbers(folder)
    assert set(numbers) <= set(after)
    assert len(set(after)) == len(after)
    if "mode=concurrent" not in changes:  # there, games of a network may count for a later one
        assert_nothing_lost_or_twice(folder)


def test_other_troubles_of_the_disk_are_said_too(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"cannot go on: .*Permission"), troubles_of_the_disk_said(tmp_path):
        raise PermissionError(errno.EACCES, "Permission denied")


# -- the disk ---------------------------------------------------------------------------------------------------------
def test_a_run_stays_within_its_disk_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Old shards and networks go; networks kept for good and those promoted stay."""
    monkeypatch.setattr(Gate, "is_passed", lambda *_: True)
    limit = 60_000
    folder = begin(
        tmp_path / "run", f"replay.disk_bytes={limit}", "replay.shard_games=20", "replay.window.kind=games",
        "replay.window.games=20", "keep_every=4", "gate.kind=percentage", "gate.games=2", "gate.every=3",
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
