"""What an experiment says in the end: which differences of ratings and mistakes are more than chance, and in which words."""

import json
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pytest
from measured_runs import strength
from scipy import stats

from boardzero.evaluation.comparison import (
    Comparison,
    Difference,
    VariantResult,
    compare,
    corrected,
    matrix_sentence,
    mean_band,
    said_chance,
    spread_of,
)
from boardzero.evaluation.experiment_curves import curves
from boardzero.evaluation.experiment_report import as_markdown, as_text
from boardzero.evaluation.rating import Matrix
from boardzero.evaluation.run_history import RunHistory
from boardzero.settings.run import RunSettings
from boardzero.training.run_folder import RunFolder


# -- ratings ----------------------------------------------------------------------------------------------------------------
def difference(values: Sequence[float], others: Sequence[float]) -> Difference:
    return compare(values, others, spread_of([values, others]))


def test_differences_over_seeds_are_told_from_chance() -> None:
    clear = difference([200, 210, 190], [0, 10, -10])
    assert clear.is_certain and clear.interval is not None and clear.interval[0] < clear.mean == 200 < clear.interval[1]
    assert not difference([0, 100, 200], [10, 90, 150]).is_certain
    assert difference([100], [0]).chance is None


def test_two_variants_are_compared_by_students_test() -> None:
    values, others = [12.0, 30.0, 7.0], [-5.0, 2.0, 11.0, 3.0]
    expected = stats.ttest_ind(values, others)
    found = difference(values, others)
    assert found.chance == pytest.approx(expected.pvalue)
    assert found.interval == pytest.approx(tuple(expected.confidence_interval(0.95)))


def test_other_variants_tell_how_far_seeds_scatter() -> None:
    """Two seeds that happen to be near each other prove nothing where those of all other variants are far apart."""
    lucky, others = ([40.0, 41.0], [0.0, 1.0]), [[-100.0, 100.0], [-120.0, 90.0], [-80.0, 130.0]]
    assert difference(*lucky).is_certain
    assert not compare(*lucky, spread_of([*lucky, *others])).is_certain


def test_differences_of_nothing_are_certain_once_in_twenty() -> None:
    draw = np.random.default_rng(3)
    found = [difference(draw.normal(size=4).tolist(), draw.normal(size=4).tolist()).is_certain for _ in range(1000)]
    assert 0.03 < np.mean(found) < 0.07


def test_every_variant_gets_one_sentence() -> None:
    def variant(name: str, *ratings: float) -> VariantResult:
        return VariantResult(name, "", (), ratings)

    variants = (
        variant("base", 0, 10, -10),
        variant("better", 200, 210, 190),
        variant("same", 5, 8, -12),
        variant("worse", -99, -90, -95),
    )
    sentences = Comparison("", "", variants, (), None, ()).sentences()
    assert [sentence.split()[0] for sentence in sentences] == ["base", "better:", "same:", "worse:"]
    assert ": better (p" in sentences[1] and "no difference is shown" in sentences[2] and ": worse (p" in sentences[3]


def test_an_interval_that_says_more_than_the_verdict_is_explained() -> None:
    """The interval of one difference alone has no 0 in it; corrected for seven, the difference may be chance."""
    draw = np.random.default_rng(1)
    others = [VariantResult(str(number), "", (), tuple(draw.normal(0, 30, 3))) for number in range(6)]
    variants = (VariantResult("base", "", (), (0, 30, -30)), VariantResult("lucky", "", (), (45, 75, 15)), *others)
    comparison = Comparison("", "", variants, (), None, ())
    lucky = comparison.rating_differences["lucky"]
    assert lucky.interval is not None and lucky.interval[0] > 0 and not lucky.is_certain
    assert "p is corrected for 7 comparisons (Holm)" in comparison.caution()
    assert "corrected" not in Comparison("", "", variants[:2], (), None, ()).caution()
    assert Comparison("", "", variants[:1], (), None, ()).caution() == ""


def test_seeds_that_never_differ_are_not_called_one_seed() -> None:
    def sentence(*ratings: float) -> str:
        variants = [VariantResult(name, "", (), ratings) for name in ("base", "other")]
        return Comparison("", "", tuple(variants), (), None, ()).sentences()[1]

    assert sentence(100.0).endswith(": one seed does not tell chance from effect.")
    assert sentence(100.0, 100.0).endswith(": seeds that never differ tell nothing of chance.")


def test_chances_are_said_as_exactly_as_they_are_known() -> None:
    assert [said_chance(chance) for chance in (1.0, 0.0312, 0.001, 1e-9)] == ["= 1", "= 0.031", "= 0.001", "< 0.001"]


