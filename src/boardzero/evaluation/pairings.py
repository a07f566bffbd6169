"""Which games to play next: those that are expected to make the ratings surest.

The measure is the sum of the variances of all strengths against the anchor. Where only some players are compared with each
other, it is that of their strengths against their own mean, and the mean's against the anchor counts once, as one player
would: otherwise most games would go into an anchor that is far away, and whose distance they have in common.

A game between two players adds its information about their difference; by how much that lowers the measure follows from the
covariance alone (Sherman and Morrison), before the game is played. Units of games are chosen one after another, each as if
those before had been played.
"""

from collections import Counter
from collections.abc import Callable, Sequence

import numpy as np

from boardzero.evaluation.rating_model import Fit, Floats

Pairing = tuple[int, int]  # two players by number, the smaller first


def choose_pairings(
    fit: Fit, units: int, games: int, allowed: Callable[[int, int], int], compared: Sequence[int] = ()
) -> Counter[Pairing]:
    """The pairings of the next units of this many games each, and how many units each pairing gets.

    allowed: how many more units two players may play; compared: players whose differences matter, if not all alike.
    """
    covariance = fit.covariance.copy()
    information = _information(fit) * games
    chosen: Counter[Pairing] = Counter()
    possible = np.array(
        [[float(allowed(a, b)) if a < b else 0.0 for b in range(len(covariance))] for a in range(len(covariance))]
    )
    for _ in range(units):
        gain = np.where(possible > 0, _gains(covariance, information, compared), -1.0)
        best = int(np.argmax(gain))
        a, b = divmod(best, len(covariance))
        if gain[a, b] < 0:
            break
        chosen[a, b] += 1
        possible[a, b] -= 1
        column = covariance[:, a] - covariance[:, b]
        spread = column[a] - column[b]
        covariance -= np.outer(column, column) * (information[a, b] / (1 + information[a, b] * spread))
    return chosen


def _information(fit: Fit) -> Floats:
    """[players, players]: of one game, colours averaged."""
    numbers = range(len(fit.strengths))
    one = np.array([[fit.information(a, b) for b in numbers] for a in numbers])
    return (one + one.T) / 2


def _gains(covariance: Floats, information: Floats, compared: Sequence[int]) -> Floats:
    """[players, players]: by how much a unit between these two lowers the measure."""
    columns = covariance[:, :, None] - covariance[:, None, :]  # [k, a, b]: covariance of k with the difference of a and b
    if compared:
        columns = columns[list(compared)]
        mean = columns.mean(axis=0)
        squares = ((columns - mean) ** 2).sum(axis=0) + mean**2
    else:
        squares = (columns**2).sum(axis=0)
    variance = np.diag(covariance)
    spread = variance[:, None] + variance[None, :] - 2 * covariance
    return information * squares / (1 + information * spread)
