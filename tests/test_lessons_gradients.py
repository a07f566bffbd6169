"""The network by hand of the first lesson: every slope against measured ones and against PyTorch."""

from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
import torch
from lesson_running import lessons_at_hand
from torch import Tensor
from torch.nn import functional

Array = npt.NDArray[np.float64]


@pytest.fixture(scope="module")
def lesson() -> Iterator[ModuleType]:
    with lessons_at_hand() as toolbox:
        yield toolbox.definitions("1_neural_network")


def parts(lesson: ModuleType) -> dict[str, tuple[Any, tuple[int, ...]]]:
    """Every part with the shape of an input for it."""
    rng = np.random.default_rng(2)
    return {
        "fully connected": (lesson.FullyConnected(5, 3, rng), (5,)),
        "convolution": (lesson.Convolution(4, 2, 3, 2, rng), (4, 5, 2)),
        "flatten": (lesson.Flatten(), (2, 3, 2)),
        "tanh": (lesson.Tanh(), (6,)),
        "softmax": (lesson.Softmax(), (6,)),
        "leaky": (lesson.LeakyReLU(0.3), (6,)),
    }


PARTS = ("fully connected", "convolution", "flatten", "tanh", "softmax", "leaky")


def input_for(shape: tuple[int, ...]) -> Array:
    """Numbers of both signs, none of them near the bend of LeakyReLU."""
    numbers = np.random.default_rng(3).normal(size=shape)
    return np.where(np.abs(numbers) < 0.05, 0.5, numbers)


def slopes_by_hand(lesson: ModuleType, part: Any, x: Array, target: Array) -> dict[str, Array]:
    """Of the mean squared error behind one part, for its input and its own numbers."""
    output = part.forward(x)
    slopes = {"x": part.backward(lesson.mse_slope(output, target))}
    if hasattr(part, "w"):
        slopes |= {"w": part.Δw, "b": part.Δb}
    return slopes


@pytest.mark.parametrize("name", PARTS)
def test_slopes_of_every_part_equal_finite_differences(lesson: ModuleType, name: str) -> None:
    part, shape = parts(lesson)[name]
    x = input_for(shape)
    target = np.random.default_rng(4).normal(size=part.forward(x).shape)
    by_hand = slopes_by_hand(lesson, part, x, target)
    arrays = {"x": x} | ({"w": part.w, "b": part.b} if hasattr(part, "w") else {})
    assert by_hand.keys() == arrays.keys()
    for which, numbers in arrays.items():
        measured = lesson.measured_slope(lambda: lesson.mse(part.forward(x), target), numbers)
        assert np.abs(measured).max() > 1e-4
        np.testing.assert_allclose(by_hand[which], measured, rtol=1e-6, atol=1e-9, err_msg=which)


def in_torch(name: str) -> Callable[[Tensor, Tensor | None, Tensor | None], Tensor]:
    """The same part as a function of its input, weights and biases; boards are channels-last as in the lesson."""

    def convolution(x: Tensor, w: Tensor | None, b: Tensor | None) -> Tensor:
        assert w is not None
        return functional.conv2d(x.permute(2, 0, 1)[None], w.permute(0, 3, 1, 2), b)[0].permute(1, 2, 0)

    def fully_connected(x: Tensor, w: Tensor | None, b: Tensor | None) -> Tensor:
        assert w is not None
        return functional.linear(x, w, b)

    return {
        "fully connected": fully_connected,
        "convolution": convolution,
        "flatten": lambda x, w, b: x.reshape(-1),
        "tanh": lambda x, w, b: torch.tanh(x),
        "softmax": lambda x, w, b: torch.softmax(x, 0),
        "leaky": lambda x, w, b: functional.leaky_relu(x, 0.3),
    }[name]


