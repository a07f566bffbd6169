"""What an experiment has shown: final ratings of each variant over its seeds, and whether a difference is more than chance."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import stats

from boardzero.evaluation.rating import Matrix, Ratings
from boardzero.evaluation.run_history import RunHistory

CERTAIN = 0.05  # below this chance of being nothing a difference counts as one


@dataclass(frozen=True)
class Difference:
    """Of two means over seeds, by Welch's test; None where a single seed tells nothing about chance."""

    mean: float
    interval: tuple[float, float] | None  # 95 %
    chance: float | None  # of a difference like this one if there were none

    @property
    def is_certain(self) -> bool:
        return self.chance is not None and self.chance < CERTAIN


def compare(values: Sequence[float], others: Sequence[float]) -> Difference:
    """values − others."""
    mean = float(np.mean(values) - np.mean(others))
    if len(values) < 2 or len(others) < 2 or np.ptp([*values]) + np.ptp([*others]) == 0:
        return Difference(mean, None, None)
    test = stats.ttest_ind(values, others, equal_var=False)
    low, high = test.confidence_interval(0.95)
    return Difference(mean, (float(low), float(high)), float(test.pvalue))


@dataclass(frozen=True)
class VariantResult:
    """One variant over all its seeds."""

    name: str
    about: str
    runs: tuple[RunHistory, ...]
    ratings: tuple[float, ...]  # of each run's final network; empty where none were played for

    @property
    def mistakes(self) -> list[float]:
        """Per cent, of each run's final network, where perfect play is known."""
        return [100 * run.perfect[-1]["mistakes"] / run.perfect[-1]["positions"] for run in self.runs if run.perfect]

    def mean(self, key: str) -> float:
        """Of a figure of the runs' last generations."""
        return float(np.mean([run.generations[-1][key] for run in self.runs]))

    @property
    def speed(self) -> float:
        """Evaluations a second over the whole runs."""
        return float(np.mean([one["evaluations_per_second"] for run in self.runs for one in run.generations]))


@dataclass(frozen=True)
class Comparison:
    """All variants, the first being what the others are compared with, and all matches."""

    title: str
    question: str
    variants: tuple[VariantResult, ...]
    matches: tuple[dict[str, Any], ...]
    ratings: Ratings | None
    matrices: tuple[Matrix, ...]

    def rating_difference(self, variant: VariantResult) -> Difference | None:
        base = self.variants[0]
        return compare(variant.ratings, base.ratings) if variant.ratings and base.ratings else None

    def sentences(self) -> list[str]:
        """One for each variant and each match."""
        said = []
        for variant in self.variants:
            said.append(self._base_sentence(variant) if variant is self.variants[0] else self._sentence(variant))
        return [*said, *(match_sentence(match) for match in self.matches)]

    def _base_sentence(self, variant: VariantResult) -> str:
        parts = [f"{variant.name}{_said(variant)} is what the others are compared with"]
        if variant.ratings:
            parts.append(f"rated {np.mean(variant.ratings):.0f}")
        if variant.mistakes:
            parts.append(f"{np.mean(variant.mistakes):.1f} % mistakes")
        return ", ".join(parts) + "."

    def _sentence(self, variant: VariantResult) -> str:
        base, parts = self.variants[0], []
        difference = self.rating_difference(variant)
        verdict = "no rating was played for"
        if difference is not None:
            within = f" ({difference.interval[0]:+.0f} to {difference.interval[1]:+.0f})" if difference.interval else ""
            parts.append(f"{difference.mean:+.0f} Elo{within} against {base.name}")
            verdict = _verdict(difference)
        if variant.mistakes and base.mistakes:
            parts.append(f"{np.mean(variant.mistakes):.1f} % mistakes against {np.mean(base.mistakes):.1f} %")
        if not variant.ratings and variant.mistakes and base.mistakes:
            verdict = _verdict(compare([-one for one in variant.mistakes], [-one for one in base.mistakes]))
        return f"{variant.name}{_said(variant)}: {', '.join(parts) or 'trained'}; {verdict}."


def _said(variant: VariantResult) -> str:
    return f" ({variant.about})" if variant.about else ""


def _verdict(difference: Difference) -> str:
    if difference.chance is None:
        return "one seed does not tell chance from effect"
    chance = f"p = {difference.chance:.2g}"
    if not difference.is_certain:
        return f"no difference is shown ({chance})"
    return f"{'better' if difference.mean > 0 else 'worse'} ({chance})"


def match_sentence(match: dict[str, Any]) -> str:
    """A match in one sentence, with what its source reports where that is said."""
    low, high = match["interval"]
    first, second = (_score(match[side]) for side in ("moving_first", "moving_second"))
    document = match["asked"]["document"]
    return (
        f"{match['players'][0]} scored {match['score']:.1%} ({low:.1%} to {high:.1%}) against {match['players'][1]}:"
        f" {first} moving first, {second} moving second" + (f"; the document: {document}." if document else ".")
    )


def _score(tally: dict[str, Any]) -> str:
    games = tally["wins"] + tally["draws"] + tally["losses"]
    return f"{tally['points'] / games:.0%}" if games else "–"


def mean_band(curves: Sequence[tuple[Sequence[float], Sequence[float]]], points: int = 40) -> tuple[list[float], ...]:
    """The mean of several curves over the stretch that all of them cover, and its 95 % band (by t, over the curves)."""
    curves = [(x, y) for x, y in curves if len(x)]
    if not curves:
        return [], [], [], []
    begin, end = max(x[0] for x, _ in curves), min(x[-1] for x, _ in curves)
    if end <= begin:
        end = begin = max(x[-1] for x, _ in curves)
    grid = np.linspace(begin, end, points if end > begin else 1)
    values = np.array([np.interp(grid, x, y) for x, y in curves])
    mean = values.mean(axis=0)
    half = np.zeros_like(mean)
    if len(curves) > 1:
        half = float(stats.t.ppf(0.975, len(curves) - 1)) * values.std(axis=0, ddof=1) / math.sqrt(len(curves))
    return grid.tolist(), mean.tolist(), (mean - half).tolist(), (mean + half).tolist()
