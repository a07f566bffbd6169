"""What a result says: intervals, Elo and the sequential test."""

import numpy as np
import pytest
from scipy.stats import binomtest

from boardzero.arena.scores import elo_from_score, pairs_of, score_from_elo, score_interval, share_interval
from boardzero.arena.sequential import PAIR_SCORES, SequentialTest, log_likelihood_ratio

PAIR_POINTS = [(0.0, 0.0), (0.5, 0.0), (0.5, 0.5), (1.0, 0.5), (1.0, 1.0)]


@pytest.mark.parametrize(
    ("distribution", "pairs"),
    [
        ([0.10, 0.20, 0.40, 0.20, 0.10], 50),  # equal players
        ([0.02, 0.02, 0.92, 0.02, 0.02], 50),  # openings decide
        ([0.00, 0.02, 0.10, 0.28, 0.60], 20),  # much stronger
        ([0.50, 0.00, 0.00, 0.00, 0.50], 25),  # pairs all or nothing: twice the variance of single games
        ([0.00, 0.00, 0.02, 0.08, 0.90], 10),  # hardly ever beaten, few games
        ([0.05, 0.15, 0.30, 0.30, 0.20], 4),
    ],
)
def test_the_interval_covers_the_true_score(distribution: list[float], pairs: int) -> None:
    draw = np.random.default_rng(7)
    truth = float(np.dot(distribution, PAIR_SCORES))
    trials, covered = 1500, 0
    for outcomes in draw.choice(5, (trials, pairs), p=distribution):
        low, high = score_interval([PAIR_POINTS[outcome] for outcome in outcomes])
        covered += low <= truth <= high
    assert covered / trials > 0.93


@pytest.mark.parametrize(("chances", "games"), [((0.5, 0.0, 0.5), 15), ((0.7, 0.2, 0.1), 15), ((0.2, 0.1, 0.7), 75)])
def test_the_interval_of_single_games_covers_the_true_score(chances: tuple[float, ...], games: int) -> None:
    draw = np.random.default_rng(7)
    truth, points = chances[0] + chances[1] / 2, (1.0, 0.5, 0.0)
    intervals = [score_interval([(points[one],) for one in row]) for row in draw.choice(3, (1500, games), p=chances)]
    assert sum(low <= truth <= high for low, high in intervals) / 1500 > 0.93


@pytest.mark.parametrize(("found", "of"), [(3, 200), (0, 30), (30, 30), (7, 12)])
def test_the_interval_of_a_share_is_wilsons(found: int, of: int) -> None:
    expected = binomtest(found, of).proportion_ci(method="wilson")
    assert share_interval(found, of) == pytest.approx((expected.low, expected.high))


def test_single_games_say_as_much_as_pairs_that_are_won_or_lost_as_a_whole() -> None:
    single = score_interval([(1.0,)] * 9 + [(0.0,)] * 6)
    assert single == pytest.approx(score_interval([(1.0, 1.0)] * 9 + [(0.0, 0.0)] * 6))


def test_the_interval_uses_that_pairs_vary_less_than_games() -> None:
    split = [(1.0, 0.0)] * 99 + [(1.0, 1.0)]  # the opening decides nearly every game
    low, high = score_interval(split)
    assert high - low < 0.03
    independent = [(1.0, 1.0)] * 25 + [(0.0, 0.0)] * 25 + [(1.0, 0.0)] * 50
    low, high = score_interval(independent)
    assert high - low == pytest.approx(2 * 1.96 * 0.5 / np.sqrt(200), rel=0.02)


def test_a_clean_sweep_is_not_certain() -> None:
    low, high = score_interval([(1.0, 1.0)] * 10)
    assert high == 1 and 0.6 < low < 0.8
    low, high = score_interval([(1.0,)])
    assert high == 1 and low < 0.3
    assert score_interval([]) == (0, 1)


def test_elo_and_score_are_inverse() -> None:
    assert elo_from_score(0.5) == pytest.approx(0)
    assert elo_from_score(score_from_elo(123)) == pytest.approx(123)
    assert elo_from_score(1.0) is None and elo_from_score(0.0) is None


def test_pairs_of_an_odd_number_of_games_end_with_a_single_game() -> None:
    assert pairs_of([1, 0, 0.5]) == [(1, 0), (0.5,)]


def test_the_likelihood_ratio_agrees_with_a_search_over_distributions() -> None:
    """Two pair scores only: the mean fixes the distribution, so the ratio can be written down."""
    counts, low, high = [30, 0, 0, 0, 70], 0.5, 0.6
    expected = 70 * np.log(high / low) + 30 * np.log((1 - high) / (1 - low))
    assert log_likelihood_ratio(counts, low, high) == pytest.approx(expected, abs=0.01)


@pytest.mark.parametrize(("elo", "right"), [(0, "accept H0"), (120, "accept H1")])
def test_the_sequential_test_keeps_its_error_rates(elo: float, right: str) -> None:
    test = SequentialTest(0, 120, alpha=0.05, beta=0.05)
    draws, score = 0.3, score_from_elo(elo)
    win, loss = score - draws / 2, 1 - score - draws / 2
    draw = np.random.default_rng(11)
    trials, wrong, pairs_used = 200, 0, 0
    for _ in range(trials):
        pairs: list[tuple[float, ...]] = []
        decision = "undecided"
        while decision == "undecided":
            first, second = draw.choice([1.0, 0.5, 0.0], 2, p=[win, draws, loss])
            pairs.append((first, second))
            decision = test.judge(pairs).decision
        wrong += decision != right
        pairs_used += len(pairs)
    assert wrong / trials < 0.09  # 5 % and three standard deviations of 200 trials make 9.6 %
    assert pairs_used / trials < 40
