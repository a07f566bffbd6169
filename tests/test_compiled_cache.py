"""What is compiled is kept: all that processes compile at once, and nothing that is broken. Who wants to, waits for others."""

import itertools
import multiprocessing
import os
import shutil
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from boardzero.games import compiled_cache, compiling
from boardzero.games.compiled import compiled
from boardzero.games.compiling import compiling_alone, turn

ROUNDS = 6
SCALARS = (np.int8, np.int16, np.int32, np.int64, np.float32, np.float64)
PAIRS = list(itertools.islice(itertools.product(SCALARS, SCALARS), 2 * ROUNDS))
SPAWNING = multiprocessing.get_context("spawn")


def new_swapped() -> Any:
    """A function that nothing is compiled of in this process."""

    @compiled()
    def swapped(first: float, second: float) -> tuple[float, float]:
        return second, first

    return swapped


def swap(swapped: Callable[[Any, Any], Any], pair: tuple[Any, Any]) -> None:
    first, second = pair
    assert swapped(first(1), second(2)) == (2, 1)


def compile_beside_another(pairs: list[tuple[Any, Any]], barrier: Any) -> None:
    """No file takes its place before both processes have written theirs: what one has read, the other has not yet changed."""
    replace = os.replace

    def replace_together(*arguments: Any) -> None:
        barrier.wait(60)
        replace(*arguments)

    os.replace = replace_together  # type: ignore[assignment]  # in a process of its own
    swapped = new_swapped()
    for pair in pairs:
        swap(swapped, pair)


def compiled_anew(pairs: list[tuple[Any, Any]]) -> int:
    """How many of these are not found in the cache."""
    swapped = new_swapped()
    for pair in pairs:
        swap(swapped, pair)
    return sum(swapped.stats.cache_misses.values())


def tell_compiled_anew(pairs: list[tuple[Any, Any]], told: Any) -> None:
    told.put(compiled_anew(pairs))


