"""A network in whole numbers: its tower computes with 8 bits instead of 32, about three times as fast where the processor has
instructions for that; the heads stay as they are.

Every value between the tower's convolutions becomes one of 256 steps, which reach as far as the values did on some positions
that the network was tried on. Steps of a value behind a rectifier begin at 0: rounding then takes the rectifier's place.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import onnx
import onnxruntime
from onnx import ModelProto, NodeProto, helper, numpy_helper

from boardzero.network.header import INPUT

Floats = npt.NDArray[np.float32]
STEPS = 255  # between the least and the greatest value
WEIGHT_STEPS = 127  # to either side of 0
FEWEST_CHANNELS = 8  # convolutions from or to fewer cost too little to be changed
TOGETHER = 4096  # cells of positions that are tried at once: all values of all layers are kept for them
SMALLEST = 1e-6  # reach of a value or a weight: some channels are always 0
MOST_SUM_STEPS = 2**30  # of a bias: it is counted in the same steps as the sum of products, with 32 bits


def quantized(model: bytes, planes: Floats) -> bytes:
    """An exported network with its tower in 8 bits; planes: positions that show how far its values reach."""
    return bytes(_Rounding(onnx.load_from_string(model)).applied(planes).SerializeToString())


class _Rounding:
    """Goes through an exported network and puts rounding where the tower's convolutions read and write."""

    def __init__(self, model: ModelProto) -> None:
        self.model = model
        self._constants = {one.name: numpy_helper.to_array(one) for one in model.graph.initializer}
        self._nodes: list[NodeProto] = []  # of the graph as it becomes
        self._scales: dict[str, np.float32] = {}  # of the values that were rounded
        self._rounded: dict[str, str] = {}  # what to read instead of a value

    def applied(self, planes: Floats) -> ModelProto:
        nodes = list(self.model.graph.node)
        tower = {node.output[0] for node in nodes if self._is_in_tower(node)}
        rectified = {node.input[0]: node.output[0] for node in nodes if node.op_type == "Relu"}
        reads = [node.input[0] for node in nodes if node.output[0] in tower]
        names = list(dict.fromkeys([*reads, *(rectified.get(name, name) for name in tower)]))
        if not names:
            return self.model
        reaches = dict(zip(names, _reaches(self.model, names, planes), strict=True))
        for node in nodes:
            name, is_rectifier = node.output[0], node.op_type == "Relu"
            if not (is_rectifier and name in reaches):
                self._copy(node, name in tower)
            if name in reaches:
                source = self._rounded.get(node.input[0], node.input[0]) if is_rectifier else name
                self._round(name, source, *reaches[name])
        graph = self.model.graph
        del graph.node[:], graph.initializer[:]
        used = {name for node in self._nodes for name in node.input}
        graph.node.extend(self._nodes)
        graph.initializer.extend(numpy_helper.from_array(one, name) for name, one in self._constants.items() if name in used)
        return self.model

    def _is_in_tower(self, node: NodeProto) -> bool:
        if node.op_type != "Conv" or node.input[0] == INPUT or node.input[1] not in self._constants:  # not: rounded already
            return False
        outputs, inputs, *kernel = self._constants[node.input[1]].shape
        return min(outputs, inputs) >= FEWEST_CHANNELS and max(kernel) > 1

    def _copy(self, node: NodeProto, in_tower: bool) -> None:
        reads = node.input[0]
        node.input[:] = [self._rounded.get(name, name) for name in node.input]
        if in_tower:
            self._round_weights(node, self._scales[reads])
        self._nodes.append(node)

    def _round(self, name: str, source: str, least: float, greatest: float) -> None:
        """From here on, whoever reads this value reads the nearest step."""
        scale = np.float32(max(greatest - least, SMALLEST) / STEPS)
        self._scales[name] = scale
        steps = self._constant(f"{name}_scale", scale), self._constant(f"{name}_zero", np.uint8(round(-least / scale)))
        self._rounded[name] = self._add("DequantizeLinear", self._add("QuantizeLinear", source, *steps), *steps)

    def _round_weights(self, node: NodeProto, read_scale: np.float32) -> None:
        """Those of each output channel in steps of their own; the bias in the steps that the sum of products has.

        Where that sum is always near 0, steps as small as its own would be too many for the bias.
        """
        weight, bias = (self._constants[name] for name in node.input[1:])
        scale = np.maximum(np.abs(weight).max((1, 2, 3)), SMALLEST) / WEIGHT_STEPS
        scale = np.maximum(scale, np.abs(bias) / (MOST_SUM_STEPS * read_scale)).astype(np.float32)
        sum_scale = scale * read_scale
        whole = np.rint(weight / scale[:, None, None, None]).astype(np.int8)
        node.input[1] = self._whole(f"{node.output[0]}_weight", whole, scale)
        node.input[2] = self._whole(f"{node.output[0]}_bias", np.rint(bias / sum_scale).astype(np.int32), sum_scale)

    def _whole(self, name: str, numbers: npt.NDArray[np.generic], scale: npt.NDArray[np.float32]) -> str:
        """Whole numbers that are read as steps of these sizes, one for each output channel."""
        zeros = np.zeros(len(scale), numbers.dtype)
        parts = {"whole": numbers, "scale": scale, "zero": zeros}
        return self._add("DequantizeLinear", *(self._constant(f"{name}_{part}", one) for part, one in parts.items()), axis=0)

    def _constant(self, name: str, value: npt.NDArray[np.generic] | np.generic) -> str:
        self._constants[name] = np.asarray(value)
        return name

    def _add(self, operation: str, *inputs: str, **attributes: Any) -> str:
        name = f"{inputs[0]}_{operation}"
        self._nodes.append(helper.make_node(operation, list(inputs), [name], name=name, **attributes))
        return name


def _reaches(model: ModelProto, names: Sequence[str], planes: Floats) -> list[tuple[float, float]]:
    """The least (at most 0) and the greatest of each value, over all positions."""
    watched = ModelProto()
    watched.CopyFrom(model)
    watched.graph.output.extend(helper.make_empty_tensor_value_info(name) for name in names)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(watched.SerializeToString(), options, providers=["CPUExecutionProvider"])
    least, greatest = np.zeros(len(names)), np.zeros(len(names))
    count = max(1, TOGETHER // (planes.shape[2] * planes.shape[3]))
    for first in range(0, len(planes), count):
        values = session.run(list(names), {INPUT: planes[first : first + count]})
        least = np.minimum(least, [value.min() for value in values])
        greatest = np.maximum(greatest, [value.max() for value in values])
    return list(zip(least.tolist(), greatest.tolist(), strict=True))
