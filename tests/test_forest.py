"""The compiled forest against its plain twin, and against itself in other company."""

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from search_positions import true_value
from search_twins import HashEvaluator, tree_of_forest, tree_of_reference

from boardzero.games.catalogue import find_game
from boardzero.games.position import Position
from boardzero.games.rules import Game
from boardzero.search.forest import Forest
from boardzero.search.reference import ReferenceTree, halving_schedule
from boardzero.search.selection import considered_visits
from boardzero.settings.search import MoveSettings, PlayoutCap, SearchSettings

GAMES = [
    "tictactoe",
    "connect4",
    "connect4:rows=4,columns=4,connect=3",
    "othello:size=4",
    "othello:size=6",
    "gomoku:size=5",
    "latrunculi:size=4",
    "latrunculi:size=4,start=rows",
    "openspiel:breakthrough,rows=4,columns=4",  # plain Python behind the same contract
]

search_settings = st.builds(
    lambda transpositions, all_parents, spread, **rest: SearchSettings(
        transpositions=transpositions,
        update_all_parents=transpositions and all_parents,
        value_spread=1 if rest["exploration_base"] else spread,
        **rest,
    ),
    spread=st.sampled_from([1.0, 0.25]),
    root=st.sampled_from(["puct", "gumbel"]),
    exploration=st.sampled_from([0.5, 1.5, 4.0]),
    exploration_base=st.sampled_from([0.0, 20.0, 19652.0]),
    first_play=st.sampled_from(["value", "reduction"]),
    first_play_value=st.sampled_from([-1.0, 0.0, 0.25]),
    noise_fraction=st.sampled_from([0.25, 0.5]),
    noise_alpha=st.sampled_from([0.0, 0.3]),
    gumbel_visits=st.sampled_from([50.0, 10.0]),
    gumbel_scale=st.sampled_from([1.0, 0.1]),
    forced_playouts=st.sampled_from([0.0, 2.0]),
    considered=st.sampled_from([1, 3, 16]),
    leaves=st.sampled_from([1, 1, 2, 5]),
    widest=st.sampled_from([0, 0, 1, 2, 3, 6]),
    virtual_loss=st.sampled_from([0.0, 1.0, 3.0]),
    exact=st.booleans(),
    look_ahead=st.booleans(),
    transpositions=st.booleans(),
    all_parents=st.booleans(),
)


@settings(max_examples=150, deadline=None)
@given(
    specification=st.sampled_from(GAMES),
    options=search_settings,
    simulations=st.integers(1, 60),
    noisy=st.booleans(),
    temperature=st.sampled_from([0.0, 1.0, 0.5]),
    softmax_beta=st.sampled_from([0.0, 0.3]),
    nodes=st.sampled_from([5, 40, 500]),
    cache=st.sampled_from([0, 16, 1024]),
    seed=st.integers(0, 1000),
)
def test_forest_and_reference_grow_identical_trees(
    specification: str,
    options: SearchSettings,
    simulations: int,
    noisy: bool,
    temperature: float,
    softmax_beta: float,
    nodes: int,
    cache: int,
    seed: int,
) -> None:
    game = find_game(specification)
    evaluate = HashEvaluator(game)
    edges = nodes * min(game.max_legal, 8) + game.max_legal
    forest = Forest(game, options, nodes=nodes, edges=edges, cache=cache, seed=seed)
    reference = ReferenceTree(game, options, nodes=nodes, edges=edges, cache=cache, seed=seed)
    for _ in range(4):
        forest.search(evaluate, simulations, noisy)
        reference.search(evaluate, simulations, noisy)
        assert tree_of_forest(forest, 0) == tree_of_reference(reference)
        assert forest.is_full(0) == reference.full
        assert np.array_equal(forest.policies()[0], reference.policy())
        assert forest.root_value(0) == reference.value()
        (action,) = forest.choose(temperature, softmax_beta)
        assert action == reference.choose(temperature, softmax_beta)
        forest.advance([action])
        reference.advance(action)
        assert tree_of_forest(forest, 0) == tree_of_reference(reference)
        if game.outcome(forest.root_state(0)):
            break


