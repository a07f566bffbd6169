"""Ratings as people write them: numbers for strengths that the fit gives in natural units (odds of winning to losing: e^d).

elo        400 points are odds of 10 : 1 (base 10); the anchor has the rating that it is given, 0 if none is said
wandhoven  400 points are odds of e : 1 (base e); the untrained network has 100
"""

import math
from dataclasses import dataclass
from typing import Literal

ScaleName = Literal["elo", "wandhoven"]


@dataclass(frozen=True)
class Scale:
    """How a strength becomes a rating."""

    name: ScaleName
    points: float  # for one natural unit
    anchor_rating: float

    def rating(self, strength: float) -> float:
        return self.anchor_rating + self.points * strength


def scale_named(name: ScaleName, anchor_rating: float | None = None) -> Scale:
    """The anchor's rating is 0 on Elo's scale and 100 on Wandhoven's, unless another one is given."""
    if name == "elo":
        return Scale(name, 400 / math.log(10), 0.0 if anchor_rating is None else anchor_rating)
    return Scale(name, 400.0, 100.0 if anchor_rating is None else anchor_rating)


def wandhoven_difference(score: float) -> float:
    """Δr = −400 · ln((1 − s) / s): how much higher the side with this match score is rated; infinite at 0 and 1."""
    if score <= 0:
        return -math.inf
    return math.inf if score >= 1 else 400 * math.log(score / (1 - score))
