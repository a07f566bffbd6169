"""Networks whose towers compute with 8 bits."""

from pathlib import Path

import numpy as np
import onnx
import pytest
import torch
from training_runs import begin, run

from boardzero.games.catalogue import find_game
from boardzero.network import precision
from boardzero.network.build import build_network
from boardzero.network.evaluator import OnnxEvaluator, find_evaluator
from boardzero.network.model import Network
from boardzero.network.onnx_export import export_onnx
from boardzero.network.positions import random_positions
from boardzero.network.precision import in_precision, tried_positions
from boardzero.network.quantizing import quantized
from boardzero.network.weights import load_network, save_network
from boardzero.settings.network import NetworkSettings

SHAPES = {
    "usual": NetworkSettings(),
    "wdl": NetworkSettings(blocks=2, channels=16, value="wdl"),
    "not normalised": NetworkSettings(blocks=2, channels=16, batch_norm=False),
    "leaky": NetworkSettings(blocks=2, channels=16, activation="leaky"),
    "pooling": NetworkSettings(blocks=2, channels=32, global_pooling_every=2),
    "convolutional": NetworkSettings(kind="convolutional", blocks=2, channels=16),
    "two 3×3 convolutions in the policy head": NetworkSettings(blocks=1, channels=16, policy_kernel=3),
}


def lively(settings: NetworkSettings, game_name: str) -> Network:
    """A network whose normalisations have seen positions, and whose values differ from one position to the next."""
    game = find_game(game_name)
    network = build_network(settings, game, 3).train()
    planes = torch.from_numpy(random_positions(game, 256, 1))
    with torch.no_grad():
        for _ in range(20):
            network(planes)
    return network.eval()


@pytest.mark.parametrize("game_name", ["connect4", "othello:size=6", "gomoku:size=7", "latrunculi"])
@pytest.mark.parametrize("shape", SHAPES)
def test_rounded_network_thinks_nearly_the_same(shape: str, game_name: str) -> None:
    game, network = find_game(game_name), lively(SHAPES[shape], game_name)
    model = export_onnx(network, game)
    rounded = quantized(model, random_positions(game, 256, 2))
    planes = random_positions(game, 512, 3)
    (logits, values), (rounded_logits, rounded_values) = OnnxEvaluator(model)(planes), OnnxEvaluator(rounded)(planes)
    assert 0 < np.abs(rounded_logits - logits).mean() < 0.1 * logits.std()
    assert np.abs(rounded_values - values).mean() < 0.1 * values.std() + 1e-3


@pytest.mark.parametrize("still", ["values", "weights"])
def test_bias_survives_where_everything_else_is_0(still: str) -> None:
    """Rectifiers that never let anything through, or channels that read nothing: all that is left is the bias."""
    game = find_game("connect4")
    network = build_network(SHAPES["not normalised"], game, 3).eval()
    block = network.tower[1]  # type: ignore[index]
    with torch.no_grad():
        if still == "values":
            block.first[0].bias.fill_(-100.0)
        else:
            block.second[0].weight.zero_()
        block.second[0].bias.copy_(torch.linspace(-1, 1, 16))
    model, planes = export_onnx(network, game), random_positions(game, 64)
    exact, rounded = OnnxEvaluator(model)(planes), OnnxEvaluator(quantized(model, planes))(planes)
    for one, other in zip(exact, rounded, strict=True):
        assert np.abs(one - other).mean() < 0.1 * one.std() + 1e-3


def test_all_convolutions_of_the_tower_but_the_first_read_rounded_values() -> None:
    game = find_game("connect4")
    model = onnx.load_from_string(quantized(export_onnx(lively(SHAPES["usual"], "connect4"), game), random_positions(game, 64)))
    onnx.checker.check_model(model)
    makers = {output: node.op_type for node in model.graph.node for output in node.output}
    wide = [node for node in model.graph.node if node.op_type == "Conv" and makers.get(node.input[1]) == "DequantizeLinear"]
    assert len(wide) == 2 * SHAPES["usual"].blocks
    assert {makers[node.input[0]] for node in wide} == {"DequantizeLinear"}


