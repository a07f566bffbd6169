"""Ratings from results: Bradley and Terry's model with draws, as Davidson extended it, and an advantage of moving first.

For a game between a first and a second side whose strengths differ by d (natural units: odds of winning to losing are e^d),

    u = d + advantage        P(first wins) : P(draw) : P(second wins) = e^(u/2) : e^η : e^(−u/2)

Maximum likelihood is biased where games are few, and infinite where somebody won (or lost) them all. So the fit takes off
the leading bias as Firth proposed, in the form of data: each pairing counts as if it had a few more games, half of them won
and half lost, as many as its leverage (its weight in the fit; all leverages together are the number of strengths). That
makes everything finite and vanishes as games are added. Who shares no game, even over others, with the anchor stays where
it is, with an interval that says so.

Intervals come from a bootstrap: new results of the same games are drawn from the fitted model many times, each is fitted
the same way, and the differences, in units of each fit's own standard error, say how far off a fit like this one is. The two
games of an opening are not independent; where pairs of games scatter more than single games say, intervals are widened.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
from scipy.stats import norm

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

ADVANTAGE_SPREAD = 3.0  # of the weak prior on the advantage, natural units
DRAW_CENTRE, DRAW_SPREAD = -1.0, 3.0  # of the weak prior on η
UNKNOWN_SPREAD = 30.0  # of strengths that no game says anything about, natural units
LONGEST_STEP = 2.0  # of Newton's method, in any parameter
ROUNDS, CLOSE = 60, 1e-7
SCATTER_PAIRS = 20  # as many pairs of games beyond the parameters are needed to measure their scatter


@dataclass(frozen=True)
class Results:
    """Counts of games, a row for each ordered pairing that was played.

    first, second  int64 [rows]           players by number: who moved first and who second
    counts         float64 [rows, 3]      games that the first won, drew and lost
    """

    players: int
    first: Integers
    second: Integers
    counts: Floats

    @cached_property
    def games(self) -> Floats:
        """[rows]"""
        return self.counts.sum(axis=-1)

    def totals(self) -> tuple[Floats, Floats]:
        """[players] each: points and games."""
        points, games = np.zeros(self.players), np.zeros(self.players)
        of_first = self.counts[:, 0] + self.counts[:, 1] / 2
        for players, won in ((self.first, of_first), (self.second, self.games - of_first)):
            np.add.at(points, players, won)
            np.add.at(games, players, self.games)
        return points, games


@dataclass(frozen=True)
class Fit:
    """Strengths in natural units, the anchor's being 0.

    strengths   float64 [players]
    covariance  float64 [players, players]  of the strengths, relative to the anchor
    advantage   of moving first, in natural units
    draw        η: how common draws are
    """

    anchor: int
    strengths: Floats
    covariance: Floats
    advantage: float
    draw: float

    @property
    def errors(self) -> Floats:
        """[players]: standard errors against the anchor."""
        return np.sqrt(np.diag(self.covariance))

    def chances(self, results: Results) -> Floats:
        """[rows, 3]: of the outcomes of each pairing."""
        return outcome_chances(self.strengths[results.first] - self.strengths[results.second] + self.advantage, self.draw)

    @property
    def stretch(self) -> float:
        """How many times as large a small difference is as one that is read from the score, a draw being half a win.

        For a small difference d, the model expects a score of ½ + d / (4 + 2 e^η), and Elo's formula ½ + d / 4.
        """
        return float(1 + np.exp(self.draw) / 2)

    def chance_stronger(self, one: int, other: int, scatter: float = 1.0) -> float:
        """That one is stronger than the other, by the normal approximation; what both have in common does not count.

        Intervals against an anchor far away are wide, and tell little about the difference of two neighbours.
        """
        covariance = self.covariance
        variance = scatter * (covariance[one, one] + covariance[other, other] - 2 * covariance[one, other])
        return float(norm.cdf((self.strengths[one] - self.strengths[other]) / np.sqrt(max(variance, 1e-12))))

    def information(self, first: int, second: int) -> float:
        """What one game between them tells about the difference of their strengths (Fisher)."""
        chances = outcome_chances(self.strengths[first] - self.strengths[second] + self.advantage, self.draw)
        return float((chances[0] + chances[2] - (chances[0] - chances[2]) ** 2) / 4)


def outcome_chances(difference: npt.ArrayLike, draw: npt.ArrayLike) -> Floats:
    """[…, 3]: chances that the first side wins, draws and loses; the difference includes the advantage."""
    half = np.asarray(difference, np.float64) / 2
    logits = np.stack(np.broadcast_arrays(half, np.asarray(draw, np.float64), -half), axis=-1)
    weights = np.exp(logits - logits.max(axis=-1, keepdims=True))
    return weights / weights.sum(axis=-1, keepdims=True)


def fit_strengths(results: Results, anchor: int = 0) -> Fit:
    """The likeliest strengths, their leading bias taken off."""
    strengths, covariance, advantage, draw = _fit_many(results, results.counts[None], anchor, None)
    return Fit(anchor, strengths[0], covariance[0], float(advantage[0]), float(draw[0]))


def scatter_of_pairs(results: Results, fit: Fit, pairs: npt.NDArray[np.int64], points: Floats) -> float:
    """How many times as widely as single games would make them the scores of pairs of games scatter (variances; 1: as widely).

    pairs   int64 [n, 2]     players of each pair of games, who moved first in the first of the two games first
    points  float64 [n]      of that player in both games, 0 to 2
    """
    parameters = results.players
    if len(pairs) < parameters + SCATTER_PAIRS:
        return 1.0
    difference = fit.strengths[pairs[:, 0]] - fit.strengths[pairs[:, 1]]
    expected = np.zeros(len(pairs))
    variance = np.zeros(len(pairs))
    for sign in (1, -1):
        chances = outcome_chances(difference + sign * fit.advantage, fit.draw)
        score = chances[:, 0] + chances[:, 1] / 2
        expected += score
        variance += chances[:, 0] + chances[:, 1] / 4 - score**2
    scatter = ((points - expected) ** 2).sum() / variance.sum() * len(pairs) / (len(pairs) - parameters)
    return float(max(1.0, scatter))


def bootstrap_intervals(
    results: Results, fit: Fit, seed: int, replicates: int = 1000, confidence: float = 0.95, scatter: float = 1.0
) -> Floats:
    """[players, 2]: where each strength lies, against the anchor's, with this confidence."""
    draw = np.random.default_rng(seed)
    games = np.rint(results.games).astype(np.int64)
    counts = draw.multinomial(games, fit.chances(results), size=(replicates, len(games))).astype(np.float64)
    strengths, covariance, _, _ = _fit_many(results, counts, fit.anchor, fit)
    errors = np.sqrt(np.einsum("bii->bi", covariance))
    with np.errstate(invalid="ignore", divide="ignore"):
        deviations = np.where(errors > 0, (strengths - fit.strengths) / errors, 0.0)
    low, high = np.quantile(deviations, [(1 - confidence) / 2, (1 + confidence) / 2], axis=0)
    least = norm.ppf((1 + confidence) / 2)  # no interval is narrower than large numbers of games would make it
    wide = np.sqrt(scatter) * fit.errors
    return np.stack([fit.strengths - np.maximum(high, least) * wide, fit.strengths - np.minimum(low, -least) * wide], axis=1)


