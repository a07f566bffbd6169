"""Lines from other programs: no more of each than is wanted, and when it came, as distinct from when we got to read it.

On a busy machine a thread that is woken by a line may wait for a core, now and then for tenths of a second. Linux counts how
long each thread has waited so, and with that the moment is known.
"""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

LONGEST_LINE = 1 << 16  # bytes


class Stream(Protocol):
    """What lines are read from."""

    def readline(self, limit: int = -1, /) -> bytes: ...


def read_line(stream: Stream) -> bytes:
    """The next line, however long it is: what is beyond the longest is dropped. Nothing at the end."""
    line = rest = stream.readline(LONGEST_LINE)
    while rest and not rest.endswith(b"\n"):
        rest = stream.readline(LONGEST_LINE)
    return line


def moments_of_arrival() -> Iterator[float]:
    """For the thread that reads: `next` after each reading tells when (time.perf_counter) what was read had come."""
    waited = seconds_without_core()
    while True:
        now = time.perf_counter()
        before, waited = waited, seconds_without_core()
        yield now - (waited - before)


def seconds_without_core() -> float:
    """How long this thread could have run, since it began, but others had the cores; 0 where the system does not tell."""
    try:
        return int(Path("/proc/thread-self/schedstat").read_text().split()[1]) / 1e9  # Linux
    except (OSError, IndexError, ValueError):
        return 0.0
