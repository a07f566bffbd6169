"""Figures as people write them."""

from collections.abc import Mapping, Sequence
from typing import Any


def percent(share: float, digits: int = 0) -> str:
    """0.425 → `42 %`, or with a digit `42.5 %`."""
    return f"{100 * share:.{digits}f} %"


def score_of_side(match: Mapping[str, Any], side: str) -> str:
    """Of a match's first player, moving first (`moving_first`) or second (`moving_second`)."""
    tally = match[side]
    games = tally["wins"] + tally["draws"] + tally["losses"]
    return percent(tally["points"] / games) if games else "–"


def between(interval: Sequence[float], digits: int = 0) -> str:
    """Two shares: `32.6 to 47.9 %`."""
    low, high = interval
    return f"{100 * low:.{digits}f} to {percent(high, digits)}"
