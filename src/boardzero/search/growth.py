"""How trees grow: new nodes, their priors, the table of transpositions and the cache of evaluations."""

import math

import numpy as np
import numpy.typing as npt

from boardzero.games.bits import signed
from boardzero.games.compiled import compiled_without_allocation as compiled
from boardzero.games.counting import hash_state
from boardzero.games.rules import OUTCOME_MASK, LegalRule, State
from boardzero.search.forest_arrays import NONE, Arrays, Options
from boardzero.search.selection import Edges, Nodes


@compiled()
def result_of(outcome: int) -> int:
    """−1, 0 or +1 for the player who moved last."""
    return 1 if outcome == 2 else -1 if outcome == 3 else 0


@compiled()
def new_node(arrays: Arrays, tree: int, state: State, legal: LegalRule, options: Options) -> int:
    """A node with an edge for each legal action, to be evaluated unless the game is over; NONE if the tree is full."""
    record = arrays.trees[tree]
    nodes, edges = arrays.nodes[tree], arrays.edges[tree]
    count = legal(state, arrays.actions)
    if record.nodes == len(nodes) or record.edges + count > len(edges):
        record.full = 1
        return NONE
    node, first = record.nodes, record.edges
    record.nodes += 1
    record.edges += count
    fresh = nodes[node]
    fresh.value_sum, fresh.evaluation = 0.0, np.float32(0.0)
    fresh.first_edge, fresh.edge_count = first, count
    fresh.visits, fresh.pending, fresh.ready, fresh.marked = 0, 0, 0, 0
    fresh.first_parent = NONE
    fresh.lower, fresh.upper = -1, 1
    if count == 0:  # the game is over: nothing to evaluate
        fresh.lower = fresh.upper = -result_of(signed(state[0] & OUTCOME_MASK))
        fresh.ready = 1
    for index in range(count):
        edge = edges[first + index]
        edge.value_sum, edge.prior = 0.0, np.float32(0.0)
        edge.action, edge.child, edge.next_parent = arrays.actions[index], NONE, NONE
        edge.visits, edge.pending = 0, 0
        edge.lower, edge.upper = -1, 1
    for word in range(len(state)):
        arrays.states[tree, node, word] = state[word]
    if options.transpositions:
        insert_into_table(arrays.table[tree], arrays.states[tree], node)
    return node


@compiled()
def link(arrays: Arrays, tree: int, edge: int, child: int, options: Options) -> None:
    """Let an edge lead to a node."""
    arrays.edges[tree, edge].child = child
    if options.update_all_parents:
        arrays.edges[tree, edge].next_parent = arrays.nodes[tree, child].first_parent
        arrays.nodes[tree, child].first_parent = edge


# -- priors ------------------------------------------------------------------------------------------------------------
@compiled()
def set_priors(nodes: Nodes, edges: Edges, node: int, logits: npt.NDArray[np.float32]) -> None:
    """Softmax over the logits [actions] of the legal actions."""
    first, count = nodes[node].first_edge, nodes[node].edge_count
    highest = -np.inf
    for edge in range(first, first + count):
        highest = max(highest, float(logits[edges[edge].action]))
    total = 0.0
    for edge in range(first, first + count):
        total += math.exp(float(logits[edges[edge].action]) - highest)
    for edge in range(first, first + count):
        edges[edge].prior = np.float32(math.exp(float(logits[edges[edge].action]) - highest) / total)


@compiled()
def make_ready(nodes: Nodes, node: int, value: float) -> None:
    """The evaluation has come, for the player to move."""
    record = nodes[node]
    record.evaluation = np.float32(value)
    record.value_sum = float(record.evaluation)
    record.visits = 1
    record.ready = 1


# -- transpositions ----------------------------------------------------------------------------------------------------
@compiled()
def find_in_table(table: npt.NDArray[np.int32], states: npt.NDArray[np.uint64], state: State) -> int:
    """The node of a state, or NONE."""
    slot = signed(hash_state(state) & np.uint64(len(table) - 1))
    while table[slot] != NONE:
        if same_state(states[table[slot]], state):
            return table[slot]
        slot = (slot + 1) & (len(table) - 1)
    return NONE


@compiled()
def insert_into_table(table: npt.NDArray[np.int32], states: npt.NDArray[np.uint64], node: int) -> None:
    slot = signed(hash_state(states[node]) & np.uint64(len(table) - 1))
    while table[slot] != NONE:
        slot = (slot + 1) & (len(table) - 1)
    table[slot] = node


@compiled()
def same_state(one: State, other: State) -> bool:
    for word in range(len(one)):
        if one[word] != other[word]:
            return False
    return True


# -- evaluation cache --------------------------------------------------------------------------------------------------
@compiled()
def cache_slot(arrays: Arrays, state: State) -> int:
    """The one slot where a state's evaluation may stand; the newest stays there."""
    return signed(hash_state(state) & np.uint64(len(arrays.cache_states) - 1))


@compiled()
def find_in_cache(arrays: Arrays, state: State) -> int:
    """The slot that holds a state's evaluation, or NONE."""
    if len(arrays.cache_states) == 1:
        return NONE
    slot = cache_slot(arrays, state)
    return slot if same_state(arrays.cache_states[slot], state) else NONE


@compiled()
def put_into_cache(arrays: Arrays, tree: int, node: int) -> None:
    """Remember the evaluation of a node that is ready."""
    if len(arrays.cache_states) == 1:
        return
    state = arrays.states[tree, node]
    record = arrays.nodes[tree, node]
    slot = cache_slot(arrays, state)
    for word in range(len(state)):
        arrays.cache_states[slot, word] = state[word]
    arrays.cache_values[slot, 0] = record.evaluation
    for index in range(record.edge_count):
        arrays.cache_values[slot, 1 + index] = arrays.edges[tree, record.first_edge + index].prior


@compiled()
def take_priors_from_cache(arrays: Arrays, tree: int, node: int, slot: int) -> None:
    record = arrays.nodes[tree, node]
    for index in range(record.edge_count):
        arrays.edges[tree, record.first_edge + index].prior = arrays.cache_values[slot, 1 + index]