# -- Newton's method, for many sets of counts of the same pairings at once ---------------------------------------------------
def _fit_many(results: Results, counts: Floats, anchor: int, start: Fit | None) -> tuple[Floats, Floats, Floats, Floats]:
    """counts [sets, rows, 3] → strengths [sets, players], covariances [sets, players, players], advantages, draws [sets].

    Parameters are the players' strengths, the advantage and η, in this order; the anchor's strength is held at 0.
    """
    sets, players = len(counts), results.players
    size = players + 2
    design = np.zeros((len(results.first), players + 1))  # of u, without η
    rows = np.arange(len(results.first))
    np.add.at(design, (rows, results.first), 1.0)
    np.add.at(design, (rows, results.second), -1.0)
    design[:, players] = 1.0
    free = np.array([number for number in range(size) if number != anchor])
    precision = np.full(size, UNKNOWN_SPREAD**-2)
    precision[players], precision[players + 1] = ADVANTAGE_SPREAD**-2, DRAW_SPREAD**-2
    centre = np.zeros(size)
    centre[players + 1] = DRAW_CENTRE
    parameters = np.tile(centre, (sets, 1))
    if start is not None:
        parameters[:] = [*start.strengths, start.advantage, start.draw]
    extra = np.zeros(counts.shape[:2])  # games that are added for each pairing
    for _ in range(ROUNDS):
        chances = outcome_chances(parameters[:, : players + 1] @ design.T, parameters[:, None, players + 1])
        gradient, hessian = _derivatives(design, counts, extra, chances)
        gradient -= precision * (parameters - centre)
        hessian += np.diag(precision)
        inverse = _inverse(hessian, free)
        step = np.zeros((sets, size))
        step[:, free] = np.einsum("bij,bj->bi", inverse, gradient[:, free])
        step *= np.minimum(1.0, LONGEST_STEP / np.maximum(np.abs(step).max(axis=1, keepdims=True), 1e-12))
        parameters += step
        before, extra = extra, _leverages(design, counts, chances, inverse, free, players)
        if np.abs(step).max() < CLOSE and np.abs(extra - before).max() < CLOSE:
            break
    # The added games make the fit finite; how sure it is, only real games say.
    hessian = _derivatives(design, counts, np.zeros_like(extra), chances)[1] + np.diag(precision)
    inverse = _inverse(hessian, free)
    covariance = np.zeros((sets, players, players))
    strengths = [index for index, number in enumerate(free) if number < players]
    kept = free[strengths]
    covariance[:, kept[:, None], kept] = inverse[:, np.array(strengths)[:, None], strengths]
    return parameters[:, :players], covariance, parameters[:, players], parameters[:, players + 1]


