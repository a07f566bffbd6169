"""What the driver of a run and its players say to each other.

The driver sends an order, the player plays for a moment and answers with the games that ended meanwhile. An order that is sent
twice, because an answer was lost on the way, is answered from memory; the next order says which answers have arrived.
"""

from dataclasses import dataclass
from typing import Any

from boardzero.search.forest import SearchCounts
from boardzero.selfplay.source import Goal

LEASE = 1 << 16  # numbers of games that a player gets at a time
NOTHING = SearchCounts(0, 0, 0, 0)


@dataclass(frozen=True)
class Lease:
    """Numbers of games that one player has for itself, from `first` on."""

    holder: int  # the player's life: one that is started anew is another holder
    first: int
    size: int = LEASE

    @property
    def end(self) -> int:
        return self.first + self.size


@dataclass(frozen=True)
class SentNetwork:
    """A generation's network in the object store: put there once, fetched once by every machine."""

    generation: int
    checksum: str  # of its weights
    onnx: Any  # reference to the bytes of the ONNX file, for processors
    weights: Any  # reference to the bytes of the .safetensors file, for GPUs


@dataclass(frozen=True)
class Order:
    """Play for a moment, and answer with the games that ended."""

    number: int  # of this player's orders, from 1
    acknowledged: int  # answers up to this order are in the run's journal; the player may forget them
    phase: int  # of the run; orders of earlier phases than the newest are not carried out any more
    network: SentNetwork
    share_done: float  # of the run, from 0 to 1
    seconds: float  # after which the player answers
    most_games: int  # at which it answers, too
    goal: Goal | None = None  # of the phase, for one player: it does not play on beyond
    lease: Lease | None = None  # for a player that has no numbers, or few
    renews: bool = False  # the lease goes on with one that the player has; if it was started anew, it needs another


@dataclass(frozen=True)
class Answer:
    """The games that ended during an order, complete, as a frame of a journal."""

    order: int
    phase: int
    node: str  # the machine, as Ray names it
    lease: Lease | None  # that the player has numbers from; None: it has just been started and needs some
    next_number: int
    generation: int  # of the network that played
    checksum: str
    frame: bytes = b""  # nothing if no game ended
    games: int = 0
    counts: SearchCounts = NOTHING  # of this order alone
    seconds: float = 0.0  # spent on it
    processor_seconds: float = 0.0  # of the player's whole process since its last answer
    at_goal: bool = False


@dataclass(frozen=True)
class Failure:
    """What a player answers that cannot carry out its orders."""

    node: str  # the machine, as Ray names it
    reason: str
