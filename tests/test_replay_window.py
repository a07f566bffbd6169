"""Which games the window holds, as games come, at a restart, after a clear, and when disk space runs out."""

import threading
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from replay_records import random_record, random_records

from boardzero.errors import BadInput
from boardzero.games.catalogue import find_game
from boardzero.games.randomness import new_stream
from boardzero.replay import store
from boardzero.replay.columns import GameColumns
from boardzero.replay.positions import Column, Positions
from boardzero.replay.record import SelfPlayGame
from boardzero.replay.replay import Replay
from boardzero.replay.shards import write_shard
from boardzero.replay.store import GameStore
from boardzero.replay.window import Window
from boardzero.settings.replay import ReplaySettings, WindowSettings
from boardzero.settings.specification import parse_parameters

TICTACTOE = find_game("tictactoe")
WINDOWS = [
    WindowSettings(kind="positions", positions=60),
    WindowSettings(kind="games", games=7),
    WindowSettings(kind="growing", growing_fraction=0.4, growing_least=20, growing_most=80),
    WindowSettings(kind="generations", generations=1, generations_step=2, generations_most=3),
    WindowSettings(kind="all"),
]


def _first(window: WindowSettings, generations: list[int], positions: list[int], total: int = 0) -> int:
    return Window(window).first_kept(np.array(generations, np.int32), np.array(positions, np.int64), total)