def _inverse(matrices: Floats, free: Integers) -> Floats:
    """Of the part of each matrix that belongs to the free parameters."""
    return np.linalg.inv(matrices[:, free[:, None], free]).astype(np.float64, copy=False)


def _derivatives(design: Floats, counts: Floats, extra: Floats, chances: Floats) -> tuple[Floats, Floats]:
    """Of the log-likelihood of the counts and the added games, by all parameters: gradient and negative second derivative."""
    games = counts.sum(axis=2)
    win, draw, loss = (chances[..., outcome] for outcome in range(3))
    lean = (win - loss) / 2  # expectation of the half by which u counts
    by_u = (counts[..., 0] - counts[..., 2]) / 2 - (games + extra) * lean
    by_draw = counts[..., 1] - games * draw
    weight_u = (games + extra) * ((win + loss) / 4 - lean**2)
    weight_both = -games * lean * draw
    weight_draw = games * draw * (1 - draw)
    gradient = np.concatenate([by_u @ design, by_draw.sum(axis=1, keepdims=True)], axis=1)
    inner = np.matmul(design.T, weight_u[..., None] * design)
    cross = weight_both @ design
    hessian = np.empty((len(counts), design.shape[1] + 1, design.shape[1] + 1))
    hessian[:, :-1, :-1] = inner
    hessian[:, :-1, -1] = hessian[:, -1, :-1] = cross
    hessian[:, -1, -1] = weight_draw.sum(axis=1)
    return gradient, hessian


def _leverages(design: Floats, counts: Floats, chances: Floats, inverse: Floats, free: Integers, players: int) -> Floats:
    """[sets, rows]: the weight of each pairing in the fit of the strengths."""
    chosen = free < players
    of_strengths = inverse[:, chosen][:, :, chosen]
    directions = design[:, free[chosen]]
    lean = (chances[..., 0] - chances[..., 2]) / 2
    weight = counts.sum(axis=2) * ((chances[..., 0] + chances[..., 2]) / 4 - lean**2)
    spread = np.einsum("ri,bij,rj->br", directions, of_strengths, directions, optimize=True)
    return np.minimum(weight * spread, 1.0)
