"""OpenSpiel's games behind the contract, held to OpenSpiel itself."""

import importlib
import pickle
import random
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

from boardzero.errors import BadInput
from boardzero.games.catalogue import find_game
from boardzero.games.conformance import check_game
from boardzero.games.counting import count_sequences, play_random_games
from boardzero.games.drawing import draw
from boardzero.games.openspiel import OpenSpielGame, StateCache
from boardzero.games.position import Position
from boardzero.games.rules import Game
from boardzero.games.wrapped import raise_kept_error

pyspiel = pytest.importorskip("pyspiel")

# With captures, with connections, by the cell, by the hole, with repeated turns of one, two or many moves, with draws.
GAMES = {
    "breakthrough": "breakthrough",
    "breakthrough,rows=6,columns=6": "breakthrough(rows=6,columns=6)",
    "clobber": "clobber",
    "hex,board_size=5": "hex(board_size=5)",
    "connect_four": "connect_four",
    "mancala": "mancala",
    "dots_and_boxes": "dots_and_boxes",
    "checkers": "checkers",
    "amazons,board_size=6": "amazons(board_size=6)",
    "ultimate_tic_tac_toe": "ultimate_tic_tac_toe",
    "go,board_size=5,komi=0.5": "go(board_size=5,komi=0.5)",
}
WITH_REPEATED_TURNS = ("mancala", "dots_and_boxes", "checkers", "amazons,board_size=6", "ultimate_tic_tac_toe")


def openspiel_game(text: str) -> OpenSpielGame:
    game = find_game(f"openspiel:{text}")
    assert isinstance(game, OpenSpielGame)
    return game


def pass_action(game: Game) -> int:
    return game.action_count - 1


def play_in_lock_step(game: OpenSpielGame, theirs: Any, seed: int) -> int:
    """One random game on both sides; how many passes stood between two moves of one player."""
    position, draw_move, passes = Position(game), random.Random(seed), 0
    first_player = theirs.current_player()
    while not position.over:
        encoded = game.encoded(position.state)
        expected = np.array(theirs.observation_tensor(position.turn ^ first_player), np.float32)
        assert np.array_equal(encoded[:-2].reshape(-1), expected)
        assert (encoded[-2] == position.turn).all()
        must_pass = theirs.current_player() != position.turn ^ first_player
        assert (encoded[-1] == must_pass).all()
        if must_pass:
            assert position.legal_actions() == [pass_action(game)]
            position.play(pass_action(game))
            passes += 1
            continue
        assert position.legal_actions() == theirs.legal_actions()
        action = draw_move.choice(theirs.legal_actions())
        position.play(action)
        theirs.apply_action(action)
    assert theirs.is_terminal()
    returns = theirs.returns()
    winner = None if returns[0] == returns[1] else returns.index(max(returns)) ^ first_player
    assert position.winner == winner
    return passes


@pytest.mark.parametrize("text", GAMES)
def test_game_is_that_of_openspiel_move_by_move(text: str) -> None:
    game, theirs = openspiel_game(text), pyspiel.load_game(GAMES[text])
    passes = sum(play_in_lock_step(game, theirs.new_initial_state(), seed) for seed in range(5))
    assert (passes > 0) == (text in WITH_REPEATED_TURNS)


@pytest.mark.parametrize("text", GAMES)
def test_game_keeps_the_contract(text: str) -> None:
    check_game(openspiel_game(text), seeds=range(2))


@pytest.mark.parametrize("text", GAMES)
def test_compiled_code_plays_random_games_to_their_end(text: str) -> None:
    game = openspiel_game(text)
    played = play_random_games(game, 3)
    assert played.first_player_wins + played.second_player_wins + played.draws == 3
    assert 3 < played.moves <= 3 * game.max_plies
    play_random_games(game, 0)  # an error kept by the rules would be raised here


def test_tic_tac_toe_has_the_same_sequences_as_the_compiled_one() -> None:
    theirs, ours = find_game("openspiel:tic_tac_toe"), find_game("tictactoe")
    assert [count_sequences(theirs, depth) for depth in range(6)] == [count_sequences(ours, depth) for depth in range(6)]


@pytest.mark.slow
def test_tic_tac_toe_has_the_same_sequences_to_the_last_ply() -> None:
    theirs, ours = find_game("openspiel:tic_tac_toe"), find_game("tictactoe")
    assert [count_sequences(theirs, depth) for depth in (6, 7, 8, 9)] == [
        count_sequences(ours, depth) for depth in (6, 7, 8, 9)
    ]


