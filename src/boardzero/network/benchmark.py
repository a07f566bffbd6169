"""How fast a network evaluates positions: ONNX Runtime against PyTorch in the same run."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch

from boardzero.games.rules import Game, Planes
from boardzero.network.cost import count_multiply_adds, count_parameters
from boardzero.network.evaluator import NetworkEvaluator, OnnxEvaluator, TorchEvaluator, preferred_device
from boardzero.network.model import Network
from boardzero.network.onnx_export import check_export, export_onnx
from boardzero.network.positions import random_positions


@dataclass(frozen=True)
class EvaluationSpeed:
    """Positions a second at one batch size and number of threads."""

    batch: int
    threads: int
    onnx_runtime: float
    pytorch: float

    @property
    def ratio(self) -> float:
        return self.onnx_runtime / self.pytorch


def measure_network(
    network: Network, game: Game, batches: Sequence[int], threads: Sequence[int], seconds: float
) -> dict[str, Any]:
    """Size, arithmetic, time and exactness of the export, and speeds; each speed is measured for about `seconds`."""
    before = time.perf_counter()
    model = export_onnx(network, game)
    export_seconds = time.perf_counter() - before
    difference = check_export(network, model, game)
    multiply_adds = count_multiply_adds(network, game)
    speeds = [speed for count in threads for speed in _measure_threads(network, model, game, batches, count, seconds)]
    return {
        "game": game.specification,
        "settings": network.settings.model_dump(exclude_defaults=True),
        "parameters": count_parameters(network),
        "multiply_adds": multiply_adds,
        "flops": 2 * multiply_adds,
        "export_seconds": export_seconds,
        "export_difference": max(difference.logits, difference.values),
        "pytorch_device": preferred_device(),
        "speeds": [{**vars(speed), "ratio": speed.ratio} for speed in speeds],
    }


def _measure_threads(
    network: Network, model: bytes, game: Game, batches: Sequence[int], threads: int, seconds: float
) -> list[EvaluationSpeed]:
    onnx_runtime, pytorch = OnnxEvaluator(model, threads), TorchEvaluator(network)
    positions = random_positions(game, max(batches))
    before = torch.get_num_threads()
    torch.set_num_threads(threads)
    try:
        return [
            EvaluationSpeed(
                batch,
                threads,
                _positions_per_second(onnx_runtime, positions[:batch], seconds),
                _positions_per_second(pytorch, positions[:batch], seconds),
            )
            for batch in batches
        ]
    finally:
        torch.set_num_threads(before)


def _positions_per_second(evaluate: NetworkEvaluator, planes: Planes, seconds: float) -> float:
    evaluate(planes)  # the first call also allocates
    calls, begin = 0, time.perf_counter()
    while (elapsed := time.perf_counter() - begin) < seconds or not calls:
        evaluate(planes)
        calls += 1
    return calls * len(planes) / elapsed
