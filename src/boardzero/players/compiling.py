"""One process at a time compiles: together, several would do the same work and could spoil the cache of compiled code."""

import os
import sys
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
    others it then finds there. (Where the system has no such locks, nobody waits.)
    """
    lock = _CompilingLock()
    with event.install_listener("numba:compile", lock):
        try:
            yield
        finally:
            lock.release()


class _CompilingLock(event.Listener):
    """Taken when Numba begins to compile for the first time."""

    def __init__(self) -> None:
        self._file: IO[bytes] | None = None

    def on_start(self, _: Any) -> None:
        if self._file is None and sys.platform != "win32":
            import fcntl

            user = os.getuid() if hasattr(os, "getuid") else 0
            self._file = (Path(gettempdir()) / LOCK_NAME.format(user=user)).open("ab")
            fcntl.flock(self._file, fcntl.LOCK_EX)

    def on_end(self, _: Any) -> None:
        """It is kept until all is compiled."""

    def release(self) -> None:
        if self._file is not None:
            self._file.close()
