"""What an experiment has shown: final ratings of each variant over its seeds, and whether a difference is more than chance."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy import stats

from boardzero.evaluation.figures import between, percent, score_of_side
from boardzero.evaluation.rating import Matrix, Ratings
from boardzero.evaluation.run_history import RunHistory

CERTAIN = 0.05  # below this chance of being nothing a difference counts as one


@dataclass(frozen=True)
class Spread:
    """How far seeds scatter about the means of their variants: one variance for all, for three seeds alone say little of it."""

    variance: float
    freedom: int  # seeds beyond the first of each variant


def spread_of(groups: Iterable[Sequence[float]]) -> Spread | None:
    """None where there is a single seed, or seeds never differ: that tells nothing about chance."""
    several = [np.asarray(group, np.float64) for group in groups if len(group) > 1]
    freedom = sum(len(group) - 1 for group in several)
    squares = sum(float(((group - group.mean()) ** 2).sum()) for group in several)
    return Spread(squares / freedom, freedom) if squares > 0 else None


@dataclass(frozen=True)
class Difference:
    """Of two means over seeds, by Student's test with the spread of all variants; None where chance is not known."""

    mean: float
    interval: tuple[float, float] | None  # 95 %, of this difference alone
    chance: float | None  # of a difference like this one if there were none

    @property
    def is_certain(self) -> bool:
        return self.chance is not None and self.chance < CERTAIN

    def as_dict(self) -> dict[str, Any]:
        return {"mean": self.mean, "interval": self.interval, "chance": self.chance, "is_certain": self.is_certain}


def compare(values: Sequence[float], others: Sequence[float], spread: Spread | None) -> Difference:
    """values − others."""
    mean = float(np.mean(values) - np.mean(others))
    if spread is None:
        return Difference(mean, None, None)
    error = math.sqrt(spread.variance * (1 / len(values) + 1 / len(others)))
    half = float(stats.t.ppf(0.975, spread.freedom)) * error
    return Difference(mean, (mean - half, mean + half), float(2 * stats.t.sf(abs(mean) / error, spread.freedom)))


def corrected(differences: Sequence[Difference]) -> list[Difference]:
    """The same with Holm's correction: the chance that any of so many differences would look like this if there were none."""
    known = sorted((one.chance, number) for number, one in enumerate(differences) if one.chance is not None)
    answer, reached = list(differences), 0.0
    for rank, (chance, number) in enumerate(known):
        reached = max(reached, min(1.0, chance * (len(known) - rank)))
        answer[number] = replace(differences[number], chance=reached)
    return answer


@dataclass(frozen=True)
class VariantResult:
    """One variant over all its seeds."""

    name: str
    about: str
    runs: tuple[RunHistory, ...]
    ratings: tuple[float, ...]  # of each run's final network; empty where none were played for
    against: str | None = None  # the variant that it is compared with, if not the first

    @property
    def mistakes(self) -> list[float]:
        """Per cent, where perfect play is known, of each run's network that was measured last: not always the final one."""
        return [100 * run.perfect[-1]["mistakes"] / run.perfect[-1]["positions"] for run in self.runs if run.perfect]

    def mean(self, key: str) -> float:
        """Of a figure of the runs' last generations."""
        return float(np.mean([run.generations[-1][key] for run in self.runs]))

    @property
    def speed(self) -> float:
        """Evaluations a second over the whole runs."""
        return float(np.mean([one["evaluations_per_second"] for run in self.runs for one in run.generations]))

    def as_dict(self) -> dict[str, Any]:
        """Ratings and mistakes (per cent) of each seed; other figures are means over the seeds."""
        return {
            "name": self.name,
            "about": self.about,
            "runs": [str(run.folder.path) for run in self.runs],
            "ratings": list(self.ratings),
            "mistakes": self.mistakes,
            "games": self.mean("games"),
            "positions": self.mean("positions"),
            "evaluations_per_second": self.speed,
        }


