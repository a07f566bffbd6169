# %% [markdown]
# # 7 · Elo by hand
#
# How strong is a player, in one number? Elo's idea: the *difference* of two ratings says how the two will score against each
# other. Letters and equation numbers are those of section 2 of the document that [lesson 1](1_neural_network.py) follows.
#
# **In boardzero:** [`arena/scores.py`](../src/boardzero/arena/scores.py) turns scores into rating differences, base 10,
# with an interval that says how sure they are.

# %%
import matplotlib.pyplot as plt
import numpy as np
from toolbox import BLUE, GREEN, GREY, ORANGE, RED, save_picture

# %% tags=["parameters"]
MATCHES = 20_000  # simulated matches for each number that is checked
VERSIONS = 40  # networks that are tried in the simulated training
RUNS = 300  # how often that training is simulated
SEED = 11

# %% [markdown]
# ## Expected score
#
# $$E = \frac{1}{1 + e^{(r_b - r_a)/400}} \qquad (46)$$
#
# The document uses base $e$. Chess and nearly everyone else use base 10. Both are the same curve on another scale: a
# difference of 400 base-10 points is $400 \ln 10 \approx 921$ base-$e$ points. A rating without its base says nothing.


# %%
def expected_score(r_a: float, r_b: float, base: float = np.e) -> float:
    return 1 / (1 + base ** ((r_b - r_a) / 400))  # (46)


def rating_from_score(s_a: float, r_b: float, base: float = np.e) -> float:
    return r_b - np.log((1 - s_a) / s_a) / np.log(base) * 400  # (49)


for difference in (50, 105, 200, 400, 921):
    e, ten = expected_score(difference, 0), expected_score(difference, 0, base=10)
    print(f"{difference:4} points more: expects {e:.3f} base e, {ten:.3f} base 10")

# %% [markdown]
# ## From games to a rating, slowly
#
# After each game the rating moves a little towards what the result says; $W$ is 1, ½ or 0:
#
# $$r_{a_{n+1}} = r_{a_n} + K (W - E) \qquad (47)$$
#
# Here a player whose true strength is 300 begins at 0 and plays somebody who is rated 100. $K$ is a trade: large moves fast
# and never rests, small is calm and late.


# %%
def follow_rating(true: float, start: float, opponent: float, K: float, games: int, rng: np.random.Generator) -> list[float]:  # noqa: N803
    """The rating after every game, by (47)."""
    ratings = [start]
    for _ in range(games):
        W = float(rng.random() < expected_score(true, opponent))
        ratings.append(ratings[-1] + K * (W - expected_score(ratings[-1], opponent)))  # (47)
    return ratings


rng = np.random.default_rng(SEED)
paths = {K: follow_rating(300, 0, 100, K, 1000, rng) for K in (64, 16, 4)}
for K, path in paths.items():
    print(f"K = {K:2}: mean of the last 500 ratings {np.mean(path[-500:]):.0f}, spread {np.std(path[-500:]):.0f}")

# %% [markdown]
# ## From a match to a rating, at once
#
# Play $m$ games against a player whose rating is known, count 1 for a win and ½ for a draw,
#
# $$s_a = \frac{1}{m} \sum (1, \tfrac12, 0) \qquad (48) \qquad\qquad
# r_a = r_b - \ln\left(\frac{1 - s_a}{s_a}\right) \cdot 400 \qquad (49)$$
#
# Check by simulation: draw many matches between players 150 points apart and see what (49) makes of them. A match that is
# won or lost altogether has no rating: the logarithm has no bound.


