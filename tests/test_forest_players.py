"""The players that search a forest, and the perfect player."""

from pathlib import Path

import numpy as np
import pytest
from pydantic import ValidationError

from boardzero.engines.brains import with_memory
from boardzero.errors import BadInput
from boardzero.games.catalogue import find_game
from boardzero.games.position import Position
from boardzero.games.rules import Game, Outcome
from boardzero.network.build import build_network
from boardzero.network.header import VALUE_SPREAD
from boardzero.network.weights import save_network
from boardzero.players.catalogue import find_player
from boardzero.players.forest_player import ForestPlayer
from boardzero.settings.network import NetworkSettings
from boardzero.settings.search import SearchSettings
from boardzero.web.thinking.jobs import SearchKey
from boardzero.web.thinking.thinker import search_settings


def positions_with_a_winning_move(game: Game, count: int, seed: int) -> list[tuple[Position, set[int]]]:
    """Random positions in which the side to move can win at once, with the moves that do."""
    generator = np.random.default_rng(seed)
    found: list[tuple[Position, set[int]]] = []
    while len(found) < count:
        position = Position(game)
        while not position.over:
            wins = {
                action
                for action in position.legal_actions()
                if game.outcome(game.next_state(position.state, action)) is Outcome.MOVER_WON
            }
            if wins:
                found.append((position, wins))
                break
            position.play(int(generator.choice(position.legal_actions())))
    return found


@pytest.mark.parametrize("name", ["tictactoe", "connect4", "gomoku:size=9"])
def test_heuristic_takes_an_immediate_win(name: str) -> None:
    game = find_game(name)
    player = find_player("heuristic:sims=300", game)
    for position, wins in positions_with_a_winning_move(game, 15, seed=1):
        analysis = player.analyse(position)
        assert analysis.action in wins
        assert analysis.exact == 1


@pytest.mark.parametrize("name", ["tictactoe", "connect4", "gomoku:size=9"])
def test_heuristic_blocks_an_immediate_threat(name: str) -> None:
    """Where exactly one move stops the other side from winning at once, it is played."""
    game = find_game(name)
    player = find_player("heuristic:sims=300", game)
    blocked = 0
    for position, wins in positions_with_a_winning_move(game, 200, seed=2):
        if len(position.actions) < 2 or len(wins) != 1:
            continue
        position.undo()  # the side that let this happen is to move again
        threat = next(iter(wins))
        could_block = threat in position.legal_actions()
        could_win = any(
            game.outcome(game.next_state(position.state, action)) is Outcome.MOVER_WON for action in position.legal_actions()
        )
        safe = [action for action in position.legal_actions() if not wins_at_once(game, position, action)]
        if could_block and not could_win and safe == [threat]:
            assert player.choose(position) == threat
            blocked += 1
    assert blocked > 3


def wins_at_once(game: Game, position: Position, action: int) -> bool:
    """Can the other side win right after this action?"""
    state = game.next_state(position.state, action)
    return any(game.outcome(game.next_state(state, reply)) is Outcome.MOVER_WON for reply in game.legal_actions(state))


def test_the_tree_is_kept_between_moves() -> None:
    game = find_game("connect4")
    player = find_player("heuristic:sims=400", game)
    position = Position(game)
    for _ in range(2):
        position.play(player.choose(position))
    analysis = player.analyse(position)
    assert sum(opinion.visits or 0 for opinion in analysis.moves) > 400


def test_same_seed_same_game_whatever_was_played_before() -> None:
    game = find_game("gomoku:size=7")
    games = []
    player = find_player("heuristic:sims=50,noise=true,temperature=1", game)
    for seed in (1, 2, 1):
        player.start_game(seed)
        position = Position(game)
        while not position.over:
            position.play(player.choose(position))
        games.append(position.moves)
    assert games[0] == games[2] != games[1]


def test_a_small_memory_is_said_to_be_full() -> None:
    game = find_game("gomoku")
    analysis = find_player("heuristic:sims=5000,memory=1", game).analyse(Position(game))
    assert any("full" in remark for remark in analysis.remarks)


def test_heuristic_refuses_games_without_lines() -> None:
    with pytest.raises(BadInput, match="cannot judge othello"):
        find_player("heuristic", find_game("othello"))


def test_perfect_knows_the_first_moves_of_connect_four() -> None:
    game = find_game("connect4")
    analysis = find_player("perfect", game).analyse(Position(game))
    assert {opinion.action: opinion.score for opinion in analysis.moves} == {0: -2, 1: -1, 2: 0, 3: 1, 4: 0, 5: -1, 6: -2}
    assert analysis.action == 3
    assert analysis.exact == 1


def test_perfect_never_loses_tic_tac_toe_to_any_play() -> None:
    game = find_game("tictactoe")
    player = find_player("perfect", game)

    def follow(position: Position, own: int) -> None:
        if position.over:
            assert position.winner in (None, own)
            return
        actions = [player.choose(position)] if position.turn == own else position.legal_actions()
        for action in actions:
            position.play(action)
            follow(position, own)
            position.undo()

    for own in (0, 1):
        follow(Position(game), own)


def test_perfect_plays_the_end_of_othello_and_refuses_the_beginning() -> None:
    game = find_game("othello:size=6")
    player = find_player("perfect", game)
    with pytest.raises(BadInput, match="last moves only"):
        player.analyse(Position(game))
    generator = np.random.default_rng(4)
    position = Position(game)
    while np.count_nonzero(game.cells(position.state) == 0) > 8:
        position.play(int(generator.choice(position.legal_actions())))
    turn, exact = position.turn, player.analyse(position).exact
    while not position.over:
        position.play(player.choose(position))
    discs = [int(np.count_nonzero(game.cells(position.state) == side)) for side in (1, 2)]
    assert np.sign(discs[turn] - discs[1 - turn]) == exact


