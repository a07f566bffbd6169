"""Wins at once are known from the rules: they cost no evaluation, and nothing else is changed by them."""

import pytest
from search_positions import assert_proofs_are_true
from search_twins import HashEvaluator

from boardzero.games.catalogue import find_game
from boardzero.games.position import Position
from boardzero.search.forest import Forest
from boardzero.search.forest_arrays import EVALUATIONS
from boardzero.settings.search import SearchSettings

LOOKING = SearchSettings(look_ahead=True)


def searched(game_name: str, moves: str, simulations: int, settings: SearchSettings) -> Forest:
    """A search from the position after these moves."""
    game = find_game(game_name)
    forest = Forest(game, settings, nodes=2000)
    forest.set_root(0, Position(game, moves).state)
    forest.search(HashEvaluator(game), simulations)
    return forest


def evaluations(forest: Forest) -> int:
    return int(forest.arrays.counters[EVALUATIONS])


@pytest.mark.parametrize("root", ["puct", "gumbel"])
def test_a_win_at_once_is_the_first_move_that_is_tried(root: str) -> None:
    settings = SearchSettings(look_ahead=True, root=root, considered=1)
    forest = searched("connect4", "171717", 50, settings)
    assert forest.root_bounds(0) == (1, 1) and forest.choose().tolist() == [0]
    assert sum(edge.visits for edge in forest.root_edges(0)) == 1
    assert evaluations(forest) == 1  # the root's own


def test_a_move_that_lets_the_other_side_win_costs_no_evaluation_and_is_lost() -> None:
    forest = searched("connect4", "17171", 200, LOOKING)  # three in the first column: only the first column holds
    lost = [edge.action for edge in forest.root_edges(0) if edge.upper == -1]
    assert lost == [1, 2, 3, 4, 5, 6]
    assert all(edge.visits == 1 for edge in forest.root_edges(0) if edge.action != 0)


def test_no_node_below_the_root_has_a_win_at_once() -> None:
    forest = searched("connect4", "4435", 500, LOOKING)
    game = forest.game
    count = int(forest.arrays.trees[0]["nodes"])
    assert count > 100
    for node in range(1, count):
        state = forest.arrays.states[0, node]
        assert not any(game.outcome(game.next_state(state, action)) for action in game.legal_actions(state))


def test_nothing_false_is_proven_and_in_the_end_everything_true_is() -> None:
    assert_proofs_are_true(SearchSettings(look_ahead=True, leaves=2), seed=1, simulations=5)


@pytest.mark.parametrize("root", ["puct", "gumbel"])
def test_where_every_move_is_lost_the_likeliest_is_played(root: str) -> None:
    """Three in a row with both ends open: whoever is to move cannot hold both, and plays what its evaluator would play."""
    forest = searched("connect4", "31415", 200, SearchSettings(look_ahead=True, root=root))
    edges = forest.root_edges(0)
    assert forest.root_bounds(0) == (-1, -1)
    assert forest.choose().tolist() == [max(edges, key=lambda edge: (edge.visits, edge.prior)).action]
