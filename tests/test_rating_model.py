"""Ratings of simulated games between players of known strengths: the fit, its intervals, the choice of pairings."""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from boardzero.evaluation.pairings import choose_pairings
from boardzero.evaluation.rating_model import (
    Fit,
    Floats,
    Results,
    bootstrap_intervals,
    fit_strengths,
    outcome_chances,
    scatter_of_pairs,
)
from boardzero.evaluation.rating_scales import scale_named

ADVANTAGE, DRAW = 0.3, -1.0  # of simulated games


# -- simulated results --------------------------------------------------------------------------------------------------
class Simulated:
    """Players of known strengths, whose games are drawn from the model and chosen as `boardzero rate` chooses them."""

    def __init__(self, strengths: Sequence[float], seed: int) -> None:
        self.strengths = np.array(strengths) - strengths[0]
        self.draw = np.random.default_rng(seed)
        self.counts: dict[tuple[int, int], Floats] = {}

    def play(self, a: int, b: int, games: int) -> None:
        for first, second in ((a, b), (b, a)):
            chances = outcome_chances(self.strengths[first] - self.strengths[second] + ADVANTAGE, DRAW)
            before = self.counts.get((first, second), np.zeros(3))
            self.counts[first, second] = before + self.draw.multinomial(games // 2, chances)

    def results(self) -> Results:
        pairings = sorted(self.counts)
        first, second = (np.array([pairing[side] for pairing in pairings]) for side in range(2))
        return Results(len(self.strengths), first, second, np.array([self.counts[pairing] for pairing in pairings]))

    def rate(self, batches: int, units: int) -> Fit:
        numbers = self.draw.permutation(len(self.strengths))
        for a, b in zip(numbers, np.roll(numbers, 1), strict=True):
            self.play(int(a), int(b), 2)
        for _ in range(batches):
            for (a, b), chosen in choose_pairings(fit_strengths(self.results()), units, 4, lambda a, b: 1000).items():
                self.play(a, b, 4 * chosen)
        return fit_strengths(self.results())


def coverage(players: int, spread: float, batches: int, units: int, repetitions: int, replicates: int) -> float:
    """How often the true strength of a player is within its interval."""
    inside: list[bool] = []
    for seed in range(repetitions):
        simulated = Simulated(np.random.default_rng(10_000 + seed).normal(0, spread, players).tolist(), seed)
        fit = simulated.rate(batches, units)
        low, high = bootstrap_intervals(simulated.results(), fit, seed, replicates).T
        inside += ((low <= simulated.strengths) & (simulated.strengths <= high))[1:].tolist()
    return float(np.mean(inside))


def test_known_strengths_are_within_their_intervals_95_times_in_100() -> None:
    assert 0.92 <= coverage(players=5, spread=1.2, batches=3, units=8, repetitions=120, replicates=200) <= 0.985


@pytest.mark.slow
@pytest.mark.parametrize(("players", "spread"), [(4, 0.5), (8, 2.0), (12, 1.0)])
def test_known_strengths_are_within_their_intervals_in_many_repetitions(players: int, spread: float) -> None:
    assert 0.94 <= coverage(players, spread, batches=5, units=2 * players, repetitions=400, replicates=400) <= 0.975


def test_many_games_recover_strengths_advantage_and_draws() -> None:
    simulated = Simulated([0.0, 1.0, 2.5, -1.0], seed=1)
    for a, b in ((0, 1), (1, 2), (0, 3), (0, 2)):
        simulated.play(a, b, 40_000)
    fit = fit_strengths(simulated.results())
    assert fit.strengths == pytest.approx(simulated.strengths, abs=0.06)
    assert [fit.advantage, fit.draw] == pytest.approx([ADVANTAGE, DRAW], abs=0.03)


def test_strengths_do_not_depend_on_who_is_the_anchor() -> None:
    simulated = Simulated([0.0, 1.0, 2.0], seed=2)
    for a, b in ((0, 1), (1, 2)):
        simulated.play(a, b, 20)
    by_first, by_last = fit_strengths(simulated.results(), 0), fit_strengths(simulated.results(), 2)
    assert by_first.strengths - by_first.strengths[2] == pytest.approx(by_last.strengths, abs=0.02)


def test_who_won_every_game_has_a_finite_rating_and_a_wide_interval() -> None:
    results = Results(2, np.array([0, 1]), np.array([1, 0]), np.array([[5.0, 0, 0], [0, 0, 5.0]]))
    fit = fit_strengths(results, anchor=1)
    low, high = bootstrap_intervals(results, fit, 0)[0]
    assert 1.5 < fit.strengths[0] < 6
    assert low < fit.strengths[0] - 1 and high > fit.strengths[0] + 1


def test_players_without_games_have_intervals_that_say_nothing() -> None:
    results = Results(3, np.array([0, 1]), np.array([1, 0]), np.array([[3.0, 1, 2], [3.0, 1, 2]]))
    fit = fit_strengths(results)
    assert fit.errors[2] * scale_named("elo").points > 4000 > fit.errors[1] * scale_named("elo").points


def test_pairs_that_scatter_more_widen_the_intervals() -> None:
    fit = Fit(0, np.zeros(2), np.eye(2), 0.0, -20.0)  # even players who never draw
    results = Results(2, np.array([0, 1]), np.array([1, 0]), np.array([[50.0, 0, 50], [50.0, 0, 50]]))
    players = np.tile([0, 1], (100, 1))
    alike = np.tile([0.0, 2.0], 50)  # whoever wins one game wins both
    assert scatter_of_pairs(results, fit, players, alike) == pytest.approx(2, rel=0.05)
    assert scatter_of_pairs(results, fit, players, np.ones(100)) == 1  # less scatter is not trusted


def test_neighbours_far_from_the_anchor_are_compared_by_their_own_games() -> None:
    """Both intervals are wide, for nobody knows how far the anchor is; yet which of the two is stronger is known."""
    counts = np.array([[90.0, 0, 10], [10, 0, 90], [0, 0, 6], [6, 0, 0]])
    results = Results(3, np.array([1, 2, 0, 1]), np.array([2, 1, 1, 0]), counts)
    fit = fit_strengths(results)
    low, high = bootstrap_intervals(results, fit, 0).T
    assert low[1] < high[2], "intervals overlap"
    assert fit.chance_stronger(1, 2) > 0.999 and fit.chance_stronger(2, 1) == pytest.approx(1 - fit.chance_stronger(1, 2))
    assert fit.chance_stronger(1, 2) > fit.chance_stronger(1, 2, scatter=9.0) > 0.9


@pytest.mark.parametrize("draw", [-20.0, -1.0, 1.5])
def test_draws_stretch_small_differences_beyond_what_scores_say(draw: float) -> None:
    """Elo's formula reads a difference from the score; the model's is that of the odds of winning to losing."""
    strength = 0.01
    win, drawn, _ = outcome_chances(strength, draw)
    score = win + drawn / 2
    fit = Fit(0, np.zeros(2), np.eye(2), 0.0, draw)
    assert strength / math.log(score / (1 - score)) == pytest.approx(fit.stretch, rel=1e-3)


def test_who_is_called_stronger_by_chance_is_so_that_often() -> None:
    said, true = [], []
    for seed in range(300):
        simulated = Simulated(np.random.default_rng(seed).normal(0, 0.5, 3).tolist(), seed)
        for a, b in ((0, 1), (1, 2), (0, 2)):
            simulated.play(a, b, 12)
        fit = fit_strengths(simulated.results())
        said.append(fit.chance_stronger(1, 2))
        true.append(simulated.strengths[1] > simulated.strengths[2])
    sure = np.array(said) > 0.8
    assert 0.8 < np.mean(np.array(true)[sure]) <= 1 and np.mean(said) == pytest.approx(np.mean(true), abs=0.08)


# -- pairings -------------------------------------------------------------------------------------------------------------
def test_even_opponents_are_preferred_to_hopeless_ones() -> None:
    fit = Fit(0, np.array([0.0, 0.1, 6.0]), np.diag([0.0, 1.0, 1.0]), 0.0, -1.0)
    assert choose_pairings(fit, 1, 4, lambda a, b: 9) == {(0, 1): 1}


def test_players_nobody_knows_yet_come_first_and_limits_are_kept() -> None:
    fit = Fit(0, np.zeros(3), np.diag([0.0, 0.01, 4.0]), 0.0, -1.0)
    assert set(choose_pairings(fit, 3, 4, lambda a, b: 9)) <= {(0, 2), (1, 2)}
    assert choose_pairings(fit, 9, 4, lambda a, b: 2).total() == 6


def test_players_who_are_compared_meet_each_other_rather_than_an_anchor_far_away() -> None:
    """0 is the anchor, far below eight players; everybody has met their neighbours."""
    numbers = np.arange(8)
    fit = fit_strengths(Results(9, numbers, numbers + 1, np.array([[2.0, 0, 2]] * 8)))
    fit = replace(fit, strengths=np.array([0.0, *[2.0] * 8]))

    def with_anchor(compared: Sequence[int]) -> int:
        chosen = choose_pairings(fit, 16, 4, lambda a, b: 99, compared)
        return sum(units for pairing, units in chosen.items() if 0 in pairing)

    assert 2 * with_anchor(range(1, 9)) <= with_anchor(())


def test_the_level_of_those_who_are_compared_is_not_forgotten() -> None:
    certain = np.array([[0.0, 0, 0], [0, 9.0, 9.0], [0, 9.0, 9.001]])  # their difference is known, their distance to 0 is not
    fit = Fit(0, np.array([0.0, 1.0, 1.0]), certain, 0.0, -1.0)
    (pairing,) = choose_pairings(fit, 1, 4, lambda a, b: 9, compared=(1, 2))
    assert 0 in pairing
