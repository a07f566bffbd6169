# %% [markdown]
# # 3 · Unsupervised learning: vector quantization
#
# Here nobody knows the answers; the program finds groups by itself. *Vector quantization* keeps a fixed number of centroids. A
# point belongs to the centroid that is nearest to it. To learn, draw a random point and move its nearest centroid a fraction
# of the way towards it. Repeat until nothing changes much. That is all (section 1.1 of the document that
# [lesson 1](1_neural_network.py) follows).
#
# **In boardzero:** nothing works like this; the lesson is here because supervised and unsupervised learning are the two ends
# between which [reinforcement learning](4_reinforcement.py) lies.

# %%
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.animation import FuncAnimation, PillowWriter
from sklearn.cluster import KMeans
from sklearn.datasets import load_digits
from toolbox import BLUE, GREY, ORANGE, RED, picture_path, save_picture

# %% tags=["parameters"]
POINTS = 600
GROUPS = 6
STEPS = 4000
STARTS = 10
FRAMES = 45  # of the animation
SEED = 3

# %% [markdown]
# ## The rule
#
# The fraction begins at a tenth and falls, so that the centroids come to rest; with a fixed fraction they would
# tremble for ever.


# %%
def nearest(centroids: np.ndarray, sample: np.ndarray) -> int:
    return int(((centroids - sample) ** 2).sum(1).argmin())


def fraction_at(step: int, steps: int) -> float:
    return 0.1 * (1 - step / steps) + 0.001


def learn_centroids(samples: np.ndarray, centroids: np.ndarray, steps: int, rng: np.random.Generator) -> np.ndarray:
    """All centroids after every step: [steps + 1, groups, dimensions]."""
    path = [centroids]
    for step in range(steps):
        sample = samples[rng.integers(len(samples))]
        moved = path[-1].copy()
        closest = nearest(moved, sample)
        moved[closest] += fraction_at(step, steps) * (sample - moved[closest])
        path.append(moved)
    return np.array(path)


def quantization_error(samples: np.ndarray, centroids: np.ndarray) -> float:
    """The mean squared distance of a sample to its nearest centroid."""
    distances = ((samples[:, None] - centroids[None]) ** 2).sum(2)
    return float(distances.min(1).mean())


# %% [markdown]
# ## Six clouds
#
# The centroids begin on points drawn at random, and then the rule does the rest. Where they end depends on where they begin:
# two that begin in the same cloud may have to share it, while another has two clouds to look after. So we start several
# times and keep the best end.

# %%
rng = np.random.default_rng(SEED)
angles = 2 * np.pi * np.arange(GROUPS) / GROUPS
centres = np.stack([np.cos(angles), np.sin(angles)], 1)
samples = centres[rng.integers(GROUPS, size=POINTS)] + rng.normal(0, 0.2, (POINTS, 2))
paths = [learn_centroids(samples, samples[rng.choice(POINTS, GROUPS, replace=False)], STEPS, rng) for _ in range(STARTS)]
ends = [quantization_error(samples, path[-1]) for path in paths]
path = paths[int(np.argmin(ends))]
kmeans = KMeans(GROUPS, n_init=STARTS, random_state=SEED).fit(samples)
ours, theirs = min(ends), quantization_error(samples, kmeans.cluster_centers_)
print("mean squared distance to the nearest centroid after each start:", np.round(sorted(ends), 3))
print(f"the best: {ours:.4f}; k-means, the best of as many starts: {theirs:.4f}")

# %% [markdown]
# ## Watching it learn

# %%
figure, axis = plt.subplots(figsize=(4.4, 4.4))
axis.set(xlim=(-1.7, 1.7), ylim=(-1.7, 1.7), xticks=[], yticks=[], aspect="equal")
axis.spines[:].set_visible(False)
colours = plt.get_cmap("tab10")(np.arange(GROUPS))
dots = axis.scatter(*samples.T, s=9, linewidth=0)
trails = [axis.plot([], [], color="black", linewidth=1)[0] for _ in range(GROUPS)]
crosses = axis.scatter(*path[0].T, marker="X", s=130, color=colours, edgecolor="black", zorder=3)


def draw_frame(frame: int) -> None:
    """Early steps move most, so frames lie closer together there."""
    step = round(STEPS * (frame / max(FRAMES - 1, 1)) ** 2)
    dots.set_color(colours[[nearest(path[step], sample) for sample in samples]])
    crosses.set_offsets(path[step])
    for group, trail in enumerate(trails):
        trail.set_data(*path[: step + 1, group].T)
    axis.set_title(f"{step} samples seen")


FuncAnimation(figure, draw_frame, FRAMES).save(picture_path("3_centroids.gif"), PillowWriter(fps=10), dpi=70)
plt.close(figure)

# %% [markdown]
# ## Compared with k-means
#
# scikit-learn's k-means looks at *all* points at once: give each point to its nearest centroid, put every centroid into the
# middle of its points, repeat. Our rule sees one point at a time and gets to nearly the same place.

# %%
figure, axes = plt.subplots(1, 2, figsize=(10, 4.2), width_ratios=(1, 1.3), layout="constrained")
axes[0].scatter(*samples.T, s=8, color=GREY, alpha=0.5, linewidth=0)
axes[0].scatter(*kmeans.cluster_centers_.T, s=160, facecolor="none", edgecolor=ORANGE, linewidth=2.5, label="k-means")
axes[0].scatter(*path[-1].T, marker="X", s=60, color=BLUE, label="one point at a time")
axes[0].set(xticks=[], yticks=[], aspect="equal", title="where the centroids end")
axes[0].legend(loc="center")
shown = np.unique(np.geomspace(1, STEPS, 60).astype(int))
axes[1].semilogx(shown, [quantization_error(samples, path[step]) for step in shown], color=BLUE, label="one point at a time")
axes[1].axhline(theirs, color=ORANGE, linestyle="--", label="k-means")
axes[1].set(
    title="how far points are from their centroid", xlabel="samples seen", ylabel="mean squared distance", ylim=(0, None)
)
axes[1].legend()
save_picture(figure, "3_kmeans.png")

# %% [markdown]
# ## The same rule in 64 dimensions
#
# A picture of 8 × 8 is a point with 64 coordinates. Twenty centroids among the digits of [lesson 2](2_supervised.py) become
# typical digits, although no one has said that there are digits.

# %%
digits = load_digits()
images = digits.data / 16
codebook = learn_centroids(images, images[rng.choice(len(images), 20, replace=False)], STEPS, rng)[-1]
groups = np.array([nearest(codebook, image) for image in images])
commonest = [int(np.bincount(digits.target[groups == group], minlength=10).argmax()) for group in range(20)]
agreement = float(np.mean(np.array(commonest)[groups] == digits.target))
print(f"{agreement:.0%} of the pictures are in a group where most show the same digit as they do")
figure, axes = plt.subplots(2, 10, figsize=(10, 2.3))
for axis, group in zip(axes.flat, np.argsort(commonest, kind="stable"), strict=True):
    axis.imshow(codebook[group].reshape(8, 8), cmap="Greys")
    axis.set_title(f"mostly {commonest[group]}", fontsize=8, color=RED if (groups == group).sum() == 0 else "black")
    axis.axis("off")
save_picture(figure, "3_codebook.png")

# %% [markdown]
# **Next:** [lesson 4](4_reinforcement.py) learns from nothing but wins and losses.
