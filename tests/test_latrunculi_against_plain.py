"""Latrunculi: the compiled rules beside the plain ones of `latrunculi_plain.py`, and beside themselves turned and mirrored."""

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from latrunculi_drawings import latrunculi
from latrunculi_plain import PlainLatrunculi

from boardzero.games.counting import play_random_games
from boardzero.games.latrunculi import Latrunculi
from boardzero.games.rules import Outcome, State

SIZES = (4, 6, 8)
STARTS = ("placement", "rows", "random", "uneven", "hunt")


def plain(game: Latrunculi, state: State) -> PlainLatrunculi:
    return PlainLatrunculi.from_board(game.board_to_text(state), game.quiet, game.limit, game.least, game.draws)


def result(game: Latrunculi, state: State) -> str:
    outcome, winner = game.outcome(state), game.winner(state)
    return "" if outcome is Outcome.GOING_ON else "draw" if winner is None else str(winner)


def play_in_lock_step(game: Latrunculi, seed: int, greed: float) -> Outcome:
    """A random game, with removals preferred at times so that games end; every ply is compared."""
    draw = random.Random(seed)
    state = game.initial_state(seed)
    twin = plain(game, state)
    while True:
        assert game.board_to_text(state) == twin.board() and result(game, state) == twin.result
        assert np.array_equal(game.board_from_text(twin.board()), state)
        actions = game.legal_actions(state)
        assert actions == sorted(set(actions)) and len(actions) <= game.max_legal
        moves = [game.action_to_text(action) for action in actions]
        assert set(moves) == twin.legal()
        if not moves:
            return game.outcome(state)
        removals = [move for move in moves if move.startswith("x")]
        move = draw.choice(removals if removals and draw.random() < greed else moves)
        state = game.next_state(state, game.action_from_text(move))
        twin = twin.play(move)


@pytest.mark.parametrize("start", STARTS)
@pytest.mark.parametrize(("size", "games"), [(4, 120), (6, 20), (8, 10)])
def test_random_games_in_lock_step_with_the_plain_rules(size: int, games: int, start: str) -> None:
    game = latrunculi(size, start=start, quiet=40, limit=150)
    for seed in range(games):
        play_in_lock_step(game, seed, greed=0.5)


@pytest.mark.parametrize("start", STARTS[:-1])
@pytest.mark.parametrize(("size", "least"), [(4, 3), (6, 5), (8, 14)])
def test_shorter_games_in_lock_step_with_the_plain_rules(size: int, least: int, start: str) -> None:
    game = latrunculi(size, start=start, quiet=80, limit=200, least=least)
    ends = {play_in_lock_step(game, seed, greed=0.9) for seed in range(12)}
    assert Outcome.MOVER_WON in ends


@pytest.mark.parametrize("start", STARTS)
@pytest.mark.parametrize("draws", ["first", "second"])
def test_games_that_one_side_must_win_in_lock_step_with_the_plain_rules(start: str, draws: str) -> None:
    game = latrunculi(6, start=start, quiet=9, limit=60, draws=draws)
    ends = {play_in_lock_step(game, seed, greed=0.5) for seed in range(12)}
    assert Outcome.DRAW not in ends


@pytest.mark.slow
@pytest.mark.parametrize("start", STARTS)
@pytest.mark.parametrize(("size", "games"), [(4, 1000), (6, 150), (8, 40)])
def test_thousands_of_random_games_in_lock_step_with_the_plain_rules(size: int, games: int, start: str) -> None:
    game = latrunculi(size, start=start, quiet=200, limit=1000)
    ends = {play_in_lock_step(game, 1000 + seed, greed=0.9) for seed in range(games)}
    assert ends == {Outcome.DRAW, Outcome.MOVER_WON}


@st.composite
def boards(draw: st.DrawFn) -> tuple[Latrunculi, State]:
    """Any board with any men, of which some that stand between free enemies are captured."""
    game = latrunculi(draw(st.sampled_from(SIZES)))
    shuffled = random.Random(draw(st.integers(0, 2**32)))
    squares = shuffled.sample(range(game.size**2), game.size**2)
    own, other = shuffled.randint(2, game.men), shuffled.randint(2, game.men)
    cells = np.zeros(game.size**2, np.int8)
    cells[squares[:own]], cells[squares[own : own + other]] = 1, 2
    state = game.state_from_cells(cells.reshape(game.size, game.size), shuffled.randint(0, 1), {})
    twin = plain(game, state)
    share = shuffled.random()
    for side, square in shuffled.sample([(s, q) for s in (0, 1) for q in sorted(twin.men[s])], own + other):
        if twin.stands_between_captors(square, side) and shuffled.random() < share:
            twin.captured[side].add(square)
            if any(not twin.stands_between_captors(man, s) for s in (0, 1) for man in twin.captured[s]):
                twin.captured[side].remove(square)
    return game, game.board_from_text(twin.board())


@settings(deadline=None, max_examples=150)
@given(boards())
def test_every_action_on_any_board_agrees_with_the_plain_rules(board: tuple[Latrunculi, State]) -> None:
    game, state = board
    twin = plain(game, state)
    actions = game.legal_actions(state)
    assert {game.action_to_text(action) for action in actions} == twin.legal()
    assert len(actions) <= game.max_legal
    for action in actions:
        after = twin.play(game.action_to_text(action))
        successor = game.next_state(state, action)
        assert game.board_to_text(successor) == after.board() and result(game, successor) == after.result


@settings(deadline=None, max_examples=150)
@given(boards())
def test_planes_show_what_both_sides_could_do_next_by_the_plain_rules(board: tuple[Latrunculi, State]) -> None:
    game, state = board
    twin = plain(game, state)
    own, other = twin.prospects(twin.turn), twin.prospects(1 - twin.turn)
    expected = [squares for pair in zip(own, other, strict=True) for squares in pair]
    for plane, squares in zip(game.encoded(state)[10:16], expected, strict=True):
        assert {(column, game.size - 1 - row) for row, column in np.argwhere(plane)} == squares


@settings(deadline=None, max_examples=60)
@given(boards())
def test_turning_and_mirroring_commute_with_playing(board: tuple[Latrunculi, State]) -> None:
    game, state = board
    actions = game.legal_actions(state)
    planes = game.encoded(state).reshape(len(game.planes), -1)
    for symmetry in game.symmetries:
        turned = game.transformed(state, symmetry)
        assert game.legal_actions(turned) == sorted(int(symmetry.actions[action]) for action in actions)
        assert np.array_equal(game.encoded(turned).reshape(planes.shape), symmetry.apply_to_cells(planes))
        for action in actions[::7]:
            expected = game.transformed(game.next_state(state, action), symmetry)
            assert np.array_equal(game.next_state(turned, int(symmetry.actions[action])), expected)


@pytest.mark.parametrize("start", STARTS)
@pytest.mark.parametrize("size", SIZES)
def test_random_games_end_within_the_longest_game(size: int, start: str) -> None:
    game = latrunculi(size, start=start, quiet=50, limit=120)
    played = play_random_games(game, 200)
    assert played.draws + played.first_player_wins + played.second_player_wins == 200
    assert played.moves <= 200 * game.max_plies