def test_whatever_two_processes_compile_at_once_is_found_by_a_third(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    barrier, told = SPAWNING.Barrier(2), SPAWNING.Queue()
    processes = [SPAWNING.Process(target=compile_beside_another, args=(PAIRS[part::2], barrier)) for part in range(2)]
    for process in processes:
        process.start()
    for process in processes:
        process.join(120)
    third = SPAWNING.Process(target=tell_compiled_anew, args=(PAIRS, told))
    third.start()
    third.join(120)
    assert [process.exitcode for process in (*processes, third)] == [0, 0, 0]
    assert told.get(timeout=60) == 0


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty cache of this process, and a lock that no other process knows."""
    monkeypatch.setattr(compiling, "lock_path", lambda: tmp_path / "lock")
    monkeypatch.setattr(compiled_cache, "_cache_root", lambda: tmp_path / "cache")
    compiled_cache._cache_folder.cache_clear()
    yield tmp_path / "cache"
    compiled_cache._cache_folder.cache_clear()


def files(cache: Path) -> list[Path]:
    return [path for path in cache.rglob("*") if path.is_file()]


@pytest.mark.parametrize("left", [0, 20, 1000])
def test_a_file_that_lost_its_end_is_compiled_anew(cache: Path, left: int) -> None:
    assert compiled_anew(PAIRS[:1]) == 1
    for path in files(cache):
        path.write_bytes(path.read_bytes()[:left])
    assert [compiled_anew(PAIRS[:1]) for _ in range(2)] == [1, 0]


def test_a_cache_that_was_removed_meanwhile_is_made_anew(cache: Path) -> None:
    swapped = new_swapped()
    shutil.rmtree(cache)
    swap(swapped, PAIRS[0])
    assert compiled_anew(PAIRS[:1]) == 0


def test_other_locators_of_numba_change_nothing(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They know nothing of the files that a function's file imports."""
    monkeypatch.setattr(compiled_cache.config, "CACHE_LOCATOR_CLASSES", "UserProvidedCacheLocator")
    monkeypatch.setattr(compiled_cache.config, "CACHE_DIR", str(cache.with_name("elsewhere")))
    compiled_anew(PAIRS[:1])
    assert len(files(cache)) == 1
    assert files(cache.with_name("elsewhere")) == []


def test_who_cannot_keep_what_is_compiled_uses_it_all_the_same(cache: Path) -> None:
    swapped = new_swapped()
    (folder,) = cache.iterdir()
    folder.rmdir()
    folder.write_text("no folder")
    swap(swapped, PAIRS[0])


def test_nothing_unfinished_is_left_by_who_cannot_finish(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full_disk(*_: Any) -> None:
        raise OSError("no space left")

    monkeypatch.setattr(os, "replace", full_disk)
    assert compiled_anew(PAIRS[:1]) == 1
    assert files(cache) == []


def test_a_function_that_is_recompiled_is_kept_anew(cache: Path) -> None:
    swapped = new_swapped()
    swap(swapped, PAIRS[0])
    (before,) = (path.stat().st_mtime_ns for path in files(cache))
    swapped.recompile()
    assert [path.stat().st_mtime_ns > before for path in files(cache)] == [True]


def typed_in(text: str) -> dict[str, Any]:
    """What a text defines that is in no file."""
    world: dict[str, Any] = {"compiled": compiled}
    exec(text, world)
    return world


def test_a_function_without_a_file_is_compiled_and_not_kept(cache: Path) -> None:
    swap(typed_in("@compiled()\ndef swapped(first, second):\n    return second, first")["swapped"], PAIRS[0])
    assert files(cache) == []


def test_a_function_with_a_signature_may_call_itself() -> None:
    text = "@compiled('int64(int64)')\ndef factorial(number):\n    return number * factorial(number - 1) if number > 1 else 1"
    assert typed_in(text)["factorial"](10) == 3_628_800


def with_old_folder(root: Path) -> Path:
    (root / "old").mkdir(parents=True)
    os.utime(root / "old", (0, 0))
    return root


def test_only_a_cache_of_our_own_is_cleared_of_what_is_old(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own, chosen = with_old_folder(tmp_path / "boardzero"), with_old_folder(tmp_path / "chosen")
    monkeypatch.setattr(compiled_cache, "_user_cache_folder", lambda: tmp_path)
    for root, name in ((chosen, str(chosen)), (own, "")):
        monkeypatch.setattr(compiled_cache.config, "CACHE_DIR", name)
        assert compiled_cache._cache_root.__wrapped__() == root
    assert list(own.iterdir()) == []
    assert [path.name for path in chosen.iterdir()] == ["old"]


@pytest.mark.skipif(sys.platform == "win32", reason="temporary files are the user's own")
def test_a_folder_that_somebody_else_made_among_temporary_files_is_not_trusted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compiled_cache.config, "CACHE_DIR", "")
    monkeypatch.setattr(compiled_cache, "_user_cache_folder", lambda: tmp_path / "file")
    (tmp_path / "file").write_text("no folder")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    own = compiled_cache._cache_root.__wrapped__()
    assert own.parent == tmp_path
    assert compiled_cache._cache_root.__wrapped__() == own
    other = os.getuid() + 1
    monkeypatch.setattr(os, "getuid", lambda: other)
    own.rename(tmp_path / f"boardzero-cache-{other}")
    made = [compiled_cache._cache_root.__wrapped__() for _ in range(2)]
    assert made[0] != made[1]


# -- one process after another ---------------------------------------------------------------------------------------------
has_locks = pytest.mark.skipif(sys.platform == "win32", reason="there are no such locks")


@contextmanager
def lock_of_another() -> Iterator[None]:
    """As if another process compiled."""
    import fcntl

    with compiling.lock_path().open("ab") as file:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield


def is_locked() -> bool:
    try:
        with lock_of_another():
            return False
    except BlockingIOError:
        return True


@has_locks
def test_who_compiles_keeps_others_waiting_until_all_is_compiled(cache: Path) -> None:
    with compiling_alone():
        for pair in PAIRS[:2]:
            assert compiled_anew([pair]) == 1
            assert is_locked()
    assert not is_locked()


@has_locks
def test_who_finds_everything_does_not_wait(cache: Path) -> None:
    compiled_anew(PAIRS[:1])
    with lock_of_another(), compiling_alone():
        assert compiled_anew(PAIRS[:1]) == 0


@has_locks
def test_who_has_waited_finds_what_the_other_has_compiled(cache: Path) -> None:
    compiled_anew(PAIRS[:1])
    (path,) = files(cache)
    aside = path.rename(path.with_name("aside"))
    found: list[int] = []

    def compile_in_turn() -> None:
        with compiling_alone():
            found.append(compiled_anew(PAIRS[:1]))

    with lock_of_another():
        thread = threading.Thread(target=compile_in_turn, daemon=True)
        thread.start()
        while turn._file is None:
            time.sleep(0.01)
        aside.rename(path)
        assert found == []
    thread.join(120)
    assert found == [0]


@has_locks
def test_threads_of_one_process_share_its_turn(cache: Path) -> None:
    """Nobody may wait for a lock that the process has already."""

    def compile_in_turn(pair: tuple[Any, Any]) -> None:
        with compiling_alone(), compiling_alone():
            assert compiled_anew([pair]) == 1
            together.wait(60)  # until both have compiled

    together = threading.Barrier(3)
    for pair in PAIRS[:2]:
        threading.Thread(target=compile_in_turn, args=(pair,), daemon=True).start()
    together.wait(120)


@has_locks
def test_without_a_lock_nobody_waits(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiling, "lock_path", lambda: cache / "nowhere" / "lock")
    with compiling_alone():
        assert compiled_anew(PAIRS[:1]) == 1
