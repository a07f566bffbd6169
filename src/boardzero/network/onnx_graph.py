"""Translates a traced PyTorch module into an ONNX graph: just the operations that networks here are made of.

PyTorch's own exporters take 0.2 s (the deprecated one) to 2 s and more, and write warnings; this takes about 15 ms, and
training exports after each generation. Batch normalisation is folded into the convolution before it.
"""

import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from onnx import NodeProto, TensorProto, helper, numpy_helper
from torch import Tensor, fx, nn
from torch.nn.utils.fusion import fuse_conv_bn_weights

BOARD_AXES = (2, 3)


class GraphBuilder:
    """Collects the nodes and constants of an ONNX graph while it walks through a traced module."""

    def __init__(self, module: fx.GraphModule) -> None:
        self.module = module
        self.nodes: list[NodeProto] = []
        self.constants: list[TensorProto] = []
        self._names: dict[fx.Node, str] = {}  # of the values that the traced module's nodes became

    def build(self, input_name: str, output_names: Sequence[str]) -> None:
        """Translate the whole module, which takes one input."""
        for node in self.module.graph.nodes:
            match node.op:
                case "placeholder":
                    self._names[node] = input_name
                case "output":
                    for result, name in zip(node.args[0], output_names, strict=True):
                        self.nodes.append(helper.make_node("Identity", [self._names[result]], [name]))
                case "get_attr":
                    self._names[node] = self.constant(operator.attrgetter(node.target)(self.module))
                case "call_module":
                    self._names[node] = self._translate_module(node, self.module.get_submodule(node.target))
                case _:
                    self._names[node] = self._translate_function(node)

    # -- pieces --------------------------------------------------------------------------------------------------------
    def add(self, operation: str, *inputs: str, **attributes: Any) -> str:
        """A node of the graph; returns the name of its result."""
        name = f"{operation.lower()}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(operation, list(inputs), [name], name=name, **attributes))
        return name

    def constant(self, value: Tensor | npt.NDArray[Any]) -> str:
        name = f"constant_{len(self.constants)}"
        array = value.detach().cpu().numpy() if isinstance(value, Tensor) else value
        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(array), name))
        return name

    def integers(self, *values: int) -> str:
        return self.constant(np.array(values, np.int64))

    def operand(self, value: Any) -> str:
        """The name of an argument: a value of the graph, or a number."""
        return self._names[value] if isinstance(value, fx.Node) else self.constant(np.array(value, np.float32))

    # -- modules -------------------------------------------------------------------------------------------------------
    def _translate_module(self, node: fx.Node, module: nn.Module) -> str:
        source = self.operand(node.args[0])
        match module:
            case nn.Conv2d():
                return self._convolution(node, source, module)
            case nn.BatchNorm2d():
                return source  # folded by _convolution
            case nn.Linear():
                return self.add("Gemm", source, self.constant(module.weight), self.constant(module.bias), transB=1)
            case nn.ReLU():
                return self.add("Relu", source)
            case nn.LeakyReLU():
                return self.add("LeakyRelu", source, alpha=module.negative_slope)
            case nn.Tanh():
                return self.add("Tanh", source)
            case nn.Flatten():
                return self._flatten(source, module.start_dim)
            case nn.AvgPool2d():
                side = int(module.kernel_size)  # type: ignore[arg-type]  # networks here pool squares
                return self.add("AveragePool", source, kernel_shape=[side, side], strides=[side, side])
        raise NotImplementedError(f"no ONNX translation of {type(module).__name__}")

    def _convolution(self, node: fx.Node, source: str, module: nn.Conv2d) -> str:
        weight, bias = module.weight, module.bias
        followers = [self._module_of(user) for user in node.users]
        if any(isinstance(follower, nn.BatchNorm2d) for follower in followers):
            (norm,) = followers
            assert isinstance(norm, nn.BatchNorm2d)
            assert norm.running_mean is not None and norm.running_var is not None
            weight, folded = fuse_conv_bn_weights(
                weight, bias, norm.running_mean, norm.running_var, norm.eps, norm.weight, norm.bias
            )
            bias = folded
        assert bias is not None
        down, right = (int(side) for side in module.padding)
        return self.add("Conv", source, self.constant(weight), self.constant(bias), pads=[down, right, down, right])

    def _module_of(self, node: fx.Node) -> nn.Module | None:
        return self.module.get_submodule(str(node.target)) if node.op == "call_module" else None

    # -- functions and methods of tensors ---------------------------------------------------------------------------------
    def _translate_function(self, node: fx.Node) -> str:
        operation: str | Callable[..., Any] = node.target
        first, *rest = node.args
        if operation in ELEMENTWISE:
            return self.add(ELEMENTWISE[operation], *map(self.operand, node.args))
        if operation is torch.cat:
            return self.add("Concat", *map(self.operand, first), axis=rest[0])  # type: ignore[arg-type]
        source, numbers = self.operand(first), [_integers(value) for value in rest]
        match operation:
            case "softmax":
                return self.add("Softmax", source, axis=numbers[0][0])
            case "flatten":
                return self._flatten(source, numbers[0][0])
            case "reshape":
                return self.add("Reshape", source, self.integers(*[size for (size,) in numbers]))
            case "unsqueeze":
                return self.add("Unsqueeze", source, self.integers(*numbers[0]))
            case "permute":
                return self.add("Transpose", source, perm=[axis for (axis,) in numbers])
            case "transpose":  # of the last two axes of three, the only case here
                assert numbers == [(1,), (2,)]
                return self.add("Transpose", source, perm=[0, 2, 1])
            case "narrow":
                (axis,), (start,), (length,) = numbers
                return self.add("Slice", source, self.integers(start), self.integers(start + length), self.integers(axis))
            case "sum" | "mean" | "amax":
                return self._reduce(operation, source, numbers[0], bool(node.kwargs.get("keepdim", False)))
        raise NotImplementedError(f"no ONNX translation of {operation}")

    def _flatten(self, source: str, axis: int) -> str:
        """Join the axes from this one on."""
        return self.add("Reshape", source, self.integers(*[0] * axis, -1))

    def _reduce(self, operation: str, source: str, axes: tuple[int, ...], keep: bool) -> str:
        if axes == BOARD_AXES and operation != "sum" and not keep:  # ONNX Runtime has faster kernels for whole boards
            return self._flatten(self.add("GlobalAveragePool" if operation == "mean" else "GlobalMaxPool", source), 1)
        name = {"sum": "ReduceSum", "mean": "ReduceMean", "amax": "ReduceMax"}[operation]
        return self.add(name, source, self.integers(*axes), keepdims=int(keep))


ELEMENTWISE: dict[Any, str] = {
    operator.add: "Add",
    operator.sub: "Sub",
    operator.mul: "Mul",
    torch.relu: "Relu",
    "abs": "Abs",
    "matmul": "MatMul",
}


def _integers(value: Any) -> tuple[int, ...]:
    return (value,) if isinstance(value, int) else tuple(value)
