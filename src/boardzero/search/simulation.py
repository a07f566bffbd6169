"""One step of the forest: take in evaluations, then send every tree down to its next leaves.

A tree works in *rounds* of up to K leaves. Simulations that end in a known result are counted at once; the others wait, with
virtual losses on their paths, until the round is complete and its evaluations have come. What a tree does depends on nothing
outside it: neither on the other trees nor on what the cache happens to hold.
"""

import math

import numpy as np
import numpy.typing as npt
from numba import float32, int64, types

from boardzero.games.bits import signed
from boardzero.games.compiled import compiled_without_allocation as compiled
from boardzero.games.function_pointers import Addresses, apply_function, encode_function, legal_function
from boardzero.games.randomness import Stream
from boardzero.games.rules import ApplyRule, EncodeRule, LegalRule
from boardzero.search.backup import back_up, back_up_other_parents, take_back_pending
from boardzero.search.forest_arrays import (
    ARRAYS,
    CACHE_HITS,
    CUT,
    EVALUATIONS,
    KNOWN_RESULTS,
    NONE,
    OPTIONS,
    SIMULATIONS,
    Arrays,
    Options,
)
from boardzero.search.growth import (
    find_in_cache,
    find_in_table,
    link,
    make_ready,
    new_node,
    put_into_cache,
    result_of,
    set_priors,
    take_priors_from_cache,
    write_actions,
    write_priors,
)
from boardzero.search.looking_ahead import can_win_at_once, winning_edge
from boardzero.search.sampling import draw_gamma, draw_gumbel
from boardzero.search.selection import RootEdges, best_edge, best_gumbel_edge, considered_visits
from boardzero.search.widening import keep_winning_move, widen

LEAF_FOUND, KNOWN, COLLISION = 0, 1, 2
MOST_IN_A_STEP = 10_000  # simulations of one tree
LEAST_PRIOR = 1e-12  # keeps logits finite


@compiled()
def collect_leaves(
    arrays: Arrays,
    tree: int,
    options: Options,
    legal: LegalRule,
    apply: ApplyRule,
    encode: EncodeRule,
    logits: npt.NDArray[np.float32],
    values: npt.NDArray[np.float32],
    rows: int,
) -> int:
    """Rounds of one tree, until one of them needs an evaluation or the search is complete; returns the rows in use.

    After many simulations that needed none the search pauses, so that its caller can look at the clock.
    """
    record = arrays.trees[tree]
    pause = min(record.simulations, record.started + MOST_IN_A_STEP)
    nodes = arrays.nodes[tree]
    while True:
        first_row = rows
        root = record.root
        if nodes[root].ready == 0:
            for word in range(arrays.states.shape[2]):
                arrays.leaf_states[tree, 0, word] = arrays.states[tree, root, word]
            rows = await_evaluation(arrays, tree, root, 0, legal, encode, rows)
        else:
            if record.prepared == 0:
                prepare_root(arrays, tree)
            while record.leaves < options.leaves and record.started < pause:
                if nodes[root].lower == nodes[root].upper:
                    break
                ending, rows = descend(arrays, tree, options, legal, apply, encode, rows)
                if ending == COLLISION:
                    break
                record.started += 1
        if rows > first_row or record.leaves == 0:
            return rows
        paused = record.started >= pause
        finish_round(arrays, tree, options, legal, logits, values)  # every leaf was in the cache: nothing to wait for
        if paused:
            return rows


@compiled()
def prepare_root(arrays: Arrays, tree: int) -> None:
    """Note what Gumbel selection compares with, once the root's priors are there."""
    record = arrays.trees[tree]
    root = arrays.nodes[tree, record.root]
    for index in range(root.edge_count):
        edge = arrays.edges[tree, root.first_edge + index]
        arrays.root_edges[tree, index].logit = math.log(max(float(edge.prior), LEAST_PRIOR))
        arrays.root_edges[tree, index].visits_before = edge.visits
    record.prepared = 1


@compiled()
def choose_edge(arrays: Arrays, tree: int, node: int, options: Options) -> int:
    record = arrays.trees[tree]
    nodes, edges = arrays.nodes[tree], arrays.edges[tree]
    at_root = node == record.root
    if at_root and options.gumbel:
        considered = min(options.considered, nodes[node].edge_count)
        due = considered_visits(considered, record.simulations, record.started)
        return best_gumbel_edge(nodes, edges, node, options, arrays.root_edges[tree], due)
    noisy = at_root and record.noisy != 0
    return best_edge(nodes, edges, node, options, arrays.root_edges[tree], noisy, at_root)


