"""Wins at once, as the rules tell them, before a position costs an evaluation."""

from boardzero.games.compiled import compiled_without_allocation as compiled
from boardzero.games.rules import ApplyRule, LegalRule, State
from boardzero.search.forest_arrays import NONE, Arrays
from boardzero.search.growth import result_of


@compiled()
def can_win_at_once(arrays: Arrays, state: State, legal: LegalRule, apply: ApplyRule) -> bool:
    """Has the player to move a move that ends the game in their favour?"""
    for index in range(legal(state, arrays.actions)):
        if result_of(apply(state, int(arrays.actions[index]), arrays.next_state)) == 1:
            return True
    return False


@compiled()
def winning_edge(arrays: Arrays, tree: int, node: int, apply: ApplyRule) -> int:
    """The first edge of a node whose move wins at once, or NONE."""
    record = arrays.nodes[tree, node]
    for edge in range(record.first_edge, record.first_edge + record.edge_count):
        if result_of(apply(arrays.states[tree, node], int(arrays.edges[tree, edge].action), arrays.next_state)) == 1:
            return edge
    return NONE