def test_network_that_is_rounded_already_stays_as_it_is() -> None:
    game = find_game("connect4")
    planes = random_positions(game, 64)
    rounded = quantized(export_onnx(lively(SHAPES["usual"], "connect4"), game), planes)
    again, _ = OnnxEvaluator(quantized(rounded, planes))(planes)
    np.testing.assert_array_equal(again, OnnxEvaluator(rounded)(planes)[0])


def test_network_is_left_alone_where_the_processor_gains_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    game = find_game("connect4")
    model = export_onnx(lively(SHAPES["usual"], "connect4"), game)
    assert in_precision(model, game, "float") == model
    for fast in (False, True):
        monkeypatch.setattr(precision, "is_fast_with_bytes", lambda fast=fast: fast)
        assert (in_precision(model, game, "auto") != model) is fast
        assert in_precision(model, game, "int8") != model


def test_fewer_positions_of_large_boards_are_tried_and_none_is_only_an_opening() -> None:
    shapes = [tried_positions(find_game(game)).shape for game in ("connect4", "gomoku:size=13", "gomoku:size=20")]
    assert [shape[0] for shape in shapes] == [512, 256, 86]
    stones = tried_positions(find_game("gomoku:size=20"))[:, :2].sum((1, 2, 3))
    assert stones.min() < 20 and stones.max() > 100 and len(np.unique(stones)) > 40


@pytest.mark.parametrize(
    ("description", "fast"),
    [
        ("processor\t: 0\nflags\t\t: fpu avx512f avx512_vnni\n", True),
        ("processor\t: 0\nflags\t\t: fpu avx2 avx_vnni\n", True),
        ("processor\t: 0\nflags\t\t: fpu avx2\n", False),
        ("processor\t: 0\nFeatures\t: fp asimd asimddp\n", True),
        ("processor\t: 0\nFeatures\t: fp asimd\n", False),  # an older ARM
        ("", False),
    ],
)
def test_processor_that_is_fast_with_bytes_says_so(description: str, fast: bool) -> None:
    assert precision.has_instructions(description, precision.BYTE_INSTRUCTIONS) is fast


def test_processor_that_is_fast_with_16_bits_says_so() -> None:
    descriptions = {
        "flags: avx512_bf16": True,
        "flags: avx2 amx_bf16": True,
        "flags: avx512_vnni": False,
        "Features: bf16": False,
    }
    for description, fast in descriptions.items():
        assert precision.has_instructions(description, precision.BFLOAT16_INSTRUCTIONS) is fast


def test_evaluator_of_a_file_is_rounded_with_and_without_its_onnx_file(tmp_path: Path) -> None:
    game, path = find_game("connect4"), tmp_path / "network.safetensors"
    save_network(path, lively(SHAPES["usual"], "connect4"), game, {})
    planes = random_positions(game, 16)
    exact, _ = find_evaluator(path, game)(planes)
    beside, _ = find_evaluator(path, game, precision="int8")(planes)
    alone, _ = find_evaluator(path.with_suffix(".onnx"), game, precision="int8")(planes)
    path.with_suffix(".onnx").unlink()
    anew, _ = find_evaluator(path, game, precision="int8")(planes)
    assert not np.array_equal(beside, exact)
    np.testing.assert_array_equal(beside, anew)
    np.testing.assert_array_equal(beside, alone)


def test_run_with_8_bits_is_the_same_twice_and_another_than_with_32(tmp_path: Path) -> None:
    folders = [
        begin(tmp_path / name, f"selfplay.precision={bits}", generations=2)
        for name, bits in (("one", "int8"), ("two", "int8"), ("exact", "float"))
    ]
    weights = []
    for folder in folders:
        run(folder)
        weights.append(torch.cat([tensor.flatten() for tensor in load_network(folder.network(2)).network.parameters()]))
    assert torch.equal(weights[0], weights[1])
    assert not torch.equal(weights[0], weights[2])
