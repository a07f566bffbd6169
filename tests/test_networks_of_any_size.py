"""Networks for every size of the board: one file is loaded, evaluated, trained further and played at any size and rule."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from training_runs import SMALL
from web_servers import ok, serving

from boardzero.cli.arena_options import usual_player
from boardzero.cli.main import main
from boardzero.evaluation.card import header_with_learned
from boardzero.games.catalogue import find_game
from boardzero.games.position import Position
from boardzero.network.build import build_network
from boardzero.network.evaluator import TorchEvaluator, find_evaluator
from boardzero.network.header import LEARNED
from boardzero.network.learned import caution_about, never_seen
from boardzero.network.positions import random_positions
from boardzero.network.shipped import shipped_network
from boardzero.network.weights import load_network, read_header, save_network
from boardzero.players.catalogue import find_player
from boardzero.settings.network import NetworkSettings
from boardzero.settings.precision import Precision
from boardzero.training.run_folder import RunFolder

SHAPE = NetworkSettings(kind="convolutional", blocks=2, channels=16)
BUILT_FOR = {
    "gomoku": "gomoku:size=9",
    "connect4": "connect4:rows=5,columns=6",
    "othello": "othello:size=6",
    "latrunculi": "latrunculi:size=6",
}
PLAYED = [
    "gomoku:size=7", "gomoku", "gomoku:rule=standard", "gomoku:size=20", "connect4", "connect4:rows=9,columns=11,connect=5",
    "othello", "othello:size=4", "latrunculi:size=4", "latrunculi:start=rows",
]  # fmt: skip


def small_file(folder: Path, game: str) -> Path:
    """An untrained network that was built for a small board of this game."""
    small = find_game(BUILT_FOR[game.partition(":")[0]])
    path = folder / "network.safetensors"
    save_network(path, build_network(SHAPE, small, seed=3).eval(), small)
    return path


@pytest.mark.parametrize(("precision", "tolerance"), [("float", 1e-4), ("int8", 0.2)])
@pytest.mark.parametrize("name", PLAYED)
def test_a_network_of_a_small_board_is_evaluated_on_others(
    tmp_path: Path, name: str, precision: Precision, tolerance: float
) -> None:
    path, game = small_file(tmp_path, name), find_game(name)
    planes = random_positions(game, 24)
    logits, values = find_evaluator(path, game, precision=precision)(planes)
    expected_logits, expected_values = TorchEvaluator(load_network(path).network, "cpu")(planes)
    assert logits.shape == (24, game.action_count)
    assert np.abs(logits - expected_logits).max() < tolerance and np.abs(values - expected_values).max() < tolerance


def test_a_network_of_a_small_board_chooses_moves_on_a_large_one(tmp_path: Path) -> None:
    game = find_game("gomoku:size=13,rule=standard")
    position = Position(game, "g7 h8")
    player = find_player(f"alphazero:network={small_file(tmp_path, 'gomoku')},sims=20", game)
    assert player.choose(position) in position.legal_actions()


def test_planes_of_gomoku_tell_the_rules_apart() -> None:
    freestyle, standard = (find_game(f"gomoku:size=9,rule={rule}") for rule in ("freestyle", "standard"))
    network = TorchEvaluator(build_network(SHAPE, freestyle, seed=3), "cpu")
    seen = [game.encoded(Position(game, "e5 d4 e6").state) for game in (freestyle, standard)]
    assert np.array_equal(seen[0][:2], seen[1][:2])
    (_, free_value), (_, standard_value) = (network(planes[None]) for planes in seen)
    assert free_value[0] != standard_value[0]


@pytest.mark.parametrize("game", ["gomoku:size=7,rule=standard", "connect4:columns=5"])
def test_a_network_of_one_size_is_trained_further_on_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, game: str
) -> None:
    path, run = small_file(tmp_path, game), tmp_path / "run"
    small = load_network(path)
    save_network(path, small.network, small.game, {LEARNED: [small.game.specification]})
    changes = [change for change in SMALL if not change.startswith("network.")] + ["evaluation.share=0", "curriculum=none"]
    arguments = ["train", game, "--network-from", str(path), "--generations", "1", "--run", str(run)]
    sets = [part for change in changes for part in ("--set", change)]
    monkeypatch.setattr(sys, "argv", ["boardzero", *arguments, *sets])
    with pytest.raises(SystemExit) as end:
        main()
    assert end.value.code in (0, None)
    first, last = (read_header(RunFolder(run).network(generation)) for generation in (0, 1))
    assert first.checksum == read_header(path).checksum != last.checksum
    assert (last.game, last.settings) == (game, SHAPE)
    assert set(header_with_learned(last, RunFolder(run).network(1)).learned) == {small.game.specification, game}


def test_a_grown_network_is_trained_further_although_the_defaults_would_grow_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    game, path = find_game("othello:size=4"), tmp_path / "large.safetensors"
    save_network(path, build_network(NetworkSettings(blocks=6, channels=64), game).eval(), game)
    arguments = ["train", "othello:size=4", "--network-from", str(path), "--generations", "1", "--run", str(tmp_path / "run")]
    changes = [change for change in SMALL if not change.startswith("network.")] + ["evaluation.share=0"]
    monkeypatch.setattr(sys, "argv", ["boardzero", *arguments, *(part for one in changes for part in ("--set", one))])
    with pytest.raises(SystemExit) as end:
        main()
    assert end.value.code in (0, None) and RunFolder(tmp_path / "run").settings().growth.share == 0


# -- which of the shipped networks plays a game ------------------------------------------------------------------------------
@pytest.fixture
def shelf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of shipped networks, empty at first."""
    monkeypatch.setattr("boardzero.network.shipped.FOLDER", tmp_path)
    return tmp_path


