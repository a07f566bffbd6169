"""Hand-written heuristic values of positions, one for each built-in game; any other game has the value 0 everywhere.

A heuristic is compiled with the signature `evaluate(state) -> score`, a whole number within ±HIGHEST for the side to move.
1000 is a clear advantage in every game: `value_of_score` makes a value from −1 to +1 of it.
"""

import importlib
import math
from collections.abc import Callable

from numba import int64, types, uint64

from boardzero.games.compiled import compiled
from boardzero.games.rules import Game, State

Heuristic = Callable[[State], int]

HEURISTIC_SIGNATURE = int64(uint64[::1])
HEURISTIC_RULE = types.FunctionType(HEURISTIC_SIGNATURE)
heuristic_rule = compiled(HEURISTIC_SIGNATURE)

HIGHEST = 1_000_000
CLEAR_ADVANTAGE = 1000

# game → the module that holds its heuristic, imported when first asked for
MODULES = {
    "tictactoe": "boardzero.search.heuristics_lines",
    "connect4": "boardzero.search.heuristics_lines",
    "gomoku": "boardzero.search.heuristics_lines",
    "othello": "boardzero.search.heuristics_othello",
    "latrunculi": "boardzero.search.heuristics_latrunculi",
}


@heuristic_rule
def no_heuristic(state: State) -> int:
    return 0


def find_heuristic(game: Game) -> Heuristic:
    """The heuristic of a game, or `no_heuristic` for a game that has none."""
    if game.name not in MODULES:
        return no_heuristic
    found: Heuristic = importlib.import_module(MODULES[game.name]).heuristic_of(game)
    return found


def value_of_score(score: int) -> float:
    """A heuristic score as an expected result, −1 to +1."""
    return math.tanh(score / CLEAR_ADVANTAGE)
