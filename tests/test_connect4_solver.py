"""The Connect Four solver against known scores, brute force, its own opening book and an outside solver."""

import random
import signal
import time
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boardzero.errors import BadInput
from boardzero.games.catalogue import find_game
from boardzero.games.connect4 import ConnectFour
from boardzero.games.position import Position
from boardzero.games.rules import State
from boardzero.search.bounds_table import new_table
from boardzero.search.connect4_book import Book, read_book, shipped_book
from boardzero.search.connect4_search import Search
from boardzero.search.connect4_solver import ConnectFourSolver
from boardzero.search.connect4_threats import describe_board
from boardzero.search.exhaustive import ExhaustiveSolver, Result
from boardzero.search.slices import OutOfTime

DATA = Path(__file__).parent / "data" / "connect4"
QUICK_SETS = ["Test_L3_R1", "Test_L2_R1", "Test_L2_R2", "Test_L1_R1"]  # few or easy plies to the end
SLOW_SETS = {"Test_L1_R2": False, "Test_L1_R3": True}  # with the book? By search alone the last would take an hour.


def connect4(specification: str = "connect4") -> ConnectFour:
    game = find_game(specification)
    assert isinstance(game, ConnectFour)
    return game


@cache
def solver(specification: str = "connect4", use_book: bool = True) -> ConnectFourSolver:
    return ConnectFourSolver(connect4(specification), table_bits=20, use_book=use_book)


def random_state(game: ConnectFour, plies: int, generator: random.Random) -> State:
    """A position that goes on, reached by this many random moves."""
    while True:
        position = Position(game)
        while len(position.actions) < plies and not position.over:
            position.play(generator.choice(position.legal_actions()))
        if not position.over:
            return position.state


def wrongly_scored(name: str, use_book: bool) -> list[str]:
    lines = [line.split() for line in (DATA / name).read_text().splitlines()]
    assert len(lines) == 1000
    one = solver(use_book=use_book)
    return [moves for moves, score in lines if one.score(Position(one.game, moves).state) != int(score)]


@pytest.mark.parametrize("name", QUICK_SETS)
def test_every_position_of_a_quick_benchmark_set_is_scored_exactly_by_search_alone(name: str) -> None:
    assert wrongly_scored(name, use_book=False) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", SLOW_SETS)
def test_every_position_of_a_slow_benchmark_set_is_scored_exactly(name: str) -> None:
    assert wrongly_scored(name, SLOW_SETS[name]) == []


def test_early_positions_of_the_hardest_set_are_scored_exactly_by_the_book() -> None:
    lines = [line.split() for line in (DATA / "Test_L1_R3").read_text().splitlines()]
    early = {moves: int(score) for moves, score in lines if len(moves) <= 10}
    assert len(early) > 900
    assert {moves: solver().score(Position(solver().game, moves).state) for moves in early} == early


def test_first_moves_have_their_known_scores() -> None:
    start = solver().game.initial_state()
    assert solver().action_scores(start) == [-2, -1, 0, 1, 0, -1, -2]
    assert solver().action_values(start) == [-1, -1, 0, 1, 0, -1, -1]
    assert (solver().score(start), solver().value(start)) == (1, 1)


def test_a_winning_move_scores_the_stones_left_to_its_player() -> None:
    state = Position(connect4(), "112233").state
    scores = solver().action_scores(state)
    assert scores[3] == 18  # the fourth of 21 stones wins
    assert solver().score(state) == 18


def test_full_columns_have_no_score() -> None:
    state = Position(connect4(), "111111").state
    assert solver().action_scores(state)[0] is None
    assert solver().action_values(state)[0] is None
    assert None not in solver().action_scores(state)[1:]


def test_finished_games_score_what_they_came_to() -> None:
    won = Position(connect4(), "1122334").state
    assert (solver().score(won), solver().value(won)) == (-18, -1)
    assert solver().action_scores(won) == [None] * 7
    small = solver("connect4:rows=2,columns=2,connect=2")
    assert small.score(Position(small.game, "11").state) == 1
    tiny = solver("connect4:rows=1,columns=3,connect=3")
    assert tiny.score(Position(tiny.game, "123").state) == 0