@pytest.mark.parametrize("name", PARTS)
def test_outputs_and_slopes_of_every_part_equal_pytorch(lesson: ModuleType, name: str) -> None:
    part, shape = parts(lesson)[name]
    x = input_for(shape)
    target = np.random.default_rng(4).normal(size=part.forward(x).shape)
    by_hand = slopes_by_hand(lesson, part, x, target)
    tensors = {which: torch.tensor(getattr(part, which), requires_grad=True) for which in ("w", "b") if hasattr(part, which)}
    tensors["x"] = torch.tensor(x, requires_grad=True)
    output = in_torch(name)(tensors["x"], tensors.get("w"), tensors.get("b"))
    np.testing.assert_allclose(part.forward(x), output.detach().numpy(), rtol=1e-12, atol=1e-12)
    functional.mse_loss(output, torch.tensor(target)).backward()  # type: ignore[no-untyped-call]
    assert by_hand.keys() == tensors.keys()
    for which, tensor in tensors.items():
        assert tensor.grad is not None
        np.testing.assert_allclose(by_hand[which], tensor.grad.numpy(), rtol=1e-9, atol=1e-12, err_msg=which)


@pytest.mark.parametrize("name", ["tanh", "softmax", "leaky"])
def test_jacobian_of_an_activation_equals_pytorch(lesson: ModuleType, name: str) -> None:
    part, shape = parts(lesson)[name]
    x = input_for(shape)
    function = in_torch(name)
    expected = torch.autograd.functional.jacobian(lambda v: function(v, None, None), torch.tensor(x))  # type: ignore[no-untyped-call]
    np.testing.assert_allclose(part.derivative(x), expected.numpy(), rtol=1e-9, atol=1e-12)


def test_loss_and_its_slope_equal_pytorch(lesson: ModuleType) -> None:
    predicted, true = np.random.default_rng(5).normal(size=(2, 7))
    tensor = torch.tensor(predicted, requires_grad=True)
    loss = functional.mse_loss(tensor, torch.tensor(true))
    loss.backward()  # type: ignore[no-untyped-call]
    assert tensor.grad is not None
    assert lesson.mse(predicted, true) == pytest.approx(loss.item())
    np.testing.assert_allclose(lesson.mse_slope(predicted, true), tensor.grad.numpy())


def test_convolution_layer_equals_the_equations_word_for_word(lesson: ModuleType) -> None:
    layer = lesson.Convolution(3, 3, 2, 4, np.random.default_rng(6))
    layer.b[:] = [1, -2, 3]
    board = np.random.default_rng(7).normal(size=(5, 6, 4))
    np.testing.assert_allclose(layer.forward(board), lesson.convolve(board, layer.w, layer.b))


def test_a_step_of_gradient_descent_equals_pytorch(lesson: ModuleType) -> None:
    rng = np.random.default_rng(8)
    network = lesson.Network(
        lesson.FullyConnected(4, 3, rng), lesson.Tanh(), lesson.FullyConnected(3, 2, rng), lesson.Softmax()
    )
    layers = {0: torch.nn.Linear(4, 3).double(), 2: torch.nn.Linear(3, 2).double()}
    twin = torch.nn.Sequential(layers[0], torch.nn.Tanh(), layers[2], torch.nn.Softmax(0))
    for number, layer in layers.items():
        with torch.no_grad():
            layer.weight.copy_(torch.tensor(network.parts[number].w))
            layer.bias.copy_(torch.tensor(network.parts[number].b))
    optimizer = torch.optim.SGD(twin.parameters(), 0.1)
    x, y = rng.normal(size=4), np.array([1.0, 0.0])
    loss = functional.mse_loss(twin(torch.tensor(x)), torch.tensor(y))
    loss.backward()  # type: ignore[no-untyped-call]
    optimizer.step()
    assert network.train(x, y, 0.1) == pytest.approx(loss.item())
    for number, layer in layers.items():
        np.testing.assert_allclose(network.parts[number].w, layer.weight.detach().numpy(), rtol=1e-12)
        np.testing.assert_allclose(network.parts[number].b, layer.bias.detach().numpy(), rtol=1e-12)


def test_slope_of_leaky_relu_at_its_bend_is_the_agreed_one(lesson: ModuleType) -> None:
    assert lesson.LeakyReLU(0.3).g(np.array([-1.0, 0.0, 1.0])).tolist() == [0.3, 1.0, 1.0]
