"""What is asked of a shared search, and what it answers."""

import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import numpy.typing as npt

from boardzero.games.rules import Game, State
from boardzero.search.forest import RootEdge

LINE_LENGTH = 12  # plies of an expected continuation


class Busy(Exception):
    """The queue is full: come back later."""


@dataclass(frozen=True)
class SearchKey:
    """Searches with the same key share their batches: one game, one evaluator."""

    game: Game
    network: Path | None  # None: the hand-written line heuristic


@dataclass(frozen=True, eq=False)
class TreeCopy:
    """A whole search tree, taken out of the forest. Nodes and edges are records as in `forest_arrays.py`."""

    root: int
    nodes: npt.NDArray[np.void]
    edges: npt.NDArray[np.void]


@dataclass(frozen=True, eq=False)
class SearchReport:
    """What a search has found so far; values are for the side to move."""

    action: int  # the choice
    value: float
    network_value: float  # what the evaluator alone says
    exact: int | None
    edges: tuple[RootEdge, ...]  # the choice first, then by visits
    lines: dict[int, tuple[int, ...]]  # the expected continuation of an action, the action first
    simulations: int
    seconds: float  # since it began
    is_full: bool
    tree: TreeCopy | None = None


@dataclass(eq=False)
class SearchJob:
    """One search. `future` has its report, or what went wrong; `listen` hears reports before that, in the thinking thread."""

    key: SearchKey
    state: State
    simulations: int
    seconds: float | None = None  # since it begins to run
    temperature: float = 0.0
    seed: int = 0
    listen: Callable[[SearchReport], None] | None = None
    is_move: bool = False  # somebody waits for the machine's move; otherwise somebody looks at what it thinks
    wants_tree: bool = False
    wants_lines: bool = False  # of every move, not only of the choice
    future: "Future[SearchReport]" = field(default_factory=Future)
    cancelled: bool = False
    begun: float = 0.0
    heard: float = 0.0  # when listen was called last

    def cancel(self) -> None:
        """End the search soon; its report tells what was found until then."""
        self.cancelled = True

    def begin(self) -> bool:
        """The search begins, if anybody still waits for it."""
        if self.cancelled:
            self.future.cancel()
        self.begun = self.heard = time.perf_counter()
        return self.future.set_running_or_notify_cancel()

    def fail(self, error: Exception) -> None:
        if not self.future.done():
            self.future.set_exception(error)
