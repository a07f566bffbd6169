"""Lines from other programs: no more of each than is wanted, and when it came, as distinct from when we got to read it.

On a busy machine a thread that is woken by a line may wait for a core, now and then for tenths of a second. Linux counts how
long each thread has waited so, and with that the moment is known.
"""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

LONGEST_LINE = 1 << 16  # bytes
AT_ONCE = 0.02  # seconds that reading a line takes which is there already, at most, beside waiting for a core


class Stream(Protocol):
    """What lines are read from."""

    def readline(self, limit: int = -1, /) -> bytes: ...


def read_line(stream: Stream) -> bytes:
    """The next line, however long it is: what is beyond the longest is dropped. Nothing at the end."""
    line = rest = stream.readline(LONGEST_LINE)
    while rest and not rest.endswith(b"\n"):
        rest = stream.readline(LONGEST_LINE)
    return line


def lines_with_moments(stream: Stream) -> Iterator[tuple[bytes, float]]:
    """For a thread that does nothing else: each line, and when (time.perf_counter) it came.

    Of a line that was slept for, only the waiting in this reading counts: the thread may also have had to wait with what it did
    with the line before, long before this one came. One that was there at once may have come at any time since.
    """
    read = seconds_without_core()
    while True:
        begun, before = time.perf_counter(), seconds_without_core()
        line = read_line(stream)
        if not line:
            return
        now, waited = time.perf_counter(), seconds_without_core()
        has_slept = now - begun > waited - before + AT_ONCE
        yield line, now - (waited - (before if has_slept else read))
        read = waited


def seconds_without_core() -> float:
    """How long this thread could have run, since it began, but others had the cores; 0 where the system does not tell."""
    try:
        return int(Path("/proc/thread-self/schedstat").read_text().split()[1]) / 1e9  # Linux
    except (OSError, IndexError, ValueError):
        return 0.0
