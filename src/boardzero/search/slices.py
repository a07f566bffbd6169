"""Long searches in slices of a few milliseconds: in between Ctrl-C is heard, and the clock is looked at."""

import time
from collections.abc import Callable

from boardzero.errors import BadInput

SLICE_SECONDS = 0.01
FIRST_SLICE = 1 << 12  # nodes, before their speed is known


class OutOfTime(BadInput):
    """The limit was shorter than the search."""

    def __init__(self) -> None:
        super().__init__("The time is too short to solve this position.")


def deadline_after(seconds: float | None) -> float | None:
    """The moment, on the clock of `run_in_slices`, when this much time from now is over; None where it has no end."""
    return None if seconds is None else time.perf_counter() + seconds


def run_in_slices(run: Callable[[int], bool], deadline: float | None = None) -> None:
    """Call `run`, which searches up to so many nodes further and says whether it is finished, until it is, or OutOfTime."""
    nodes = FIRST_SLICE
    start = time.perf_counter()
    while deadline is None or start < deadline:
        if run(nodes):
            return
        now = time.perf_counter()
        left = SLICE_SECONDS if deadline is None else min(SLICE_SECONDS, deadline - now)
        nodes = max(1, min(int(nodes / max(1e-6, now - start) * left), 4 * nodes))
        start = now
    raise OutOfTime