@compiled()
def descend(
    arrays: Arrays, tree: int, options: Options, legal: LegalRule, apply: ApplyRule, encode: EncodeRule, rows: int
) -> tuple[int, int]:
    """One simulation from the root to a leaf; returns how it ended and the rows in use."""
    record = arrays.trees[tree]
    nodes, edges = arrays.nodes[tree], arrays.edges[tree]
    leaf = record.leaves
    state = arrays.leaf_states[tree, leaf]
    path = arrays.paths[tree, leaf]
    node, depth = record.root, 0
    while True:
        edge = NONE
        if options.look_ahead:  # below the root there are no nodes with a winning move
            if depth == 0 and record.started == 0:
                edge = winning_edge(arrays, tree, node, apply)
        elif nodes[node].cut == CUT:
            edge = keep_winning_move(arrays, tree, node, legal, apply)
        if edge == NONE:
            edge = choose_edge(arrays, tree, node, options)
        if edge == NONE:  # the node was cut, and none of its moves can be better than what it is sure of
            if nodes[node].pending > 0:
                take_back_pending(nodes, edges, path, depth)
                return COLLISION, rows
            for word in range(len(state)):
                state[word] = arrays.states[tree, node, word]
            child = widen(arrays, tree, path[depth - 1].edge, legal, options, False)
            break
        path[depth].node, path[depth].edge = node, edge
        depth += 1
        nodes[node].pending += 1
        edges[edge].pending += 1
        edge_record = edges[edge]
        if options.exact and edge_record.lower == edge_record.upper:
            count_known(arrays, tree, options, depth, edge_record.child, edge_record.lower)
            return KNOWN, rows
        child = edge_record.child
        if child == NONE:
            outcome = apply(arrays.states[tree, node], signed(edge_record.action), state)
            if outcome != 0:
                count_known(arrays, tree, options, depth, NONE, result_of(outcome))
                return KNOWN, rows
            if options.transpositions:
                child = find_in_table(arrays.table[tree], arrays.states[tree], state)
            if child == NONE:
                if options.look_ahead and can_win_at_once(arrays, state, legal, apply):
                    count_known(arrays, tree, options, depth, NONE, -1)
                    return KNOWN, rows
                child = new_node(arrays, tree, state, legal, options, options.widest, False)
                if child != NONE:
                    link(arrays, tree, edge, child, options)
                break
            link(arrays, tree, edge, child, options)
        if nodes[child].ready == 0:
            take_back_pending(nodes, edges, path, depth)
            return COLLISION, rows
        if options.exact and nodes[child].lower == nodes[child].upper:  # proven on another way to it
            count_known(arrays, tree, options, depth, child, -nodes[child].lower)
            return KNOWN, rows
        node = child
    return LEAF_FOUND, await_evaluation(arrays, tree, child, depth, legal, encode, rows)


@compiled()
def count_known(arrays: Arrays, tree: int, options: Options, depth: int, child: int, result: int) -> None:
    """A simulation that ended in a known result, for the player who chose the last edge, is counted at once."""
    lower, upper = (result, result) if options.exact else (-1, 1)
    finish_simulation(arrays, tree, arrays.trees[tree].leaves, options, depth, child, float(result), lower, upper)
    arrays.counters[KNOWN_RESULTS] += 1


@compiled()
def finish_simulation(
    arrays: Arrays, tree: int, leaf: int, options: Options, depth: int, child: int, value: float, lower: int, upper: int
) -> None:
    nodes, edges, path = arrays.nodes[tree], arrays.edges[tree], arrays.paths[tree, leaf]
    back_up(nodes, edges, path, depth, value, lower, upper, options.exact)
    if options.update_all_parents:
        count = arrays.trees[tree].nodes
        back_up_other_parents(nodes, edges, arrays.states[tree], count, path, depth, child, value)
    arrays.counters[SIMULATIONS] += 1


