"""From a searched root to a move, and to the policy that a network learns.

Proven results come first: a proven win is played, and no move is chosen that is surely worse than another. Among the rest,
PUCT goes by visits (without those that were forced), Gumbel by noise, prior and value.
"""

import math

import numpy as np
import numpy.typing as npt
from numba import boolean, float32, float64, int32, int64, types

from boardzero.games.compiled import compiled_without_allocation as compiled
from boardzero.games.randomness import Stream, draw_uniform
from boardzero.search.forest_arrays import ARRAYS, NONE, OPTIONS, Arrays, Options
from boardzero.search.selection import (
    Edges,
    Nodes,
    RootEdges,
    clamp,
    edge_value,
    exploration_factor,
    mixed_value,
    node_value,
    noisy_prior,
    value_weight,
)


@compiled()
def best_lower_bound(nodes: Nodes, edges: Edges, node: int) -> int:
    """What the player to move is sure of."""
    first = nodes[node].first_edge
    lower = -1
    for edge in range(first, first + nodes[node].edge_count):
        lower = max(lower, edges[edge].lower)
    return lower


@compiled()
def no_move_holds(nodes: Nodes, edges: Edges, node: int) -> bool:
    """Is there no move that a reply has been tried against and that is not lost?"""
    first = nodes[node].first_edge
    for edge in range(first, first + nodes[node].edge_count):
        if edges[edge].upper > -1 and edges[edge].visits >= 2:
            return False
    return True


@compiled()
def is_allowed(edges: Edges, edge: int, sure: int, desperate: bool) -> bool:
    """Is a move one of those that the player is sure of, or does it promise more?

    Where nothing is sure, open moves go before lost ones; but not before a reply has been tried against any of them: a move
    that nobody has looked at may only lose sooner.
    """
    record = edges[edge]
    if sure == -1:
        return desperate or record.upper > -1
    return record.lower == sure or (record.upper > sure and edge_value(edges, edge, -1.0) > sure)


@compiled()
def root_prior(edges: Edges, edge: int, noise: float, noisy: bool, options: Options) -> float:
    """The prior that the search used at the root."""
    prior = float(edges[edge].prior)
    return noisy_prior(prior, noise, options) if noisy else prior


@compiled()
def most_visited(nodes: Nodes, edges: Edges, node: int) -> int:
    """The allowed edge with the most visits; with equal visits, of the higher value; with equal values, of the higher prior.

    Where every move is lost at once, the prior tells which of them at least looks like a defence.
    """
    first = nodes[node].first_edge
    sure, desperate = best_lower_bound(nodes, edges, node), no_move_holds(nodes, edges, node)
    best, best_visits, best_value, best_prior = NONE, -1, -np.inf, -np.inf
    for edge in range(first, first + nodes[node].edge_count):
        if not is_allowed(edges, edge, sure, desperate):
            continue
        visits, prior = edges[edge].visits, float(edges[edge].prior)
        value = edge_value(edges, edge, 0.0)
        ahead = visits > best_visits
        if visits == best_visits:
            ahead = value > best_value or (value == best_value and prior > best_prior)
        if ahead:
            best, best_visits, best_value, best_prior = edge, visits, value, prior
    return best


@compiled()
def unforced_visits(visits: int, value: float, prior: float, total: int, best_score: float, options: Options) -> int:
    """The visits that PUCT would have given an edge without being forced; a single one that is left counts for nothing."""
    forced = int(math.sqrt(options.forced_playouts * prior * (total - 1)))
    factor = exploration_factor(total, options) * math.sqrt(float(total))
    kept = visits
    while kept > 0 and visits - kept < forced and value + factor * prior / float(kept) < best_score:
        kept -= 1
    return 0 if kept == 1 and visits > 1 else kept


