"""The sequential test: go on until it is clear which of two rating differences fits better.

A generalised sequential probability ratio test on the scores of game pairs (pentanomial: 0, ¼, ½, ¾, 1). The likelihood of
a rating difference is that of the likeliest distribution of pair scores whose mean is the score this difference expects.
"""

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Literal

from boardzero.arena.scores import score_from_elo
from boardzero.errors import BadInput

PAIR_SCORES = (0.0, 0.25, 0.5, 0.75, 1.0)
UNSEEN = 1e-3  # counts for a pair score that has not come up, so that no distribution is ruled out
HALVINGS = 45
FAR = 1000  # Elo beyond which a score is 0 or 1 for any practical number of games

Decision = Literal["accept H0", "accept H1", "undecided"]


@dataclass(frozen=True)
class Verdict:
    """Where a sequential test stands."""

    ratio: float  # log-likelihood ratio of elo1 to elo0
    lower: float  # at or below it, elo0 is accepted
    upper: float  # at or above it, elo1 is accepted
    decision: Decision
    elo0: float
    elo1: float
    pairs: int

    def as_dict(self) -> dict[str, float | str]:
        return asdict(self)

    def __str__(self) -> str:
        meaning = {
            "accept H0": f"accepted: not better by {self.elo1:g} Elo (H0: {self.elo0:g})",
            "accept H1": f"accepted: better by {self.elo1:g} Elo (H1) rather than {self.elo0:g}",
            "undecided": f"undecided between {self.elo0:g} and {self.elo1:g} Elo",
        }[self.decision]
        return f"{meaning}; log-likelihood ratio {self.ratio:.2f}, bounds {self.lower:.2f} and {self.upper:.2f}"


@dataclass(frozen=True)
class SequentialTest:
    """H0: the rating difference is elo0; H1: it is elo1. alpha, beta: how often either may be rejected wrongly."""

    elo0: float = 0.0
    elo1: float = 30.0
    alpha: float = 0.05
    beta: float = 0.05

    def __post_init__(self) -> None:
        if not -FAR < self.elo0 < self.elo1 < FAR:
            raise BadInput(
                f"The sequential test needs elo0 < elo1, both between −{FAR} and {FAR};"
                f" they are {self.elo0:g} and {self.elo1:g}."
            )
        for name, rate in (("alpha", self.alpha), ("beta", self.beta)):
            if not 0 < rate < 0.5:
                raise BadInput(f"{name} is {rate:g}; an error rate must be more than 0 and less than 0.5.")

    def judge(self, pairs: Sequence[tuple[float, ...]]) -> Verdict:
        """From one side's points in each pair of games; an unfinished pair does not count."""
        counts = [0.0] * len(PAIR_SCORES)
        complete = [pair for pair in pairs if len(pair) == 2]
        for pair in complete:
            counts[round(2 * sum(pair))] += 1
        ratio = log_likelihood_ratio(counts, score_from_elo(self.elo0), score_from_elo(self.elo1)) if complete else 0.0
        lower, upper = math.log(self.beta / (1 - self.alpha)), math.log((1 - self.beta) / self.alpha)
        decision: Decision = "accept H1" if ratio >= upper else "accept H0" if ratio <= lower else "undecided"
        return Verdict(ratio, lower, upper, decision, self.elo0, self.elo1, len(complete))


def log_likelihood_ratio(counts: Sequence[float], score0: float, score1: float) -> float:
    """How much better an expected score of score1 fits the counts of PAIR_SCORES than one of score0."""
    counts = [count or UNSEEN for count in counts]
    tilt0, tilt1 = (_tilt(counts, score) for score in (score0, score1))
    return sum(
        count * (math.log1p(tilt0 * (pair - score0)) - math.log1p(tilt1 * (pair - score1)))
        for count, pair in zip(counts, PAIR_SCORES, strict=True)
    )


def _tilt(counts: Sequence[float], score: float) -> float:
    """The likeliest distribution with this mean is counts / (1 + tilt · (pair score − mean)), normalised: here is its tilt.

    The mean falls as the tilt grows, and all weights are positive between the two ends, so halving finds it.
    """
    low, high = -1 / (PAIR_SCORES[-1] - score), 1 / (score - PAIR_SCORES[0])
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        excess = sum(
            count * (pair - score) / (1 + middle * (pair - score)) for count, pair in zip(counts, PAIR_SCORES, strict=True)
        )
        low, high = (middle, high) if excess > 0 else (low, middle)
    return (low + high) / 2
