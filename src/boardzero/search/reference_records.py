"""What a tree of the plain twin is made of: nodes, edges, leaves that wait, and small questions about them."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from boardzero.games.rules import State


@dataclass(eq=False)
class Node:
    """A position in the tree."""

    state: State
    edges: list[Edge] = field(default_factory=list)
    visits: int = 0  # 1 for its own evaluation + simulations through its edges
    pending: int = 0  # simulations on their way
    value_sum: float = 0.0
    evaluation: float = 0.0
    lower: int = -1
    upper: int = 1
    ready: bool = False
    cut: bool = False  # legal actions are missing among its edges
    looked_through: bool = False  # no winning move is among those
    parents: list[Edge] = field(default_factory=list)  # edges that lead here, the newest first

    @property
    def value(self) -> float:
        return clamp(self.value_sum / max(self.visits, 1), self.lower, self.upper)

    @property
    def proven(self) -> bool:
        return self.lower == self.upper


@dataclass(eq=False)
class Edge:
    """A move from a position."""

    owner: Node
    action: int
    child: Node | None = None
    visits: int = 0
    pending: int = 0
    value_sum: float = 0.0
    prior: float = 0.0
    lower: int = -1
    upper: int = 1
    # At the root only:
    noise: float = 0.0
    gumbel: float = 0.0
    logit: float = 0.0
    visits_before: int = 0

    def value(self, unvisited: float = 0.0) -> float:
        mean = self.value_sum / self.visits if self.visits else unvisited
        return clamp(mean, self.lower, self.upper)


@dataclass
class Leaf:
    """A simulation that waits for its evaluation; without a node where the tree is full."""

    node: Node | None
    state: State
    path: list[Edge]
    known: tuple[float, list[float]] | None  # value and priors, if they were in the cache


def clamp(value: float, lower: int, upper: int) -> float:
    return min(max(value, float(lower)), float(upper))


def float32(value: float) -> float:
    """The nearest number that the forest can store."""
    return float(np.float32(value))


def take_back_pending(path: list[Edge]) -> None:
    """Undo the descent of a simulation that is given up."""
    for edge in path:
        edge.owner.pending -= 1
        edge.pending -= 1


def worthwhile_edges(node: Node) -> list[Edge]:
    """Edges that may be better than what the node is already sure of."""
    return [edge for edge in node.edges if edge.upper > node.lower]


def descendants(root: Node) -> list[Node]:
    found = [root]
    seen = {id(root)}
    for node in found:  # grows while it is gone through
        for edge in node.edges:
            if edge.child is not None and id(edge.child) not in seen:
                seen.add(id(edge.child))
                found.append(edge.child)
    return found


def sum_in_order(numbers: list[float]) -> float:
    """The sum from left to right, rounded at every step as compiled code does (Python's own sum is more exact)."""
    total = 0.0
    for number in numbers:
        total += number
    return total