@dataclass(frozen=True)
class Comparison:
    """All variants, the first being what the others are compared with unless they name another, and all matches."""

    title: str
    question: str
    variants: tuple[VariantResult, ...]
    matches: tuple[dict[str, Any], ...]
    ratings: Ratings | None
    matrices: tuple[Matrix, ...]

    def base_of(self, variant: VariantResult) -> VariantResult:
        """What a variant is compared with."""
        return next((one for one in self.variants if one.name == variant.against), self.variants[0])

    @cached_property
    def rating_differences(self) -> dict[str, Difference]:
        """By variant, without the first: of its ratings and those that it is compared with, corrected for their number."""
        return self._differences(lambda variant: variant.ratings)

    @cached_property
    def mistake_differences(self) -> dict[str, Difference]:
        """The same of fewer mistakes."""
        return self._differences(lambda variant: [-one for one in variant.mistakes])

    def _differences(self, values: Callable[[VariantResult], Sequence[float]]) -> dict[str, Difference]:
        compared = [one for one in self.variants[1:] if values(one) and values(self.base_of(one))]
        spread = spread_of(map(values, self.variants))
        differences = corrected([compare(values(one), values(self.base_of(one)), spread) for one in compared])
        return {one.name: difference for one, difference in zip(compared, differences, strict=True)}

    def as_dict(self) -> dict[str, Any]:
        """All figures, of each variant and seed, and the sentences."""
        return {
            "title": self.title,
            "question": self.question,
            "variants": [self._variant_as_dict(variant) for variant in self.variants],
            "matches": list(self.matches),
            "ratings": self.ratings.as_dict() if self.ratings else None,
            "matrices": [{"label": matrix.label, **matrix.as_dict()} for matrix in self.matrices],
            "caution": self.caution(),
            "sentences": self.sentences(),
        }

    def _variant_as_dict(self, variant: VariantResult) -> dict[str, Any]:
        """Differences are positive where the variant is better than what it is compared with."""
        rating, mistakes = (each.get(variant.name) for each in (self.rating_differences, self.mistake_differences))
        return {
            **variant.as_dict(),
            "against": None if variant is self.variants[0] else self.base_of(variant).name,
            "rating_difference": rating.as_dict() if rating else None,
            "fewer_mistakes": mistakes.as_dict() if mistakes else None,
        }

    def caution(self) -> str:
        """How the figures of the differences are to be read; nothing where there are none."""
        tested = sum(one.chance is not None for one in self.rating_differences.values())
        if not tested:
            return ""
        said = "Intervals are of one difference alone, and hold the luck of trainings as well as that of the rated games."
        if self.ratings is not None and self.ratings.said_stretch():
            said += f" {self.ratings.said_stretch()}"
        if tested == 1:
            return said
        both = ", ratings and mistakes by themselves" if self.mistake_differences else ""
        return (
            f"{said} p is corrected for {tested} comparisons (Holm){both}, so an interval without 0 need not be a difference."
        )

    def sentences(self) -> list[str]:
        """One for each variant, each match, and the networks that met each other, of all seeds of a variant together."""
        said = []
        for variant in self.variants:
            said.append(self._base_sentence(variant) if variant is self.variants[0] else self._sentence(variant))
        said += [match_sentence(match) for match in self.matches]
        by_variant: dict[str, list[Matrix]] = {}
        for matrix in self.matrices:
            by_variant.setdefault(matrix.label.rpartition("-")[0], []).append(matrix)
        for name, matrices in by_variant.items():
            said.append(matrix_sentence(f"{name}, {len(matrices)} seeds" if len(matrices) > 1 else matrices[0].label, matrices))
        return said

    def _base_sentence(self, variant: VariantResult) -> str:
        role = "is what the others are compared with" if len(self.variants) > 1 else "was trained"
        parts = [f"{variant.name}{_said(variant)} {role}"]
        if variant.ratings:
            parts.append(f"rated {np.mean(variant.ratings):.0f}")
        if variant.mistakes:
            parts.append(f"{np.mean(variant.mistakes):.1f} % mistakes when last measured")
        return ", ".join(parts) + "."

    def _sentence(self, variant: VariantResult) -> str:
        """Ratings and mistakes each have their own verdict: they need not agree, and mistakes often tell more."""
        base, parts = self.base_of(variant), []
        if difference := self.rating_differences.get(variant.name):
            within = f" ({difference.interval[0]:+.0f} to {difference.interval[1]:+.0f})" if difference.interval else ""
            verdict = _verdict(difference, len(variant.ratings))
            parts.append(f"{difference.mean:+.0f} Elo{within} against {base.name}: {verdict}")
        if fewer := self.mistake_differences.get(variant.name):
            means = [float(np.mean(one.mistakes)) for one in (variant, base)]
            verdict = _verdict(fewer, len(variant.mistakes))
            parts.append(f"{means[0]:.1f} % mistakes when last measured against {means[1]:.1f} %: {verdict}")
        return f"{variant.name}{_said(variant)}: {'; '.join(parts) or 'trained, and nothing was played for a rating'}."


def _said(variant: VariantResult) -> str:
    return f" ({variant.about})" if variant.about else ""


def _verdict(difference: Difference, seeds: int) -> str:
    if difference.chance is None:
        return "one seed does not tell chance from effect" if seeds == 1 else "seeds that never differ tell nothing of chance"
    chance = f"p {said_chance(difference.chance)}"
    if not difference.is_certain:
        return f"no difference is shown ({chance})"
    return f"{'better' if difference.mean > 0 else 'worse'} ({chance})"


def said_chance(chance: float) -> str:
    """`= 0.03`; what is smaller than a few seeds can tell is not spelt out."""
    return "< 0.001" if chance < 0.001 else f"= {chance:.2g}"


def match_sentence(match: dict[str, Any]) -> str:
    """A match in one sentence, with what its source reports where that is said."""
    first, second = (score_of_side(match, side) for side in ("moving_first", "moving_second"))
    document = match["document"]
    return (
        f"{match['players'][0]} scored {percent(match['score'], 1)} ({between(match['interval'], 1)}) against"
        f" {match['players'][1]}: {first} moving first, {second} moving second"
        + (f"; the document: {document}." if document else ".")
    )


def matrix_sentence(name: str, matrices: Sequence[Matrix]) -> str:
    """Does a network beat those before it, and does moving first help? Of one run, or of the seeds of a variant together."""
    scores = [matrix.scores for matrix in matrices]
    one_before = [float(one[newer, newer - 1]) for one in scores for newer in range(1, len(one))]
    all_before = [float(one[newer, older]) for one in scores for newer in range(len(one)) for older in range(newer)]
    one_before, all_before = ([score for score in some if not math.isnan(score)] for some in (one_before, all_before))
    met = [matrix for matrix in matrices if matrix.first_score is not None]
    if not one_before or not met:
        return f"{name}: no two of its networks have met."
    better = sum(score > 0.5 for score in one_before)
    first = np.average([matrix.first_score or 0.0 for matrix in met], weights=[matrix.games.sum() for matrix in met])
    return (
        f"{name}: a network scored {percent(float(np.mean(one_before)))} against the one before it (more than half in"
        f" {better} of {len(one_before)} cases) and {percent(float(np.mean(all_before)))} against all before it;"
        f" who moved first scored {percent(float(first))}."
    )


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
