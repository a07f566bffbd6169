"""Which edge a simulation takes: PUCT inside the tree, PUCT or Gumbel with sequential halving at the root."""

import math

import numpy as np
import numpy.typing as npt

from boardzero.games.compiled import compiled_without_allocation as compiled
from boardzero.search.forest_arrays import NONE, Options

Nodes = npt.NDArray[np.void]
Edges = npt.NDArray[np.void]
RootEdges = npt.NDArray[np.void]


@compiled()
def clamp(value: float, lower: int, upper: int) -> float:
    """A value, kept within proven bounds."""
    return min(max(value, float(lower)), float(upper))


@compiled()
def edge_value(edges: Edges, edge: int, unvisited: float) -> float:
    """The mean result of the simulations through an edge, within its bounds."""
    record = edges[edge]
    mean = record.value_sum / record.visits if record.visits > 0 else unvisited
    return clamp(mean, record.lower, record.upper)


@compiled()
def node_value(nodes: Nodes, node: int) -> float:
    """The mean result of a node, for the player to move, within its bounds."""
    record = nodes[node]
    return clamp(record.value_sum / max(record.visits, 1), record.lower, record.upper)


@compiled()
def first_play_value(nodes: Nodes, edges: Edges, node: int, options: Options) -> float:
    """What an unvisited edge is taken to be worth."""
    if not options.first_play_reduced:
        return options.first_play_value
    first = nodes[node].first_edge
    visited = 0.0
    for edge in range(first, first + nodes[node].edge_count):
        if edges[edge].visits + edges[edge].pending > 0:
            visited += float(edges[edge].prior)
    return node_value(nodes, node) - options.first_play_value * math.sqrt(visited)


@compiled()
def exploration_factor(total: int, options: Options) -> float:
    """c of PUCT for a node with this many visits, constant or growing."""
    if options.exploration_base > 0.0:
        return options.exploration + math.log((1.0 + total + options.exploration_base) / options.exploration_base)
    return options.exploration


@compiled()
def noisy_prior(prior: float, noise: float, options: Options) -> float:
    """A prior of the root, mixed with its noise."""
    return (1.0 - options.noise_fraction) * prior + options.noise_fraction * noise


@compiled()
def best_edge(
    nodes: Nodes, edges: Edges, node: int, options: Options, root_edges: RootEdges, noisy: bool, at_root: bool
) -> int:
    """The edge with the highest value + c · prior · √N / (1 + n); edges under evaluation count as lost.

    NONE where no edge can be better than what the node is sure of: then the node was cut, or is proven.
    """
    first = nodes[node].first_edge
    node_lower = nodes[node].lower
    total = nodes[node].visits + nodes[node].pending
    factor = exploration_factor(total, options) * math.sqrt(float(total))
    unvisited = first_play_value(nodes, edges, node, options)
    best, best_score = NONE, -np.inf
    for edge in range(first, first + nodes[node].edge_count):
        record = edges[edge]
        if record.upper <= node_lower:  # it cannot be better than what the node is already sure of
            continue
        count = record.visits + record.pending
        value = unvisited
        if count > 0:
            value = (record.value_sum - options.virtual_loss * record.pending) / count
        prior = float(record.prior)
        if noisy:
            prior = noisy_prior(prior, float(root_edges[edge - first].noise), options)
        score = clamp(value, record.lower, record.upper) + factor * prior / (1.0 + count)
        if at_root and count > 0 and float(count) * count < options.forced_playouts * prior * (total - 1):
            score = np.inf
        if score > best_score:
            best, best_score = edge, score
    return best


# -- Gumbel --------------------------------------------------------------------------------------------------------------
@compiled()
def considered_visits(considered: int, simulations: int, index: int) -> int:
    """Sequential halving: how many visits an edge has that is due at simulation `index` of `simulations`."""
    if considered <= 1:
        return index
    rounds = 0
    while (1 << rounds) < considered:
        rounds += 1
    visits = 0
    while True:
        extra = max(1, simulations // (rounds * considered))  # visits for each edge that is still in
        if index < extra * considered:
            return visits + index // considered
        index -= extra * considered
        visits += extra
        considered = max(2, considered // 2)


@compiled()
def mixed_value(nodes: Nodes, edges: Edges, node: int) -> float:
    """What unvisited moves are taken to be worth: the network's value, mixed with what the visited moves showed."""
    first = nodes[node].first_edge
    visits, mass, weighted = 0, 0.0, 0.0
    for edge in range(first, first + nodes[node].edge_count):
        if edges[edge].visits > 0:
            visits += edges[edge].visits
            mass += float(edges[edge].prior)
            weighted += float(edges[edge].prior) * edge_value(edges, edge, 0.0)
    evaluation = clamp(float(nodes[node].evaluation), nodes[node].lower, nodes[node].upper)
    if mass <= 0.0:
        return evaluation
    return (evaluation + visits * weighted / mass) / (1.0 + visits)


@compiled()
def value_weight(nodes: Nodes, edges: Edges, node: int, options: Options) -> float:
    """σ of Gumbel MuZero: what a value from 0 to 1 counts against logits; it grows with the most visited edge."""
    first = nodes[node].first_edge
    most = 0
    for edge in range(first, first + nodes[node].edge_count):
        most = max(most, edges[edge].visits)
    return (options.gumbel_visits + most) * options.gumbel_scale


@compiled()
def best_gumbel_edge(nodes: Nodes, edges: Edges, node: int, options: Options, root_edges: RootEdges, visits_due: int) -> int:
    """Of the edges that are due, the one with the highest gumbel + logit + σ(value); of all, where none is due."""
    first = nodes[node].first_edge
    node_lower = nodes[node].lower
    unvisited = mixed_value(nodes, edges, node)
    weight = value_weight(nodes, edges, node, options)
    best, best_score, best_is_due = NONE, -np.inf, False
    for edge in range(first, first + nodes[node].edge_count):
        record = edges[edge]
        if record.upper <= node_lower:
            continue
        root_edge = root_edges[edge - first]
        is_due = record.visits + record.pending - root_edge.visits_before == visits_due
        value = 0.5 + 0.5 * edge_value(edges, edge, unvisited)
        score = root_edge.gumbel + root_edge.logit + weight * value
        if (is_due and not best_is_due) or (is_due == best_is_due and score > best_score):
            best, best_score, best_is_due = edge, score, is_due
    return best
