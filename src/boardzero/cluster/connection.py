"""Where a cluster is, and how to reach it: `local:N`, `auto`, or the address of one that runs already.

What Ray may use of this machine is said explicitly; everything else about nodes, placement and retries is Ray's own.
"""

import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from boardzero.errors import BadInput

NAMESPACE = "boardzero"  # of named actors
OBJECT_STORE = 200 * 1024 * 1024  # bytes of shared memory on a machine that this program starts Ray on
CONNECT_SECONDS = 5.0
FORMS = "local:N for N workers here, auto for a cluster that was started on this machine, or HOST:PORT of one"

# Of a Ray that this program starts: its servers need few threads for the few messages of a run.
FEW_THREADS = {"num_server_call_thread": 1, "gcs_server_rpc_server_thread_num": 1, "gcs_server_rpc_client_thread_num": 1}


@dataclass(frozen=True)
class ClusterAddress:
    """Which cluster is meant."""

    text: str
    local_workers: int | None = None  # of `local:N`

    @classmethod
    def parse(cls, text: str) -> "ClusterAddress":
        """Refuses (BadInput) what cannot be an address."""
        name, colon, rest = text.partition(":")
        if name == "local" and colon:
            if not rest.isdecimal() or not 1 <= int(rest) <= 1024:
                raise BadInput(f"'{text}' is no cluster: local:N takes a number of workers from 1 to 1024.")
            return cls(text, int(rest))
        if text == "auto" or (name and rest.isdecimal() and 0 < int(rest) < 65_536):
            return cls(text)
        raise BadInput(f"'{text}' is no cluster: it is {FORMS}.")


def import_ray() -> Any:
    """Ray, if it is installed; it never reports to its makers from here."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    try:
        import ray
    except ImportError:
        raise BadInput("A cluster needs Ray, which is not installed: pip install 'boardzero[cluster]'") from None
    return ray


@contextmanager
def connected(address: ClusterAddress, spare_cores: int = 1) -> Iterator[Any]:
    """Ray, connected to the cluster; one that was started for this is stopped again at the end.

    spare_cores: for `local:N`, those that Ray may use beside the N of the workers, for matches.
    """
    ray = import_ray()
    quiet = {"namespace": NAMESPACE, "log_to_driver": False, "logging_level": "ERROR"}
    if address.local_workers is not None:
        ray.init(
            address="local",
            num_cpus=address.local_workers + spare_cores,
            object_store_memory=OBJECT_STORE,
            include_dashboard=False,
            _system_config=FEW_THREADS,
            **quiet,
        )
    else:
        with _refusals(address):
            ray.init(address=_answering(address), **quiet)
    _silence(ray)
    try:
        yield ray
    finally:
        ray.shutdown()


def _silence(ray: Any) -> None:
    """Ray prints a paragraph for every process that dies; the view says it in a line, which that would tear."""
    if hasattr(ray._private.worker, "print_to_stdstream"):
        ray._private.worker.print_to_stdstream = lambda *arguments, **named: None


def check_answers(address: ClusterAddress) -> None:
    """Refuse (BadInput) a cluster that is not there."""
    import_ray()
    if address.local_workers is None:
        with _refusals(address):
            _answering(address)


@contextmanager
def _refusals(address: ClusterAddress) -> Iterator[None]:
    try:
        yield
    except (OSError, RuntimeError, ValueError) as error:
        reason = " ".join(str(error).split()).partition(". ")[0]
        raise BadInput(
            f"No cluster answers at '{address.text}' ({reason}). Start one by `ray start --head`; if there is one that asks for"
            " a token, set RAY_AUTH_MODE=token here, too."
        ) from None


def _answering(address: ClusterAddress) -> str:
    """HOST:PORT where something listens; Ray itself would try for many minutes."""
    from ray._private.services import canonicalize_bootstrap_address_or_die

    place = canonicalize_bootstrap_address_or_die(address.text)
    host, _, port = place.rpartition(":")
    socket.create_connection((host, int(port)), timeout=CONNECT_SECONDS).close()
    return str(place)