# %%
def play_matches(
    score: float, drawn: float, games: int, matches: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Wins and losses of a player with this expected score, where this share of the games is drawn."""
    chances = [score - drawn / 2, drawn, 1 - score - drawn / 2]
    counts = rng.multinomial(games, chances, size=matches)
    return counts[:, 0], counts[:, 2]


estimates = {}
for games in (20, 100, 400):
    wins, losses = play_matches(expected_score(150, 0), 0.0, games, MATCHES, rng)
    s = (wins + (games - wins - losses) / 2) / games  # (48)
    bounded = (s > 0) & (s < 1)
    estimates[games] = rating_from_score(s[bounded], 0.0)
    low, high = np.percentile(estimates[games], [2.5, 97.5])
    print(f"{games:3} games: 95 % of the ratings between {low:.0f} and {high:.0f}; without a bound {1 - bounded.mean():.3%}")

# %% [markdown]
# Twenty games say little: the same player may seem 150 points weaker than the other or 550 stronger.
#
# ## The gate
#
# In training, a new network takes the place of the best one if it wins more than $\theta = 1.3$ times as many games as it
# loses. With $w_i \ge l_i \theta$ (54), and if there are no draws, $s_i + s_{i-1} = 1$ (51) and $s_i = s_{i-1} \theta$ (57)
# give
#
# $$s_i = \frac{\theta}{1 + \theta} \qquad (58) \qquad\qquad
# \Delta r_{min} = -\ln\left(\frac{1}{\theta}\right) \cdot 400 \cong 105 \qquad (59)$$


# %%
def gate_score(θ: float) -> float:
    return θ / (1 + θ)  # (58)


def least_gain(θ: float, base: float = np.e) -> float:
    return -np.log(1 / θ) / np.log(base) * 400  # (59)


def factor_of_gain(Δr: float, base: float = np.e) -> float:  # noqa: N803 — as in the formula
    return 1 / base ** (-Δr / 400)  # (60)


θ = 1.3
print(f"s = {gate_score(θ):.4f}, Δr_min = {least_gain(θ):.1f} base e, {least_gain(θ, base=10):.1f} base 10")
print(f"the document measured Δr = 408 a version: θ = {factor_of_gain(408):.2f} (60)")

# %% [markdown]
# But is a network that passed the gate really 105 points better? (59) speaks of the score *in the match*. The match has
# twenty games, and luck plays along. How often does a network pass that is in truth no better at all?


# %%
def passes(wins: np.ndarray, losses: np.ndarray, θ: float = 1.3) -> np.ndarray:
    return wins > θ * losses  # (54), strictly


gains = np.linspace(-300, 500, 33)
passing = {
    games: [passes(*play_matches(expected_score(gain, 0), 0.0, games, MATCHES, rng)).mean() for gain in gains]
    for games in (20, 100, 400)
}
for games in passing:
    equal, at_least = (passes(*play_matches(expected_score(gain, 0), 0.0, games, MATCHES, rng)).mean() for gain in (0, 105))
    print(f"{games:3} games: an equal network passes {equal:.0%} of the time, one that is 105 better {at_least:.0%}")

# %% [markdown]
# ## A whole training, simulated
#
# Let every new network be better or worse than the best one by a number drawn at random (mean 0, spread 150). Those who
# pass get a rating by (49) from their 20 games, on top of the rating before. The untrained network is 100, as in the
# document. The *ratings* rise by far more than 105 a version, as (59) promises. The true strength rises much less: a gate
# picks those who had luck, and their luck is written into their rating.


# %%
def simulate_training(games: int, rng: np.random.Generator) -> tuple[list[float], list[float]]:
    """Ratings and true strengths of the promoted networks, the untrained one first."""
    rated, true = [100.0], [100.0]
    for _ in range(VERSIONS):
        gain = rng.normal(0, 150)
        wins, losses = play_matches(expected_score(gain, 0), 0.0, games, 1, rng)
        if passes(wins, losses)[0]:
            s = min(wins[0] / games, 1 - 0.5 / games)  # a match without a loss counts as half a loss
            rated.append(rating_from_score(s, rated[-1]))
            true.append(true[-1] + gain)
    return rated, true


def gain_per_version(games: int) -> tuple[float, float]:
    """The mean gain of a promoted network, as it was rated and as it was."""
    runs = [simulate_training(games, rng) for _ in range(RUNS)]
    versions = sum(len(rated) - 1 for rated, _ in runs)
    return sum(rated[-1] - 100 for rated, _ in runs) / versions, sum(true[-1] - 100 for _, true in runs) / versions


inflation = {games: gain_per_version(games) for games in (20, 100, 400)}
for games, (rated_gain, true_gain) in inflation.items():
    print(f"gate of {games:3} games: a promoted network is rated {rated_gain:.0f} better and is {true_gain:.0f} better")

# %%
figure, axes = plt.subplots(2, 2, figsize=(11, 7.4), layout="constrained")
ratings = np.linspace(-1000, 1000, 201)
axes[0, 0].plot(ratings, [expected_score(r, 0) for r in ratings], color=BLUE, label="base e (46)")
axes[0, 0].plot(ratings, [expected_score(r, 0, base=10) for r in ratings], color=ORANGE, label="base 10")
axes[0, 0].set(title="expected score against a player rated 0", xlabel="rating")
axes[0, 0].legend()
for K, colour in zip(paths, (GREY, BLUE, ORANGE), strict=True):
    axes[0, 1].plot(paths[K], color=colour, linewidth=1, label=f"K = {K}")
axes[0, 1].axhline(300, color="black", linestyle=":", label="true strength")
axes[0, 1].set(title="rating game by game (47)", xlabel="games", ylim=(-250, None))
axes[0, 1].legend(loc="lower right", ncols=2)
for games, colour in zip(passing, (RED, ORANGE, GREEN), strict=True):
    axes[1, 0].plot(gains, 100 * np.array(passing[games]), color=colour, label=f"{games} games")
axes[1, 0].axvline(least_gain(θ), color="black", linestyle=":", label="Δr_min = 105")
axes[1, 0].set(title="who passes the gate of θ = 1.3", xlabel="true gain (base e)", ylabel="%")
axes[1, 0].legend()
rated, true = max((simulate_training(20, rng) for _ in range(9)), key=lambda run: len(run[0]))
axes[1, 1].plot(rated, color=RED, marker="o", markersize=4, label="rated by its gate of 20 games")
axes[1, 1].plot(true, color=GREEN, marker="o", markersize=4, label="true strength")
axes[1, 1].plot(100 + least_gain(θ) * np.arange(len(rated)), color="black", linestyle=":", label="Δr_min a version (59)")
axes[1, 1].set(title="one simulated training", xlabel="version", ylabel="rating (base e)")
axes[1, 1].legend()
save_picture(figure, "7_elo.png")

# %% [markdown]
# So: say the base, play more games than seems necessary, and measure new versions against *several* old ones with games
# that did not decide about their promotion.
