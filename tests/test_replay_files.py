"""Game records on disk: journals, shards, and what crashes and damage leave of them."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from replay_records import random_record, random_records, same_games

from boardzero.errors import BadInput
from boardzero.games.catalogue import find_game
from boardzero.replay import durable, journal, shards
from boardzero.replay.columns import GameColumns
from boardzero.replay.journal import Journal, parse_journal, read_journal
from boardzero.replay.record import SparsePolicies
from boardzero.replay.shards import DamagedShard, read_shard, read_shard_index, seal, set_aside, write_shard
from boardzero.replay.store import GameStore

GAMES = ["tictactoe", "connect4", "othello:size=4", "gomoku:size=6", "latrunculi:size=4,limit=40"]
GAMES += ["latrunculi:size=4,start=random,limit=40"]  # every game has its own start


# -- records -----------------------------------------------------------------------------------------------------------
@given(st.integers(0, 2**32 - 1), st.integers(1, 40), st.floats(0, 1))
@settings(deadline=None, max_examples=50)
def test_sparse_policies_are_the_dense_ones_and_sum_to_one(seed: int, action_count: int, recorded_share: float) -> None:
    rng = np.random.default_rng(seed)
    dense = rng.dirichlet(np.full(action_count, 0.3), 7).astype(np.float32)
    recorded = rng.random(7) < recorded_share
    sparse = SparsePolicies.from_dense(dense, recorded)
    again = sparse.to_dense(action_count)
    # Each share is rounded to half a step of 1 / 65535, and so is each of those that they are divided by the sum of.
    np.testing.assert_allclose(again[recorded], dense[recorded], atol=(action_count + 1) / 65535)
    np.testing.assert_allclose(again.sum(axis=1), recorded, atol=5e-6)
    assert (again[~recorded] == 0).all()
    joined = SparsePolicies.joined([sparse.rows(0, 3), sparse.rows(3, 7)])
    assert np.array_equal(joined.to_dense(action_count), again)


def test_a_record_to_be_learned_from_needs_a_policy_and_a_value() -> None:
    record = random_record(find_game("tictactoe"), 0)
    nothing = SparsePolicies.from_dense(np.zeros((record.plies, 9), np.float32))
    for change in ({"policies": nothing}, {"values": np.full(record.plies, np.nan, np.float32)}, {"result": 2}):
        with pytest.raises(BadInput):
            type(record)(**{**record.__dict__, **change})


@given(st.sampled_from(GAMES), st.integers(0, 2**32 - 1), st.integers(1, 4), st.sampled_from([0.0, 0.3, 1.0]))
@settings(deadline=None, max_examples=40)
def test_games_are_read_back_from_shards_and_journals_bit_for_bit(
    tmp_path_factory: pytest.TempPathFactory, specification: str, seed: int, count: int, learned_share: float
) -> None:
    folder = tmp_path_factory.mktemp("games")
    records = random_records(specification, count, seed, learned_share=learned_share)
    columns = GameColumns.from_games(records)
    write_shard(records, folder / "a.parquet")
    assert same_games(read_shard(folder / "a.parquet"), columns)
    with_journal = Journal(folder / "a.journal")
    for record in records:
        with_journal.append(record)
    with_journal.close()
    content = read_journal(folder / "a.journal")
    assert same_games(content.games, columns) and content.lost_bytes == 0
    assert same_games(GameColumns.from_games([columns[index] for index in range(count)]), columns)


def test_a_shard_tells_the_window_what_it_needs_without_being_read(tmp_path: Path) -> None:
    records = random_records("connect4", 5, learned_share=0.5, generation=3)
    write_shard(records, tmp_path / "a.parquet", "a.journal")
    index = read_shard_index(tmp_path / "a.parquet")
    assert index.journal == "a.journal"
    assert index.generations.tolist() == [3] * 5
    assert index.positions.tolist() == [np.count_nonzero(record.learned) for record in records]


def test_records_of_different_games_are_not_kept_together() -> None:
    with pytest.raises(BadInput, match="connect4, tictactoe"):
        GameColumns.from_games(random_records("connect4", 1) + random_records("tictactoe", 1))


# -- journals ----------------------------------------------------------------------------------------------------------
def _journal_of(path: Path, count: int) -> list[int]:
    """A journal of tic-tac-toe games; its length after each of them, beginning with 0."""
    new = Journal(path)
    ends = [0]
    for record in random_records("tictactoe", count):
        new.append(record)
        ends.append(path.stat().st_size)
    new.close()
    return ends


def test_a_journal_torn_at_any_byte_gives_every_complete_game(tmp_path: Path) -> None:
    path = tmp_path / "games.journal"
    ends = _journal_of(path, 2)
    data = path.read_bytes()
    for length in range(len(data) + 1):
        content = parse_journal(data[:length])
        complete = sum(end <= length for end in ends[1:])
        assert (0 if content.games is None else len(content.games)) == complete
        assert content.lost_bytes == length - ends[complete]
    path.write_bytes(data[: ends[1] + 3])
    assert read_journal(path).lost_bytes == 3


def test_damage_within_a_journal_costs_one_game_only(tmp_path: Path) -> None:
    path = tmp_path / "games.journal"
    ends = _journal_of(path, 3)
    data = bytearray(path.read_bytes())
    for place in range(ends[1], ends[2], 7):
        data[place] ^= 1
        path.write_bytes(data)
        content = read_journal(path)
        assert content.games is not None and content.games.numbers.tolist() == [0, 2]
        assert content.lost_bytes == ends[2] - ends[1]
        data[place] ^= 1


def test_a_journal_of_another_version_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "games.journal"
    _journal_of(path, 1)
    path.write_bytes(path.read_bytes().replace(journal.MAGIC, b"BZG9"))
    with pytest.raises(BadInput, match="schema"):
        seal(path, path.with_suffix(".parquet"))
    assert path.exists()


def test_what_was_appended_is_synced_by_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[float] = []
    records = random_records("tictactoe", 3)
    monkeypatch.setattr(journal, "SYNC_SECONDS", 1.0)
    new = Journal(tmp_path / "games.journal")
    monkeypatch.setattr(os, "fsync", lambda descriptor: synced.append(time.perf_counter()))
    for record in records:
        new.append(record)
    assert synced == []
    until = time.perf_counter() + 60
    while not synced and time.perf_counter() < until:
        time.sleep(0.01)
    time.sleep(0.1)
    assert len(synced) == 1, "three games at once are synced once"
    new.close()
    assert 0 < journal.SYNC_SECONDS < 5


def test_a_sync_that_failed_is_reported_at_the_next_append(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(descriptor: int) -> None:
        raise OSError("the disk is full")

    monkeypatch.setattr(journal, "SYNC_SECONDS", 0.01)
    new = Journal(tmp_path / "games.journal")
    record = random_records("tictactoe", 1)[0]
    with monkeypatch.context() as broken:
        broken.setattr(os, "fsync", fail)
        new.append(record)
        until = time.perf_counter() + 60
        while new._failure is None and time.perf_counter() < until:
            time.sleep(0.01)
    with pytest.raises(OSError, match="full"):
        new.append(record)
    new.close()


def test_a_killed_writer_leaves_every_game_it_appended(tmp_path: Path) -> None:
    program = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "from pathlib import Path\n"
        "from replay_records import random_records\n"
        "from boardzero.replay.journal import Journal\n"
        "journal = Journal(Path(sys.argv[2]))\n"
        "for record in random_records('tictactoe', 5): journal.append(record)\n"
        "print('done', flush=True); sys.stdin.read()\n"
    )
    path = tmp_path / "games.journal"
    command = [sys.executable, "-c", program, str(Path(__file__).parent), str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None and process.stdout.readline() == b"done\n"
        process.send_signal(signal.SIGKILL)
    content = read_journal(path)
    assert content.games is not None and content.games.numbers.tolist() == [0, 1, 2, 3, 4]


# -- sealing -----------------------------------------------------------------------------------------------------------
class Killed(BaseException):
    """Stands for the end of the process."""


def _killing(function: Callable[..., object], after: bool) -> Callable[..., object]:
    """The function, killed before it does anything or right after it did."""

    def killed(*arguments: object, **options: object) -> None:
        if after:
            function(*arguments, **options)
        raise Killed

    return killed


STEPS = [(shards, "write_shard"), (shards, "write_durably"), (durable, "sync_folder"), (os, "fsync"), (Path, "replace")]
STEPS += [(shards, "remove_durably"), (Path, "unlink")]


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize(("owner", "step"), STEPS, ids=[step for _, step in STEPS])
def test_sealing_can_be_killed_at_every_step(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, owner: object, step: str, after: bool
) -> None:
    store = GameStore(tmp_path)
    store.append(GameColumns.from_games(random_records("tictactoe", 4)))
    store.sync()
    with monkeypatch.context() as deadly:
        deadly.setattr(owner, step, _killing(getattr(owner, step), after))
        with pytest.raises(Killed):
            seal(tmp_path / "00000001-main.journal", tmp_path / "00000001-main.parquet")

    next_run = GameStore(tmp_path)
    next_run.recover()
    assert [path.name for path in tmp_path.iterdir()] == ["00000001-main.parquet"]
    assert read_shard(next_run.shards()[0]).numbers.tolist() == [0, 1, 2, 3]


def test_a_torn_journal_is_sealed_without_its_tail(tmp_path: Path) -> None:
    path = tmp_path / "00000001-main.journal"
    ends = _journal_of(path, 3)
    path.write_bytes(path.read_bytes()[:-5])
    sealing = GameStore(tmp_path).recover()[0]
    assert sealing.lost_bytes == ends[3] - ends[2] - 5
    assert sealing.shard is not None and len(read_shard(sealing.shard)) == 2


def test_a_journal_that_holds_more_than_games_is_named_and_set_aside(tmp_path: Path) -> None:
    journal = tmp_path / "00000001-main.journal"
    journal.write_bytes(b"BZG1torn")
    store = GameStore(tmp_path)
    sealing = store.recover()[0]
    assert (sealing.shard, sealing.lost_bytes) == (None, 8)
    assert [path.name for path in tmp_path.iterdir()] == ["00000001-main.journal.damaged"]
    (sentence,) = store.damaged
    assert str(journal) in sentence and "8 of its bytes" in sentence
    assert store.recover() == []


def test_games_after_a_disk_that_failed_in_sealing_go_into_a_new_journal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(descriptor: int) -> None:
        raise OSError("the disk is full")

    store, records = GameStore(tmp_path), random_records("tictactoe", 3)
    store.append(GameColumns.from_games(records[:2]))
    with monkeypatch.context() as broken:
        broken.setattr(os, "fsync", fail)
        with pytest.raises(OSError, match="full"):
            store.seal()
    store.append(GameColumns.from_games(records[2:]))
    store.sync()
    again = GameStore(tmp_path)
    again.recover()
    assert [read_shard(path).numbers.tolist() for path in again.shards()] == [[0, 1], [2]]


def test_a_damaged_shard_is_sealed_again_while_its_journal_is_there(tmp_path: Path) -> None:
    path, shard = tmp_path / "1.journal", tmp_path / "1.parquet"
    _journal_of(path, 3)
    shard.write_bytes(b"PAR1 torn")
    seal(path, shard)
    assert len(read_shard(shard)) == 3 and not path.exists()
    assert (tmp_path / "1.parquet.damaged").exists()


def test_a_shard_of_another_journal_is_not_overwritten(tmp_path: Path) -> None:
    path, shard = tmp_path / "1.journal", tmp_path / "1.parquet"
    _journal_of(path, 3)
    write_shard(random_records("tictactoe", 1), shard, "other.journal")
    with pytest.raises(BadInput, match=r"other\.journal"):
        seal(path, shard)
    assert path.exists()


def test_a_writer_leaves_the_journals_of_others_alone(tmp_path: Path) -> None:
    first, second = GameStore(tmp_path, "first"), GameStore(tmp_path, "second")
    first.append(GameColumns.from_games(random_records("tictactoe", 1)))
    second.append(GameColumns.from_games(random_records("tictactoe", 1)))
    GameStore(tmp_path, "second").recover()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["00000001-first.journal", "00000002-second.parquet"]


# -- damage ------------------------------------------------------------------------------------------------------------
def test_a_truncated_shard_is_damaged_wherever_it_ends(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    write_shard(random_records("tictactoe", 3), path)
    data = path.read_bytes()
    for length in range(0, len(data), 97):
        path.write_bytes(data[:length])
        with pytest.raises(DamagedShard, match=r"a\.parquet"):
            read_shard(path)


def test_a_changed_byte_never_changes_what_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    columns = GameColumns.from_games(random_records("tictactoe", 3))
    write_shard(columns, path)
    data = bytearray(path.read_bytes())
    noticed = 0
    for place in range(0, len(data), 23):
        data[place] ^= 0x10
        path.write_bytes(data)
        try:
            assert same_games(read_shard(path), columns), f"byte {place} of {len(data)}"
        except (DamagedShard, BadInput):
            noticed += 1
        data[place] ^= 0x10
    assert noticed > 0


def test_a_shard_set_aside_is_kept_under_another_name(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    path.write_bytes(b"something")
    assert set_aside(path).read_bytes() == b"something"
    assert not path.exists()


def test_a_shard_of_another_version_is_refused_but_not_damaged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.parquet"
    monkeypatch.setattr(shards, "VERSION", b"0")
    write_shard(random_records("tictactoe", 1), path)
    monkeypatch.undo()
    with pytest.raises(BadInput, match="schema 0"):
        read_shard(path)


def test_an_unreadable_file_is_not_taken_for_a_damaged_one(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read_shard(tmp_path / "absent.parquet")
