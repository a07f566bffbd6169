"""The heuristic of Latrunculi: men on the board, captured men worth less, men in danger, and room to move."""

import numpy as np

from boardzero.games.bits import count_bits, signed
from boardzero.games.compiled import compiled
from boardzero.games.latrunculi import SIZE_MASK, SIZE_SHIFT
from boardzero.games.latrunculi_captures import BOARD, between, steps
from boardzero.games.rules import Game, State
from boardzero.search.heuristics import Heuristic, heuristic_rule

# What each is worth, in thousandths of a clear advantage.
FREE_MAN, CAPTURED_MAN, FREE_STEP, FACED_MAN = 300, 120, 6, 15


@compiled()
def side_worth(men: np.uint64, captured: np.uint64, enemy_captors: np.uint64, free_squares: np.uint64, size: np.uint64) -> int:
    """What one side's men are worth; a free man that an enemy stands next to with room behind could soon be captured."""
    free_men = men & ~captured
    worth = FREE_MAN * count_bits(free_men) + CAPTURED_MAN * count_bits(men & captured)
    worth += FREE_STEP * count_bits(steps(free_men, free_squares, size))
    worth -= FACED_MAN * count_bits(free_men & between(enemy_captors | free_squares, size) & ~between(free_squares, size))
    return worth


@heuristic_rule
def latrunculi_heuristic(state: State) -> int:
    size = state[0] >> SIZE_SHIFT & SIZE_MASK
    own, other, captured = state[1], state[2], state[3]
    free_squares = BOARD[signed(size)] ^ (own | other)
    own_worth = side_worth(own, captured, other & ~captured, free_squares, size)
    return own_worth - side_worth(other, captured, own & ~captured, free_squares, size)


def heuristic_of(game: Game) -> Heuristic:
    return latrunculi_heuristic
