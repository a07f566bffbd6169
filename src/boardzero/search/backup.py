"""What a simulation leaves behind: visits, values and proven bounds, from the leaf up to the root."""

import numpy as np
import numpy.typing as npt

from boardzero.games.compiled import compiled_without_allocation as compiled
from boardzero.games.rules import TURN_BIT
from boardzero.search.forest_arrays import NONE, WHOLE
from boardzero.search.selection import Edges, Nodes, clamp

Path = npt.NDArray[np.void]


@compiled()
def tighten_edge(edges: Edges, edge: int, lower: int, upper: int) -> bool:
    """Take over new bounds; says whether they are narrower than the old ones."""
    record = edges[edge]
    narrower = lower > record.lower or upper < record.upper
    record.lower = max(record.lower, lower)
    record.upper = min(record.upper, upper)
    return narrower


@compiled()
def tighten_node(nodes: Nodes, edges: Edges, node: int) -> bool:
    """A node is worth what its best edge is, or more if it was cut; says whether its bounds became narrower."""
    record = nodes[node]
    lower, upper = -1, 1 if record.cut != WHOLE else -1
    for edge in range(record.first_edge, record.first_edge + record.edge_count):
        lower = max(lower, edges[edge].lower)
        upper = max(upper, edges[edge].upper)
    narrower = lower > record.lower or upper < record.upper
    record.lower = max(record.lower, lower)
    record.upper = min(record.upper, upper)
    return narrower


@compiled()
def back_up(nodes: Nodes, edges: Edges, path: Path, depth: int, value: float, lower: int, upper: int, exact: bool) -> None:
    """Count a simulation on its path; value and bounds are those of the last edge, for the player who chose it."""
    narrower = exact
    for level in range(depth - 1, -1, -1):
        edge, node = path[level].edge, path[level].node
        narrower = narrower and tighten_edge(edges, edge, lower, upper)
        edge_record = edges[edge]
        value = clamp(value, edge_record.lower, edge_record.upper)
        edge_record.visits += 1
        edge_record.pending -= 1
        edge_record.value_sum += value
        narrower = narrower and tighten_node(nodes, edges, node)
        node_record = nodes[node]
        value = clamp(value, node_record.lower, node_record.upper)
        node_record.visits += 1
        node_record.pending -= 1
        node_record.value_sum += value
        value, lower, upper = -value, -node_record.upper, -node_record.lower


@compiled()
def take_back_pending(nodes: Nodes, edges: Edges, path: Path, depth: int) -> None:
    """Undo the descent of a simulation that is given up."""
    for level in range(depth):
        nodes[path[level].node].pending -= 1
        edges[path[level].edge].pending -= 1


# -- every way to a leaf -----------------------------------------------------------------------------------------------
@compiled()
def owner_of(nodes: Nodes, node_count: int, edge: int) -> int:
    """The node that an edge belongs to: edges are in the order of their nodes."""
    low, high = 0, node_count - 1
    while low < high:
        middle = (low + high + 1) // 2
        if nodes[middle].first_edge <= edge:
            low = middle
        else:
            high = middle - 1
    return low


@compiled()
def enqueue(nodes: Nodes, node: int, waiting: int) -> int:
    """Put a node into the queue that is threaded through the nodes, once; returns the queue's new length."""
    if nodes[node].marked != 0:
        return waiting
    nodes[node].marked = 1
    nodes[waiting].queued = node
    return waiting + 1


@compiled()
def is_on_path(path: Path, depth: int, edge: int) -> bool:
    for level in range(depth):
        if path[level].edge == edge:
            return True
    return False


@compiled()
def back_up_other_parents(
    nodes: Nodes, edges: Edges, states: npt.NDArray[np.uint64], node_count: int, path: Path, depth: int, leaf: int, value: float
) -> None:
    """Count a simulation, once each, on all edges that lead to its leaf and are not on its path.

    The value is that of the last edge of the path, for the player who chose it.
    """
    chooser = states[path[depth - 1].node, 0] & TURN_BIT
    waiting = enqueue(nodes, leaf, 0) if leaf != NONE else 0
    for level in range(depth - 1, -1, -1):
        waiting = enqueue(nodes, path[level].node, waiting)
    seen = 0
    while seen < waiting:
        edge = nodes[nodes[seen].queued].first_parent
        seen += 1
        while edge != NONE:
            parent = owner_of(nodes, node_count, edge)
            if not is_on_path(path, depth, edge):
                seen_by_parent = value if states[parent, 0] & TURN_BIT == chooser else -value
                edges[edge].visits += 1
                edges[edge].value_sum += seen_by_parent
                nodes[parent].visits += 1
                nodes[parent].value_sum += seen_by_parent
            waiting = enqueue(nodes, parent, waiting)
            edge = edges[edge].next_parent
    for index in range(waiting):
        nodes[nodes[index].queued].marked = 0
