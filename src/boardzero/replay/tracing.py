"""Values that look ahead: what the search found, corrected by what later searches of the same game found."""

import numpy as np
import numpy.typing as npt

from boardzero.games.compiled import compiled
from boardzero.games.rules import TURN_SHIFT
from boardzero.replay.columns import GameColumns


def traced_values(games: GameColumns, decay: float) -> npt.NDArray[np.float32]:
    """[plies]: (1 − decay) · own value + decay · that of the next ply, seen from here; the last ply's next is the result.

    With decay 0 these are the values that the searches found, with 1 the results of the games. In between, a value has less
    noise than a result, which hangs on every later move, and less error than a single search. Values are for the side to move;
    sides alternate. A ply without a search passes on what follows.
    """
    if decay == 0:
        return games.values
    traced = np.empty_like(games.values)
    _trace(games.ply_offsets, games.values, _last_mover_results(games), np.float32(decay), traced)
    return traced


def _last_mover_results(games: GameColumns) -> npt.NDArray[np.float32]:
    """[games]: the result for the side that would move after the last ply (a game's first mover has an even number of them)."""
    even = np.diff(games.ply_offsets) % 2 == 0
    first_turn = (games.starts[:, 0] >> TURN_SHIFT) & np.uint64(1)
    first_mover = np.where(first_turn == 0, games.results, -games.results)
    return np.where(even, first_mover, -first_mover).astype(np.float32)


@compiled()
def _trace(
    ply_offsets: npt.NDArray[np.int64],
    values: npt.NDArray[np.float32],
    after: npt.NDArray[np.float32],
    decay: np.float32,
    traced: npt.NDArray[np.float32],
) -> None:
    for game in range(len(after)):
        following = after[game]  # for the side to move after the ply
        for ply in range(ply_offsets[game + 1] - 1, ply_offsets[game] - 1, -1):
            own = values[ply]
            following = -following if np.isnan(own) else (np.float32(1) - decay) * own - decay * following
            traced[ply] = following
