"""Exact Othello endgames against the FFO positions, brute force, and known results of small boards."""

import random
import time
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boardzero.errors import BadInput
from boardzero.games.bits import count_bits
from boardzero.games.catalogue import find_game
from boardzero.games.othello import BOARDS, Othello, find_turned
from boardzero.games.rules import State
from boardzero.search.exhaustive import ExhaustiveSolver
from boardzero.search.othello_discs import describe_board, discs_turned, stable_discs
from boardzero.search.othello_endgame import OthelloEndgame
from boardzero.search.othello_search import Search
from boardzero.search.othello_table import new_table
from boardzero.search.slices import OutOfTime, run_in_slices

DATA = Path(__file__).parent / "data" / "othello"


def othello(size: int = 8) -> Othello:
    game = find_game(f"othello:size={size}")
    assert isinstance(game, Othello)
    return game


@cache
def solver(size: int = 8) -> OthelloEndgame:
    return OthelloEndgame(othello(size))


@dataclass(frozen=True)
class Problem:
    """One line of an FFO file: a position, and the exact scores of (most of) its moves."""

    number: int
    state: State
    scores: dict[str, int]

    @property
    def empties(self) -> int:
        return 64 - count_bits(self.state[1] | self.state[2])


def read_problems(name: str, first_number: int) -> list[Problem]:
    problems = []
    for number, line in enumerate((DATA / name).read_text().splitlines(), first_number):
        position, *moves = (part.strip() for part in line.strip().rstrip(";").split(";"))
        cells, side = position.replace("-", ".").split()
        board = "/".join(cells[row : row + 8] for row in range(0, 64, 8))
        scores = {move.lower(): int(score) for move, score in (entry.split(":") for entry in moves)}
        problems.append(Problem(number, othello().board_from_text(f"{board} {side}"), scores))
    return problems


PROBLEMS = read_problems("fforum-1-19.obf", 1) + read_problems("fforum-20-39.obf", 20)
EASY = [problem for problem in PROBLEMS if problem.empties <= 18]
HARD = [problem for problem in PROBLEMS if problem.empties > 18]


def random_state(game: Othello, empties: int, generator: random.Random) -> State:
    """A position that goes on with this many empty cells, reached by random moves."""
    while True:
        state = game.initial_state()
        while game.legal_actions(state) and game.size**2 - count_bits(state[1] | state[2]) > empties:
            state = game.next_state(state, generator.choice(game.legal_actions(state)))
        if game.legal_actions(state):
            return state


def plain_score(game: Othello, state: State) -> int:
    """The score by plain minimax over the rules."""
    actions = game.legal_actions(state)
    if actions:
        return max(-plain_score(game, game.next_state(state, action)) for action in actions)
    own, other = (count_bits(word) for word in state[1:3])
    empties = game.size**2 - own - other
    return own - other + empties * int(np.sign(own - other))


@pytest.mark.parametrize("problem", EASY, ids=lambda problem: f"FFO{problem.number}")
def test_ffo_positions_have_their_exact_score_and_value(problem: Problem) -> None:
    best = max(problem.scores.values())
    assert solver().score(problem.state) == best
    assert solver().value(problem.state) == np.sign(best)


@pytest.mark.parametrize("problem", EASY, ids=lambda problem: f"FFO{problem.number}")
def test_every_listed_move_of_an_ffo_position_has_its_exact_score(problem: Problem) -> None:
    game = othello()
    scores = {game.action_to_text(action): score for action, score in solver().action_scores(problem.state).items()}
    assert {move: scores[move] for move in problem.scores} == problem.scores
    assert max(scores.values()) == max(problem.scores.values())


@pytest.mark.slow
@pytest.mark.parametrize("problem", HARD, ids=lambda problem: f"FFO{problem.number}")
def test_ffo_positions_with_up_to_26_empty_cells_have_their_exact_score(problem: Problem) -> None:
    assert solver().score(problem.state) == max(problem.scores.values())


@pytest.mark.parametrize("size", [4, 6, 8])
def test_last_cells_are_scored_as_plain_minimax_does(size: int) -> None:
    game, generator = othello(size), random.Random(1)
    for empties in (1, 2, 3, 4, 5, 6):
        for _ in range(6):
            state = random_state(game, empties, generator)
            score = plain_score(game, state)
            assert solver(size).score(state) == score, game.board_to_text(state)
            assert solver(size).value(state) == np.sign(score)


@pytest.mark.parametrize("size", [6, 8])
def test_values_of_nine_empty_cells_agree_with_brute_force(size: int) -> None:
    game, generator = othello(size), random.Random(2)
    brute_force = ExhaustiveSolver(game)
    for _ in range(4):
        state = random_state(game, 9, generator)
        assert solver(size).action_values(state) == brute_force.action_values(state)
        assert solver(size).value(state) == brute_force.value(state)


