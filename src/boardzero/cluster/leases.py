"""Which player has which numbers of games, and which of those games have come in: each exactly once.

A game is known by the run's seed and its number. Numbers are given out in blocks that no two players share. A player that was
killed and started anew gets other numbers, so those of the games that it had in flight are simply never used.
"""

import numpy as np
import numpy.typing as npt

from boardzero.cluster.orders import LEASE, Lease


class Leases:
    """The numbers of one run from `first` on."""

    def __init__(self, first: int, size: int = LEASE) -> None:
        self._first, self.size = first, size
        self._granted = 0  # blocks
        self._holders = 0
        self._taken: dict[int, tuple[int, bytearray]] = {}  # block → its holder, and a bit for each game that came in

    def grant(self, holder: int | None = None) -> Lease:
        """Numbers that nobody has had, for a new holder if none is named."""
        if holder is None:
            self._holders += 1
            holder = self._holders
        block, self._granted = self._granted, self._granted + 1
        self._taken[block] = holder, bytearray(-(-self.size // 8))
        return Lease(holder, self._first + block * self.size, self.size)

    def renew(self, lease: Lease) -> Lease:
        """More numbers for the same holder; where they follow on, it just goes on counting."""
        more = self.grant(lease.holder)
        return Lease(lease.holder, lease.first, lease.size + more.size) if lease.end == more.first else more

    def end(self, holder: int) -> None:
        """It is gone: no game of it can come any more."""
        for block in [block for block, (owner, _) in self._taken.items() if owner == holder]:
            del self._taken[block]

    def accept(self, holder: int, numbers: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
        """[games]: is it the first time that this game comes in, from a holder that may play it?"""
        accepted = np.zeros(len(numbers), np.bool_)
        for index, number in enumerate(numbers.tolist()):
            block, place = divmod(number - self._first, self.size)
            owner, taken = self._taken.get(block, (None, bytearray()))
            if owner == holder:
                bit = 1 << (place & 7)
                accepted[index] = not taken[place >> 3] & bit
                taken[place >> 3] |= bit
        return accepted
