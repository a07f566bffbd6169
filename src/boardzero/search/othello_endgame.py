"""Othello endgames solved exactly: the last 16 empty cells of the 8×8 board in hundredths of a second, 20 in about one.

Scores are final disc differences for the side to move; cells that stay empty count for the winner, as in tournaments.
"""

import numpy as np

from boardzero.games.othello import Othello
from boardzero.games.rules import Outcome, State
from boardzero.search.othello_discs import describe_board, final_score
from boardzero.search.othello_search import narrow
from boardzero.search.othello_table import new_table


class OthelloEndgame:
    """Exact answers for one size; what one answer found out makes the next ones faster.

    A solver belongs to one thread at a time. It holds 32 · 2 ** table_bits bytes.
    """

    def __init__(self, game: Othello, table_bits: int = 20) -> None:
        self.game = game
        self._geometry = describe_board(game.size)
        self._table = new_table(table_bits)
        self._nodes = np.zeros(1, np.int64)

    @property
    def nodes(self) -> int:
        """Positions visited so far."""
        return int(self._nodes[0])

    def score(self, state: State) -> int:
        """The final disc difference for the side to move, when both sides play for discs."""
        cells = self.game.size**2
        return self._solve(state, -cells, cells)

    def value(self, state: State) -> int:
        """+1, 0 or −1: the side to move wins, draws or loses; faster than the score."""
        return self._solve(state, -2, 2) // 2

    def action_scores(self, state: State) -> dict[int, int]:
        """For each legal action the final disc difference for the player who makes the move."""
        return {action: -self.score(self.game.next_state(state, action)) for action in self.game.legal_actions(state)}

    def action_values(self, state: State) -> dict[int, int]:
        """For each legal action +1, 0 or −1 for the player who makes the move."""
        return {action: -self.value(self.game.next_state(state, action)) for action in self.game.legal_actions(state)}

    def _solve(self, state: State, lower: int, upper: int) -> int:
        """The score, or the nearest bound if it lies beyond one."""
        own, other = state[1], state[2]
        if self.game.outcome(state) is not Outcome.GOING_ON:
            return max(lower, min(upper, int(final_score(own, other, self.game.size**2))))
        return int(narrow(self._geometry, self._table, self._nodes, own, other, lower, upper))
