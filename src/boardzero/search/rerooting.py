"""Keeping what was learned of a position when it becomes the root."""

import numpy as np
import numpy.typing as npt
from numba import int32, int64, types

from boardzero.games.compiled import compiled_without_allocation as compiled
from boardzero.games.function_pointers import Addresses, apply_function, legal_function
from boardzero.search.backup import enqueue
from boardzero.search.forest_arrays import ARRAYS, NONE, OPTIONS, WHOLE, Arrays, Options
from boardzero.search.growth import insert_into_table, new_node
from boardzero.search.selection import Edges, Nodes
from boardzero.search.widening import widen


@compiled()
def plant(arrays: Arrays, tree: int, options: Options) -> None:
    """Empty a tree; its next node is the root."""
    record = arrays.trees[tree]
    record.root, record.nodes, record.edges, record.leaves = 0, 0, 0, 0
    record.simulations, record.started = 0, 0
    if options.transpositions:
        clear_table(arrays.table[tree])


@compiled()
def clear_table(table: npt.NDArray[np.int32]) -> None:
    for slot in range(len(table)):
        table[slot] = NONE


@compiled()
def keep_subtree(arrays: Arrays, tree: int, root: int, options: Options) -> None:
    """Drop all that cannot be reached from the new root; what stays keeps its order and moves to the front."""
    record = arrays.trees[tree]
    nodes, edges, states = arrays.nodes[tree], arrays.edges[tree], arrays.states[tree]
    waiting, seen = enqueue(nodes, root, 0), 0
    while seen < waiting:
        node = nodes[nodes[seen].queued]
        seen += 1
        for edge in range(node.first_edge, node.first_edge + node.edge_count):
            if edges[edge].child != NONE:
                waiting = enqueue(nodes, edges[edge].child, waiting)
    kept = 0
    for node in range(record.nodes):
        if nodes[node].marked != 0:
            nodes[node].queued = kept  # from here on: where the node goes
            kept += 1
    for node in range(record.nodes):
        if nodes[node].marked != 0:
            for edge in range(nodes[node].first_edge, nodes[node].first_edge + nodes[node].edge_count):
                if edges[edge].child != NONE:
                    edges[edge].child = nodes[edges[edge].child].queued
    record.root = nodes[root].queued
    move_kept_nodes(record.nodes, nodes, edges, states)
    record.nodes = kept
    record.edges = nodes[kept - 1].first_edge + nodes[kept - 1].edge_count
    record.simulations, record.started, record.leaves = 0, 0, 0
    if options.transpositions:
        clear_table(arrays.table[tree])
        for node in range(kept):
            insert_into_table(arrays.table[tree], states, node)
    if options.transpositions:
        relink_parents(arrays, tree)


@compiled()
def move_kept_nodes(count: int, nodes: Nodes, edges: Edges, states: npt.NDArray[np.uint64]) -> None:
    """Move the marked nodes, their edges and states to the front, in their order, and take the marks off."""
    kept_nodes, kept_edges = 0, 0
    for node in range(count):
        if nodes[node].marked == 0:
            continue
        nodes[node].marked = 0
        first = nodes[node].first_edge
        for index in range(nodes[node].edge_count):
            edges[kept_edges + index] = edges[first + index]
        nodes[node].first_edge = kept_edges
        kept_edges += nodes[node].edge_count
        if kept_nodes != node:
            nodes[kept_nodes] = nodes[node]
            for word in range(states.shape[1]):
                states[kept_nodes, word] = states[node, word]
        kept_nodes += 1


@compiled()
def relink_parents(arrays: Arrays, tree: int) -> None:
    """List anew, for every node, the edges that lead to it."""
    record = arrays.trees[tree]
    nodes, edges = arrays.nodes[tree], arrays.edges[tree]
    for node in range(record.nodes):
        nodes[node].first_parent = NONE
    for edge in range(record.edges):
        child = edges[edge].child
        if child != NONE:
            edges[edge].next_parent = nodes[child].first_parent
            nodes[child].first_parent = edge


@compiled(types.void(types.Array(int64, 1, "C"), ARRAYS, OPTIONS, int64, types.Array(types.uint64, 1, "C")))
def set_root(addresses: Addresses, arrays: Arrays, options: Options, tree: int, state: npt.NDArray[np.uint64]) -> None:
    """Begin a tree anew at a state."""
    legal = legal_function(addresses[0], addresses[1])
    plant(arrays, tree, options)
    new_node(arrays, tree, state, legal, options, 0, True)


@compiled(types.void(types.Array(int64, 1, "C"), ARRAYS, OPTIONS, types.Array(int32, 1, "C")))
def advance_roots(addresses: Addresses, arrays: Arrays, options: Options, actions: npt.NDArray[np.int32]) -> None:
    """Play an action in each tree (NONE: leave it); its subtree stays, or a fresh root takes its place.

    A root has all legal actions: where it has been cut, it is widened, and evaluated again by the next search.
    """
    legal = legal_function(addresses[0], addresses[1])
    apply = apply_function(addresses[2], addresses[3])
    for tree in range(len(arrays.trees)):
        if actions[tree] == NONE:
            continue
        root = arrays.nodes[tree, arrays.trees[tree].root]
        child = NONE
        for edge in range(root.first_edge, root.first_edge + root.edge_count):
            if arrays.edges[tree, edge].action == actions[tree]:
                child = arrays.edges[tree, edge].child
                if child != NONE and arrays.nodes[tree, child].cut != WHOLE:
                    child = widen(arrays, tree, edge, legal, options, True)
        if child != NONE:
            keep_subtree(arrays, tree, child, options)
        else:
            state = arrays.leaf_states[tree, 0]
            apply(arrays.states[tree, arrays.trees[tree].root], np.int64(actions[tree]), state)
            plant(arrays, tree, options)
            new_node(arrays, tree, state, legal, options, 0, True)
