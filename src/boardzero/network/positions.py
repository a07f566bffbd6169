"""Positions as networks see them, for checks and measurements."""

import random

import numpy as np

from boardzero.games.rules import Game, Outcome, Planes


def random_positions(game: Game, count: int, seed: int = 0) -> Planes:
    """[count, planes, rows, columns] from random games, one after the other."""
    draw = random.Random(seed)
    planes = np.empty((count, len(game.planes), game.rows, game.columns), np.float32)
    state = game.initial_state(seed)
    for row in planes:
        game.encode(state, row)
        state = game.next_state(state, draw.choice(game.legal_actions(state)))
        if game.outcome(state) is not Outcome.GOING_ON:
            state = game.initial_state(draw.randrange(1 << 32))
    return planes
