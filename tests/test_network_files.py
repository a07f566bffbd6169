"""Networks in files, as ONNX, and as evaluators of a search."""

import json
import os
from pathlib import Path

import numpy as np
import onnx
import pytest
import safetensors.torch
import torch

from boardzero.errors import BadInput
from boardzero.games.catalogue import find_game
from boardzero.games.rules import Game
from boardzero.games.tictactoe import TicTacToe
from boardzero.network.build import build_network
from boardzero.network.evaluator import OnnxEvaluator, TorchEvaluator, find_evaluator
from boardzero.network.model import Network
from boardzero.network.onnx_export import check_export, export_onnx
from boardzero.network.positions import random_positions
from boardzero.network.weights import HEADER_KEY, load_network, read_header, save_network, write_whole
from boardzero.search.forest import Forest
from boardzero.settings.network import DOCUMENTED_NETWORKS, NetworkSettings
from boardzero.settings.precision import Precision
from boardzero.settings.search import SearchSettings

torch.set_num_threads(1)  # PyTorch's threads wait busily, which is slow where tests share the cores

SMALL = {"blocks": 2, "channels": 16, "policy_channels": 8, "value_channels": 4, "value_hidden": 16}
EXPORTED = [
    ("connect4", NetworkSettings(**SMALL)),
    ("connect4", NetworkSettings(**SMALL, batch_norm=False, activation="leaky", policy_head="dense")),
    ("connect4", NetworkSettings(**SMALL, kind="convolutional", value="wdl", global_pooling_every=1)),
    ("othello:size=6", NetworkSettings(**SMALL, value="wdl", global_pooling_every=2)),
    ("latrunculi:size=6", NetworkSettings(**SMALL, policy_kernel=3)),
    ("latrunculi:size=4", NetworkSettings(**SMALL, kind="convolutional")),
    ("gomoku:size=9", DOCUMENTED_NETWORKS["slavka-gomoku"]),
    ("connect4", DOCUMENTED_NETWORKS["wandhoven-connect4"]),
    ("tictactoe", DOCUMENTED_NETWORKS["wandhoven-connect4"]),
    ("connect4", DOCUMENTED_NETWORKS["briden-connect4"]),
    ("connect4:rows=5,columns=8", DOCUMENTED_NETWORKS["briden-connect4-published"]),
    ("connect4", DOCUMENTED_NETWORKS["agz-connect4"]),
    ("othello", DOCUMENTED_NETWORKS["katafanga-small"]),
]


def lived_in(settings: NetworkSettings, game: Game, seed: int = 0) -> Network:
    """A network after some steps of training towards nothing, so that its normalisation has statistics to fold."""
    network = build_network(settings, game, seed).train()
    optimizer = torch.optim.SGD(network.parameters(), 0.01)
    planes = torch.from_numpy(random_positions(game, 32, seed))
    for _ in range(5):
        optimizer.zero_grad()
        logits, value = network(planes)
        (torch.tanh(logits).sum(1).mean() + value.mean()).backward()
        optimizer.step()
    return network


@pytest.fixture(scope="module")
def tictactoe_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    game = find_game("tictactoe")
    path = tmp_path_factory.mktemp("networks") / "small.safetensors"
    save_network(path, lived_in(NetworkSettings(**SMALL), game), game, {"generation": 3, "seed": 7})
    return path


# -- ONNX -------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(("specification", "settings"), EXPORTED)
def test_exported_network_equals_pytorch_at_every_batch_size(specification: str, settings: NetworkSettings) -> None:
    game = find_game(specification)
    network = lived_in(settings, game)
    model = export_onnx(network, game)
    check = check_export(network, model, game, batches=(1, 2, 7, 33))
    assert check.passed and check.logits < 1e-4 and check.values < 1e-4
    onnx.checker.check_model(model, full_check=True)
    graph = onnx.load_from_string(model).graph
    assert not any(node.op_type == "BatchNormalization" for node in graph.node)
    assert network.training, "exporting leaves the network in training"


