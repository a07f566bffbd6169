"""Results that look only some way ahead: who is ahead on the board soon counts, and the end of the game where it is near.

Where players who know what they do draw most games, results alone do not teach who plays better.
"""

import numpy as np
import numpy.typing as npt

from boardzero.games.compiled import compiled
from boardzero.games.owners import FIRST, SECOND, HoldsPieces, owner_rule
from boardzero.games.rules import Game

Worths = npt.NDArray[np.float32]


def board_worths(game: Game, states: npt.NDArray[np.uint64], most: float) -> Worths:
    """[positions]: more or less than 0, up to `most`, as the first player has more pieces (on the board, in hand) or fewer.

    A board is worth the root of the lead, as a share of all pieces. So the first man counts most, for a search must see through
    the network's noise that one was lost, and the last ones count again: 16 against 15 is worth 0.18 of the most, against 8
    0.58, and 12 against 3, 2 and 1 0.77, 0.85 and 0.92.
    """
    owners = owner_rule(game)
    worths = np.empty(len(states), np.float32)
    for index, state in enumerate(states):
        board = owners(state)
        hands = game.in_hand(state) if isinstance(game, HoldsPieces) else (0, 0)
        first, second = (int(np.count_nonzero(board == side)) + hand for side, hand in zip((FIRST, SECOND), hands, strict=True))
        lead = (first - second) / max(first + second, 1)
        worths[index] = np.copysign(np.sqrt(abs(lead)), lead)
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
        following, left_after = np.float32(results[game]), np.int32(1)
        board_after = boards[end - 1] if end > first else np.float32(0)  # of plies at the end that nobody learns from
        for position in range(end - 1, first - 1, -1):
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
    learned from no board is known: the next one that is counts for them, or the last one where none follows.
    """
    ahead = np.empty(len(boards), np.float32)
    _look_ahead(results, counts, plies_left, boards, np.float32(1 - 1 / horizon), ahead)
    return ahead