def play_games(game_name: str, options: SearchSettings, trees: list[int], moves: int = 6) -> dict[int, list[object]]:
    """Play the games with these numbers as one batch; each is told by its moves, policies and final tree."""
    game = find_game(game_name)
    evaluate = HashEvaluator(game)
    forest = Forest(game, options, trees=len(trees), nodes=300, cache=256)
    for place, number in enumerate(trees):
        forest.seed_tree(place, seed=5, index=number)
    told: dict[int, list[object]] = {number: [] for number in trees}
    cap = PlayoutCap(full_probability=0.5, full_simulations=40, fast_simulations=10)
    for _ in range(moves):
        simulations, full = forest.draw_playout_caps(cap)
        forest.search(evaluate, simulations, full)
        policies, actions = forest.policies(), forest.choose(1.0)
        for place, number in enumerate(trees):
            told[number].append((bool(full[place]), policies[place].tobytes(), int(actions[place])))
        forest.advance(actions)
    for place, number in enumerate(trees):
        told[number].append(tree_of_forest(forest, place))
    return told


BATCH_SETTINGS = [
    SearchSettings(),
    SearchSettings(root="gumbel", considered=4),
    SearchSettings(leaves=4, transpositions=True),
    SearchSettings(forced_playouts=2, exact=False),
    SearchSettings(widest=3, leaves=2),
    SearchSettings(look_ahead=True, leaves=2, transpositions=True),
    SearchSettings(leaves=3, root="gumbel", transpositions=True, update_all_parents=True),
]


@pytest.mark.parametrize("options", BATCH_SETTINGS, ids=lambda options: options.to_text() or "default")
@pytest.mark.parametrize("game", ["connect4", "othello:size=6"])
def test_a_batch_of_games_equals_the_same_games_one_by_one(game: str, options: SearchSettings) -> None:
    together = play_games(game, options, list(range(9)))
    for number in range(9):
        assert play_games(game, options, [number])[number] == together[number]


def test_threads_change_nothing() -> None:
    options = SearchSettings(leaves=2)
    alone = play_games("connect4", options, list(range(8)))
    with ThreadPoolExecutor(4) as pool:
        parts = list(pool.map(lambda first: play_games("connect4", options, [first, first + 1]), range(0, 8, 2)))
    assert {number: told for part in parts for number, told in part.items()} == alone


@given(considered=st.integers(1, 40), simulations=st.integers(1, 300))
@settings(deadline=None)
def test_halving_schedule_is_computed_without_a_table(considered: int, simulations: int) -> None:
    schedule = halving_schedule(considered, simulations)
    assert schedule == [considered_visits(considered, simulations, index) for index in range(simulations)]


def test_a_forced_win_is_proven_played_and_reported() -> None:
    game = find_game("connect4")
    forest = Forest(game, nodes=5000)
    forest.set_root(0, Position(game, "4453").state)  # quiet
    forest.search(HashEvaluator(game), 50)
    assert forest.root_bounds(0) == (-1, 1)
    forest.set_root(0, Position(game, "414243").state)  # X has 4 4 4 in column 4: a fourth wins
    forest.search(HashEvaluator(game), 200)
    assert forest.root_bounds(0) == (1, 1)
    assert forest.root_value(0) == 1.0
    assert forest.choose()[0] == 3


