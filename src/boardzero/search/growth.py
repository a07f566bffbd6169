"""How trees grow: new nodes, their priors, the table of transpositions and the cache of evaluations."""

import math

import numpy as np
import numpy.typing as npt

from boardzero.games.bits import signed
from boardzero.games.compiled import compiled_without_allocation as compiled
from boardzero.games.counting import hash_state
from boardzero.games.rules import OUTCOME_MASK, LegalRule, State
from boardzero.search.forest_arrays import CUT, NONE, WHOLE, Arrays, Options
from boardzero.search.selection import Nodes


@compiled()
def result_of(outcome: int) -> int:
    """−1, 0 or +1 for the player who moved last."""
    return 1 if outcome == 2 else -1 if outcome == 3 else 0


@compiled()
def has_room(arrays: Arrays, tree: int, edges: int, options: Options, as_root: bool) -> bool:
    """Does a node with so many edges fit into a tree? Where nodes are cut, the last room is for a root with all its actions."""
    record = arrays.trees[tree]
    nodes = record.nodes + 1
    edges += record.edges
    if options.widest > 0 and not as_root:
        nodes += 1
        edges += len(arrays.actions)
    return nodes <= arrays.nodes.shape[1] and edges <= arrays.edges.shape[1]


@compiled()
def new_node(arrays: Arrays, tree: int, state: State, legal: LegalRule, options: Options, widest: int, as_root: bool) -> int:
    """A node, to be evaluated unless the game is over; NONE if the tree is full.

    It has an edge for each legal action, or room for the `widest` likeliest (0: all), which its evaluation will tell.
    """
    record = arrays.trees[tree]
    nodes, edges = arrays.nodes[tree], arrays.edges[tree]
    count = legal(state, arrays.actions)
    is_cut = 0 < widest < count
    if is_cut:
        count = widest
    if not has_room(arrays, tree, count, options, as_root):
        record.full = 1
        return NONE
    node, first = record.nodes, record.edges
    record.nodes += 1
    record.edges += count
    fresh = nodes[node]
    fresh.value_sum, fresh.evaluation = 0.0, np.float32(0.0)
    fresh.first_edge, fresh.edge_count = first, count
    fresh.visits, fresh.pending, fresh.ready, fresh.marked = 0, 0, 0, 0
    fresh.cut = CUT if is_cut else WHOLE
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
    if options.transpositions:
        arrays.edges[tree, edge].next_parent = arrays.nodes[tree, child].first_parent
        arrays.nodes[tree, child].first_parent = edge


# -- priors ------------------------------------------------------------------------------------------------------------
@compiled()
def write_actions(arrays: Arrays, tree: int, node: int, legal: LegalRule) -> int:
    """Write a node's legal actions, all of them, into the scratch; returns how many there are."""
    record = arrays.nodes[tree, node]
    if record.cut != WHOLE:
        return legal(arrays.states[tree, node], arrays.actions)
    for index in range(record.edge_count):
        arrays.actions[index] = arrays.edges[tree, record.first_edge + index].action
    return record.edge_count


@compiled()
def write_priors(arrays: Arrays, count: int, logits: npt.NDArray[np.float32]) -> None:
    """Softmax over the logits [actions] of the first `count` actions of the scratch."""
    actions, priors = arrays.actions, arrays.priors
    highest = -np.inf
    for index in range(count):
        highest = max(highest, float(logits[actions[index]]))
    total = 0.0
    for index in range(count):
        priors[index] = math.exp(float(logits[actions[index]]) - highest)
        total += priors[index]
    for index in range(count):
        priors[index] = float(np.float32(priors[index] / total))


@compiled()
def set_priors(arrays: Arrays, tree: int, node: int, count: int) -> None:
    """Give a node's edges the priors of the scratch, where its `count` legal actions are; of a cut node, the likeliest."""
    record = arrays.nodes[tree, node]
    edges, actions, priors = arrays.edges[tree], arrays.actions, arrays.priors
    if record.cut == WHOLE:
        for index in range(count):
            edges[record.first_edge + index].prior = np.float32(priors[index])
        return
    cut_to_the_likeliest(arrays, count, record.edge_count)
    total = 0.0
    for index in range(record.edge_count):
        total += priors[index]
    for index in range(record.edge_count):
        edge = edges[record.first_edge + index]
        edge.action, edge.prior = actions[index], np.float32(priors[index] / total)


@compiled()
def cut_to_the_likeliest(arrays: Arrays, count: int, widest: int) -> None:
    """Move the `widest` likeliest of the scratch's actions to its front, in their order; of equals, the first stay."""
    actions, priors = arrays.actions, arrays.priors
    least = lowest_of_highest(priors, count, widest, arrays.highest)
    equals = 0  # that stay
    for index in range(widest):
        equals += 1 if arrays.highest[index] == least else 0
    kept = 0
    for index in range(count):
        if priors[index] > least or (priors[index] == least and equals > 0):
            equals -= 1 if priors[index] == least else 0
            actions[kept], priors[kept] = actions[index], priors[index]
            kept += 1


@compiled()
def lowest_of_highest(numbers: npt.NDArray[np.float64], count: int, wanted: int, highest: npt.NDArray[np.float64]) -> float:
    """The lowest of the `wanted` highest numbers, which are written in falling order."""
    for index in range(count):
        number, place = numbers[index], min(index, wanted)
        if place == wanted:
            if number <= highest[wanted - 1]:
                continue
            place -= 1
        while place > 0 and highest[place - 1] < number:
            highest[place] = highest[place - 1]
            place -= 1
        highest[place] = number
    return highest[wanted - 1]


@compiled()
def make_ready(nodes: Nodes, node: int, value: float) -> None:
    """The evaluation has come, for the player to move; a node that was widened has counted it before."""
    record = nodes[node]
    record.evaluation = np.float32(value)
    record.ready = 1
    if record.visits == 0:
        record.value_sum = float(record.evaluation)
        record.visits = 1


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
def replace_in_table(table: npt.NDArray[np.int32], states: npt.NDArray[np.uint64], old: int, new: int) -> None:
    """Let a state be found at another node than before."""
    slot = signed(hash_state(states[old]) & np.uint64(len(table) - 1))
    while table[slot] != old:
        slot = (slot + 1) & (len(table) - 1)
    table[slot] = new


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
def put_into_cache(arrays: Arrays, state: State, value: np.float32, count: int) -> None:
    """Remember the evaluation of a state whose priors are the first `count` of the scratch."""
    if len(arrays.cache_states) == 1:
        return
    slot = cache_slot(arrays, state)
    for word in range(len(state)):
        arrays.cache_states[slot, word] = state[word]
    arrays.cache_values[slot, 0] = value
    for index in range(count):
        arrays.cache_values[slot, 1 + index] = np.float32(arrays.priors[index])


@compiled()
def take_priors_from_cache(arrays: Arrays, slot: int, count: int) -> None:
    """Write the first `count` priors of the scratch."""
    for index in range(count):
        arrays.priors[index] = float(arrays.cache_values[slot, 1 + index])
