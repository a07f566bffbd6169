"""A real Ray of several machines, each a group of processes of its own here, with little memory and few cores."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from boardzero.cluster.connection import FEW_THREADS, NAMESPACE, import_ray

# A machine that does not answer for a few seconds is taken for dead: tests should not wait for longer.
IMPATIENT = {"health_check_period_ms": 1000, "health_check_timeout_ms": 2000, "health_check_failure_threshold": 4}

LITTLE = {"object_store_memory": 100 * 1024 * 1024, "memory": 1024**3, "include_dashboard": False}


@contextmanager
def machines(*cores: int) -> Iterator[tuple[Any, Any]]:
    """Ray, connected, and the cluster; the first number of cores is that of the head, where the driver runs."""
    ray = import_ray()
    from ray.cluster_utils import Cluster

    cluster = Cluster(
        initialize_head=True, head_node_args={"num_cpus": cores[0], "_system_config": FEW_THREADS | IMPATIENT, **LITTLE}
    )
    try:
        for count in cores[1:]:
            cluster.add_node(wait=False, num_cpus=count, **LITTLE)
        ray.init(address=cluster.address, namespace=NAMESPACE, log_to_driver=False, logging_level="ERROR")
        cluster.wait_for_nodes()
        yield ray, cluster
    finally:
        ray.shutdown()
        cluster.shutdown()  # type: ignore[no-untyped-call]
