"""A Ray of several machines on this one: each is a group of processes of its own, with cores that are only counted."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from boardzero.cluster.connection import FEW_THREADS, NAMESPACE, import_ray

# For each machine; the first one's object store must hold the networks, too.
LITTLE = {"object_store_memory": 100 * 1024 * 1024, "memory": 1024**3, "include_dashboard": False}


@contextmanager
def simulated_machines(*cores: int, config: Mapping[str, Any] | None = None, gpus: int = 0) -> Iterator[tuple[Any, Any]]:
    """Ray, connected, and the cluster; the first number of cores is that of the head, where the driver runs.

    config: further settings of Ray's own; gpus: that the head says it has.
    """
    ray = import_ray()
    from ray.cluster_utils import Cluster

    head = {"num_cpus": cores[0], "num_gpus": gpus, "_system_config": FEW_THREADS | dict(config or {}), **LITTLE}
    cluster = Cluster(initialize_head=True, head_node_args=head)
    try:
        for count in cores[1:]:
            cluster.add_node(wait=False, num_cpus=count, **LITTLE)
        ray.init(address=cluster.address, namespace=NAMESPACE, log_to_driver=False, logging_level="ERROR")
        cluster.wait_for_nodes()
        yield ray, cluster
    finally:
        ray.shutdown()
        cluster.shutdown()  # type: ignore[no-untyped-call]