def test_a_matrix_of_generations_is_said_in_one_sentence() -> None:
    scores = np.array([[np.nan, 0.25, 0.1], [0.75, np.nan, 0.55], [0.9, 0.45, np.nan]])
    games = np.full((3, 3), 10)
    matrix = Matrix(("run-1 0", "run-1 1", "run-1 2"), scores, games, 0.62)
    assert matrix_sentence("run-1", [matrix]) == (
        "run-1: a network scored 60 % against the one before it (more than half in 1 of 2 cases) and 70 % against all"
        " before it; who moved first scored 62 %."
    )
    alone = Matrix(("run-1 0",), np.array([[np.nan]]), np.zeros((1, 1)), None)
    assert matrix_sentence("run-1", [alone]) == "run-1: no two of its networks have met."
    other = Matrix(("run-2 0", "run-2 1"), np.array([[np.nan, 0.0], [1.0, np.nan]]), np.full((2, 2), 10), 0.5)
    other_variant = Matrix(("big-1 0",), np.array([[np.nan]]), np.zeros((1, 1)), None)
    first, second = Comparison("", "", (), (), None, (matrix, other_variant, other)).sentences()
    assert first.startswith("run, 2 seeds: a network scored 73 % against the one before it (more than half in 2 of 3 cases)")
    assert second == "big-1: no two of its networks have met."


def test_a_variant_may_be_compared_with_another_than_the_first() -> None:
    variants = (
        VariantResult("base", "", (), (0, 10, -10)),
        VariantResult("small", "", (), (-200, -210, -190)),
        VariantResult("small-noise", "", (), (-205, -208, -190), "small"),
    )
    comparison = Comparison("", "", variants, (), None, ())
    assert "against small: no difference is shown" in comparison.sentences()[2]
    assert " against base: worse" in comparison.sentences()[1]


def test_many_comparisons_are_corrected_for_their_number() -> None:
    """Holm: the smallest of m chances counts m times, the next m − 1 times, and none less than one before it."""
    found = [Difference(1.0, None, chance) for chance in (0.04, 0.01, 0.03)] + [Difference(2.0, None, None)]
    assert [one.chance for one in corrected(found)] == [pytest.approx(0.06), pytest.approx(0.03), pytest.approx(0.06), None]
    assert [one.is_certain for one in corrected(found)] == [False, True, False, False]


def test_variants_alike_are_seldom_called_different_however_many_there_are() -> None:
    draw = np.random.default_rng(5)
    wrong = 0
    for _ in range(300):
        variants = tuple(VariantResult(str(number), "", (), tuple(draw.normal(size=3))) for number in range(8))
        wrong += any(one.is_certain for one in Comparison("", "", variants, (), None, ()).rating_differences.values())
    assert wrong / 300 < 0.08


def test_bands_cover_what_all_curves_have() -> None:
    curves: list[tuple[list[float], list[float]]] = [([0, 2, 4], [0, 2, 4]), ([1, 5], [3, 7])]
    x, mean, low, high = mean_band(curves)
    assert (x[0], x[-1]) == (1, 4)
    assert mean == pytest.approx([place + 1 for place in x])
    assert all(a < b < c for a, b, c in zip(low, mean, high, strict=True))
    assert mean_band([]) == ([], [], [], [])


# -- mistakes ---------------------------------------------------------------------------------------------------------------
def history(mistakes: int) -> RunHistory:
    """Of a run whose last network made so many mistakes in 200 positions."""
    figures = {"games": 10, "positions": 200, "evaluations_per_second": 1000.0, "policy_loss": 1.5, "value_loss": 0.5}
    generation = {"seconds": 60.0, **figures}
    perfect = [{"seconds": 30.0 * part, "mistakes": count, "positions": 200} for part, count in ((1, 150), (2, mistakes))]
    return RunHistory("", RunFolder(Path("nowhere")), RunSettings(game="tictactoe"), [generation], perfect, [], [], None, None)


def comparison(ratings: tuple[float, ...] = (0.0, 90.0, -90.0)) -> Comparison:
    """One variant that makes as many mistakes as the base, and one that makes more; ratings say nothing of it."""
    mistakes = {"base": (23, 24, 22), "same": (22, 23, 25), "more": (31, 33, 30)}
    variants = [
        VariantResult(name, "", tuple(history(count) for count in counts), ratings) for name, counts in mistakes.items()
    ]
    return Comparison("", "", tuple(variants), (), None, ())


def test_more_mistakes_are_worse_whatever_ratings_say() -> None:
    base, same, more = comparison().sentences()
    assert base == "base is what the others are compared with, rated 0, 11.5 % mistakes when last measured."
    assert same.count("no difference is shown") == 2
    assert "+0 Elo (-180 to +180) against base: no difference is shown" in more
    assert "; 15.7 % mistakes when last measured against 11.5 %: worse (p < 0.001)." in more


def test_mistakes_alone_tell_where_nothing_was_rated() -> None:
    _, same, more = comparison(()).sentences()
    assert same.startswith("same: 11.7 % mistakes when last measured against 11.5 %: no difference is shown")
    assert more.endswith("more: 15.7 % mistakes when last measured against 11.5 %: worse (p < 0.001).")