def test_perfect_says_when_the_time_is_too_short_to_solve() -> None:
    game = find_game("connect4:rows=7,columns=8")
    player = find_player("perfect", game)
    with pytest.raises(BadInput, match=r"cannot solve this position of connect4:rows=7,columns=8 in 0\.05 seconds"):
        player.choose(Position(game), 0.05)
    assert find_player("perfect", find_game("connect4")).choose(Position(find_game("connect4")), 0.05) == 3  # from its book


@pytest.mark.parametrize("name", ["gomoku", "connect4:rows=8,columns=8", "latrunculi"])
def test_perfect_refuses_what_it_cannot_solve(name: str) -> None:
    with pytest.raises(BadInput, match="it plays tictactoe, connect4"):
        find_player("perfect", find_game(name))


def test_alphazero_without_a_network_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("boardzero.network.shipped.FOLDER", tmp_path)
    with pytest.raises(BadInput, match="no shipped network for connect4:rows=5; name one: alphazero:network=PATH"):
        find_player("alphazero:sims=10", find_game("connect4:rows=5"))


@pytest.mark.parametrize(
    ("specification", "game", "root", "leaves"),
    [
        ("alphazero:sims=100", "connect4", "gumbel", 1),
        ("alphazero:seconds=1", "connect4", "puct", 4),  # halving needs to know how many simulations there will be
        ("alphazero:sims=100,leaves=8", "connect4", "gumbel", 8),
        ("alphazero:sims=10000", "connect4", "gumbel", 1),  # all of its moves can be considered
        ("alphazero", "othello", "gumbel", 1),
        ("alphazero:sims=1000", "othello", "gumbel", 1),
        ("alphazero:sims=1001", "othello", "puct", 1),
        ("alphazero:sims=100,root=puct", "othello", "puct", 1),
        ("alphazero:sims=5000,root=gumbel", "othello", "gumbel", 1),
        ("alphazero:sims=8,temperature=1", "othello", "puct", 1),  # moves are drawn by visits
        ("alphazero:sims=8,temperature=1", "connect4", "puct", 1),
    ],
)
def test_alphazero_searches_as_suits_its_limit(specification: str, game: str, root: str, leaves: int) -> None:
    player = find_player(specification, find_game(game))
    assert isinstance(player, ForestPlayer)
    assert (player.forest.settings.root, player.forest.settings.leaves) == (root, leaves)


def test_alphazero_searches_with_the_spread_that_its_network_notes_unless_it_is_told_otherwise(tmp_path: Path) -> None:
    game = find_game("tictactoe")
    network = build_network(NetworkSettings(blocks=1, channels=4), game).eval()
    noted, silent = tmp_path / "noted.safetensors", tmp_path / "silent.safetensors"
    save_network(noted, network, game, {VALUE_SPREAD: 0.4})
    save_network(silent, network, game)
    for specification, spread in (
        (f"alphazero:sims=8,network={noted}", 0.4),
        (f"alphazero:seconds=1,network={noted}", 0.4),
        (f"alphazero:sims=8,network={noted},value_spread=0.7", 0.7),
        (f"alphazero:sims=8,network={silent}", 1),
        (f"alphazero:sims=8,network={noted.with_suffix('.onnx')}", 0.4),
    ):
        player = find_player(specification, game)
        assert isinstance(player, ForestPlayer)
        assert player.forest.settings.exploration == pytest.approx(1.5 * spread)
        assert player.forest.settings.first_play_value == pytest.approx(0.25 * spread)
        assert player.forest.settings.gumbel_scale == pytest.approx(1 / spread)
    assert [search_settings(SearchKey(game, path)).value_spread for path in (noted, silent)] == [0.4, 1]
    player = with_memory(find_player(f"alphazero:network={noted}", game), None, 10**9)
    assert isinstance(player, ForestPlayer) and player.forest.settings.exploration == pytest.approx(0.6)


def test_a_spread_changes_what_values_are_compared_with_and_nothing_else() -> None:
    plain = SearchSettings(exploration=2, first_play_value=0.2, gumbel_scale=0.5, virtual_loss=3)
    spread = plain.model_copy(update={"value_spread": 0.5})
    changed = {"exploration": 1, "first_play_value": 0.1, "gumbel_scale": 1, "virtual_loss": 1.5}
    assert spread.scaled() == plain.model_copy(update=changed) == spread.scaled().scaled()
    fixed = plain.model_copy(update={"first_play": "value", "value_spread": 0.5})
    assert fixed.scaled().first_play_value == 0.2  # that is a value itself
    with pytest.raises(ValidationError, match="exploration_base=0"):
        SearchSettings(exploration_base=100, value_spread=0.5)


def test_moves_of_a_warm_player_vary() -> None:
    game, chosen = find_game("othello"), set()
    for seed in range(12):
        player = find_player("alphazero:sims=50,temperature=2", game)
        player.start_game(seed)
        chosen.add(player.choose(Position(game, "d3 c3 c4 c5")))
    assert len(chosen) > 1


def test_halving_of_a_warm_player_is_refused() -> None:
    with pytest.raises(BadInput, match="a temperature has no meaning"):
        find_player("alphazero:sims=10,temperature=1,root=gumbel", find_game("othello"))


def test_halving_against_a_clock_is_refused() -> None:
    with pytest.raises(BadInput, match="root=gumbel needs a number of simulations"):
        find_player("alphazero:seconds=1,root=gumbel", find_game("othello"))
