"""How often resigning would be wrong, from games that were played on although one side looked lost."""

import math
from collections.abc import Iterable

from boardzero.games.rules import TURN_SHIFT
from boardzero.replay.record import SelfPlayGame
from boardzero.selfplay.progress import RESIGN_AFTER


def count_resignable(games: Iterable[SelfPlayGame], threshold: float) -> tuple[int, int]:
    """Games that went on after one side would have resigned, and those of them that this side did not lose."""
    resignable = wrong = 0
    for game in games:
        side = _side_that_would_resign(game, threshold)
        if side is not None:
            resignable += 1
            wrong += (game.result if side == 0 else -game.result) >= 0
    return resignable, wrong


def _side_that_would_resign(game: SelfPlayGame, threshold: float) -> int | None:
    """The first whose value stayed below the threshold for long enough, with a move still to come."""
    lost = [0, 0]  # own moves in a row
    first = int(game.start[0] >> TURN_SHIFT) & 1
    for ply, value in enumerate(game.values[:-1].tolist()):
        side = (first + ply) % 2
        if not math.isnan(value):  # there was a search
            lost[side] = lost[side] + 1 if value < threshold else 0
        if lost[side] >= RESIGN_AFTER:
            return side
    return None
