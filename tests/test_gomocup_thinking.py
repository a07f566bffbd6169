"""What stands behind a brain of Gomocup: positions it is told, plain moves, time and memory."""

import re
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from engine_helpers import FAR_TOO_LONG, LONG, MOVE, Talk, ThinkingThread, gomocup_session
from hypothesis import given, settings
from hypothesis import strategies as st

from boardzero.cores import usable_cores
from boardzero.engines.brains import completed, new_brain, tree_megabytes
from boardzero.engines.gomocup import GomocupSession
from boardzero.engines.gomocup_thinking import told_board
from boardzero.engines.memory import used_megabytes
from boardzero.engines.mind import PlayerMind, position_of
from boardzero.engines.plain_moves import plain_move
from boardzero.engines.position_thinking import told
from boardzero.engines.timing import Lateness, time_for_move
from boardzero.engines.told_position import ToldPosition
from boardzero.games.catalogue import find_game
from boardzero.games.position import Position
from boardzero.players.forest_player import ForestPlayer
from boardzero.protocols.gomocup import Board, Point
from boardzero.search.line_heuristic import LineHeuristic


@settings(deadline=None, max_examples=50)
@given(st.integers(5, 20), st.booleans(), st.lists(st.integers(0, 399), max_size=60, unique=True))
def test_plain_moves_are_free_cells(size: int, exact: bool, cells: list[int]) -> None:
    stones = {Point(cell % size, cell // size): index % 2 == 0 for index, cell in enumerate(cells) if cell < size * size}
    board = Board(size, stones)
    chosen = plain_move(board, exact)
    assert (chosen is None) == (len(stones) == size * size)
    assert chosen is None or (board.has(chosen) and chosen not in stones)


def test_plain_moves_win_and_prevent_losing() -> None:
    four = {Point(x, 3): True for x in range(1, 5)}
    assert plain_move(Board(10, {**four, Point(0, 3): False}), exact=False) == Point(5, 3)
    assert plain_move(Board(10, {p: not own for p, own in four.items()} | {Point(0, 3): True}), exact=False) == Point(5, 3)
    six = {Point(x, 3): True for x in (1, 2, 3, 5, 6)}
    blocked = {Point(x, 8): True for x in range(6, 10)} | {Point(0, 0): False}
    assert plain_move(Board(10, six | blocked), exact=True) == Point(5, 8)  # a sixth stone wins nothing, a fifth does
    assert plain_move(Board(10, six), exact=False) == Point(4, 3)


def position_on(stones: dict[Point, bool], exact: bool = False) -> Position | None:
    known = told_board(Board(9, stones), exact)
    return None if known is None else position_of(known)


def test_boards_become_positions_with_us_to_move() -> None:
    ours_first = position_on({Point(4, 4): True, Point(5, 5): False})
    assert ours_first is not None and ours_first.actions == [40, 50] and ours_first.turn == 0
    unordered = position_on({Point(5, 5): False, Point(4, 4): True}, exact=True)
    assert unordered is not None and unordered.turn == 0 and unordered.game.specification == "gomoku:size=9,rule=standard"
    assert unordered.board.replace("/", "").index("X") == 40
    assert position_on({Point(1, 1): True}) is None  # the others are to move


def test_the_moves_at_the_end_of_stones_in_any_order_stay_moves() -> None:
    """So what is told after a BOARD in any order begins with the same start, and the tree is kept."""
    listed = {Point(0, 0): True, Point(1, 0): True, Point(0, 1): False, Point(1, 1): False}
    first = told_board(Board(9, listed), exact=False)
    assert first is not None and first.actions == (10,) and first.start is not None
    later = told_board(Board(9, {**listed, Point(4, 4): True, Point(5, 5): False}), exact=False)
    assert later is not None and later.start == first.start and later.actions == (10, 40, 50)
    backwards = dict(reversed(listed.items()))
    told_first = told_board(Board(9, backwards), exact=False)
    assert told_first is not None and told_first.actions == ()  # a stone of ours came last
    told_later = told_board(Board(9, {**backwards, Point(4, 4): True, Point(5, 5): False}), exact=False)
    assert told_later is not None and told_later.start == told_first.start and told_later.actions == (40, 50)
    for known in (first, told_first):
        position = position_of(known)
        assert position is not None and position.turn == 0 and position.board.startswith("XX......./OO.......")


def test_boards_of_games_that_are_over_become_no_positions() -> None:
    ordered = {Point(x, y): y == 1 for x in range(5) for y in range(2)}
    last = Point(8, 8)
    assert position_on(dict(list(ordered.items())[:8])) is not None
    assert position_on(ordered) is None and position_on({**ordered, last: False}) is None
    assert position_on(dict(sorted(ordered.items(), reverse=True))) is None


@settings(deadline=None)
@given(st.floats(0, 10_000, exclude_min=True), st.none() | st.floats(0, 10_000, exclude_min=True), st.integers(0, 200))
def test_thinking_stays_within_95_percent_of_every_limit(turn: float, left: float | None, moves: int) -> None:
    times = time_for_move(turn, left, moves, usual=5)
    limit = turn if left is None else min(turn, left)
    assert 0 <= times.soft <= times.hard <= 0.95 * limit
    assert limit < 1.2 or left is not None or times.soft >= 0.89 * limit


def test_no_time_at_all_means_as_fast_as_possible() -> None:
    for turn, left in ((0, None), (0, 100), (30, 0), (None, 0), (30, -5)):
        times = time_for_move(turn, left, 50, usual=5, lateness=1)
        assert 0 < times.soft < times.hard < 0.5


def test_a_machine_that_was_late_gets_more_room() -> None:
    lateness = Lateness()
    assert time_for_move(1, None, 50, 5, lateness.seconds).soft == pytest.approx(0.88)
    lateness.saw(planned=10.0, answered=10.3)
    assert time_for_move(1, None, 50, 5, lateness.seconds).soft == pytest.approx(0.4)
    for _ in range(150):
        lateness.saw(planned=10.0, answered=9.5)
    assert time_for_move(1, None, 50, 5, lateness.seconds).soft > 0.85
    assert time_for_move(1, None, 50, 5, lateness=9).soft == pytest.approx(0.1)


def test_a_game_time_is_spread_over_its_moves() -> None:
    left = 60.0
    for move in range(60):
        left -= time_for_move(30, left, 100 - move, usual=5).soft
    assert left > 0


@contextmanager
def slow_brain(milliseconds: int, first_thought: int | None = None) -> Iterator[Talk]:
    """A brain with so much time, whose player needs far more; it may tell a first thought at once."""
    process, is_over = ThinkingThread("random"), threading.Event()
    talk = Talk(lambda answer: GomocupSession(answer, process))
    talk.say("START 15", f"INFO timeout_turn {milliseconds}")

    def choose(*arguments: object) -> None:
        if first_thought is not None:
            process.mind.tell(first_thought)
        is_over.wait(FAR_TOO_LONG)

    process.mind.choose = choose  # type: ignore[method-assign, assignment]
    yield talk
    is_over.set()


def test_late_players_are_replaced_by_a_plain_move_in_time() -> None:
    with slow_brain(400) as talk:
        begun = time.perf_counter()
        move, remark = talk.say("TURN 7,7")
        assert time.perf_counter() - begun < FAR_TOO_LONG / 2
        assert MOVE.fullmatch(move) and remark == "DEBUG the player was not ready in time: a plain move"
        assert isinstance(talk.session, GomocupSession) and talk.session._lateness.seconds == 0  # the next has all its time


def test_a_first_thought_is_played_when_the_last_comes_too_late() -> None:
    with slow_brain(2000, first_thought=3 * 15) as talk:
        begun = time.perf_counter()
        assert talk.say("TURN 7,7") == ["0,3"]
        assert time.perf_counter() - begun < FAR_TOO_LONG / 2


def test_searches_without_end_tell_what_they_think_on_the_way() -> None:
    mind = PlayerMind()
    thoughts: list[int] = []
    position = Position(find_game("gomoku:size=9"), "e5")
    mind.get_ready(told(position), 0)
    mind.tell = thoughts.append
    chosen = mind.choose(told(position), 0, time.perf_counter() + 1.0)
    assert chosen is not None and len(thoughts) == 2 and {*thoughts} <= {*position.legal_actions()}


def test_unusable_players_are_told_and_replaced() -> None:
    talk = Talk(lambda answer: gomocup_session(answer, "alphazero:network=/nowhere.onnx"))
    talk.say("START 15", f"INFO timeout_turn {LONG}")
    answers = talk.say("TURN 7,7")
    assert re.match("MESSAGE There is no network file .*: a plain move", answers[0]) and MOVE.fullmatch(answers[-1])


def test_the_tree_gets_what_the_manager_allows_beyond_what_is_used_already() -> None:
    used = used_megabytes(0)
    assert 30 < used < 10_000
    assert tree_megabytes(0) == 1024
    assert 100 < tree_megabytes(int((used + 400) * 1e6)) < 400
    assert tree_megabytes(1) == 4


# In a process of its own: what other tests leave in this one, and their threads, takes and gives back memory at any moment.
MEMORY_OF_A_SEARCH = """
from boardzero.engines.brains import new_brain
from boardzero.engines.memory import used_megabytes
from boardzero.games.catalogue import find_game
from boardzero.games.position import Position

position = Position(find_game("gomoku"), "h8")
new_brain("heuristic:memory=4", position.game).choose(position, 0.1)  # compiles, if need be
used = used_megabytes(0)
player = new_brain("heuristic", position.game, max_memory=int((used + 100) * 1e6))
player.choose(position, 1.0)
print(player.parameters.memory, used_megabytes(0) - used)
"""


def test_a_search_stays_within_the_memory_that_the_manager_allows() -> None:
    run = subprocess.run([sys.executable, "-c", MEMORY_OF_A_SEARCH], capture_output=True, text=True, check=True)
    tree, more = map(float, run.stdout.split())
    assert tree < 100
    assert more < 200  # far from the 1024 of a tree without a limit


def test_a_tree_is_as_large_as_the_loaded_network_leaves_room_for(monkeypatch: pytest.MonkeyPatch) -> None:
    game, loaded = find_game("gomoku:size=9"), list[LineHeuristic]()

    def load(*_: object) -> LineHeuristic:
        loaded.append(LineHeuristic(game))
        return loaded[-1]

    monkeypatch.setattr("boardzero.players.alphazero.find_evaluator", load)
    monkeypatch.setattr("boardzero.engines.brains.used_megabytes", lambda _: 300 if loaded else 100)
    player = new_brain("alphazero", game, max_memory=500_000_000)
    assert isinstance(player, ForestPlayer) and player.parameters.memory == 160 and player.evaluate is loaded[0]
    said = new_brain("alphazero:memory=77", game, max_memory=500_000_000)
    assert isinstance(said, ForestPlayer) and said.parameters.memory == 77


def test_the_tree_of_another_board_is_gone_when_the_next_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    mind, trees = PlayerMind("heuristic"), list[bool]()
    mind.get_ready(ToldPosition("gomoku:size=9", (40,)), 0)
    assert isinstance(mind._player, ForestPlayer)
    tree = weakref.ref(mind._player.forest)

    def used(_: float) -> float:
        trees.append(tree() is not None)
        return 100

    monkeypatch.setattr("boardzero.engines.brains.used_megabytes", used)
    mind.get_ready(ToldPosition("gomoku:size=9,rule=standard", (40,)), 500_000_000)
    assert trees and not any(trees)


def test_an_engine_gives_its_player_all_that_is_not_said() -> None:
    assert completed("heuristic:sims=5") == "heuristic:sims=5,memory=1024,leaves=8"
    assert completed("heuristic:memory=7") == "heuristic:memory=7,leaves=8,seconds=86400"
    assert completed("minimax:depth=3") == "minimax:depth=3"
    assert "leaves=8" in completed("alphazero:network=x") and f"threads={len(usable_cores())}" in completed("alphazero")
