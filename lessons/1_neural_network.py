# %% [markdown]
# # 1 · A neural network by hand
#
# A neural network is a function with many adjustable numbers. It is made of a few simple parts, and every part can say in
# which direction its numbers should move so that the answer gets better. That is all there is to it, and it fits into this
# page: no library but NumPy.
#
# Letters and equation numbers are those of Julian Wandhoven's *Mastering the game of Connect4 through self-play* (2023),
# section 1.4. Equations with a prime (18′) are not in it.
#
# **In boardzero:** the same parts, from PyTorch, make up the networks in
# [`network/layers.py`](../src/boardzero/network/layers.py) and [`network/heads.py`](../src/boardzero/network/heads.py);
# [`training/learner.py`](../src/boardzero/training/learner.py) trains them.

# %%
# ruff: noqa: N803, E741 — the letters of the document: X, A, ΔY, I, l
import matplotlib.pyplot as plt
import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from toolbox import BLUE, GREEN, GREY, ORANGE, RED, save_picture

# %% tags=["parameters"]
EPOCHS = 150  # how often the little networks at the end see each sample
SEED = 4

# %% [markdown]
# ## One neuron
#
# A neuron multiplies each input by a weight, adds them up, adds a bias and bends the sum with an *activation function*.

# %%
x = np.array([1.0, -2.0, 0.5])
w = np.array([0.4, 0.1, -0.6])
print("weighted sum", w @ x + 0.2, "  after tanh", np.tanh(w @ x + 0.2))


# %% [markdown]
# ## Many neurons at once: the fully connected layer
#
# $m$ neurons that look at the same $n$ inputs are a matrix $w \in \mathbb{R}^{m \times n}$ and a vector $b$:
#
# $$\delta_{wb}(x) = w \cdot x + b \qquad (17)$$
#
# Vectors are columns here, so $w$ stands to the left of $x$.
#
# `backward` is explained below, where we need it. Each part gets the slope of the error with respect to its *output* and
# hands on the slope with respect to its *input*.


# %%
class FullyConnected:
    """n inputs, m outputs."""

    def __init__(self, n: int, m: int, rng: np.random.Generator) -> None:
        self.w = rng.normal(0, 1 / np.sqrt(n), (m, n))
        self.b = np.zeros(m)

    def forward(self, X: np.ndarray) -> np.ndarray:
        self.X = X
        return self.w @ X + self.b  # (17)

    def backward(self, ΔA: np.ndarray) -> np.ndarray:
        self.Δw = np.outer(ΔA, self.X)  # (38)
        self.Δb = ΔA  # (39)
        return self.w.T @ ΔA  # (40)


# %% [markdown]
# ## Looking for patterns: the convolutional layer
#
# On a board the same pattern means the same thing wherever it is. A convolutional layer has a set of small kernels. The
# kernel $k$, with weights $w_k \in \mathbb{R}^{m \times n \times l}$, is laid over every place of the input
# $I \in \mathbb{R}^{i \times j \times l}$, multiplied with what is below it number by number, and summed up:
#
# $$\xi_k(I_{sub}) = w_k \diamond I_{sub} + b_k \qquad (18)$$
# $$\Lambda(I)_{abc} = \xi_{k_c}(\langle I \rangle_{m \times n, ab}) \qquad (19)$$
#
# $\diamond$ is the inner product of tensors, the sum of the products of all pairs (62, 63).
# $\langle I \rangle_{m \times n, ab}$ is the part of $I$ of size $m \times n$ whose upper left corner is $ab$ (64). In Python,
# word for word:


# %%
def inner(A: np.ndarray, B: np.ndarray) -> float:
    """A ⋄ B   (62, 63)"""
    return float((A * B).sum())


def submatrix(M: np.ndarray, size: tuple[int, int], a: int, b: int) -> np.ndarray:
    """⟨M⟩ of this size with its upper left corner at row a, column b, counted from 0   (64)"""
    return M[a : a + size[0], b : b + size[1]]


