"""Processes that need the same things compiled do not all compile them: one does, the others wait for it where they can."""

import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import gettempdir
from typing import IO

LOCK_NAME = "boardzero-compiling-{user}.lock"


@contextmanager
def compiling_alone() -> Iterator[None]:
    """Who misses something in the cache in here waits until no other process of this user compiles, and then looks again.

    Whoever finds all that it needs never waits. (Where the system has no such locks, nobody waits.) Threads of a process
    share its turn.
    """
    turn.enter()
    try:
        yield
    finally:
        turn.leave()


class Turn:
    """Taken when something is missing for the first time, and kept until all is compiled; the end of a process ends it."""

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

    def wait(self) -> bool:
        """Until it comes, if somebody here wants one. Has it come only now? Then others may have compiled meanwhile."""
        with self._changing:
            if self._users == 0 or self._file is not None or sys.platform == "win32":
                return False
            import fcntl

            try:
                self._file = lock_path().open("ab")
                fcntl.flock(self._file, fcntl.LOCK_EX)
            except OSError:  # then nobody waits
                return False
            return True


turn = Turn()


def lock_path() -> Path:
    """The file that whoever compiles has locked."""
    user = os.getuid() if hasattr(os, "getuid") else 0
    return Path(gettempdir()) / LOCK_NAME.format(user=user)
