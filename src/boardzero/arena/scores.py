"""Scores, and how sure they are.

The two games of one opening, colours swapped, are no independent results: an opening that is lost for the first side gives
1 : 1 whoever plays. So the unit of all statistics is the *pair* of games, whose score is 0, ¼, ½, ¾ or 1.

The interval is Wilson's, with an effective number of pairs in place of the number of trials: Wilson's variance, p(1−p), is
that of pairs that only end 0 : 2 or 2 : 0; drawn and split pairs make it smaller, by a ratio that is measured from the pairs
(as if one more pair had varied as widely as possible, which keeps few pairs from looking surer than they are). With many
pairs this is the normal interval of the pairs' mean; with few, or with all pairs alike, it stays within 0 … 1 and wide.

lessons/7_elo.py explains this.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from statistics import NormalDist

INTERVAL_METHOD = "Wilson, effective number of game pairs"


@dataclass(frozen=True)
class Tally:
    """How many games one side won, drew and lost."""

    wins: int = 0
    draws: int = 0
    losses: int = 0

    @property
    def games(self) -> int:
        return self.wins + self.draws + self.losses

    @property
    def points(self) -> float:
        """A win counts 1, a draw ½."""
        return self.wins + self.draws / 2

    @property
    def score(self) -> float | None:
        """Points a game, 0 to 1; None before the first."""
        return self.points / self.games if self.games else None

    def __add__(self, other: "Tally") -> "Tally":
        return Tally(self.wins + other.wins, self.draws + other.draws, self.losses + other.losses)

    def __str__(self) -> str:
        return f"+{self.wins} ={self.draws} −{self.losses}"

    def as_dict(self) -> dict[str, float]:
        return {**asdict(self), "points": self.points}


def tally_points(points: Iterable[float]) -> Tally:
    """The points of single games, counted."""
    listed = list(points)
    return Tally(listed.count(1.0), listed.count(0.5), listed.count(0.0))


def pairs_of(points: Sequence[float]) -> list[tuple[float, ...]]:
    """The points of one side in games 1 and 2, 3 and 4, …; the last pair may be a single game."""
    return [tuple(points[first : first + 2]) for first in range(0, len(points), 2)]


def score_interval(pairs: Sequence[tuple[float, ...]], confidence: float = 0.95) -> tuple[float, float]:
    """Where the true score lies, from the points of one side in each pair of games; (0, 1) where nothing is known.

    Games that have nothing in common, like those of one colour, are pairs of a single game each.
    """
    games = sum(map(len, pairs))
    if not games:
        return 0.0, 1.0
    score = sum(map(sum, pairs)) / games
    widest = score * (1 - score)
    usual = games / len(pairs)  # number of games in a pair
    spread = sum(len(pair) / usual * (sum(pair) / len(pair) - score) ** 2 for pair in pairs)
    ratio = min(1.0, (spread / widest + 1) / len(pairs)) if widest else 1.0
    trials = len(pairs) / ratio
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    centre = (score + z * z / (2 * trials)) / (1 + z * z / trials)
    half = z * math.sqrt(widest / trials + z * z / (4 * trials * trials)) / (1 + z * z / trials)
    return max(0.0, centre - half), min(1.0, centre + half)


def share_interval(found: int, of: int, confidence: float = 0.95) -> tuple[float, float]:
    """Where a true share lies, of which so many were found among so many that have nothing in common (Wilson)."""
    return score_interval([*[(1.0,)] * found, *[(0.0,)] * (of - found)], confidence)


def elo_from_score(score: float) -> float | None:
    """The rating difference that expects this score; None where it has no bound (0 or 1)."""
    return 400 * math.log10(score / (1 - score)) if 0 < score < 1 else None


def score_from_elo(elo: float) -> float:
    """The score that a rating difference expects."""
    return 1 / (1 + 10 ** (-elo / 400))