@compiled()
def weigh_by_visits(arrays: Arrays, tree: int, options: Options) -> None:
    """Weights of the root's edges: visits, less forced ones; priors where nothing was visited."""
    record = arrays.trees[tree]
    nodes, edges, root_edges = arrays.nodes[tree], arrays.edges[tree], arrays.root_edges[tree]
    first, count = nodes[record.root].first_edge, nodes[record.root].edge_count
    total = nodes[record.root].visits
    sure, desperate = best_lower_bound(nodes, edges, record.root), no_move_holds(nodes, edges, record.root)
    best = most_visited(nodes, edges, record.root)
    noisy = record.noisy != 0
    factor = exploration_factor(total, options) * math.sqrt(float(total))
    best_prior = root_prior(edges, best, float(root_edges[best - first].noise), noisy, options)
    best_score = edge_value(edges, best, 0.0) + factor * best_prior / (1.0 + edges[best].visits)
    anything = False
    for index in range(count):
        edge = first + index
        weight = 0
        if is_allowed(edges, edge, sure, desperate):
            weight = edges[edge].visits
            if options.forced_playouts > 0.0 and edge != best and weight > 0:
                prior = root_prior(edges, edge, float(root_edges[index].noise), noisy, options)
                weight = unforced_visits(weight, edge_value(edges, edge, 0.0), prior, total, best_score, options)
        root_edges[index].weight = float(weight)
        anything = anything or weight > 0
    if not anything:
        for index in range(count):
            edge = first + index
            allowed = is_allowed(edges, edge, sure, desperate)
            root_edges[index].weight = float(edges[edge].prior) if allowed else 0.0


@compiled()
def gumbel_score(arrays: Arrays, tree: int, index: int, unvisited: float, weight: float, noisy: bool) -> float:
    """(gumbel +) logit + σ(value) of a root edge."""
    record = arrays.trees[tree]
    first = arrays.nodes[tree, record.root].first_edge
    root_edge = arrays.root_edges[tree, index]
    value = 0.5 + 0.5 * edge_value(arrays.edges[tree], first + index, unvisited)
    return (root_edge.gumbel if noisy else 0.0) + root_edge.logit + weight * value


@compiled()
def weigh_by_completed_values(arrays: Arrays, tree: int, options: Options) -> None:
    """Weights of the root's edges: the improved policy of Gumbel search, softmax of logit + σ(value)."""
    record = arrays.trees[tree]
    nodes, edges, root_edges = arrays.nodes[tree], arrays.edges[tree], arrays.root_edges[tree]
    first, count = nodes[record.root].first_edge, nodes[record.root].edge_count
    sure, desperate = best_lower_bound(nodes, edges, record.root), no_move_holds(nodes, edges, record.root)
    unvisited = mixed_value(nodes, edges, record.root)
    weight = value_weight(nodes, edges, record.root, options)
    highest = -np.inf
    for index in range(count):
        root_edges[index].weight = gumbel_score(arrays, tree, index, unvisited, weight, False)
        if is_allowed(edges, first + index, sure, desperate):
            highest = max(highest, root_edges[index].weight)
    for index in range(count):
        allowed = is_allowed(edges, first + index, sure, desperate)
        root_edges[index].weight = math.exp(root_edges[index].weight - highest) if allowed else 0.0


@compiled()
def choose_by_gumbel(arrays: Arrays, tree: int, options: Options) -> int:
    """Of the allowed edges with the most visits in this search, the one with the highest gumbel + logit + σ(value)."""
    record = arrays.trees[tree]
    nodes, edges = arrays.nodes[tree], arrays.edges[tree]
    first, count = nodes[record.root].first_edge, nodes[record.root].edge_count
    sure, desperate = best_lower_bound(nodes, edges, record.root), no_move_holds(nodes, edges, record.root)
    unvisited = mixed_value(nodes, edges, record.root)
    weight = value_weight(nodes, edges, record.root, options)
    best, best_visits, best_score = NONE, -1, -np.inf
    for index in range(count):
        if not is_allowed(edges, first + index, sure, desperate):
            continue
        visits = edges[first + index].visits - arrays.root_edges[tree, index].visits_before
        score = gumbel_score(arrays, tree, index, unvisited, weight, True)
        if visits > best_visits or (visits == best_visits and score > best_score):
            best, best_visits, best_score = index, visits, score
    return best


@compiled()
def draw_weighted(stream: Stream, root_edges: RootEdges, count: int) -> int:
    """An index with probability in proportion to its weight."""
    total = 0.0
    for index in range(count):
        total += root_edges[index].weight
    left = draw_uniform(stream) * total
    chosen = 0
    for index in range(count):
        if root_edges[index].weight > 0.0:
            chosen = index
            left -= root_edges[index].weight
            if left < 0.0:
                break
    return chosen


