"""Players who think that a draw would be lost: where it is so, who does, and what they make of it."""

from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from boardzero.arena.game import play_game
from boardzero.errors import BadInput
from boardzero.evaluation.batched_games import PlannedGame, play_together
from boardzero.evaluation.entrants import player_named
from boardzero.events.games import GameRecord
from boardzero.games.catalogue import find_game
from boardzero.games.latrunculi import Latrunculi
from boardzero.games.odds import can_give_odds, has_odds, seen_by_who_must_win
from boardzero.games.position import Position
from boardzero.games.rules import Outcome, Planes
from boardzero.network.build import build_network
from boardzero.network.header import ODDS, read_header
from boardzero.network.weights import save_network
from boardzero.players.alphazero import AlphaZeroPlayer
from boardzero.players.catalogue import find_player
from boardzero.players.parameters import AlphaZeroParameters
from boardzero.settings.network import NetworkSettings
from boardzero.training.matches import NetworkSide
from boardzero.web.thinking.grove import Grove
from boardzero.web.thinking.jobs import SearchJob, SearchKey
from boardzero.web.thinking.thinker import must_win, search_settings

SMALL = "latrunculi:size=4,start=rows"
WON_BY_MOVER, WON_BY_OTHER = 16, 17  # planes


class Watcher:
    """An evaluator that keeps which planes of odds it was shown: (the mover wins draws, the other one does)."""

    def __init__(self, game: Latrunculi) -> None:
        self.actions = game.action_count
        self.seen: set[tuple[bool, bool]] = set()

    def __call__(self, planes: Planes) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
        for position in planes:
            self.seen.add((bool(position[WON_BY_MOVER, 0, 0]), bool(position[WON_BY_OTHER, 0, 0])))
        values = np.sin(planes.reshape(len(planes), -1) @ np.arange(planes[0].size, dtype=np.float32))
        return np.zeros((len(planes), self.actions), np.float32), values.astype(np.float32)


@pytest.fixture
def game() -> Latrunculi:
    game = find_game(SMALL)
    assert isinstance(game, Latrunculi)
    return game


def network_file(path: Path, game: Latrunculi, knows_odds: bool) -> Path:
    network = build_network(NetworkSettings(kind="convolutional", blocks=1, channels=4), game).eval()
    save_network(path, network, game, {ODDS: knows_odds})
    return path


NOBODY, ODDS_SEEN = {(False, False)}, {(True, False), (False, True)}


def test_only_games_with_odds_have_them() -> None:
    assert [has_odds(find_game(name)) for name in ("latrunculi", "latrunculi:draws=first", "othello")] == [False, True, False]
    given = [can_give_odds(find_game(name)) for name in ("latrunculi", "latrunculi:draws=first", "othello")]
    assert given == [True, False, False]


@pytest.mark.parametrize("side", ["X", "O"])
def test_who_must_win_sees_the_same_board_and_is_shown_that_draws_are_lost(side: str) -> None:
    game = find_game("latrunculi:size=4,start=rows,quiet=3")
    assert isinstance(game, Latrunculi)
    state = game.board_from_text(f"XX../X.../...O/..OO {side} quiet=2 ply=6")
    seen = seen_by_who_must_win(game, state)
    assert game.board_to_text(seen) == game.board_to_text(state) and game.legal_actions(seen) == game.legal_actions(state)
    action = game.legal_actions(state)[0]
    assert np.all(game.encoded(seen)[WON_BY_OTHER] == 1) and not np.any(game.encoded(seen)[WON_BY_MOVER])
    assert np.array_equal(game.encoded(seen)[:WON_BY_MOVER], game.encoded(state)[:WON_BY_MOVER])
    assert game.outcome(game.next_state(seen, action)) is Outcome.DRAW
    assert np.array_equal(game.must_win(seen), seen)


def test_odds_that_the_rules_give_stay_as_they_are() -> None:
    game = find_game("latrunculi:draws=first")
    state = game.initial_state()
    assert seen_by_who_must_win(game, state) is state


@pytest.mark.parametrize(("draws", "shown"), [("shared", NOBODY), ("auto", NOBODY), ("lost", ODDS_SEEN)])
def test_a_player_moves_as_it_thinks_of_draws_and_analyses_the_position_as_it_is(
    game: Latrunculi, draws: str, shown: set[tuple[bool, bool]]
) -> None:
    watcher = Watcher(game)
    player = AlphaZeroPlayer(game, AlphaZeroParameters(sims=20, draws=draws), evaluate=watcher)
    position = Position(game)
    for _ in range(4):  # both sides, so that with odds the tree is of no use to the next move
        position.play(player.choose(position))
        assert watcher.seen == shown
    watcher.seen.clear()
    player.analyse(position)
    assert watcher.seen == NOBODY


