"""The cores that this process may use; where the system knows no such limits, all of them."""

import os
from collections.abc import Iterable


def usable_cores() -> list[int]:
    """By number. A process that was given some of the machine's cores counts only those."""
    return sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else list(range(os.cpu_count() or 1))


def use_cores(cores: Iterable[int]) -> None:
    """Keep this process, and the threads that it will have, to these cores, where the system can do that."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, cores)