def test_check_of_an_export_finds_other_weights() -> None:
    game = find_game("connect4")
    one, other = (lived_in(NetworkSettings(**SMALL), game, seed) for seed in (1, 2))
    assert check_export(one, export_onnx(one, game), game).passed
    assert not check_export(one, export_onnx(other, game), game).passed


def test_size_free_export_evaluates_every_size() -> None:
    built_for = find_game("gomoku:size=7")
    network = lived_in(NetworkSettings(**SMALL, kind="convolutional"), built_for)
    model = export_onnx(network, built_for)
    for size in (5, 9, 15):
        assert check_export(network, model, find_game(f"gomoku:size={size}"), batches=(1, 8)).passed


# -- evaluators ---------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("threads", [1, 2, 3, 5])  # also more than a small batch has work for
@pytest.mark.parametrize("count", [1, 7, 20])
def test_evaluators_agree_and_keep_the_shapes_that_searches_expect(threads: int, count: int) -> None:
    game = find_game("connect4")
    network = lived_in(NetworkSettings(**SMALL), game)
    planes = random_positions(game, count)
    by_torch, by_onnx = TorchEvaluator(network), OnnxEvaluator(export_onnx(network, game), threads)
    for one, other, shape in zip(by_torch(planes), by_onnx(planes), ((count, 7), (count,)), strict=True):
        assert one.shape == other.shape == shape and one.dtype == other.dtype == np.float32
        assert np.allclose(one, other, atol=1e-5)


def test_torch_evaluator_does_not_follow_further_training() -> None:
    game = find_game("tictactoe")
    network = lived_in(NetworkSettings(**SMALL), game)
    evaluate, planes = TorchEvaluator(network), random_positions(game, 4)
    before = evaluate(planes)[0]
    with torch.no_grad():
        for parameter in network.parameters():
            parameter.add_(1)
    assert np.array_equal(evaluate(planes)[0], before)


@pytest.mark.parametrize("threads", [1, 2])
def test_padded_batches_give_each_position_the_same_in_any_company(threads: int) -> None:
    game = find_game("connect4")
    evaluate = OnnxEvaluator(export_onnx(lived_in(NetworkSettings(), game), game), threads, padded_to=8)
    planes = random_positions(game, 19)
    logits, values = evaluate(planes)
    assert logits.shape == (19, 7) and values.shape == (19,)
    for index in range(19):
        alone = evaluate(planes[index : index + 1])
        assert np.array_equal(alone[0][0], logits[index]) and alone[1][0] == values[index]


@pytest.mark.parametrize("specification", ["connect4", "othello:size=6", "latrunculi:size=4"])
def test_forest_searches_with_a_network(specification: str) -> None:
    game = find_game(specification)
    evaluate = OnnxEvaluator(export_onnx(lived_in(NetworkSettings(**SMALL), game), game))
    forest = Forest(game, SearchSettings(), trees=3, nodes=200)
    forest.search(evaluate, 40)
    for tree in range(3):
        assert sum(edge.visits for edge in forest.root_edges(tree)) == 40
    assert forest.counts().evaluations > 40
    actions = forest.choose()
    assert all(action in game.legal_actions(forest.root_state(tree)) for tree, action in enumerate(actions))


# -- files ------------------------------------------------------------------------------------------------------------
def test_network_comes_back_from_its_file_as_it_was(tmp_path: Path) -> None:
    game = find_game("connect4:rows=5,columns=6")
    network = lived_in(NetworkSettings(**SMALL, value="wdl"), game)
    path = tmp_path / "new" / "folder" / "network.safetensors"
    header = save_network(path, network, game, {"generation": 12, "seconds": 3.5})
    stored = load_network(path)
    assert stored.header == header == read_header(path)
    assert (stored.header.game, stored.header.details) == (game.specification, {"generation": 12, "seconds": 3.5})
    assert stored.network.settings == network.settings and not stored.network.training
    ours, theirs = network.state_dict(), stored.network.state_dict()
    assert ours.keys() == theirs.keys() and all(torch.equal(ours[name], theirs[name]) for name in ours)
    assert sorted(file.name for file in path.parent.iterdir()) == ["network.onnx", "network.safetensors"]


