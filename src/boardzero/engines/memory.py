"""How much memory this process takes."""

import os
from pathlib import Path

ASSUMED_MEGABYTES = 400  # that a process with everything loaded takes, where it cannot be measured


def used_megabytes() -> float:
    """What this process takes now."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])  # Linux
    except OSError:
        return ASSUMED_MEGABYTES
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6