def test_with_halving_moves_that_were_dropped_do_not_lower_the_value() -> None:
    game = find_game("gomoku:size=9")

    def one_good_move(planes: npt.NDArray[np.float32]) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
        """Whoever faces a stone of the other's on the first cell stands badly, and otherwise well."""
        return np.zeros((len(planes), game.action_count), np.float32), np.where(planes[:, 1, 0, 0] > 0, -0.8, 0.8).astype(
            np.float32
        )

    halving = Forest(game, SearchSettings(root="gumbel", considered=81), nodes=400)
    halving.search(one_good_move, 100)
    edges = {edge.action: edge for edge in halving.root_edges(0)}
    assert halving.choose()[0] == 0 and edges[0].value > 0.5 > -0.5 > edges[1].value
    assert sum(edge.visits for edge in edges.values() if edge.value < 0) > 70
    assert halving.root_value(0) == pytest.approx(edges[0].value, abs=0.1)


def test_a_forced_loss_and_a_forced_draw_are_reported() -> None:
    game = find_game("tictactoe")
    forest = Forest(game, SearchSettings(transpositions=True), nodes=6000)
    forest.search(HashEvaluator(game), 100_000)
    assert forest.root_bounds(0) == (0, 0)
    assert forest.counts().simulations < 100_000  # a proven root ends the search
    forest.set_root(0, Position(game, "a1 b1 a3 c2").state)
    forest.search(HashEvaluator(game), 10_000)
    assert forest.root_bounds(0) == (1, 1)
    forest.advance([int(forest.choose()[0])])
    forest.search(HashEvaluator(game), 10_000)
    assert forest.root_bounds(0) == (-1, -1)


def test_won_and_drawn_positions_are_not_given_away() -> None:
    game = find_game("tictactoe")
    generator = np.random.default_rng(3)
    for _ in range(40):
        position = Position(game)
        for _ in range(4):
            position.play(int(generator.choice(position.legal_actions())))
        value = true_value(position)
        forest = Forest(game, nodes=2000)
        forest.set_root(0, position.state)
        forest.search(HashEvaluator(game), 2000)
        lower, upper = forest.root_bounds(0)
        assert lower <= value <= upper
        assert lower == value or value == -1
        position.play(int(forest.choose()[0]))
        assert true_value(position) == -value


@settings(max_examples=60, deadline=None)
@given(
    options=search_settings,
    plies=st.integers(4, 24),
    simulations=st.integers(1, 80),
    temperature=st.sampled_from([0.0, 1.0]),
    seed=st.integers(0, 10_000),
)
def test_no_move_is_chosen_or_taught_that_is_surely_worse(
    options: SearchSettings, plies: int, simulations: int, temperature: float, seed: int
) -> None:
    """The choice may be as good as any other; and it is not lost while another holds after a reply."""
    game = find_game("connect4:rows=4,columns=5,connect=3")
    generator = np.random.default_rng(seed)
    position = Position(game)
    while len(position.actions) < plies and not position.over:
        position.play(int(generator.choice(position.legal_actions())))
    if position.over:
        position.undo()
    forest = Forest(game, options, nodes=400)
    forest.set_root(0, position.state)
    forest.search(HashEvaluator(game, sharpness=8.0), simulations)
    edges = {edge.action: edge for edge in forest.root_edges(0)}
    sure = max(edge.lower for edge in edges.values())
    holds = any(edge.upper > -1 and edge.visits >= 2 for edge in edges.values())
    taught = {action for action in edges if forest.policies()[0, action] > 0}
    for action in {int(forest.choose(temperature)[0]), *taught}:
        assert edges[action].upper >= sure
        assert edges[action].upper > -1 or not holds


def test_a_proven_draw_leaves_the_simulations_to_open_moves() -> None:
    """And a time limit is kept where nothing is left to evaluate."""
    game = find_game("gomoku:size=5")
    moves = "a2 c3 b4 c4 a5 c5 b5 d4 b1 d2 d1 e3 b2 e1 e2 d3 a3 b3 c1 e5 a1"
    forest = Forest(game, nodes=4000)
    forest.set_root(0, Position(game, moves).state)
    forest.search(HashEvaluator(game), 2**31 - 1, seconds=5)
    assert forest.root_bounds(0) == (0, 0)
    inexact = Forest(game, SearchSettings(exact=False), nodes=4000)
    inexact.set_root(0, Position(game, moves).state)
    worked = time.thread_time()
    inexact.search(HashEvaluator(game), 2**31 - 1, seconds=0.1)
    assert time.thread_time() - worked < 5


