"""Charts of an experiment: a curve for each variant, the mean over its seeds, with a band; and the final ratings."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from boardzero.evaluation.charts import KINDS, Chart, band, colour, joined, layout, line, whom_they_met
from boardzero.evaluation.comparison import VariantResult, mean_band
from boardzero.evaluation.run_history import RunHistory

Curve = Callable[[RunHistory], tuple[list[float], list[float]]]  # minutes of training, and a figure at each of them


def curves(variants: Sequence[VariantResult]) -> list[Chart]:
    """All that there is something to show for."""
    drawn = [_final_ratings(variants), _mistakes(variants), *_scores(variants), _losses(variants)]
    return [chart for chart in drawn if chart.traces]


def _series(variants: Sequence[VariantResult], of: Curve, hover: str, most: float = np.inf) -> list[dict[str, Any]]:
    """Bands keep to what the figure can be, from 0 to `most`; of a single point, no line, there is a mark with its interval."""
    traces = []
    for number, variant in enumerate(variants):
        x, mean, low, high = mean_band([of(run) for run in variant.runs])
        low, high = np.maximum(low, 0).tolist(), np.minimum(high, most).tolist()
        shade, has_band = colour(number), len(variant.runs) > 1
        more: dict[str, Any] = {"mode": "lines" if len(x) > 1 else "markers", "legendgroup": variant.name}
        if len(x) > 1 and has_band:
            traces.append(band(x, low, high, shade, variant.name))
        elif x and has_band:
            ends = {"array": [high[0] - mean[0]], "arrayminus": [mean[0] - low[0]]}
            more["error_y"] = {"type": "data", "symmetric": False, "color": shade, **ends}
        if x:
            traces.append(line(x, mean, variant.name, shade, hover=hover, **more))
    return traces


def _mistakes(variants: Sequence[VariantResult]) -> Chart:
    def mistakes(run: RunHistory) -> tuple[list[float], list[float]]:
        return _minutes(run.perfect), [100 * one["mistakes"] / one["positions"] for one in run.perfect]

    return Chart("mistakes", "Mistakes against perfect play", "Lower is better.",
                 _series(variants, mistakes, "%{y:.1f} %", most=100), layout("minutes of training", "% mistakes"))  # fmt: skip


def _scores(variants: Sequence[VariantResult]) -> list[Chart]:
    """A chart for each kind of opponent that networks met while training."""
    events = [event for variant in variants for run in variant.runs for event in run.strengths]
    return [_scores_against(kind, variants) for kind in dict.fromkeys(event["kind"] for event in events)]


def _scores_against(kind: str, variants: Sequence[VariantResult]) -> Chart:
    def met(run: RunHistory) -> list[dict[str, Any]]:
        return [event for event in run.strengths if event["kind"] == kind]

    def scores(run: RunHistory) -> tuple[list[float], list[float]]:
        evaluations = joined(met(run))
        return _minutes(evaluations), [100 * one["score"] for one in evaluations]

    whom = whom_they_met([event for variant in variants for run in variant.runs for event in met(run)])
    return Chart(f"wins-{kind}", f"Score against {KINDS.get(kind, kind)}", f"{whom}; points a game. Higher is better.",
                 _series(variants, scores, "%{y:.0f} %", most=100),
                 layout("minutes of training", "score, %", yaxis={"range": [-3, 103]}))  # fmt: skip


def _losses(variants: Sequence[VariantResult]) -> Chart:
    def loss(run: RunHistory) -> tuple[list[float], list[float]]:
        weight = run.settings.training.value_weight
        return _minutes(run.generations), [one["policy_loss"] + weight * one["value_loss"] for one in run.generations]

    return Chart("losses", "Loss", "Policy and value; variants with other targets are not comparable.",
                 _series(variants, loss, "%{y:.3f}"), layout("minutes of training", "loss"))  # fmt: skip


def _minutes(events: Sequence[dict[str, Any]]) -> list[float]:
    return [event["seconds"] / 60 for event in events]


def _final_ratings(variants: Sequence[VariantResult]) -> Chart:
    rated = [(number, variant) for number, variant in enumerate(variants) if variant.ratings]
    points = [
        {"type": "scatter", "mode": "markers", "x": [variant.name] * len(variant.ratings), "y": list(variant.ratings),
         "marker": {"size": 11, "color": colour(number), "opacity": 0.8}, "name": variant.name, "showlegend": False,
         "hovertemplate": "%{y:.0f}<extra>%{x}</extra>"}
        for number, variant in rated
    ]  # fmt: skip
    means = [
        {"type": "scatter", "mode": "markers", "x": [variant.name], "y": [float(np.mean(variant.ratings))],
         "marker": {"symbol": "line-ew", "size": 22, "line": {"color": colour(number), "width": 3}}, "showlegend": False,
         "hovertemplate": "mean %{y:.0f}<extra>%{x}</extra>"}
        for number, variant in rated if len(variant.ratings) > 1
    ]  # fmt: skip
    axes = layout("", "Elo", xaxis={"type": "category"}, yaxis={"rangemode": "normal"}, hovermode="closest")
    return Chart("final", "Final ratings", "A point for each seed, and a dash for their mean.", [*points, *means], axes)
