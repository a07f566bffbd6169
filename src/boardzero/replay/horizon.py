"""Results that look only some way ahead: who is ahead on the board soon counts, and the end of the game where it is near.

Where players who know what they do draw most games, results alone do not teach who plays better.
"""

import numpy as np
import numpy.typing as npt

from boardzero.games.compiled import compiled
from boardzero.games.owners import FIRST, SECOND, owner_rule
from boardzero.games.rules import Game

STEEPNESS = 4.0  # of what a board is worth: with 16 men against 14 a quarter of the most, against 8 nearly nine tenths

Worths = npt.NDArray[np.float32]


def board_worths(game: Game, states: npt.NDArray[np.uint64], most: float) -> Worths:
    """[positions]: more or less than 0, up to `most`, as a board has more of the first player's pieces or of the second's."""
    owners = owner_rule(game)
    worths = np.empty(len(states), np.float32)
    for index, state in enumerate(states):
        board = owners(state)
        first, second = int(np.count_nonzero(board == FIRST)), int(np.count_nonzero(board == SECOND))
        worths[index] = np.tanh(STEEPNESS * (first - second) / max(first + second, 1))
    return np.float32(most) * worths


@compiled()
def _look_ahead(
    results: npt.NDArray[np.int8],
    counts: npt.NDArray[np.int64],
    plies_left: npt.NDArray[np.int32],
    boards: Worths,
    passed_on: np.float32,
    ahead: Worths,
) -> None:
    end = 0
    for game in range(len(results)):
        first, end = end, end + counts[game]
        following, board_after, left_after = np.float32(results[game]), np.float32(0), np.int32(1)
        for position in range(end - 1, first - 1, -1):
            if position == end - 1:
                board_after = boards[position]
            share = passed_on ** np.float32(plies_left[position] - left_after)
            following = share * following + (np.float32(1) - share) * board_after
            ahead[position] = following
            board_after, left_after = boards[position], plies_left[position]


def results_ahead(
    results: npt.NDArray[np.int8],
    counts: npt.NDArray[np.int64],
    plies_left: npt.NDArray[np.int32],
    boards: Worths,
    horizon: float,
) -> Worths:
    """[positions]: for the first player, a mean of what the boards after each position are worth, and of the result [games].

    A board counts 1 − 1/horizon times as much as the one before it, and the result for all that would follow it; so the mean
    looks `horizon` plies ahead. counts [games]: positions of each game, which lie one after another. Of plies that are not
    learned from no board is known: the next one that is counts for them.
    """
    ahead = np.empty(len(boards), np.float32)
    _look_ahead(results, counts, plies_left, boards, np.float32(1 - 1 / horizon), ahead)
    return ahead
