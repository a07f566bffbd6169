"""What becomes of nodes that have only the likeliest of their moves.

A winning move is never missing for long, nothing is proven by moves that are missing, and they come back where they matter: at
the root, and where all others are settled.
"""

from boardzero.games.compiled import compiled_without_allocation as compiled
from boardzero.games.rules import ApplyRule, LegalRule
from boardzero.search.forest_arrays import LOOKED_THROUGH, NONE, Arrays, Options
from boardzero.search.growth import new_node, replace_in_table, result_of
from boardzero.search.selection import Edges, Nodes


@compiled()
def keep_winning_move(arrays: Arrays, tree: int, node: int, legal: LegalRule, apply: ApplyRule) -> int:
    """The edge of a move that wins at once and had been cut, now in the place of the least likely move; NONE: there is none.

    This is for nodes that no simulation has gone through yet. Most never see one; so it costs less than at their evaluation.
    """
    record = arrays.nodes[tree, node]
    edges, state = arrays.edges[tree], arrays.states[tree, node]
    record.cut = LOOKED_THROUGH
    edge, end = record.first_edge, record.first_edge + record.edge_count
    for index in range(legal(state, arrays.actions)):
        action = arrays.actions[index]
        if edge < end and edges[edge].action == action:
            edge += 1
        elif result_of(apply(state, int(action), arrays.next_state)) == 1:
            edge = move_least_likely(edges, record.first_edge, end, edge)
            edges[edge].action = action
            return edge
    return NONE


@compiled()
def move_least_likely(edges: Edges, first: int, end: int, place: int) -> int:
    """Move the least likely of a new node's edges to just before `place`; returns where it is then."""
    edge = first
    for other in range(first, end):
        if edges[other].prior <= edges[edge].prior:
            edge = other
    prior = edges[edge].prior
    step, target = (1, place - 1) if edge < place else (-1, place)
    while edge != target:
        edges[edge].action, edges[edge].prior = edges[edge + step].action, edges[edge + step].prior
        edge += step
    edges[edge].prior = prior
    return edge


@compiled()
def widen(arrays: Arrays, tree: int, edge: int, legal: LegalRule, options: Options, as_root: bool) -> int:
    """Let an edge lead no longer to a cut node but to one with all actions and what is known of them, to be evaluated again.

    NONE if the tree is full. The old node stays, unreachable, until the root changes. No simulation may be on its way there.
    """
    nodes, edges = arrays.nodes[tree], arrays.edges[tree]
    old = edges[edge].child
    node = new_node(arrays, tree, arrays.states[tree, old], legal, options, 0, as_root)
    if node == NONE:
        return NONE
    nodes[node].value_sum, nodes[node].visits = nodes[old].value_sum, nodes[old].visits
    nodes[node].evaluation, nodes[node].lower = nodes[old].evaluation, nodes[old].lower
    target = nodes[node].first_edge
    for kept in range(nodes[old].first_edge, nodes[old].first_edge + nodes[old].edge_count):
        while edges[target].action != edges[kept].action:
            target += 1
        edges[target] = edges[kept]
        if options.transpositions and edges[kept].child != NONE:
            replace_parent(nodes, edges, edges[kept].child, kept, target)
    edges[edge].child = node
    if options.transpositions:
        move_parents(nodes, edges, old, node)
        replace_in_table(arrays.table[tree], arrays.states[tree], old, node)
    return node


@compiled()
def replace_parent(nodes: Nodes, edges: Edges, child: int, old: int, new: int) -> None:
    """Put one edge in the place of another among those that lead to a node."""
    if nodes[child].first_parent == old:
        nodes[child].first_parent = new
        return
    edge = nodes[child].first_parent
    while edges[edge].next_parent != old:
        edge = edges[edge].next_parent
    edges[edge].next_parent = new


@compiled()
def move_parents(nodes: Nodes, edges: Edges, old: int, new: int) -> None:
    """Let all edges that lead to one node lead to another."""
    nodes[new].first_parent = nodes[old].first_parent
    edge = nodes[new].first_parent
    while edge != NONE:
        edges[edge].child = new
        edge = edges[edge].next_parent