class FailingEvaluator:
    """Works, then gives what it is told to give."""

    def __init__(self, game: Game, fault: Callable[[], object]) -> None:
        self.good, self.fault, self.calls = HashEvaluator(game), fault, 0

    def __call__(self, planes: npt.NDArray[np.float32]) -> Any:
        self.calls += 1
        return self.good(planes) if self.calls < 4 else self.fault()


def raise_an_error() -> None:
    raise RuntimeError("the evaluator failed")


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        (raise_an_error, "the evaluator failed"),
        (lambda: (np.zeros((1, 3), np.float32), np.zeros(1, np.float32)), "shape"),
        (lambda: (np.zeros((9, 7), np.float32), np.zeros(9, np.float32)), "shape"),
        (lambda: (np.full((1, 7), np.nan, np.float32), np.zeros(1, np.float32)), "not finite"),
        (lambda: (np.zeros((1, 7), np.float32), np.full(1, np.inf, np.float32)), "not finite"),
    ],
)
def test_a_failing_evaluator_is_told_and_leaves_a_sound_tree(fault: Callable[[], object], said: str) -> None:
    game = find_game("connect4")
    forest = Forest(game, nodes=300)
    with pytest.raises((RuntimeError, ValueError), match=said):
        forest.search(FailingEvaluator(game, fault), 100)
    forest.search(HashEvaluator(game), 100)
    fresh = Forest(game, nodes=300)
    fresh.search(HashEvaluator(game), 100)
    assert tree_of_forest(forest, 0) == tree_of_forest(fresh, 0)


def test_evaluators_may_answer_in_double_precision() -> None:
    game = find_game("connect4")
    forest = Forest(game, nodes=300)
    forest.search(lambda planes: (np.zeros((len(planes), 7)), np.zeros(len(planes))), 50)  # type: ignore[arg-type,return-value]
    assert sum(edge.visits for edge in forest.root_edges(0)) == 50


def test_room_for_less_than_a_root_is_refused() -> None:
    with pytest.raises(ValueError, match="room for a root"):
        Forest(find_game("connect4"), edges=3)


def test_a_full_tree_says_so_and_goes_on() -> None:
    game = find_game("connect4")
    forest = Forest(game, nodes=20)
    forest.search(HashEvaluator(game), 500)
    assert forest.is_full(0)
    assert sum(edge.visits for edge in forest.root_edges(0)) == 500
    forest.set_root(0, game.initial_state())
    forest.search(HashEvaluator(game), 10)
    assert not forest.is_full(0)


def test_time_limit_ends_a_search() -> None:
    game = find_game("gomoku")
    forest = Forest(game, nodes=2000)
    forest.search(HashEvaluator(game), 10_000_000, seconds=0.2)
    done = sum(edge.visits for edge in forest.root_edges(0))
    assert 0 < done < 10_000_000


def test_the_cache_saves_evaluations_and_changes_nothing() -> None:
    game = find_game("connect4")
    forests = [Forest(game, SearchSettings(leaves=4), trees=3, nodes=400, cache=cache) for cache in (0, 4096)]
    for forest in forests:
        forest.search(HashEvaluator(game), 300)
    assert tree_of_forest(forests[0], 1) == tree_of_forest(forests[1], 1)
    assert forests[1].counts().evaluations < forests[0].counts().evaluations
    assert forests[1].counts().cache_hits > 0


def test_temperature_follows_its_schedule() -> None:
    schedule = MoveSettings(temperature=1, temperature_plies=3, late_temperature=0.25)
    assert [schedule.temperature_at(ply) for ply in range(5)] == [1, 1, 1, 0.25, 0.25]
