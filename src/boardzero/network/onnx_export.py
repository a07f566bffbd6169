"""Networks as ONNX: planes in, logits and one value for the side to move out; any batch, and any board if the kind allows."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from onnx import TensorProto, helper
from torch import fx, nn

from boardzero.games.rules import Game
from boardzero.network.header import INPUT, OUTPUTS
from boardzero.network.model import Inference, Network
from boardzero.network.onnx_graph import GraphBuilder

OPSET, IR_VERSION = 18, 9
CHECKED_BATCHES = (1, 2, 7, 64)
TOLERANCE = 1e-3  # for logits and values; sums in another order differ by about 1e-6 of their greatest terms


def export_onnx(network: Network, game: Game, labels: dict[str, str] | None = None) -> bytes:
    """The network as it evaluates (never as it trains), with labels for whoever reads the file."""
    inference = Inference(network)
    builder = GraphBuilder(fx.GraphModule(inference, _Tracer().trace(inference)))
    builder.build(INPUT, OUTPUTS)
    board: list[int | str] = ["rows", "columns"] if network.settings.size_free else [game.rows, game.columns]
    actions: int | str = "actions" if network.settings.size_free else game.action_count
    graph = helper.make_graph(
        builder.nodes,
        "boardzero",
        [helper.make_tensor_value_info(INPUT, TensorProto.FLOAT, ["batch", len(game.planes), *board])],
        [
            helper.make_tensor_value_info(OUTPUTS[0], TensorProto.FLOAT, ["batch", actions]),
            helper.make_tensor_value_info(OUTPUTS[1], TensorProto.FLOAT, ["batch"]),
        ],
        builder.constants,
    )
    model = helper.make_model(graph, producer_name="boardzero", opset_imports=[helper.make_opsetid("", OPSET)])
    model.ir_version = IR_VERSION
    helper.set_model_props(model, labels or {})
    return bytes(model.SerializeToString())


class _Tracer(fx.Tracer):
    """Takes every kind of normalisation as one step."""

    def is_leaf_module(self, module: nn.Module, name: str) -> bool:
        return isinstance(module, nn.BatchNorm2d) or super().is_leaf_module(module, name)


@dataclass(frozen=True)
class ExportCheck:
    """How far an exported network is from the one it was made from: the greatest difference over all batches."""

    logits: float
    values: float

    @property
    def passed(self) -> bool:
        return max(self.logits, self.values) <= TOLERANCE  # false for NaN, too


def check_export(
    network: Network, model: bytes, game: Game, batches: Sequence[int] = CHECKED_BATCHES, seed: int = 0
) -> ExportCheck:
    """Compare PyTorch and ONNX Runtime on positions of random games, at several batch sizes."""
    from boardzero.network.evaluator import OnnxEvaluator, TorchEvaluator
    from boardzero.network.positions import random_positions

    planes = random_positions(game, max(batches), seed)
    ours, theirs = TorchEvaluator(network, device="cpu"), OnnxEvaluator(model)
    differences = [
        [np.abs(one - other).max() for one, other in zip(ours(planes[:batch]), theirs(planes[:batch]), strict=True)]
        for batch in batches
    ]
    logits, values = np.max(differences, axis=0)
    return ExportCheck(float(logits), float(values))