def convolve(I: np.ndarray, w: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Λ(I) for kernels w [kernels, m, n, l] and biases b [kernels]   (18, 19)"""
    kernels, m, n, _ = w.shape
    output = np.empty((I.shape[0] - m + 1, I.shape[1] - n + 1, kernels))
    for a, b_, c in np.ndindex(output.shape):
        output[a, b_, c] = inner(w[c], submatrix(I, (m, n), a, b_)) + b[c]
    return output


# %% [markdown]
# The document's example has one kernel that answers to edges: it subtracts what is on the left from what is on the right.

# %%
I = np.array([[3, 0, 1, 5], [2, 6, 2, 4], [2, 4, 1, 0], [3, 0, 1, 5]], float)[:, :, None]
w_k = np.array([[-1, 0, 1], [-2, 0, 2], [-1, 0, 1]], float)[None, :, :, None]
example = convolve(I, w_k, np.array([7.0]))
print(example[:, :, 0])

# %% [markdown]
# The first number is equation (20): −3 + 1 − 4 + 4 − 2 + 1 + 7 = 4. The document prints the other three transposed, with
# 3 to the right of the 4; computed row by row, 3 stands *below* it.

# %%
figure, axes = plt.subplots(1, 3, figsize=(9, 3.2), width_ratios=(4, 3, 2))
for axis, numbers, title in zip(
    axes, (I[:, :, 0], w_k[0, :, :, 0], example[:, :, 0]), ("$I$", "$w_k$", "$\\Lambda(I)$"), strict=True
):
    axis.imshow(numbers, cmap="Blues", vmin=-4, vmax=9)
    for (row, column), number in np.ndenumerate(numbers):
        axis.text(column, row, f"{number:g}", ha="center", va="center", fontsize=15)
    axis.set(title=title, xticks=[], yticks=[])
    axis.spines[:].set_visible(False)
axes[0].add_patch(plt.Rectangle((-0.47, 0.53), 2.97, 2.95, fill=False, edgecolor=ORANGE, linewidth=3))
axes[2].add_patch(plt.Rectangle((-0.47, 0.53), 0.95, 0.94, fill=False, edgecolor=ORANGE, linewidth=3))
figure.suptitle("The kernel laid over the orange cells gives the orange number (with bias 7)", y=1.03)
save_picture(figure, "1_convolution.png")


# %% [markdown]
# The loop above is slow. The layer that we train does the same with one multiplication of matrices, for all places at once.
# Its slopes follow from (18): a weight meets every place once, so its slope is a sum over all places; an input lies below
# several places of the kernel and collects from each.
#
# $$\Delta w_k = \sum_{a,b} \Delta A_{abk} \, \langle I \rangle_{m \times n, ab} \qquad
# \Delta b_k = \sum_{a,b} \Delta A_{abk} \qquad (18')$$
# $$\langle \Delta I \rangle_{m \times n, ab} \mathrel{+}= \sum_k \Delta A_{abk} \, w_k
# \quad \text{for every } a, b \qquad (19')$$


# %%
class Convolution:
    """Kernels of m × n over an input with l layers."""

    def __init__(self, kernels: int, m: int, n: int, l: int, rng: np.random.Generator) -> None:
        self.w = rng.normal(0, 1 / np.sqrt(m * n * l), (kernels, m, n, l))
        self.b = np.zeros(kernels)

    def forward(self, I: np.ndarray) -> np.ndarray:
        self.shape, (_, m, n, _) = I.shape, self.w.shape
        self.windows = sliding_window_view(I, (m, n), (0, 1)).transpose(0, 1, 3, 4, 2)  # [a, b, m, n, l]
        return np.tensordot(self.windows, self.w, ([2, 3, 4], [1, 2, 3])) + self.b  # (18, 19)

    def backward(self, ΔA: np.ndarray) -> np.ndarray:
        self.Δw = np.tensordot(ΔA, self.windows, ([0, 1], [0, 1]))  # (18′)
        self.Δb = ΔA.sum((0, 1))
        ΔI = np.zeros(self.shape)
        rows, columns = ΔA.shape[:2]
        for a, b in np.ndindex(self.w.shape[1:3]):  # (19′), all places at once for each number of the kernel
            ΔI[a : a + rows, b : b + columns] += ΔA @ self.w[:, a, b]
        return ΔI


class Flatten:
    """vec: the numbers of a tensor in one row   (66)"""

    def forward(self, I: np.ndarray) -> np.ndarray:
        self.shape = I.shape
        return I.reshape(-1)

    def backward(self, ΔA: np.ndarray) -> np.ndarray:
        return ΔA.reshape(self.shape)


# %% [markdown]
# ## Bending: activation functions
#
# Two linear layers in a row are again one linear layer; depth would be useless. So something that is *not* linear comes
# between them. For each we need its value and its derivative. For a vector the derivative is a matrix, the Jacobian: row
# $i$, column $j$ says how output $i$ follows input $j$.
#
# **tanh** brings any number to between −1 and +1, which suits "lost … won":
#
# $$\tanh(x) = \frac{e^x - e^{-x}}{e^x + e^{-x}} \qquad (21) \qquad\qquad
# \frac{d}{dx}\tanh(x) = \operatorname{sech}(x)^2 \qquad (22)$$
#
# Each output depends on its own input only, so the Jacobian has zeros off its diagonal (23, 24).
#
# **softmax** turns any numbers into probabilities, which suits "how good is each move". All outputs share one sum, so each
# depends on all inputs, and the Jacobian is full:
#
# $$\text{softmax}(v)_i = \frac{e^{v_i}}{\sum_j e^{v_j}} \qquad (25) \qquad\qquad
# \text{softmax}'(v)_{ij} = \begin{cases} s_i (1 - s_j) & i = j \\ - s_i s_j & i \neq j \end{cases} \qquad (28)$$
#
# with $s = \text{softmax}(v)$.
#
# **LeakyReLU** is as simple as bending gets: it lets positive numbers pass and shrinks negative ones by $c$ (29, 32). It has no
# derivative at 0, so one is agreed on:
#
# $$\text{LeakyReLU}(x) = \begin{cases} x & x \ge 0 \\ c \, x & x < 0 \end{cases} \qquad (29) \qquad\qquad
# g(x) = \begin{cases} 1 & x \ge 0 \\ c & x < 0 \end{cases} \qquad (31)$$


# %%
class Tanh:
    def forward(self, A: np.ndarray) -> np.ndarray:
        self.A = A
        return np.tanh(A)  # (21, 23)

    def derivative(self, v: np.ndarray) -> np.ndarray:
        return np.diag(1 / np.cosh(v) ** 2)  # (22, 24)

    def backward(self, ΔY: np.ndarray) -> np.ndarray:
        return ΔY / np.cosh(self.A) ** 2  # (37): a diagonal matrix times a vector


class Softmax:
    def forward(self, A: np.ndarray) -> np.ndarray:
        self.A = A
        powers = np.exp(A - A.max())  # taking the same from all inputs changes nothing, and keeps the powers small
        return powers / powers.sum()  # (25)

    def derivative(self, v: np.ndarray) -> np.ndarray:
        s = self.forward(v)
        return np.diag(s) - np.outer(s, s)  # (28), both cases at once

    def backward(self, ΔY: np.ndarray) -> np.ndarray:
        return self.derivative(self.A) @ ΔY  # (37); the matrix is its own transpose


class LeakyReLU:
    def __init__(self, c: float = 0.3) -> None:
        self.c = c

    def g(self, x: np.ndarray) -> np.ndarray:
        return np.where(x >= 0, 1.0, self.c)  # (31)

    def forward(self, A: np.ndarray) -> np.ndarray:
        self.A = A
        return A * self.g(A)  # (29, 32)

    def derivative(self, v: np.ndarray) -> np.ndarray:
        return np.diag(self.g(v))  # (33)

    def backward(self, ΔY: np.ndarray) -> np.ndarray:
        return self.g(self.A) * ΔY  # (37)


# %%
xs = np.linspace(-4, 4, 401)
figure, axes = plt.subplots(1, 3, figsize=(11, 3))
for axis, part, title in zip(axes, (Tanh(), LeakyReLU()), ("tanh (21, 22)", "LeakyReLU with c = 0.3 (29, 31)"), strict=False):
    axis.plot(xs, part.forward(xs), color=BLUE, label="function")
    axis.plot(xs, np.diag(part.derivative(xs)), color=ORANGE, label="derivative")
    axis.axhline(0, color=GREY, linewidth=0.5)
    axis.set(title=title, xlabel="x")
    axis.legend()
pairs = np.array([Softmax().forward(np.array([x, 0.0])) for x in xs])
axes[2].plot(xs, pairs[:, 0], color=BLUE, label="first output")
axes[2].plot(xs, pairs[:, 1], color=GREEN, label="second output")
axes[2].plot(xs, [Softmax().derivative(np.array([x, 0.0]))[0, 0] for x in xs], color=ORANGE, label="derivative (28)")
axes[2].set(title="softmax of (x, 0) (25)", xlabel="x", ylim=(-0.02, 1.35))
axes[2].legend(loc="upper center")
save_picture(figure, "1_activations.png")


# %% [markdown]
# ## How wrong? The loss
#
# The mean squared error of $\mu$ outputs, and its slope:
#
# $$\ell(Y_{pred}, Y_{true}) = \frac{|Y_{pred} - Y_{true}|^2}{\mu} \qquad (34) \qquad\qquad
# \ell'(Y_{pred}, Y_{true}) = \frac{2}{\mu}(Y_{pred} - Y_{true}) \qquad (35)$$


# %%
def mse(Y_pred: np.ndarray, Y_true: np.ndarray) -> float:
    return float(((Y_pred - Y_true) ** 2).mean())  # (34)


def mse_slope(Y_pred: np.ndarray, Y_true: np.ndarray) -> np.ndarray:
    return 2 / Y_pred.size * (Y_pred - Y_true)  # (35)


# %% [markdown]
# ## Backpropagation
#
# The slope of the loss is known at the output (36). From there it goes through the network from back to front. An activation
# multiplies it with its Jacobian; a layer notes the slopes of its own numbers and hands the rest on:
#
# $$\Delta Y_{n-1} = \ell'(Y_{pred}, Y_{true}) \quad (36) \qquad \Delta A_j = f'_{a_j}(A_j)\, \Delta Y_j \quad (37)$$
# $$\Delta w_j = \Delta A_j \cdot X_j^T \quad (38) \qquad \Delta b_j = \Delta A_j \quad (39) \qquad
# \Delta Y_{j-1} = w_j^T \cdot \Delta A_j \quad (40)$$
#
# Two remarks. The document writes (40) as $\Delta A_j \cdot w_j^T$, which fits rows; with columns, as in (17) and (38), it is
# $w_j^T \cdot \Delta A_j$. And it *adds* the changes, scaled by the learning rate $l_r$, to the numbers; slopes point uphill,
# so to make the loss smaller we subtract them. That is *gradient descent*.


# %%
class Network:
    """Parts in a row."""

    def __init__(self, *parts) -> None:
        self.parts = parts

    def forward(self, X: np.ndarray) -> np.ndarray:
        for part in self.parts:
            X = part.forward(X)
        return X

    def backward(self, ΔY: np.ndarray) -> np.ndarray:
        for part in reversed(self.parts):
            ΔY = part.backward(ΔY)
        return ΔY

    def train(self, X: np.ndarray, Y_true: np.ndarray, l_r: float) -> float:
        """One step downhill for one sample; gives the loss before it."""
        Y_pred = self.forward(X)
        self.backward(mse_slope(Y_pred, Y_true))  # (36)
        for part in self.parts:
            if hasattr(part, "w"):
                part.w -= l_r * part.Δw
                part.b -= l_r * part.Δb
        return mse(Y_pred, Y_true)


# %% [markdown]
# ## Is it right?
#
# A slope can be measured: move one number a little to both sides and see how the loss changes. For every number of a network
# with all parts in it, the hand-made slopes and the measured ones must agree. (The tests of boardzero do this for each part,
# and compare with PyTorch too.)


# %%
def measured_slope(loss, numbers: np.ndarray, ε: float = 1e-5) -> np.ndarray:
    """(loss(x + ε) − loss(x − ε)) / 2ε for each number x of an array that the loss depends on."""
    slopes = np.empty_like(numbers)
    for place in np.ndindex(numbers.shape):
        kept = numbers[place]
        numbers[place] = kept + ε
        above = loss()
        numbers[place] = kept - ε
        slopes[place] = (above - loss()) / (2 * ε)
        numbers[place] = kept
    return slopes


rng = np.random.default_rng(SEED)
everything = Network(
    Convolution(3, 2, 3, 2, rng),
    LeakyReLU(),
    Flatten(),
    FullyConnected(18, 5, rng),
    Tanh(),
    FullyConnected(5, 4, rng),
    Softmax(),
)
board, answer = rng.normal(size=(4, 4, 2)), np.array([0, 0, 1.0, 0])
ΔX = everything.backward(mse_slope(everything.forward(board), answer))
largest_difference = 0.0
for numbers, slopes in [(board, ΔX)] + [
    pair for part in everything.parts if hasattr(part, "w") for pair in ((part.w, part.Δw), (part.b, part.Δb))
]:
    measured = measured_slope(lambda: mse(everything.forward(board), answer), numbers)
    largest_difference = max(largest_difference, np.abs(measured - slopes).max())
print(f"largest difference between hand-made and measured slopes: {largest_difference:.1e}")

# %% [markdown]
# ## What one neuron cannot do
#
# Points inside a ring should give +1, the others −1. One neuron can only cut the plane in two. A hidden layer of a dozen
# neurons closes the ring.

# %%
points = rng.uniform(-1, 1, (200, 2))
inside = np.where(np.hypot(*points.T) < 0.65, 1.0, -1.0)
one_neuron = Network(FullyConnected(2, 1, rng), Tanh())
hidden_layer = Network(FullyConnected(2, 12, rng), LeakyReLU(), FullyConnected(12, 1, rng), Tanh())
losses = {}
for network in (one_neuron, hidden_layer):
    losses[network] = [
        np.mean([network.train(points[i], inside[[i]], l_r=0.02) for i in rng.permutation(200)]) for _ in range(EPOCHS)
    ]
right = {network: np.mean([network.forward(p)[0] * y > 0 for p, y in zip(points, inside, strict=True)]) for network in losses}
print(f"right answers: one neuron {right[one_neuron]:.0%}, with a hidden layer {right[hidden_layer]:.0%}")

# %%
figure, axes = plt.subplots(1, 3, figsize=(12, 3.8))
grid = np.linspace(-1, 1, 81)
for axis, network, title in zip(axes, losses, ("one neuron", "with a hidden layer of 12"), strict=False):
    heights = [[network.forward(np.array([x, y]))[0] for x in grid] for y in grid]
    axis.contourf(grid, grid, heights, levels=np.linspace(-1, 1, 21), cmap="RdBu_r", alpha=0.45)
    for sign, colour in ((1, RED), (-1, BLUE)):
        axis.scatter(*points[inside == sign].T, s=12, color=colour, edgecolor="white", linewidth=0.5)
    axis.set(title=f"{title}: {right[network]:.0%} right", xticks=[], yticks=[], aspect="equal")
axes[2].plot(losses[one_neuron], color=GREY, label="one neuron")
axes[2].plot(losses[hidden_layer], color=BLUE, label="with a hidden layer")
axes[2].set(title="gradient descent", xlabel="epoch (all 200 points once)", ylabel="mean squared error", ylim=(0, None))
axes[2].legend()
save_picture(figure, "1_ring.png")

# %% [markdown]
# **Next:** [lesson 2](2_supervised.py) lets this network read handwriting.