@compiled()
def await_evaluation(arrays: Arrays, tree: int, node: int, depth: int, legal: LegalRule, encode: EncodeRule, rows: int) -> int:
    """Add a leaf to the round, from the cache or as a row of the batch; node NONE: the tree is full, only its value counts."""
    record = arrays.trees[tree]
    state = arrays.leaf_states[tree, record.leaves]
    leaf = arrays.leaves[tree, record.leaves]
    leaf.node, leaf.depth, leaf.row = node, depth, NONE
    record.leaves += 1
    slot = find_in_cache(arrays, state)
    if slot != NONE:
        leaf.value = arrays.cache_values[slot, 0]
        if node != NONE:
            count = write_actions(arrays, tree, node, legal)
            take_priors_from_cache(arrays, slot, count)
            set_priors(arrays, tree, node, count)
        arrays.counters[CACHE_HITS] += 1
        return rows
    encode(state, arrays.planes[rows])
    leaf.row = rows
    arrays.counters[EVALUATIONS] += 1
    return rows + 1


@compiled()
def finish_round(
    arrays: Arrays,
    tree: int,
    options: Options,
    legal: LegalRule,
    logits: npt.NDArray[np.float32],
    values: npt.NDArray[np.float32],
) -> None:
    """Take in the evaluations of a tree's round, in the order in which its leaves were found."""
    record = arrays.trees[tree]
    for index in range(record.leaves):
        leaf = arrays.leaves[tree, index]
        if leaf.row != NONE:
            leaf.value = values[leaf.row]
            if leaf.node != NONE:
                count = write_actions(arrays, tree, leaf.node, legal)
                write_priors(arrays, count, logits[leaf.row])
                put_into_cache(arrays, arrays.states[tree, leaf.node], leaf.value, count)
                set_priors(arrays, tree, leaf.node, count)
        if leaf.node != NONE:
            make_ready(arrays.nodes[tree], leaf.node, float(leaf.value))
        if leaf.depth > 0:
            finish_simulation(arrays, tree, index, options, leaf.depth, leaf.node, -float(leaf.value), -1, 1)
    record.leaves = 0


@compiled()
def draw_noise(stream: Stream, alpha: float, count: int, root_edges: RootEdges) -> None:
    """Noise for the root's edges from a symmetric Dirichlet distribution: gamma draws, made to sum to 1."""
    total = 0.0
    for index in range(count):
        root_edges[index].weight = draw_gamma(stream, alpha)
        total += root_edges[index].weight
    for index in range(count):
        root_edges[index].noise = np.float32(root_edges[index].weight / total if total > 0.0 else 1.0 / count)


@compiled(types.void(ARRAYS, OPTIONS, types.Array(types.int32, 1, "C"), types.Array(types.boolean, 1, "C")))
def begin_search(arrays: Arrays, options: Options, simulations: npt.NDArray[np.int32], noisy: npt.NDArray[np.bool_]) -> None:
    """Give each tree its simulations (−1: leave it as it is), and the noise of its root where it is wanted."""
    for tree in range(len(arrays.trees)):
        if simulations[tree] < 0:
            continue
        record = arrays.trees[tree]
        record.simulations, record.started = simulations[tree], 0
        record.prepared, record.full = 0, 0
        record.noisy = 1 if noisy[tree] and not options.gumbel else 0
        count = arrays.nodes[tree, record.root].edge_count
        if simulations[tree] == 0 or count == 0:
            continue
        if record.noisy != 0:
            alpha = options.noise_alpha if options.noise_alpha > 0.0 else 10.0 / count
            draw_noise(arrays.streams[tree], alpha, count, arrays.root_edges[tree])
        if options.gumbel:
            for index in range(count):
                arrays.root_edges[tree, index].gumbel = draw_gumbel(arrays.streams[tree]) if noisy[tree] else 0.0


@compiled(int64(types.Array(int64, 1, "C"), ARRAYS, OPTIONS, types.Array(float32, 2, "C"), types.Array(float32, 1, "C")))
def step(
    addresses: Addresses,
    arrays: Arrays,
    options: Options,
    logits: npt.NDArray[np.float32],
    values: npt.NDArray[np.float32],
) -> int:
    """Take in the evaluations of the last step's planes; returns how many planes now wait for theirs."""
    legal = legal_function(addresses[0], addresses[1])
    apply = apply_function(addresses[2], addresses[3])
    encode = encode_function(addresses[4], addresses[5])
    rows = 0
    for tree in range(len(arrays.trees)):
        if arrays.trees[tree].leaves > 0:
            finish_round(arrays, tree, options, legal, logits, values)
        rows = collect_leaves(arrays, tree, options, legal, apply, encode, logits, values, rows)
    return rows
