"""A real Ray of several machines, each a group of processes of its own here, with little memory and few cores."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from boardzero.cluster.simulated import LITTLE, simulated_machines

__all__ = ["LITTLE", "machines"]

# A machine that does not answer for some seconds is taken for dead: tests should not wait for longer, nor lose busy machines.
IMPATIENT = {"health_check_period_ms": 1000, "health_check_timeout_ms": 2000, "health_check_failure_threshold": 6}


@contextmanager
def machines(*cores: int, gpus: int = 0) -> Iterator[tuple[Any, Any]]:
    """Ray, connected, and the cluster; the first number of cores is that of the head, where the driver runs."""
    with simulated_machines(*cores, config=IMPATIENT, gpus=gpus) as started:
        yield started