# -- against brute force -----------------------------------------------------------------------------------------------
def expected_score(game: ConnectFour, state: State, result: Result) -> int:
    """A result of plies as a score: the stones that the winner has left, counting the one that wins."""
    if result.plies is None:
        return 0
    stones = int(np.count_nonzero(game.cells(state)))
    return result.value * ((game.max_plies + 2 - stones - result.plies) // 2)


@cache
def referee(specification: str) -> ExhaustiveSolver:
    return ExhaustiveSolver(connect4(specification))


# board → how many random moves come first, so that brute force is quick
SMALL_BOARDS = {
    "connect4:rows=4,columns=4": 0,
    "connect4:rows=4,columns=4,connect=3": 0,
    "connect4:rows=4,columns=5": 6,
    "connect4:rows=4,columns=5,connect=3": 0,
    "connect4:rows=5,columns=4": 6,
    "connect4:rows=5,columns=5": 12,
    "connect4:rows=5,columns=5,connect=3": 5,
    "connect4:rows=5,columns=5,connect=5": 13,
    "connect4:rows=3,columns=3,connect=2": 0,
    "connect4:rows=2,columns=7,connect=5": 0,
    "connect4:rows=1,columns=9,connect=3": 0,
    "connect4:rows=7,columns=2,connect=6": 0,
}


@pytest.mark.parametrize("specification", SMALL_BOARDS)
def test_small_boards_are_scored_as_brute_force_does(specification: str) -> None:
    one, brute_force = solver(specification), referee(specification)
    game, generator = one.game, random.Random(1)
    for _ in range(25):
        state = random_state(game, SMALL_BOARDS[specification], generator)
        while game.legal_actions(state):
            result = brute_force.result(state)
            assert one.score(state) == expected_score(game, state, result), game.board_to_text(state)
            assert one.value(state) == result.value
            state = game.next_state(state, generator.choice(game.legal_actions(state)))


def test_action_scores_agree_with_brute_force() -> None:
    one, brute_force = solver("connect4:rows=4,columns=4"), referee("connect4:rows=4,columns=4")
    generator = random.Random(2)
    for plies in range(12):
        state = random_state(one.game, plies, generator)
        results = brute_force.action_results(state)
        scores, values = one.action_scores(state), one.action_values(state)
        for column in range(4):
            result = results.get(column)
            assert scores[column] == (None if result is None else expected_score(one.game, state, result))
            assert values[column] == (None if result is None else result.value)


@pytest.mark.parametrize("specification", ["connect4:rows=15,columns=4,connect=8", "connect4:rows=31,columns=2,connect=8"])
def test_tall_boards_within_64_bits_are_solved(specification: str) -> None:
    """Those whose states are not bitboards, since the rules would shift too far, are solved too."""
    assert not connect4(specification).is_bitboard
    one, brute_force = solver(specification), referee(specification)
    game, generator = one.game, random.Random(3)
    for _ in range(5):
        state = random_state(game, 48, generator)
        assert one.score(state) == expected_score(game, state, brute_force.result(state))


def test_boards_beyond_64_bits_are_refused() -> None:
    with pytest.raises(BadInput, match="at most 64"):
        ConnectFourSolver(connect4("connect4:rows=8,columns=8"))


@pytest.mark.parametrize("table_bits", [14, 33])
def test_impossible_table_sizes_are_refused(table_bits: int) -> None:
    with pytest.raises(BadInput, match="15 to 32"):
        ConnectFourSolver(connect4(), table_bits)


@given(st.integers(0, 2**32), st.integers(16, 36))
@settings(max_examples=60, deadline=None)
def test_scores_values_and_mirror_images_agree(seed: int, plies: int) -> None:
    one = solver(use_book=False)
    game = one.game
    state = random_state(game, plies, random.Random(seed))
    scores = one.action_scores(state)
    assert one.score(state) == max(score for score in scores if score is not None)
    assert one.action_values(state) == [None if score is None else int(np.sign(score)) for score in scores]
    assert one.action_scores(game.transformed(state, game.symmetries[1])) == scores[::-1]


def test_a_small_table_gives_the_same_scores() -> None:
    crowded, roomy = ConnectFourSolver(connect4(), 15, use_book=False), solver(use_book=False)
    generator = random.Random(4)
    for _ in range(30):
        state = random_state(crowded.game, 16, generator)
        assert crowded.score(state) == roomy.score(state)


# -- the opening book --------------------------------------------------------------------------------------------------
def book() -> Book:
    found = shipped_book(connect4())
    assert found is not None
    return found


def test_the_shipped_book_holds_every_undecided_position_up_to_ten_stones() -> None:
    assert (book().rows, book().columns, book().connect, book().most_stones) == (6, 7, 4, 10)
    assert len(book().keys) == len(book().scores) == 974_919
    assert (np.diff(book().keys.astype(np.int64)) > 0).all()
    generator = random.Random(5)
    searching = solver().nodes
    for _ in range(300):
        solver().action_scores(random_state(connect4(), generator.randrange(10), generator))
    assert solver().nodes == searching


def test_search_alone_agrees_with_book_entries() -> None:
    """Positions of nine and ten stones, since search takes longer the fewer there are."""
    one, generator = solver(use_book=False), random.Random(6)
    for plies in (10, 10, 10, 10, 10, 10, 9, 9):
        state = random_state(connect4(), plies, generator)
        assert one.score(state) == solver().score(state), one.game.board_to_text(state)


@pytest.mark.slow
def test_search_alone_agrees_with_many_book_entries() -> None:
    one, generator = solver(use_book=False), random.Random(7)
    for plies in [10] * 100 + [9] * 50 + [8] * 25 + [7] * 5:
        state = random_state(connect4(), plies, generator)
        assert one.score(state) == solver().score(state), one.game.board_to_text(state)


def test_book_scores_follow_from_those_one_stone_later() -> None:
    generator = random.Random(8)
    for _ in range(200):
        state = random_state(connect4(), generator.randrange(10), generator)
        assert solver().score(state) == max(score for score in solver().action_scores(state) if score is not None)


def test_a_written_book_reads_back_the_same(tmp_path: Path) -> None:
    written = Book(4, 5, 4, 3, np.array([0, 1, 70, 2**40 + 3], np.uint64), np.array([0, -3, 2, 1], np.int8))
    written.write(tmp_path / "book.npz")
    found = read_book(tmp_path / "book.npz")
    assert (found.rows, found.columns, found.connect, found.most_stones) == (4, 5, 4, 3)
    assert found.keys.tolist() == written.keys.tolist()
    assert found.scores.tolist() == written.scores.tolist()
    assert found.find(70) == 2
    assert found.find(71) is None


def test_mirrored_positions_share_a_book_entry() -> None:
    one = Book(2, 3, 2, 1, np.array([0b000_000_001], np.uint64), np.array([2], np.int8))
    assert one.find(0b000_000_001) == one.find(0b001_000_000) == 2


# -- against an outside solver -----------------------------------------------------------------------------------------
@pytest.fixture(scope="module")
def bitbully() -> Any:
    return pytest.importorskip("bitbully", reason="bitbully, the outside Connect Four solver, is not installed")


def test_scores_agree_with_bitbully_on_random_positions(bitbully: Any) -> None:
    agent, generator = bitbully.BitBully(), random.Random(9)
    for _ in range(150):
        position = Position(connect4())
        plies = generator.randrange(12, 40)
        while len(position.actions) < plies and not position.over:
            position.play(generator.choice(position.legal_actions()))
        if position.over:
            continue
        scores = agent.score_all_moves(bitbully.Board(position.actions))
        found = solver().action_scores(position.state)
        assert {column: score for column, score in enumerate(found) if score is not None} == scores, position.moves


# -- interruptions -----------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("count", [1, 7, 1000])
def test_a_search_in_slices_visits_the_same_positions_as_one_without(count: int) -> None:
    game = connect4()
    state = Position(game, "25777131474464721417").state
    searches = [Search(describe_board(6, 7, 4), new_table(16), game.max_plies) for _ in range(2)]
    for search, nodes in zip(searches, (count, 1 << 40), strict=True):
        search.begin(state[1], state[2], 22, -11, 10)
        slices = 1
        while not search.go_on(nodes):
            slices += 1
        assert slices == -(-int(search.nodes[0]) // nodes)
    assert searches[0].nodes[0] == searches[1].nodes[0] > 1000
    assert searches[0].score == searches[1].score == solver(use_book=False).score(state)


def test_a_limit_ends_solving_and_the_next_try_gets_further() -> None:
    one = solver("connect4:rows=7,columns=8")
    state = one.game.initial_state()
    for _ in range(2):
        before, worked = one.nodes, time.thread_time()
        with pytest.raises(OutOfTime):
            one.action_scores(state, seconds=0.1)
        assert time.thread_time() - worked < 1
        assert one.nodes > before
    late = random_state(one.game, 40, random.Random(1))
    assert one.action_scores(late, seconds=60) == one.action_scores(late)


def test_solving_hears_an_interrupt() -> None:
    one = solver("connect4:rows=7,columns=8")
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    signal.setitimer(signal.ITIMER_REAL, 0.2)
    try:
        with pytest.raises(KeyboardInterrupt):
            one.score(one.game.initial_state())
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    late = random_state(one.game, 44, random.Random(2))
    assert one.score(late) == solver("connect4:rows=7,columns=8", use_book=False).score(late)