def test_a_proven_draw_is_not_thrown_away() -> None:
    game = find_game("latrunculi:size=4,start=rows,quiet=2,least=2")
    assert isinstance(game, Latrunculi)
    position = Position(game, board="O.../...X/OxO./..X. X ply=6")  # all other moves lose at once
    player = AlphaZeroPlayer(game, AlphaZeroParameters(sims=200, draws="lost"), evaluate=Watcher(game))
    assert game.action_to_text(player.choose(position)) == "d3-c3"


def test_the_tree_is_kept_against_an_opponent(game: Latrunculi) -> None:
    player = AlphaZeroPlayer(game, AlphaZeroParameters(sims=200, draws="lost", root="puct"), evaluate=Watcher(game))
    position = Position(game)
    position.play(player.choose(position))
    position.play(game.legal_actions(position.state)[0])
    player.choose(position)
    assert sum(edge.visits for edge in player.forest.root_edges(0)) > 200


def test_games_at_once_are_those_that_are_played_alone(game: Latrunculi) -> None:
    together: list[GameRecord] = []
    watcher = Watcher(game)
    players = [
        AlphaZeroPlayer(game, AlphaZeroParameters(sims=8, draws=draws), evaluate=watcher) for draws in ("lost", "shared")
    ]
    play_together([PlannedGame((players[0], players[1]), Position(game), 3)], lambda _, played: together.append(played))
    assert watcher.seen == NOBODY | ODDS_SEEN
    assert [record.moves for record in together] == [play_game((players[0], players[1]), Position(game), seed=3).moves]


def test_a_network_that_learned_odds_plays_with_them_unless_it_is_told_otherwise(tmp_path: Path, game: Latrunculi) -> None:
    knows, silent = (network_file(tmp_path / f"{known}.safetensors", game, known) for known in (True, False))
    assert read_header(knows).knows_odds and not read_header(silent).knows_odds
    state = game.initial_state()
    for path, draws, changed in ((knows, "", True), (knows, ",draws=shared", False), (silent, "", False)):
        player = find_player(f"alphazero:sims=2,network={path}{draws}", game)
        assert isinstance(player, AlphaZeroPlayer) and np.array_equal(player.seen(state), state) is not changed
    with_odds = find_game(f"{SMALL},draws=first")
    player = find_player(f"alphazero:sims=2,network={knows}", with_odds)
    start = with_odds.initial_state()
    assert isinstance(player, AlphaZeroPlayer) and np.array_equal(player.seen(start), start)
    keys = [
        player_named(f"alphazero:sims=2,network={knows}{draws}", game).key for draws in ("", ",draws=lost", ",draws=shared")
    ]
    assert keys[0] == keys[1] != keys[2]


@pytest.mark.parametrize("name", ["othello", f"{SMALL},draws=second"])
def test_draws_that_cannot_be_lost_are_refused(name: str) -> None:
    with pytest.raises(BadInput, match="draws=lost has no meaning in"):
        find_player("alphazero:sims=2,draws=lost", find_game(name))


@pytest.mark.parametrize("must_win", [True, False])
def test_matches_of_a_run_are_played_with_odds(game: Latrunculi, must_win: bool) -> None:
    watcher = Watcher(game)
    side = NetworkSide(game, watcher, 4, search_settings(SearchKey(game, None)), must_win=must_win)
    side.choose([0], [Position(game)], [0])
    assert watcher.seen == (ODDS_SEEN if must_win else NOBODY)


@pytest.mark.parametrize("is_move", [True, False])
def test_the_page_moves_with_odds_and_analyses_without(game: Latrunculi, is_move: bool) -> None:
    watcher = Watcher(game)
    grove = Grove(game, search_settings(SearchKey(game, None)), watcher, must_win=True)
    job = SearchJob(SearchKey(game, None), game.initial_state(), simulations=20, is_move=is_move)
    grove.add(job)
    while not job.future.done():
        grove.step()
    assert watcher.seen - NOBODY == (ODDS_SEEN if is_move else set())  # lanes that are free show nothing


def test_the_page_asks_the_network_whether_it_learned_odds(tmp_path: Path, game: Latrunculi) -> None:
    knows, silent = (network_file(tmp_path / f"{known}.safetensors", game, known) for known in (True, False))
    assert [must_win(SearchKey(game, path)) for path in (knows, silent, None)] == [True, False, False]
