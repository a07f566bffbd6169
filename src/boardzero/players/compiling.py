"""One process at a time compiles: together, several would do the same work and could spoil the cache of compiled code."""

import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import gettempdir
from typing import IO, Any

from numba.core import event

LOCK_NAME = "boardzero-compiling-{user}.lock"


@contextmanager
def compiling_alone() -> Iterator[None]:
    """Who has to compile something in here waits until no other process of this user does.

    Whoever finds all that it needs in the cache never waits. One that has waited compiles a single function in vain: all
    others it then finds there. (Where the system has no such locks, nobody waits.) Threads of a process share its turn.
    """
    _lock.enter()
    try:
        with event.install_listener("numba:compile", _lock):
            yield
    finally:
        _lock.leave()


class _CompilingLock(event.Listener):
    """Taken when Numba begins to compile for the first time; Numba tells every listener of what any thread compiles."""

    def __init__(self) -> None:
        self._changing = threading.Lock()
        self._users = 0
        self._file: IO[bytes] | None = None

    def enter(self) -> None:
        with self._changing:
            self._users += 1

    def leave(self) -> None:
        with self._changing:
            self._users -= 1
            if self._users == 0 and self._file is not None:
                self._file.close()
                self._file = None

    def on_start(self, _: Any) -> None:
        with self._changing:
            if self._file is None and sys.platform != "win32":
                import fcntl

                self._file = lock_path().open("ab")
                fcntl.flock(self._file, fcntl.LOCK_EX)

    def on_end(self, _: Any) -> None:
        """It is kept until all is compiled."""


_lock = _CompilingLock()


def lock_path() -> Path:
    """The file that whoever compiles has locked."""
    user = os.getuid() if hasattr(os, "getuid") else 0
    return Path(gettempdir()) / LOCK_NAME.format(user=user)