def test_connect_four_has_the_same_sequences_as_the_compiled_one() -> None:
    theirs, ours = (
        find_game("openspiel:connect_four,rows=4,columns=4,x_in_row=3"),
        find_game("connect4:rows=4,columns=4,connect=3"),
    )
    assert [count_sequences(theirs, depth) for depth in range(7)] == [count_sequences(ours, depth) for depth in range(7)]


def test_threads_share_a_game() -> None:
    alone, shared = (
        OpenSpielGame.from_text("breakthrough,rows=5,columns=4"),
        OpenSpielGame.from_text("breakthrough,rows=5,columns=4"),
    )
    expected = [play_random_games(alone, 5, seed) for seed in range(6)]
    with ThreadPoolExecutor(3) as threads:
        assert list(threads.map(lambda seed: play_random_games(shared, 5, seed), range(6))) == expected


def test_states_that_fell_out_of_the_cache_are_made_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("boardzero.games.openspiel.CACHED_STATES", 1)
    game = OpenSpielGame.from_text("mancala")
    play_in_lock_step(game, pyspiel.load_game("mancala").new_initial_state(), seed=0)
    assert play_random_games(game, 3) == play_random_games(openspiel_game("mancala"), 3)


def test_cache_drops_the_longest_unused() -> None:
    cache = StateCache(2)
    cache.put(b"a", 1)
    cache.put(b"b", 2)
    cache.get(b"a")
    cache.put(b"c", 3)
    assert [cache.get(key) for key in (b"a", b"b", b"c")] == [1, None, 3]
    assert len(cache) == 2


def test_player_who_begins_is_the_first_player_whatever_number_openspiel_gives_it() -> None:
    importlib.import_module("openspiel_countdown")
    game = openspiel_game("boardzero_countdown")
    assert pyspiel.load_game("boardzero_countdown").new_initial_state().current_player() == 1
    check_game(game, seeds=range(3))
    assert Position(game, "take2 take2 take1").winner == 0
    assert Position(game, "take2 take1 take1 take1").winner == 1
    play_in_lock_step(game, pyspiel.load_game("boardzero_countdown").new_initial_state(), seed=0)


def test_game_longer_than_openspiel_says_is_an_error_not_a_broken_state() -> None:
    importlib.import_module("openspiel_countdown")
    game = openspiel_game("boardzero_countdown,longest=3")
    assert Position(game, "take2 take2 take1").over
    play_random_games(game, 50)
    with pytest.raises(RuntimeError, match="boardzero_countdown,longest=3 went on after 3 moves"):
        raise_kept_error(game)


# -- names -------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("said", "canonical"),
    [
        ("breakthrough", "breakthrough"),
        ("breakthrough,rows=6,columns=6", "breakthrough,rows=6,columns=6"),
        (" breakthrough , columns=6, rows=6", "breakthrough,rows=6,columns=6"),
        ("breakthrough,rows=8,columns=6", "breakthrough,columns=6"),
        ("go,board_size=9,komi=7", "go,board_size=9,komi=7.0"),
        ("connect_four,egocentric_obs_tensor=true", "connect_four,egocentric_obs_tensor=True"),
        ("nim,pile_sizes=3;4;5", "nim,pile_sizes=3;4;5"),
    ],
)
def test_game_is_found_again_by_its_specification(said: str, canonical: str) -> None:
    game = find_game(f"openspiel:{said}")
    assert game.specification == f"openspiel:{canonical}"
    assert find_game(game.specification).specification == game.specification
    assert pickle.loads(pickle.dumps(game)).specification == game.specification


def test_moves_are_called_as_openspiel_calls_them_where_that_is_clear() -> None:
    position = Position(find_game("openspiel:breakthrough"), "a7a6 B2B3 h7g6")
    assert position.moves == "a7a6 b2b3 h7g6"
    assert position.board == "start a7a6 b2b3 h7g6"
    assert Position(position.game, board=position.board).board == position.board


def test_moves_are_numbers_where_their_names_depend_on_the_player() -> None:
    assert Position(find_game("openspiel:tic_tac_toe")).legal_moves() == [str(cell) for cell in range(9)]


def test_numbers_are_understood_beside_names() -> None:
    game = find_game("openspiel:hex,board_size=5")
    assert game.action_from_text("7") == 7 == game.action_from_text(game.action_to_text(7))


def test_forced_pass_is_not_confused_with_a_pass_of_the_game_itself() -> None:
    game = find_game("openspiel:othello")
    assert game.action_to_text(64) == "pass"
    assert game.action_to_text(65) == "skip"
    assert [game.action_from_text(text) for text in ("pass", "PASS", "skip")] == [64, 64, 65]


