"""Which machines players fail on again and again."""

import time
from collections import defaultdict

MOST_FAILURES = 3  # on one machine within the span before no more players are started there
SPAN = 600.0  # seconds after which a failure is forgotten, and a machine is tried again


class Failures:
    """Counts them by machine, as Ray names it; "" stands for one that cannot be told."""

    def __init__(self) -> None:
        self._times: dict[str, list[float]] = defaultdict(list)

    def add(self, node: str) -> int:
        """How many there have been on this machine lately, with this one."""
        self._times[node].append(time.monotonic())
        return len(self._recent(node))

    def avoided(self) -> set[str]:
        """Machines on which players should not be started now."""
        return {node for node in list(self._times) if node and len(self._recent(node)) >= MOST_FAILURES}

    def _recent(self, node: str) -> list[float]:
        recent = [moment for moment in self._times[node] if time.monotonic() - moment < SPAN]
        self._times[node] = recent
        return recent