def test_interrupted_writing_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "file"
    write_whole(path, b"old")

    def full_disk(_: int) -> None:
        raise OSError("no space left")

    monkeypatch.setattr(os, "fsync", full_disk)
    with pytest.raises(OSError, match="no space"):
        write_whole(path, b"new")
    assert path.read_bytes() == b"old" and list(tmp_path.iterdir()) == [path]


def test_truncated_file_is_refused(tictactoe_file: Path, tmp_path: Path) -> None:
    content = tictactoe_file.read_bytes()
    for length in (0, 5, 100, len(content) - 10):
        path = tmp_path / "cut.safetensors"
        path.write_bytes(content[:length])
        with pytest.raises(BadInput, match="damaged or not a network file"):
            load_network(path)
        with pytest.raises(BadInput, match="damaged or not a network file"):
            find_evaluator(path, find_game("tictactoe"))


def test_one_flipped_bit_is_noticed(tictactoe_file: Path, tmp_path: Path) -> None:
    content = bytearray(tictactoe_file.read_bytes())
    content[-5] ^= 1
    path = tmp_path / "flipped.safetensors"
    path.write_bytes(content)
    with pytest.raises(BadInput, match="checksum"):
        load_network(path)


def rewritten(source: Path, target: Path, header: object) -> Path:
    """The same weights under another header."""
    tensors = safetensors.torch.load(source.read_bytes())
    target.write_bytes(safetensors.torch.save(tensors, {HEADER_KEY: header if isinstance(header, str) else json.dumps(header)}))
    return target


def test_foreign_and_strange_headers_are_refused(tictactoe_file: Path, tmp_path: Path) -> None:
    header = json.loads(read_header(tictactoe_file).to_text())
    target = tmp_path / "strange.safetensors"
    target.write_bytes(safetensors.torch.save({"weight": torch.zeros(3)}))
    with pytest.raises(BadInput, match="not a network of boardzero"):
        load_network(target)
    strange: dict[str, list[object]] = {
        "header cannot be read": ["not json", "[1]", {"format": 1}, {**header, "game": 3}, {**header, "settings": 3}],
        "format 99": [{**header, "format": 99}],
        "no parameter 'wings'": [{**header, "settings": {"wings": 2}}],
        "does not match its own header": [
            {**header, "settings": {**header["settings"], "blocks": 3}},
            {**header, "settings": {**header["settings"], "channels": 24}},
            {**header, "game": "connect4"},
        ],
        "chess": [{**header, "game": "chess"}],
    }
    for sentence, headers in strange.items():
        for one in headers:
            with pytest.raises(BadInput, match=sentence):
                load_network(rewritten(tictactoe_file, target, one))


def test_missing_and_misnamed_files_are_refused(tictactoe_file: Path, tmp_path: Path) -> None:
    game = find_game("tictactoe")
    for name in ("none.safetensors", "none.onnx"):
        with pytest.raises(BadInput, match="There is no network file"):
            find_evaluator(tmp_path / name, game)
    with pytest.raises(BadInput, match="There is no network file"):
        load_network(tmp_path)
    with pytest.raises(BadInput, match="called name"):
        find_evaluator(tictactoe_file.with_suffix(".pt"), game)
    with pytest.raises(BadInput, match="called name"):
        save_network(tmp_path / "network.pt", load_network(tictactoe_file).network, game)