def test_matches_alone_say_by_which_program_and_where_they_were_played() -> None:
    where = {"command": "", "python": "3.11", "begun": "2026-11-16T17:00:00+00:00"}
    sitting = {**where, "program": "boardzero 0.1.0, commit 1234567", "machine": "2 cores"}
    side = {"wins": 1, "draws": 0, "losses": 0, "points": 1.0}
    match = {"players": ["a", "b"], "games": 2, "score": 1.0, "interval": [0.5, 1.0], "document": "", "sitting": sitting}
    text = as_markdown(Comparison("", "", (), ({**match, "moving_first": side, "moving_second": side},), None, ()))
    assert "2 cores. boardzero 0.1.0, commit 1234567. 2026-11-16." in text


def test_the_table_has_the_chances_of_both() -> None:
    text = as_markdown(comparison())
    headings = next(line for line in text.splitlines() if line.startswith("| variant"))
    row = next(line for line in text.splitlines() if line.startswith("| more"))
    cells = dict(zip(headings.split("|"), row.split("|"), strict=True))
    assert cells[" p (Holm) "] == " 1 " and cells[" p of mistakes (Holm) "] == " < 0.001 "
    assert "2 comparisons (Holm), ratings and mistakes by themselves," in text


def test_names_in_the_table_are_no_figures() -> None:
    lines = as_markdown(comparison()).splitlines()
    place = next(number for number, line in enumerate(lines) if line.startswith("| variant"))
    cells = [[cell.strip() for cell in line.split("|")] for line in lines[place : place + 2]]
    marks = dict(zip(*cells, strict=True))
    assert marks["variant"] == marks["against"] == "---" and marks["Elo"] == marks["difference"] == "---:"
    heading, _, row = as_text(comparison()).splitlines()[2:5]
    assert heading.index("against") == row.index("base")


def test_all_figures_can_be_had_as_json() -> None:
    answer = json.loads(json.dumps(comparison().as_dict(), allow_nan=False))
    base, _, more = answer["variants"]
    assert (base["against"], base["rating_difference"], base["fewer_mistakes"]) == (None, None, None)
    assert (more["against"], more["ratings"], more["mistakes"]) == ("base", [0, 90, -90], [15.5, 16.5, 15])
    assert more["fewer_mistakes"]["mean"] == pytest.approx(-25 / 6) and more["fewer_mistakes"]["is_certain"]
    assert not more["rating_difference"]["is_certain"] and more["rating_difference"]["interval"][0] < 0
    assert answer["sentences"] == comparison().sentences() and answer["ratings"] is None


# -- curves -----------------------------------------------------------------------------------------------------------------
def met(run: RunHistory, *scores: float) -> RunHistory:
    """The same run, whose networks met random moves after every minute, and two networks before them, with these scores."""
    events = [
        {**asdict(strength(generation, kind, opponent)), "score": score, "moving_first": (1, 0, 1), "moving_second": (2, 0, 0)}
        for generation, score in enumerate(scores, 1)
        for kind, opponent in (("random", "random"), ("previous", "generation 0"), ("previous", "generation 1"))
    ]
    return replace(run, strengths=events)


def test_scores_against_each_kind_of_opponent_are_curves_with_bands() -> None:
    seeds = (met(history(20), 0.5, 0.7, 0.9), met(history(21), 0.6, 0.8, 1.0))
    charts = {chart.key: chart for chart in curves([VariantResult("base", "", seeds, ())])}
    assert list(charts) == ["mistakes", "wins-random", "wins-previous", "losses"]
    area, mean = charts["wins-random"].traces
    assert (mean["x"][0], mean["x"][-1], mean["mode"]) == (1, 3, "lines")
    assert (mean["y"][0], mean["y"][-1]) == pytest.approx((55, 95))
    assert area["fill"] == "toself" and 0 <= min(area["y"]) < 55 and max(area["y"]) == 100, "no score is above 100 %"
    assert charts["wins-random"].caption == "random: 50 simulations, 4 games each; points a game. Higher is better."
    _, previous = charts["wins-previous"].traces
    assert previous["y"] == pytest.approx([75] * 40), "matches against several networks are taken together"


def test_a_curve_of_one_point_can_be_seen() -> None:
    """Where a variant was measured only once, a line would be nothing."""
    seeds = (met(history(20), 0.4), met(history(21), 0.5))
    (mark,) = next(chart for chart in curves([VariantResult("base", "", seeds, ())]) if chart.key == "wins-random").traces
    assert (mark["mode"], mark["x"], mark["y"]) == ("markers", [1], [pytest.approx(45)])
    assert mark["error_y"]["arrayminus"] == [pytest.approx(45)], "the interval, as far as scores go"
    (alone,) = next(chart for chart in curves([VariantResult("base", "", seeds[:1], ())]) if chart.key == "losses").traces
    assert alone["mode"] == "markers" and "error_y" not in alone
