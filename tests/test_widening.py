"""Nodes that keep only the likeliest of their moves: what they keep, what they prove, and when the others come back."""

import numpy as np
import numpy.typing as npt
import pytest
from search_positions import assert_proofs_are_true
from search_twins import HashEvaluator

from boardzero.games.catalogue import find_game
from boardzero.games.position import Position
from boardzero.games.rules import Game
from boardzero.players.catalogue import find_player
from boardzero.players.forest_player import EDGE_BYTES, NODE_BYTES, ForestPlayer
from boardzero.search.forest import Forest
from boardzero.search.forest_arrays import NONE
from boardzero.settings.search import USUAL_WIDTH, SearchSettings


class BiasedEvaluator(HashEvaluator):
    """Thinks least of one action and most of another, wherever they are legal."""

    def __init__(self, game: Game, disliked: int, liked: int) -> None:
        super().__init__(game)
        self.disliked, self.liked = disliked, liked

    def __call__(self, planes: npt.NDArray[np.float32]) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
        logits, values = super().__call__(planes)
        logits[:, self.disliked], logits[:, self.liked] = -20.0, 4.0
        return logits, values


def edges_of(forest: Forest, node: int) -> npt.NDArray[np.void]:
    record = forest.arrays.nodes[0, node]
    return forest.arrays.edges[0, int(record["first_edge"]) : int(record["first_edge"] + record["edge_count"])]


def evaluated_priors(game: Game, evaluate: HashEvaluator, state: npt.NDArray[np.uint64]) -> dict[int, float]:
    logits, _ = evaluate(game.encoded(state)[None])
    powers = {action: float(np.exp(logits[0, action])) for action in game.legal_actions(state)}
    return {action: power / sum(powers.values()) for action, power in powers.items()}


def test_nodes_below_the_root_keep_the_likeliest_moves() -> None:
    game = find_game("gomoku:size=7")
    evaluate, widest = HashEvaluator(game), 6
    forest = Forest(game, SearchSettings(widest=widest), nodes=500)
    forest.search(evaluate, 300)
    assert len(forest.root_edges(0)) == 49
    for node in range(1, int(forest.arrays.trees[0]["nodes"])):
        edges, priors = edges_of(forest, node), evaluated_priors(game, evaluate, forest.arrays.states[0, node])
        likeliest = sorted(sorted(priors, key=lambda action: -priors[action])[:widest])
        assert edges["action"].tolist() == likeliest
        total = sum(priors[action] for action in likeliest)
        assert edges["prior"] == pytest.approx([priors[action] / total for action in likeliest], rel=1e-5)


@pytest.mark.parametrize("widest", [1, 2])
def test_nothing_false_is_proven_and_in_the_end_everything_true_is(widest: int) -> None:
    assert_proofs_are_true(SearchSettings(widest=widest, leaves=2), seed=widest, simulations=20)


def test_a_drawn_game_is_proven_from_its_start_with_one_move_a_node() -> None:
    game = find_game("tictactoe")
    forest = Forest(game, SearchSettings(widest=1, transpositions=True), nodes=20_000)
    forest.search(HashEvaluator(game), 200_000)
    assert forest.root_bounds(0) == (0, 0)


def test_a_winning_move_is_found_however_unlikely_it_is() -> None:
    game = find_game("gomoku:size=9")
    position = Position(game, "e5 a1 e6 a3 e7 a5 e8 a7")  # X wins at e9, which O does not prevent, and at e4
    wins = [game.action_from_text("e9"), game.action_from_text("e4")]
    position.undo()
    forest = Forest(game, SearchSettings(widest=4), nodes=2000)
    forest.set_root(0, position.state)
    forest.search(BiasedEvaluator(game, disliked=wins[0], liked=0), 300)
    refuted = [edge for edge in forest.root_edges(0) if edge.visits >= 2 and edge.action not in wins]
    assert refuted and all(edge.upper == -1 for edge in refuted)