def ship(shelf: Path, name: str, game: str, learned: Sequence[str] = (), **settings: Any) -> Path:
    """A tiny network that learned this game; it may say that it learned several."""
    path, rules = shelf / f"{name}.safetensors", find_game(game)
    shape = NetworkSettings(**{"kind": "convolutional", "blocks": 1, "channels": 8, **settings})
    save_network(path, build_network(shape, rules).eval(), rules, {LEARNED: list(learned)} if learned else None)
    return path


def test_a_network_says_where_it_plays_by_what_it_learned_elsewhere(
    shelf: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = ship(shelf, "gomoku_any", "gomoku:size=7", learned=("gomoku:size=6", "gomoku:size=7"))
    header, exact = read_header(path), find_game("gomoku:size=5,rule=standard")
    assert caution_about(header, find_game("gomoku:size=6")) == "" and "size=5 and rule=standard" in caution_about(
        header, exact
    )
    monkeypatch.setattr(sys, "argv", ["boardzero", "match", "gomoku:size=5", "alphazero:sims=1", "random", "--games", "2"])
    with pytest.raises(SystemExit):
        main()
    assert "alphazero:sims=1: The network has never seen size=5 while it learned" in capsys.readouterr().err
    with serving(tmp_path, shipped=shipped_network) as client:
        remarks = {
            game: ok(client.get("/api/board", params={"game": game}))["network_remark"]
            for game in ("gomoku:size=7", "gomoku:size=20")
        }
    assert remarks["gomoku:size=7"] == "" and "never seen size=20" in remarks["gomoku:size=20"]


def test_sizes_that_were_never_seen_are_listed_shortly() -> None:
    assert never_seen([f"gomoku:size={size}" for size in (7, 9, 11, 13, 15)]) == (
        "size=5, 6, 8, 10, 12, 14, 16 to 20; rule=standard"
    )
    assert never_seen(["othello:size=6"]) == "size=4, 8; first=white"


def test_the_usual_opponent_is_the_strongest_that_there_is(shelf: Path) -> None:
    games = [find_game(name) for name in ("gomoku:size=13,rule=standard", "othello")]
    assert [usual_player(game) for game in games] == ["heuristic:seconds=1", "mcts:seconds=1"]
    ship(shelf, "gomoku_any", "gomoku:size=9")
    assert [usual_player(game, 2.5) for game in games] == ["alphazero:seconds=2.5", "mcts:seconds=2.5"]


def test_a_network_that_learned_this_size_on_the_way_is_preferred(shelf: Path) -> None:
    ship(shelf, "latrunculi", "latrunculi")
    several = ship(shelf, "latrunculi_any", "latrunculi", learned=("latrunculi", "latrunculi:size=6"))
    assert shipped_network(find_game("latrunculi:size=6,start=rows")) == several


def test_a_network_for_any_size_is_found_where_the_game_has_none_of_its_own(shelf: Path) -> None:
    every = ship(shelf, "gomoku_any", "gomoku")
    for size, rule in ((5, "freestyle"), (9, "standard"), (13, "standard"), (15, "freestyle"), (20, "standard")):
        assert shipped_network(find_game(f"gomoku:size={size},rule={rule}")) == every
    own = ship(shelf, "gomoku_size=13", "gomoku:size=13")
    assert shipped_network(find_game("gomoku:size=13")) == own
    assert shipped_network(find_game("othello")) is None


def test_each_size_of_othello_has_its_own_whoever_begins(shelf: Path) -> None:
    large, small = (
        ship(shelf, "othello", "othello", kind="residual"),
        ship(shelf, "othello_size=6", "othello:size=6", kind="residual"),
    )
    assert [shipped_network(find_game(game)) for game in ("othello", "othello:first=white")] == [large, large]
    assert [shipped_network(find_game(f"othello:size=6{more}")) for more in ("", ",first=white")] == [small, small]
    assert shipped_network(find_game("othello:size=4")) is None


def test_one_network_serves_all_starts_and_limits_of_latrunculi(shelf: Path) -> None:
    every = ship(shelf, "latrunculi_any", "latrunculi")
    for game in ("latrunculi", "latrunculi:start=rows", "latrunculi:start=random,seed=7", "latrunculi:size=6,quiet=50"):
        assert shipped_network(find_game(game)) == every


def test_the_usual_board_has_its_own_network_beside_one_for_the_other_sizes(shelf: Path) -> None:
    own, every = ship(shelf, "connect4", "connect4", kind="residual"), ship(shelf, "connect4_any", "connect4")
    assert shipped_network(find_game("connect4")) == own
    assert shipped_network(find_game("connect4:rows=7,columns=8")) == every


def test_a_network_that_learned_this_size_is_preferred(shelf: Path) -> None:
    ship(shelf, "latrunculi", "latrunculi")
    small = ship(shelf, "latrunculi_size=6", "latrunculi:size=6")
    assert shipped_network(find_game("latrunculi:size=6,start=rows")) == small


def test_a_network_is_not_offered_for_a_rule_that_it_cannot_see(shelf: Path) -> None:
    ship(shelf, "connect4_any", "connect4:rows=5,columns=6")
    assert shipped_network(find_game("connect4:rows=8,columns=9")) is not None
    assert shipped_network(find_game("connect4:rows=8,columns=9,connect=5")) is None


def test_a_network_that_knows_one_size_is_not_offered_for_others(shelf: Path) -> None:
    ship(shelf, "latrunculi_any", "latrunculi:size=4", kind="residual")
    assert shipped_network(find_game("latrunculi:size=4,start=rows")) is not None
    assert shipped_network(find_game("latrunculi")) is None
