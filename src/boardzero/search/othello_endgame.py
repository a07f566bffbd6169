"""Othello endgames solved exactly: the last 16 empty cells of the 8×8 board in hundredths of a second, 20 in about one.

Scores are final disc differences for the side to move; cells that stay empty count for the winner, as in tournaments.
"""

from boardzero.games.othello import Othello
from boardzero.games.rules import Outcome, State
from boardzero.search.othello_discs import describe_board, final_score
from boardzero.search.othello_search import Search
from boardzero.search.othello_table import new_table
from boardzero.search.slices import deadline_after, run_in_slices


class OthelloEndgame:
    """Exact answers for one size; what one answer found out makes the next ones faster.

    A solver belongs to one thread at a time. It holds 32 · 2 ** table_bits bytes. What a search that was interrupted, or ran
    out of time, has found out is kept too: asked again, it gets further.
    """

    def __init__(self, game: Othello, table_bits: int = 20) -> None:
        self.game = game
        self._search = Search(describe_board(game.size), new_table(table_bits))

    @property
    def nodes(self) -> int:
        """Positions visited so far."""
        return int(self._search.nodes[0])

    def score(self, state: State) -> int:
        """The final disc difference for the side to move, when both sides play for discs."""
        cells = self.game.size**2
        return self._solve(state, -cells, cells)

    def value(self, state: State) -> int:
        """+1, 0 or −1: the side to move wins, draws or loses; faster than the score."""
        return self._solve(state, -2, 2) // 2

    def action_scores(self, state: State, seconds: float | None = None) -> dict[int, int]:
        """For each legal action the final disc difference for the player who makes the move.

        OutOfTime if that takes longer than these seconds.
        """
        cells, deadline = self.game.size**2, deadline_after(seconds)
        after = {action: self.game.next_state(state, action) for action in self.game.legal_actions(state)}
        return {action: -self._solve(child, -cells, cells, deadline) for action, child in after.items()}

    def action_values(self, state: State) -> dict[int, int]:
        """For each legal action +1, 0 or −1 for the player who makes the move."""
        return {action: -self.value(self.game.next_state(state, action)) for action in self.game.legal_actions(state)}

    def _solve(self, state: State, lower: int, upper: int, deadline: float | None = None) -> int:
        """The score, or the nearest bound if it lies beyond one."""
        own, other = state[1], state[2]
        if self.game.outcome(state) is not Outcome.GOING_ON:
            return max(lower, min(upper, int(final_score(own, other, self.game.size**2))))
        self._search.begin(own, other, lower, upper)
        run_in_slices(self._search.go_on, deadline)
        return self._search.score
