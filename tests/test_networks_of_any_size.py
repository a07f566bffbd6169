"""Networks for every size of the board: one file is loaded, evaluated, trained further and played at any size and rule."""

import sys
from pathlib import Path

import numpy as np
import pytest
from training_runs import SMALL

from boardzero.cli.main import main
from boardzero.games.catalogue import find_game
from boardzero.games.position import Position
from boardzero.network.build import build_network
from boardzero.network.evaluator import TorchEvaluator, find_evaluator
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


def test_a_shipped_network_for_any_size_is_found_where_the_game_has_none_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = find_game("gomoku:size=9")
    path = tmp_path / "gomoku_any.safetensors"
    save_network(path, build_network(SHAPE, game).eval(), game)
    monkeypatch.setattr("boardzero.network.shipped.FOLDER", tmp_path)
    assert shipped_network(find_game("gomoku:size=13,rule=standard")) == path
    own = tmp_path / "gomoku_size=13.safetensors"
    own.write_bytes(path.read_bytes())
    assert shipped_network(find_game("gomoku:size=13")) == own
    assert shipped_network(find_game("othello")) is None


def test_a_shipped_network_is_not_offered_for_a_rule_that_it_cannot_see(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = find_game("connect4:rows=5,columns=6")
    save_network(tmp_path / "connect4_any.safetensors", build_network(SHAPE, game).eval(), game)
    monkeypatch.setattr("boardzero.network.shipped.FOLDER", tmp_path)
    assert shipped_network(find_game("connect4:rows=8,columns=9")) is not None
    assert shipped_network(find_game("connect4:rows=8,columns=9,connect=5")) is None


def test_a_shipped_network_that_knows_one_size_is_not_offered_for_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = find_game("latrunculi:size=4")
    save_network(
        tmp_path / "latrunculi_any.safetensors", build_network(NetworkSettings(blocks=1, channels=8), game).eval(), game
    )
    monkeypatch.setattr("boardzero.network.shipped.FOLDER", tmp_path)
    assert shipped_network(find_game("latrunculi:size=4,start=rows")) is not None
    assert shipped_network(find_game("latrunculi")) is None