def _records(count: int) -> list[SelfPlayGame]:
    """A new generation every four games; some positions are not to be learned from."""
    return [random_record(TICTACTOE, number, generation=number // 4, learned_share=0.7) for number in range(count)]


def _replay(folder: Path, window: WindowSettings | None = None, **options: int) -> Replay:
    return Replay(TICTACTOE, ReplaySettings(window=window or WindowSettings(), **options), folder)


def _content(replay: Replay) -> Positions:
    """The positions, with games numbered from the oldest in the window and policies from 0."""
    found = replay.content()
    return found._replace(
        games=found.games - found.games[0], policy_starts=found.policy_starts - found.policy_base, policy_base=0
    )


def _assert_equal(left: Positions, right: Positions) -> None:
    for name in set(Positions._fields) - {"endings"}:
        np.testing.assert_array_equal(getattr(left, name), getattr(right, name), err_msg=name)
    for one, other in zip(left.endings, right.endings, strict=True):
        np.testing.assert_array_equal(one, other)


# -- rules -------------------------------------------------------------------------------------------------------------
def test_a_window_of_positions_is_the_fewest_newest_games_that_hold_them() -> None:
    window = WindowSettings(kind="positions", positions=10)
    assert _first(window, [0] * 4, [5, 4, 6, 4]) == 2
    assert _first(window, [0] * 4, [5, 4, 5, 4]) == 1
    assert _first(window, [0] * 2, [5, 4]) == 0
    assert _first(window, [], []) == 0


def test_a_window_of_games_counts_games() -> None:
    window = WindowSettings(kind="games", games=3)
    assert [_first(window, [0] * count, [9] * count) for count in (0, 2, 3, 4, 10)] == [0, 0, 0, 1, 7]


def test_a_growing_window_is_a_share_of_all_positions_between_its_limits() -> None:
    window = WindowSettings(kind="growing", growing_fraction=0.5, growing_least=10, growing_most=40)
    generations, positions = [0] * 100, [1] * 100
    assert [100 - _first(window, generations, positions, total) for total in (0, 10, 30, 60, 80, 1000)] == [
        10,
        10,
        15,
        30,
        40,
        40,
    ]


def test_the_documented_window_holds_four_generations_and_one_more_every_two_up_to_twenty() -> None:
    window = WindowSettings(kind="generations")
    assert [window.generations_at(newest) for newest in (0, 1, 2, 3, 4, 10, 31, 32, 40)] == [4, 4, 5, 5, 6, 9, 19, 20, 20]
    generations = [generation for generation in range(11) for _ in range(3)]
    assert generations[_first(window, generations, [1] * 33)] == 2  # nine generations: 2 to 10


@given(st.sampled_from(WINDOWS), st.lists(st.tuples(st.integers(0, 2), st.integers(0, 9)), max_size=60))
@settings(deadline=None, max_examples=200)
def test_a_game_that_has_left_never_comes_back(window: WindowSettings, games: list[tuple[int, int]]) -> None:
    generations = np.cumsum([step for step, _ in games], dtype=np.int64).tolist()
    positions = [count for _, count in games]
    firsts = [_first(window, generations[:seen], positions[:seen], sum(positions[:seen])) for seen in range(1, len(games) + 1)]
    assert firsts == sorted(firsts)
    assert all(first < seen for seen, first in enumerate(firsts, 1)), "the newest game is always there"


def test_limits_out_of_order_are_refused() -> None:
    for values in ({"growing_least": 9, "growing_most": 8}, {"generations": 9, "generations_most": 8}):
        with pytest.raises(BadInput, match="at most"):
            parse_parameters(WindowSettings, values, "window")


def test_a_column_keeps_what_was_appended_and_not_dropped() -> None:
    rng = np.random.default_rng(1)
    column, plain, dropped = Column(np.int64), [], 0
    for step in range(300):
        values = rng.integers(0, 100, rng.integers(0, 20))
        view, before = column.values, column.values.copy()
        column.append(values)
        plain += values.tolist()
        leaving = int(rng.integers(0, len(plain) + 1)) if step % 3 == 0 else 0
        column.drop(leaving)
        plain, dropped = plain[leaving:], dropped + leaving
        assert column.values.tolist() == plain and column.dropped == dropped
        assert np.array_equal(view, before), "views stay as they were"


# -- games in, games from disk -----------------------------------------------------------------------------------------
@pytest.mark.parametrize("window", WINDOWS, ids=lambda window: window.kind)
@pytest.mark.parametrize("shard_games", [3, 5, 1000])
def test_a_restart_finds_the_window_that_was_there(tmp_path: Path, window: WindowSettings, shard_games: int) -> None:
    replay = _replay(tmp_path, window, shard_games=shard_games)
    records = _records(30)
    for first in range(0, 30, 2):
        replay.add(records[first : first + 2])
    again = _replay(tmp_path, window)
    report = again.load()
    assert (report.damaged, report.lost_bytes) == ((), 0)
    assert (again.games, again.positions, again.generations) == (replay.games, replay.positions, replay.generations)
    assert again.total_positions == replay.total_positions
    _assert_equal(_content(again), _content(replay))
    same = [replay.sample(64, new_stream(3)), again.sample(64, new_stream(3))]
    assert np.array_equal(same[0].planes, same[1].planes) and np.array_equal(same[0].policy, same[1].policy)
    assert again.load().shards == 0, "nothing is taken in twice"
    assert again.positions == replay.positions


def test_games_that_left_the_window_are_not_sampled(tmp_path: Path) -> None:
    replay = _replay(tmp_path, WindowSettings(kind="games", games=7))
    replay.add(_records(30))
    expected = _replay(tmp_path / "newest")
    expected.add(_records(30)[23:])
    _assert_equal(_content(replay), _content(expected))
    assert replay.generations == [5, 6, 7]


def test_shards_of_other_writers_are_taken_in(tmp_path: Path) -> None:
    reader = _replay(tmp_path)
    reader.add(_records(2))
    writer = GameStore(tmp_path, "elsewhere")
    writer.append(GameColumns.from_games(random_records("tictactoe", 3, first=100)))
    assert reader.load().shards == 0, "a journal is its writer's own"
    writer.seal()
    assert reader.load().shards == 1
    assert reader.games == 5


def test_a_cleared_window_stays_empty_after_a_restart(tmp_path: Path) -> None:
    replay = _replay(tmp_path)
    replay.add(_records(5))
    before = replay.total_positions
    replay.clear(replay.seal())
    assert replay.positions == 0
    with pytest.raises(BadInput, match="no positions"):
        replay.sample(1, new_stream(0))
    replay.add(_records(7)[5:])
    replay.seal()
    again = _replay(tmp_path)
    again.load()
    assert again.games == replay.games == 2
    assert again.total_positions == replay.total_positions > before
    _assert_equal(_content(again), _content(replay))


def test_a_window_is_cleared_of_what_came_before_a_shard_only(tmp_path: Path) -> None:
    replay = _replay(tmp_path)
    replay.add(_records(5))
    number = replay.seal()
    replay.add(_records(7)[5:])
    replay.seal()
    replay.clear(number)
    assert replay.games == 2
    replay.clear(number - 1)  # what was cleared stays so
    again = _replay(tmp_path)
    again.load()
    assert again.games == 2
    _assert_equal(_content(again), _content(replay))


def test_nobody_counts_positions_while_games_come_in(tmp_path: Path) -> None:
    """Their memory may be moving just then."""
    replay = _replay(tmp_path)
    replay.add(_records(3))
    counted: list[int] = []
    reader = threading.Thread(target=lambda: counted.append(replay.positions))
    with replay._lock:
        reader.start()
        reader.join(0.2)
        assert not counted
        replay.add(_records(5)[3:])
    reader.join()
    assert counted == [replay.positions]


def test_a_damaged_shard_is_named_and_set_aside_and_the_rest_goes_on(tmp_path: Path) -> None:
    replay = _replay(tmp_path, shard_games=2)
    for record in _records(8):
        replay.add([record])
    torn, changed = tmp_path / "00000002-main.parquet", tmp_path / "00000003-main.parquet"
    torn.write_bytes(torn.read_bytes()[:-9])
    data = bytearray(changed.read_bytes())
    data[data.index(b"\x15") : data.index(b"\x15") + 40] = bytes(40)  # page headers begin so
    changed.write_bytes(data)
    again = _replay(tmp_path)
    report = again.load()
    assert (report.shards, len(report.damaged)) == (2, 2)
    assert {"00000002-main.parquet", "00000003-main.parquet"} == {text.split("'")[1].split("/")[-1] for text in report.damaged}
    assert again.games == 4
    assert torn.with_name(torn.name + ".damaged").exists() and not torn.exists()
    again.add(_records(9)[8:])
    assert (tmp_path / "00000005-main.journal").exists(), "the names of files set aside are not used again"


def test_a_shard_that_breaks_the_rules_is_set_aside(tmp_path: Path) -> None:
    record = _records(1)[0]
    wrong = SelfPlayGame(**{**record.__dict__, "actions": np.zeros_like(record.actions)})
    write_shard([wrong], tmp_path / "00000001-main.parquet")
    replay = _replay(tmp_path)
    assert "breaks the rules" in replay.load().damaged[0]
    assert replay.positions == 0


def test_a_record_that_breaks_the_rules_is_refused_and_not_written(tmp_path: Path) -> None:
    record = _records(1)[0]
    dense = np.zeros((record.plies, 9), np.float32)
    dense[np.arange(record.plies), record.actions[0]] = 1  # legal at the first ply only
    changes = (
        {"actions": np.zeros_like(record.actions)},
        {"result": 0 if record.result else 1},
        {"policies": type(record.policies).from_dense(dense)},
        {"actions": record.actions[:1], "policies": record.policies.rows(0, 1), "values": record.values[:1]}
        | {"learned": record.learned[:1], "kinds": record.kinds[:1]},
    )
    replay = _replay(tmp_path)
    for change in changes:
        with pytest.raises(BadInput, match="breaks the rules"):
            replay.add([SelfPlayGame(**{**record.__dict__, **change})])
    assert replay.games == replay.positions == 0 and list(tmp_path.iterdir()) == []


def test_a_folder_of_another_game_is_refused_and_left_alone(tmp_path: Path) -> None:
    write_shard(random_records("connect4", 1), tmp_path / "00000001-main.parquet")
    with pytest.raises(BadInput, match=r"connect4.*tictactoe"):
        _replay(tmp_path).load()
    assert (tmp_path / "00000001-main.parquet").exists()


def test_a_torn_journal_is_reported_at_the_restart(tmp_path: Path) -> None:
    replay = _replay(tmp_path)
    for record in _records(3):
        replay.add([record])
    journal = tmp_path / "00000001-main.journal"
    journal.write_bytes(journal.read_bytes()[:-1])
    again = _replay(tmp_path)
    report = again.load()
    assert report.lost_bytes > 0 and str(journal) in report.damaged[0]
    assert again.games == 2
    assert again.load().damaged == ()


# -- deleting ----------------------------------------------------------------------------------------------------------
def test_old_shards_are_deleted_oldest_first_but_never_those_of_the_window(tmp_path: Path) -> None:
    window = WindowSettings(kind="games", games=4)
    replay = _replay(tmp_path, window, shard_games=3, disk_bytes=0)
    for record in _records(20):
        replay.add([record])
    left = sorted(path.name for path in tmp_path.glob("*.parquet"))
    assert left == ["00000005-main.parquet", "00000006-main.parquet"]  # games 12 to 17, of which 14 to 17 were in the window
    again = _replay(tmp_path, window)
    again.load()
    assert again.total_positions == replay.total_positions, "what was deleted is still counted"
    _assert_equal(_content(again), _content(replay))


def test_shards_within_the_limit_are_kept(tmp_path: Path) -> None:
    replay = _replay(tmp_path, WindowSettings(kind="games", games=1), shard_games=1)
    for record in _records(6):
        replay.add([record])
    sizes = [path.stat().st_size for path in replay.store.shards()]
    limited = _replay(tmp_path, WindowSettings(kind="games", games=1), shard_games=1, disk_bytes=sum(sizes[3:]))
    limited.load()
    limited.seal()
    assert [path.name for path in limited.store.shards()] == [f"{number:08d}-main.parquet" for number in (4, 5, 6)]


def test_a_deletion_that_is_killed_counts_nothing_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def killed(path: Path) -> None:
        raise KeyboardInterrupt

    window = WindowSettings(kind="games", games=1)
    replay = _replay(tmp_path, window, shard_games=1)
    for record in _records(4):
        replay.add([record])
    limited = _replay(tmp_path, window, disk_bytes=0)
    limited.load()
    with monkeypatch.context() as deadly:
        deadly.setattr(store, "remove_durably", killed)
        with pytest.raises(KeyboardInterrupt):
            limited.seal()
    again = _replay(tmp_path, window)
    again.load()
    assert again.total_positions == replay.total_positions


def test_what_a_killed_writer_was_writing_is_removed(tmp_path: Path) -> None:
    for name in ("00000001-main.parquet.partial", "ledger.json.partial"):
        (tmp_path / name).write_bytes(b"half")
    other = tmp_path / "00000002-elsewhere.parquet.partial"
    other.write_bytes(b"half")
    _replay(tmp_path).load()
    assert list(tmp_path.iterdir()) == [other], "what others are writing is theirs"


def test_a_damaged_ledger_is_named_and_set_aside(tmp_path: Path) -> None:
    replay = _replay(tmp_path, WindowSettings(kind="games", games=1), shard_games=1, disk_bytes=0)
    for record in _records(3):
        replay.add([record])
    ledger = tmp_path / "ledger.json"
    ledger.write_text('{"pruned": 3}')
    again = _replay(tmp_path)
    assert again.load().damaged[0].startswith(f"The ledger '{ledger}' is damaged")
    assert ledger.with_name("ledger.json.damaged").is_file()
    assert again.games == len(list(tmp_path.glob("*.parquet")))