@compiled()
def sharpen(root_edges: RootEdges, count: int, temperature: float, softmax_beta: float) -> None:
    """Weights to the power of 1 / temperature, or softmax of beta · weights; relative to the highest: none overflows."""
    highest = 0.0
    for index in range(count):
        highest = max(highest, root_edges[index].weight)
    for index in range(count):
        weight = root_edges[index].weight
        if weight <= 0.0:
            root_edges[index].weight = 0.0
        elif softmax_beta > 0.0:
            root_edges[index].weight = math.exp(softmax_beta * (weight - highest))
        else:
            root_edges[index].weight = (weight / highest) ** (1.0 / temperature)


@compiled()
def choose_action(arrays: Arrays, tree: int, options: Options, temperature: float, softmax_beta: float) -> int:
    record = arrays.trees[tree]
    nodes, edges = arrays.nodes[tree], arrays.edges[tree]
    first, count = nodes[record.root].first_edge, nodes[record.root].edge_count
    if count == 0:
        return NONE
    if options.gumbel and record.prepared != 0:
        return edges[first + choose_by_gumbel(arrays, tree, options)].action
    if temperature <= 0.0:
        return edges[most_visited(nodes, edges, record.root)].action
    weigh_by_visits(arrays, tree, options)
    sharpen(arrays.root_edges[tree], count, temperature, softmax_beta)
    return edges[first + draw_weighted(arrays.streams[tree], arrays.root_edges[tree], count)].action


@compiled(types.void(ARRAYS, OPTIONS, types.Array(float64, 1, "C"), float64, types.Array(int32, 1, "C")))
def choose_actions(
    arrays: Arrays,
    options: Options,
    temperatures: npt.NDArray[np.float64],
    softmax_beta: float,
    actions: npt.NDArray[np.int32],
) -> None:
    """Write the move of each tree, drawn at its own temperature (0: the best; −1: none, leave the tree out)."""
    for tree in range(len(arrays.trees)):
        if temperatures[tree] < 0.0:
            actions[tree] = NONE
        else:
            actions[tree] = choose_action(arrays, tree, options, temperatures[tree], softmax_beta)


@compiled(types.void(ARRAYS, OPTIONS, types.Array(int32, 1, "C"), types.Array(float32, 2, "C")))
def write_policies(arrays: Arrays, options: Options, trees: npt.NDArray[np.int32], policies: npt.NDArray[np.float32]) -> None:
    """Write, for each of these trees, the policy [actions] that the search found; it sums to 1 over the legal actions."""
    for row in range(len(trees)):
        tree = trees[row]
        record = arrays.trees[tree]
        first, count = arrays.nodes[tree, record.root].first_edge, arrays.nodes[tree, record.root].edge_count
        for action in range(policies.shape[1]):
            policies[row, action] = 0.0
        if count == 0:
            continue
        if options.gumbel and record.prepared != 0:
            weigh_by_completed_values(arrays, tree, options)
        else:
            weigh_by_visits(arrays, tree, options)
        total = 0.0
        for index in range(count):
            total += arrays.root_edges[tree, index].weight
        for index in range(count):
            action = arrays.edges[tree, first + index].action
            policies[row, action] = np.float32(arrays.root_edges[tree, index].weight / total)


@compiled(float64(ARRAYS, OPTIONS, int64))
def root_value(arrays: Arrays, options: Options, tree: int) -> float:
    """The expected result for the player to move at the root.

    With PUCT the mean of all simulations. Halving spends most of them on moves that it then drops, so that their mean says too
    little: there it is the mean of the moves' values by the policy that the search found.
    """
    record = arrays.trees[tree]
    nodes, edges = arrays.nodes[tree], arrays.edges[tree]
    root = nodes[record.root]
    if not options.gumbel or record.prepared == 0 or root.edge_count == 0:
        return node_value(nodes, record.root)
    weigh_by_completed_values(arrays, tree, options)
    unvisited = mixed_value(nodes, edges, record.root)
    total, weighted = 0.0, 0.0
    for index in range(root.edge_count):
        weight = arrays.root_edges[tree, index].weight
        total += weight
        weighted += weight * edge_value(edges, root.first_edge + index, unvisited)
    return clamp(weighted / total, root.lower, root.upper)


@compiled(types.void(ARRAYS, float64, types.Array(int32, 1, "C"), types.Array(boolean, 1, "C")))
def draw_full_searches(arrays: Arrays, probability: float, trees: npt.NDArray[np.int32], full: npt.NDArray[np.bool_]) -> None:
    """Playout-cap randomisation: decide for each of these trees, from its own stream, whether its next search is full."""
    for row in range(len(trees)):
        full[row] = probability >= 1.0 or draw_uniform(arrays.streams[trees[row]]) < probability
