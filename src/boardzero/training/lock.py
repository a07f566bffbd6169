"""Only one process at a time may train in a folder."""

import sys
from pathlib import Path

from boardzero.errors import BadInput

if sys.platform == "win32":
    import msvcrt

    def _lock(descriptor: int) -> None:
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
else:
    import fcntl

    def _lock(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


class FolderLock:
    """Held until it is released or its process ends, however that happens: nobody has to tidy up after a crash."""

    def __init__(self, folder: Path) -> None:
        self._file = (folder / "lock").open("ab")
        try:
            _lock(self._file.fileno())
        except (BlockingIOError, PermissionError):
            self._file.close()
            raise BadInput(f"Another process is training in '{folder}'; stop it first, or train in another folder.") from None

    def release(self) -> None:
        self._file.close()