def test_evaluator_is_found_for_weights_and_for_onnx_alone(tictactoe_file: Path) -> None:
    game = find_game("tictactoe")
    planes = random_positions(game, 6)
    expected = TorchEvaluator(load_network(tictactoe_file).network)(planes)
    for path in (tictactoe_file, tictactoe_file.with_suffix(".onnx")):
        for one, other in zip(find_evaluator(path, game)(planes), expected, strict=True):
            assert np.allclose(one, other, atol=1e-5)


@pytest.mark.parametrize("beside", ["missing", "damaged", "older"])
def test_onnx_file_of_other_weights_is_not_used(tmp_path: Path, beside: str) -> None:
    game = find_game("tictactoe")
    path, onnx_path = tmp_path / "network.safetensors", tmp_path / "network.onnx"
    save_network(path, lived_in(NetworkSettings(**SMALL), game, seed=1), game)
    older = onnx_path.read_bytes()
    newer = lived_in(NetworkSettings(**SMALL), game, seed=2)
    save_network(path, newer, game)
    onnx_path.unlink()
    if beside != "missing":
        onnx_path.write_bytes(older if beside == "older" else older[:-100])
    planes = random_positions(game, 6)
    assert np.allclose(find_evaluator(path, game)(planes)[0], TorchEvaluator(newer)(planes)[0], atol=1e-5)


def test_network_for_another_game_or_size_is_refused(tictactoe_file: Path, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="was built for tictactoe and cannot play connect4"):
        find_evaluator(tictactoe_file, find_game("connect4"))
    with pytest.raises(BadInput, match="cannot play gomoku"):
        find_evaluator(tictactoe_file.with_suffix(".onnx"), find_game("gomoku:size=5"))
    seven = find_game("gomoku:size=7")
    fixed, free = tmp_path / "fixed.safetensors", tmp_path / "free.safetensors"
    save_network(fixed, build_network(NetworkSettings(**SMALL), seven), seven)
    save_network(free, build_network(NetworkSettings(**SMALL, kind="convolutional"), seven), seven)
    nine = find_game("gomoku:size=9")
    with pytest.raises(BadInput, match="7×7 cells and 49 actions, the game has 9×9 and 81"):
        find_evaluator(fixed, nine)
    assert find_evaluator(free, nine)(random_positions(nine, 2))[0].shape == (2, 81)


def test_foreign_onnx_files_are_refused(tmp_path: Path) -> None:
    game, path = find_game("tictactoe"), tmp_path / "network.onnx"
    path.write_bytes(export_onnx(build_network(NetworkSettings(**SMALL), game), game))  # without labels
    with pytest.raises(BadInput, match="not a network of boardzero"):
        find_evaluator(path, game)
    path.write_bytes(b"nonsense")
    with pytest.raises(BadInput, match="damaged or not an ONNX file"):
        find_evaluator(path, game)


def test_networks_do_not_pass_between_games_of_openspiel(tmp_path: Path) -> None:
    pytest.importorskip("pyspiel")
    game, path = find_game("openspiel:breakthrough,rows=6,columns=6"), tmp_path / "network.safetensors"
    save_network(path, build_network(NetworkSettings(**SMALL), game), game)
    assert find_evaluator(path, game)(random_positions(game, 2))[1].shape == (2,)
    with pytest.raises(BadInput, match="cannot play openspiel:clobber"):
        find_evaluator(path, find_game("openspiel:clobber"))


@pytest.mark.parametrize("suffix", [".safetensors", ".onnx"])
@pytest.mark.parametrize("precision", ["float", "int8"])
def test_a_network_from_a_time_when_the_game_had_other_planes_is_refused(
    tictactoe_file: Path, suffix: str, precision: Precision, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(TicTacToe, "planes", (*TicTacToe.planes, "one more"))
    with pytest.raises(BadInput, match="another version of the game"):
        find_evaluator(tictactoe_file.with_suffix(suffix), find_game("tictactoe"), precision=precision)
