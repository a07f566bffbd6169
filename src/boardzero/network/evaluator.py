"""Evaluators: planes [batch, planes, rows, columns] in; logits [batch, actions] and values [batch] for the side to move out.

All arrays are float32. ONNX Runtime evaluates on CPUs, PyTorch where there is a GPU; both give the same, up to rounding.
PyTorch is imported only where it is needed: that takes a second or two, which an engine does not have.
"""

import copy
import ctypes
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import onnxruntime

from boardzero.errors import BadInput
from boardzero.games.rules import Game
from boardzero.network.fitting import check_fits
from boardzero.network.header import (
    HEADER_KEY,
    INPUT,
    ONNX_SUFFIX,
    OUTPUTS,
    SUFFIX,
    NetworkHeader,
    parse_header,
    read_header,
)
from boardzero.network.precision import in_precision, is_fast_with_bytes
from boardzero.settings.precision import Precision

if TYPE_CHECKING:
    from boardzero.network.model import Network

LEAST_FOR_A_THREAD = 2  # positions of a batch

Floats = npt.NDArray[np.float32]
NetworkEvaluator = Callable[[Floats], tuple[Floats, Floats]]


class OnnxEvaluator:
    """A network in ONNX Runtime on the CPU. It may be called by several threads at once, but one each is faster.

    With several threads of its own each takes its part of a batch; only in very small batches they share every layer, for that
    leaves cores idle.
    """

    def __init__(self, model: Path | bytes, threads: int = 1, padded_to: int = 0) -> None:
        """`padded_to`: evaluate in batches of exactly this size, so that no result depends on its company (0: as they come)."""
        self.padded_to = padded_to
        self._session = open_session(model, threads)
        self._parts = [open_session(model, 1) for _ in range(threads)] if threads > 1 else []
        self._workers = ThreadPoolExecutor(threads - 1, thread_name_prefix="evaluator") if threads > 1 else None

    @property
    def labels(self) -> dict[str, str]:
        """What the maker of the file noted in it."""
        return dict(self._session.get_modelmeta().custom_metadata_map)

    @property
    def planes(self) -> int:
        """How many it takes."""
        return int(self._session.get_inputs()[0].shape[1])

    def __call__(self, planes: Floats) -> tuple[Floats, Floats]:
        if not self.padded_to:
            return self._evaluate(planes)
        size, count = self.padded_to, len(planes)
        padded = np.zeros((-(-count // size) * size, *planes.shape[1:]), np.float32)
        padded[:count] = planes
        logits, values = _joined([self._evaluate(padded[first : first + size]) for first in range(0, len(padded), size)])
        return logits[:count], values[:count]

    def _evaluate(self, planes: Floats) -> tuple[Floats, Floats]:
        """By as many threads as have enough to do; each with its part of the batch, the first of them being who asks."""
        busy = min(len(self._parts), len(planes) // LEAST_FOR_A_THREAD)
        if self._workers is None or busy < 2:
            return _run(self._session, planes)
        shares = np.array_split(planes, busy)
        others = [
            self._workers.submit(_run, session, share) for session, share in zip(self._parts[1:], shares[1:], strict=False)
        ]
        return _joined([_run(self._parts[0], shares[0]), *(other.result() for other in others)])


def _run(session: onnxruntime.InferenceSession, planes: Floats) -> tuple[Floats, Floats]:
    logits, values = session.run(OUTPUTS, {INPUT: planes})
    return logits, values


def _joined(parts: list[tuple[Floats, Floats]]) -> tuple[Floats, Floats]:
    logits, values = zip(*parts, strict=True)
    return np.concatenate(logits), np.concatenate(values)


def open_session(model: Path | bytes, threads: int) -> onnxruntime.InferenceSession:
    """ONNX Runtime's session of a file, or of what is in one; BadInput if it is none."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.execution_mode = onnxruntime.ExecutionMode.ORT_SEQUENTIAL
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")  # waiting threads leave the cores to others
    if not is_fast_with_bytes():  # then bytes need another way to be added exactly
        options.add_session_config_entry("session.x64quantprecision", "1")
    options.log_severity_level = 3
    origin = f"'{model}'" if isinstance(model, Path) else "the model"
    if isinstance(model, Path) and not model.is_file():
        raise BadInput(f"There is no network file {origin}.")
    try:
        return onnxruntime.InferenceSession(
            str(model) if isinstance(model, Path) else model, options, providers=["CPUExecutionProvider"]
        )
    except Exception as error:  # ONNX Runtime's exceptions share no other base
        reason = " ".join(str(error).split())
        raise BadInput(f"ONNX Runtime cannot read {origin}: it is damaged or not an ONNX file ({reason}).") from None


class TorchEvaluator:
    """A copy of a network in PyTorch, on the GPU if there is one; training the original further does not change it."""

    def __init__(self, network: "Network", device: str | None = None) -> None:
        import torch

        from boardzero.network.model import Inference

        self.device = torch.device(device or preferred_device())
        self._network = Inference(copy.deepcopy(network)).eval().to(self.device)

    def __call__(self, planes: Floats) -> tuple[Floats, Floats]:
        import torch

        with torch.inference_mode():
            logits, values = self._network(torch.from_numpy(planes).to(self.device))
            return logits.cpu().numpy(), values.cpu().numpy()


def preferred_device() -> str:
    if not _may_have_gpu():
        return "cpu"
    import torch

    return "cuda" if torch.cuda.is_available() else "cpu"


def _may_have_gpu() -> bool:
    """False where PyTorch cannot find a GPU because no driver is there, which is known without importing it."""
    if "torch" in sys.modules or Path("/dev/kfd").exists():  # the latter: AMD
        return True
    try:
        ctypes.CDLL("nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1")
    except OSError:
        return False
    return True


def find_evaluator(path: Path, game: Game, threads: int = 1, precision: Precision = "float") -> NetworkEvaluator:
    """The evaluator of a network file (`.safetensors`, or `.onnx` alone) for a game; what does not fit is refused (BadInput).

    Beside a GPU it is PyTorch's, otherwise ONNX Runtime's, with this precision. A missing or older ONNX file beside the weights
    does no harm: the network is then exported anew, in memory.
    """
    if path.suffix == ONNX_SUFFIX:
        evaluator = OnnxEvaluator(path, threads if precision == "float" else 1)
        check_fits(parse_header(evaluator.labels, str(path)), game, str(path))
        _check_planes(evaluator, game, path)
        return evaluator if precision == "float" else OnnxEvaluator(in_precision(path.read_bytes(), game, precision), threads)
    if path.suffix != SUFFIX:
        raise BadInput(f"'{path}' is not a network file: those are called name{SUFFIX} or name{ONNX_SUFFIX}.")
    header = read_header(path)
    check_fits(header, game, str(path))
    if preferred_device() != "cpu":
        from boardzero.network.weights import load_network

        return TorchEvaluator(load_network(path).network)
    beside = _exported_beside(path, threads if precision == "float" else 1)
    model = _exported_now(path) if beside is None else path.with_suffix(ONNX_SUFFIX).read_bytes()
    evaluator = beside or OnnxEvaluator(model, threads)
    _check_planes(evaluator, game, path)
    return evaluator if precision == "float" else OnnxEvaluator(in_precision(model, game, precision), threads)


def _check_planes(evaluator: OnnxEvaluator, game: Game, path: Path) -> None:
    """Refuse (BadInput) a network from a time when the game had other planes."""
    if evaluator.planes != len(game.planes):
        raise BadInput(
            f"The network '{path.name}' takes {evaluator.planes} planes, and {game.title} has {len(game.planes)}:"
            " it was made for another version of the game, and has to be learned anew."
        )


def exported_bytes(path: Path) -> bytes:
    """A network file as ONNX, with its header: the file beside it, if that was made from these weights, or a new one."""
    return path.with_suffix(ONNX_SUFFIX).read_bytes() if _exported_beside(path, 1) else _exported_now(path)


def header_of(path: Path) -> NetworkHeader:
    """What the maker of a network file, of either kind, noted in it."""
    return parse_header(OnnxEvaluator(path).labels, str(path)) if path.suffix == ONNX_SUFFIX else read_header(path)


def _exported_beside(path: Path, threads: int) -> OnnxEvaluator | None:
    """The ONNX file beside the weights, if it was made from them."""
    beside = path.with_suffix(ONNX_SUFFIX)
    try:
        evaluator = OnnxEvaluator(beside, threads)
        same = parse_header(evaluator.labels, str(beside)).checksum == read_header(path).checksum
    except BadInput:
        return None
    return evaluator if same else None


def _exported_now(path: Path) -> bytes:
    from boardzero.network.onnx_export import export_onnx
    from boardzero.network.weights import load_network

    stored = load_network(path)
    return export_onnx(stored.network, stored.game, {HEADER_KEY: stored.header.to_text()})