def test_second_player_wins_othello_on_four_by_four_by_eight_discs_and_two_empty_cells() -> None:
    """11 to 3 and two cells that nobody can take, which count for the winner."""
    start = othello(4).initial_state()
    assert solver(4).score(start) == -10
    assert solver(4).value(start) == -1
    assert set(solver(4).action_scores(start).values()) == {-10}


@pytest.mark.slow
def test_second_player_wins_othello_on_six_by_six_20_to_16() -> None:
    """The first moves are all turned images of one another; after one, the score is neither above nor below 4."""
    game = othello(6)
    start = game.initial_state()
    _, own, other, _ = game.next_state(start, game.legal_actions(start)[0])
    search = Search(describe_board(6), new_table(24))
    for lower, upper in ((4, 6), (2, 4)):
        search.begin(own, other, lower, upper)
        run_in_slices(search.go_on)
        assert search.score == 4


def test_a_forced_pass_is_an_action_with_a_score() -> None:
    game = othello(4)
    passing = game.board_from_text("XXXX/XXXX/XXXO/XXO. O")
    assert game.legal_actions(passing) == [16]
    assert solver(4).action_scores(passing) == {16: -16}


def test_finished_games_score_their_discs_and_empty_cells_for_the_winner() -> None:
    game = othello(4)
    state = game.board_from_text("XXX./.X../..../.... O")
    assert game.legal_actions(state) == []
    assert solver(4).score(state) == -16
    assert solver(4).value(state) == -1
    assert solver(4).action_scores(state) == {}


@given(st.integers(0, 2**32), st.integers(7, 11), st.sampled_from([6, 8]))
@settings(max_examples=25, deadline=None)
def test_scores_follow_from_those_one_ply_later_and_are_the_same_turned_round(seed: int, empties: int, size: int) -> None:
    game = othello(size)
    state = random_state(game, empties, random.Random(seed))
    scores = solver(size).action_scores(state)
    assert solver(size).score(state) == max(scores.values())
    assert solver(size).action_values(state) == {action: int(np.sign(score)) for action, score in scores.items()}
    for symmetry in game.symmetries[1:]:
        assert OthelloEndgame(game, 12).score(game.transformed(state, symmetry)) == max(scores.values())


@given(st.integers(0, 2**64 - 1), st.integers(0, 2**64 - 1), st.integers(0, 63))
@settings(max_examples=300, deadline=None)
def test_discs_turned_are_those_of_the_rules(first: int, second: int, cell: int) -> None:
    own, other = first & ~second & ~(1 << cell), second & ~first & ~(1 << cell)
    words = np.uint64(own), np.uint64(other)
    assert discs_turned(cell, *words) == find_turned(np.uint64(1 << cell), *words)


@pytest.mark.parametrize("size", [4, 6, 8])
def test_stable_discs_are_never_turned_in_random_play(size: int) -> None:
    game, generator = othello(size), random.Random(3)
    seen = 0
    for _ in range(60):
        state = random_state(game, generator.randrange(2, size * size // 2), generator)
        turn, board = game.turn(state), BOARDS[size]
        stable = int(stable_discs(board, state[1], board & ~(state[1] | state[2])))
        seen += stable.bit_count()
        while game.legal_actions(state):
            state = game.next_state(state, generator.choice(game.legal_actions(state)))
        assert stable & ~int(state[1] if game.turn(state) == turn else state[2]) == 0
    assert seen > 60


def test_corners_are_stable_and_full_boards_wholly() -> None:
    board = BOARDS[8]
    assert stable_discs(board, np.uint64(1), board & ~np.uint64(1)) == 1
    assert stable_discs(board, np.uint64(0b0110), board & ~np.uint64(0b0110)) == 0
    assert stable_discs(board, board, np.uint64(0)) == board


def test_impossible_table_sizes_are_refused() -> None:
    with pytest.raises(BadInput, match="4 to 30"):
        OthelloEndgame(othello(), 3)


# -- interruptions -----------------------------------------------------------------------------------------------------
def test_a_search_in_slices_visits_the_same_positions_as_one_without() -> None:
    """On 4×4 from the start, with passes on the line of play."""
    _, own, other, _ = othello(4).initial_state()
    searches = [Search(describe_board(4), new_table(12)) for _ in range(3)]
    for search, nodes in zip(searches, (1, 10, 1 << 40), strict=True):
        search.begin(own, other, -16, 16)
        slices = 1
        while not search.go_on(nodes):
            slices += 1
        assert slices == -(-int(search.nodes[0]) // nodes)
    assert {search.score for search in searches} == {-10}
    assert len({int(search.nodes[0]) for search in searches}) == 1 and searches[0].nodes[0] > 1000


def test_a_limit_ends_solving() -> None:
    endgame = OthelloEndgame(othello(8))
    worked = time.thread_time()
    with pytest.raises(OutOfTime):
        endgame.action_scores(endgame.game.initial_state(), seconds=0.1)
    assert time.thread_time() - worked < 1
