# %% [markdown]
# # 2 · Supervised learning: reading handwritten digits
#
# *Supervised* means that somebody has written the right answer beside every example. The network of
# [lesson 1](1_neural_network.py) sees 8 × 8 pictures of digits that come with scikit-learn, and learns to say which digit
# each one is.
#
# AlphaZero also learns like this, with one difference: nobody wrote the answers. Its search finds them
# ([lesson 5](5_mcts.py)).
#
# **In boardzero:** [`training/learner.py`](../src/boardzero/training/learner.py) is the loop below for positions instead of
# digits, and [`training/losses.py`](../src/boardzero/training/losses.py) says how wrong an answer is.

# %%
import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from toolbox import BLUE, ORANGE, definitions, save_picture

by_hand = definitions("1_neural_network")

# %% tags=["parameters"]
EPOCHS = 12  # how often every picture is seen
PICTURES = 1797  # how many of the 1797 are used; a fifth of them is kept for the test
LEARNING_RATE = 0.5
SEED = 1

# %% [markdown]
# ## The data
#
# A fifth of the pictures is put aside. The network never learns from them, so they tell whether it has understood or only
# remembers.

# %%
rng = np.random.default_rng(SEED)
digits = load_digits()
order = rng.permutation(len(digits.target))[:PICTURES]
pictures, answers = digits.images[order][..., None] / 16, digits.target[order]  # [pictures, 8, 8, 1], from 0 to 1
test = len(order) // 5
targets = np.eye(10)[answers]  # the digit 3 becomes 0 0 0 1 0 0 0 0 0 0
print(f"{len(order) - test} pictures to learn from, {test} to be tested with")

# %% [markdown]
# ## The network
#
# Eight kernels of 3 × 3 look for strokes, a hidden layer of 32 puts them together, and softmax gives a probability for each
# of the ten digits.

# %%
network = by_hand.Network(
    by_hand.Convolution(8, 3, 3, 1, rng),
    by_hand.LeakyReLU(),
    by_hand.Flatten(),
    by_hand.FullyConnected(6 * 6 * 8, 32, rng),
    by_hand.LeakyReLU(),
    by_hand.FullyConnected(32, 10, rng),
    by_hand.Softmax(),
)


def accuracy(indices: np.ndarray) -> float:
    """The share of these pictures whose most probable digit is the right one."""
    return float(np.mean([network.forward(pictures[i]).argmax() == answers[i] for i in indices]))


# %% [markdown]
# ## Learning

# %%
tested, learned = np.arange(test), np.arange(test, len(order))
curve = [(accuracy(learned), accuracy(tested))]
for epoch in range(EPOCHS):
    for i in rng.permutation(learned):
        network.train(pictures[i], targets[i], LEARNING_RATE)
    curve.append((accuracy(learned), accuracy(tested)))
    print(f"epoch {epoch + 1:2}: {curve[-1][0]:6.1%} of the learned pictures, {curve[-1][1]:6.1%} of the others")

# %% [markdown]
# Both curves rise together and then part: from there on the network gets to know its examples rather than digits. With more
# capacity and fewer examples the gap would be wider; this is *overfitting*.
#
# ## What it still confuses

# %%
guesses = np.array([network.forward(pictures[i]) for i in tested])
confusion = np.zeros((10, 10), int)
np.add.at(confusion, (answers[tested], guesses.argmax(1)), 1)
wrong = tested[guesses.argmax(1) != answers[tested]]

# %%
figure = plt.figure(figsize=(12, 4.2), layout="constrained")
left, middle, right = figure.subfigures(1, 3, width_ratios=(1.1, 1, 1))
axis = left.subplots()
axis.plot([100 * row[0] for row in curve], color=BLUE, label="learned from")
axis.plot([100 * row[1] for row in curve], color=ORANGE, label="never seen")
axis.set(title="learning curve", xlabel="epoch", ylabel="right answers (%)", ylim=(0, 101))
axis.legend(loc="lower right")
axis = middle.subplots()
axis.imshow(np.sqrt(confusion), cmap="Blues")
for (true, guess), count in np.ndenumerate(confusion):
    if count:
        axis.text(guess, true, count, ha="center", va="center", fontsize=8, color="white" if true == guess else "black")
axis.set(title="confusion matrix (never seen)", xlabel="answer", ylabel="digit", xticks=range(10), yticks=range(10))
right.suptitle("wrong ones: digit → answer", fontsize=11)
for axis, i in zip(right.subplots(3, 4).flat, list(wrong[:12]) + [None] * 12, strict=False):
    axis.axis("off")
    if i is not None:
        axis.imshow(pictures[i, :, :, 0], cmap="Greys")
        axis.set_title(f"{answers[i]} → {guesses[i].argmax()}", fontsize=9)
save_picture(figure, "2_digits.png")

# %% [markdown]
# ## What the kernels look for
#
# Red numbers count for, blue ones against. Some kernels have become detectors of horizontal strokes, others of corners and
# slopes. Nobody told them to.

# %%
figure, axes = plt.subplots(1, 8, figsize=(9, 1.4))
for axis, kernel in zip(axes, network.parts[0].w[:, :, :, 0], strict=True):
    axis.imshow(kernel, cmap="RdBu_r", vmin=-1.5, vmax=1.5)
    axis.axis("off")
save_picture(figure, "2_kernels.png")

# %% [markdown]
# **Next:** [lesson 3](3_unsupervised.py) learns without any answers.