def test_the_only_defence_is_found_however_unlikely_it_is() -> None:
    """With four stones in a row and one end closed, X seems to win as long as the block is missing."""
    game = find_game("gomoku:size=9")
    position = Position(game, "e5 e4 e6 a1 e7 c2")
    four, block = game.action_from_text("e8"), game.action_from_text("e9")
    forest = Forest(game, SearchSettings(widest=4), nodes=4000)
    forest.set_root(0, position.state)
    forest.search(BiasedEvaluator(game, disliked=block, liked=four), 3000)
    assert forest.root_bounds(0)[0] < 1
    (child,) = (int(edge["child"]) for edge in edges_of(forest, 0) if edge["action"] == four)
    (defence,) = (edge for edge in edges_of(forest, child) if edge["action"] == block)
    assert defence["visits"] > 10


def test_a_new_root_has_all_moves_and_keeps_what_is_known() -> None:
    game = find_game("gomoku:size=7")
    evaluate = HashEvaluator(game)
    forest = Forest(game, SearchSettings(widest=5), nodes=2000)
    forest.search(evaluate, 500)
    best = max(forest.root_edges(0), key=lambda edge: edge.visits)
    child = next(int(edge["child"]) for edge in edges_of(forest, 0) if edge["action"] == best.action)
    known = {int(edge["action"]): (int(edge["visits"]), float(edge["value_sum"])) for edge in edges_of(forest, child)}
    forest.advance([best.action])
    root = int(forest.arrays.trees[0]["root"])
    assert len(known) == 5 and len(forest.root_edges(0)) == 48
    for edge in edges_of(forest, root):
        assert (int(edge["visits"]), float(edge["value_sum"])) == known.get(int(edge["action"]), (0, 0.0))
    assert int(forest.arrays.nodes[0, root]["visits"]) == best.visits
    evaluations = forest.counts().evaluations
    forest.search(evaluate, 0)
    assert forest.counts().evaluations == evaluations + 1  # the priors of all moves
    priors = evaluated_priors(game, evaluate, forest.root_state(0))
    assert {edge.action: edge.prior for edge in forest.root_edges(0)} == pytest.approx(priors, rel=1e-5)
    assert int(forest.arrays.nodes[0, root]["visits"]) == best.visits


def test_a_full_tree_still_has_room_for_the_next_root() -> None:
    game = find_game("gomoku:size=7")
    forest = Forest(game, SearchSettings(widest=3), nodes=200, edges=200 * 3 + 98)
    for _ in range(6):
        forest.search(HashEvaluator(game), 600)
        assert forest.is_full(0)
        edges = edges_of(forest, int(forest.arrays.trees[0]["root"]))
        forest.advance([int(edges["action"][np.argmax(np.where(edges["child"] == NONE, 0, edges["visits"]))])])
        assert len(forest.root_edges(0)) == len(game.legal_actions(forest.root_state(0)))
        assert sum(edge.visits for edge in forest.root_edges(0)) > 0  # the tree was kept


@pytest.mark.parametrize(
    ("game", "specification", "widest"),
    [
        ("gomoku:size=13", "heuristic", USUAL_WIDTH),
        ("gomoku:size=13", "heuristic:widest=0", 0),
        ("gomoku:size=13", "heuristic:widest=20", 20),
        ("gomoku:size=9", "heuristic", 0),
        ("connect4", "alphazero:sims=10", 0),
        ("connect4", "alphazero:sims=10,widest=3", 3),
    ],
)
def test_players_cut_their_nodes_in_wide_games(game: str, specification: str, widest: int) -> None:
    player = find_player(specification, find_game(game))
    assert isinstance(player, ForestPlayer) and player.forest.settings.widest == widest


def test_memory_is_kept_and_holds_more_positions_the_fewer_moves_they_keep() -> None:
    game = find_game("gomoku:size=20")
    nodes = {}
    for widest in (0, 64):
        player = find_player(f"heuristic:seconds=1,memory=50,widest={widest}", game)
        assert isinstance(player, ForestPlayer)
        arrays = player.forest.arrays
        nodes[widest] = arrays.nodes.shape[1]
        assert (arrays.nodes.itemsize, arrays.edges.itemsize) == (NODE_BYTES, EDGE_BYTES)
        assert arrays.nodes.nbytes + arrays.states.nbytes + arrays.edges.nbytes <= 50_000_000
    assert nodes[64] > 5 * nodes[0]
