"""Networks for all machines: each is put into Ray's object store once, whoever needs it."""

from collections.abc import Callable
from pathlib import Path
from threading import Lock
from typing import Any

from boardzero.cluster.orders import SentNetwork
from boardzero.network.evaluator import exported_bytes
from boardzero.network.weights import read_header

KEPT = 8  # networks; what is older is put there again should anybody ask for it


class Broadcast:
    """The networks of a run. Players and matches ask from different threads."""

    def __init__(self, ray: Any, network_path: Callable[[int], Path]) -> None:
        """network_path: the file of a generation's network."""
        self._ray, self.path_of = ray, network_path
        self._sent: dict[int, SentNetwork] = {}
        self._lock = Lock()

    def network(self, generation: int) -> SentNetwork:
        """Every machine fetches it from the object store once, from here or from another machine that has it."""
        path = self.path_of(generation)
        checksum = read_header(path).checksum
        with self._lock:
            known = self._sent.pop(generation, None)
            if known is None or known.checksum != checksum:
                known = SentNetwork(generation, checksum, self._ray.put(exported_bytes(path)), self._ray.put(path.read_bytes()))
            self._sent[generation] = known  # the last one now
            while len(self._sent) > KEPT:
                del self._sent[next(iter(self._sent))]
        return known