def test_forced_passes_are_among_the_moves_and_in_the_board() -> None:
    position = Position(find_game("openspiel:mancala"), "3 pass 1")
    assert position.board == "start 3 pass 1"
    assert np.array_equal(Position(position.game, board="start 3 pass").state, Position(position.game, "3 pass").state)
    with pytest.raises(BadInput, match="Move 2, 8, is illegal; second player may play pass"):
        Position(position.game, "3 8")


def test_text_that_names_no_move_is_refused() -> None:
    with pytest.raises(
        BadInput, match=r"'z9' is not a move of Breakthrough; moves are written like a7a6, or as numbers, 0 \(to 767\), pass"
    ):
        find_game("openspiel:breakthrough").action_from_text("z9")


def test_board_is_drawn_by_openspiel_without_colour_codes() -> None:
    position = Position(find_game("openspiel:twixt"))
    assert "\x1b" in str(pyspiel.load_game("twixt").new_initial_state())
    assert "\x1b" not in draw(position).plain
    assert draw(Position(find_game("openspiel:breakthrough"))).plain.startswith("8bbbbbbbb\n7bbbbbbbb\n")


def test_board_cannot_be_set_up_by_cells() -> None:
    game = find_game("openspiel:hex")
    with pytest.raises(BadInput, match="A board of Hex cannot be set up by its cells"):
        game.state_from_cells(game.cells(game.initial_state()), 0, {})


# -- refusals ----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "Name one of OpenSpiel's games behind 'openspiel:', for example openspiel:breakthrough."),
        ("go(board_size=5)", "'openspiel:go(board_size=5)' has brackets; write openspiel:go,board_size=5 instead."),
        ("breakthru", "OpenSpiel has no game 'breakthru' (did you mean 'breakthrough'?); among those"),
        (
            "kuhn_poker",
            "Kuhn Poker (openspiel:kuhn_poker) has chance in it and hides information; boardzero plays games of two",
        ),
        ("backgammon", "Backgammon (openspiel:backgammon) has chance in it; boardzero plays"),
        ("phantom_ttt", "Phantom Tic Tac Toe (openspiel:phantom_ttt) hides information; boardzero plays"),
        ("matrix_rps", "Rock, Paper, Scissors (openspiel:matrix_rps) is not played in turns and hides information; boardzero"),
        ("matrix_pd", "(openspiel:matrix_pd) is not played in turns, hides information and is not zero-sum; boardzero plays"),
        ("chinese_checkers,players=3", "(openspiel:chinese_checkers,players=3) has 3 players; boardzero plays games of two"),
        ("2048", "2048 (openspiel:2048) has 1 player, has chance in it and is not zero-sum; boardzero plays"),
        ("chess", "openspiel:chess is too long: 17695 moves, 13 bits each, would take 4424 words of every state; at most 256"),
        ("breakthrough,size=4", "openspiel:breakthrough has no parameter 'size'; it takes columns, rows."),
        ("hex,bord_size=4", "openspiel:hex has no parameter 'bord_size' (did you mean 'board_size'?); it takes board_size,"),
        ("tic_tac_toe,rows=4", "openspiel:tic_tac_toe has no parameter 'rows'; it takes no parameters."),
        ("breakthrough,rows", "'rows' in 'openspiel:breakthrough,rows' is not of the form key=value."),
        ("breakthrough,rows=0", "rows=0 is not allowed: rows should be a whole number from 1 to 10000."),
        ("connect_four,rows=many", "rows=many is not allowed: rows should be a whole number from 1 to 10000."),
        ("go,komi=high", "openspiel:go: komi=high is not allowed: komi should be a number such as 7.5."),
        ("hex,swap=maybe", "openspiel:hex: swap=maybe is not allowed: swap should be true or false."),
        ("misere", "OpenSpiel cannot make 'misere': Missing parameter game."),
        ("misere,game=hex", "game=hex is not allowed: game should be another game, which cannot be named here."),
        ("twixt,board_size=3", "OpenSpiel cannot make 'twixt,board_size=3': board_size out of range [5..24]: 3."),
        ("clobber,rows=1,columns=1", "openspiel:clobber,rows=1,columns=1 has no board to play on."),
        ("checkers,rows=3", "openspiel:checkers,rows=3 is over before the first move."),
    ],
)
def test_what_cannot_be_played_is_refused_with_a_sentence(text: str, sentence: str) -> None:
    with pytest.raises(BadInput) as refusal:
        find_game(f"openspiel:{text}")
    assert sentence in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_missing_package_is_refused_with_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    with pytest.raises(BadInput, match=r"pip install 'boardzero\[openspiel\]'"):
        OpenSpielGame.from_text("breakthrough")
