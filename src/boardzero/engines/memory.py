"""How much memory this process takes."""

import os
import sys
from pathlib import Path


def used_megabytes(assumed: float) -> float:
    """What this process takes now; so much is assumed where the system does not tell (Windows)."""
    if sys.platform == "darwin":
        import resource

        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6  # the most that it has taken, there in bytes
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])  # Linux
    except OSError:
        return assumed
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6
