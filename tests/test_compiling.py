"""One process at a time compiles."""

import threading

import numba
import pytest

from boardzero.players.compiling import compiling_alone, lock_path

fcntl = pytest.importorskip("fcntl")


def is_locked() -> bool:
    with lock_path().open("ab") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


def compile_something() -> None:
    assert numba.njit(lambda number: number + 1)(1) == 2


def test_who_compiles_keeps_others_waiting_until_all_is_compiled() -> None:
    with compiling_alone():
        compile_something()
        assert is_locked()
        compile_something()
        assert is_locked()


def test_threads_of_one_process_share_its_turn() -> None:
    """Numba tells all who listen of what any thread compiles: nobody may wait for a lock that the process has already."""

    def compile_in_turn() -> None:
        with compiling_alone(), compiling_alone():
            compile_something()

    threads = [threading.Thread(target=compile_in_turn, daemon=True) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert not any(thread.is_alive() for thread in threads)
