"""Connect Four solved exactly, on every board with (rows + 1) · columns ≤ 64 and for any length to connect.

Scores are for the side to move: 0 for a draw, otherwise the number of stones that the winner has left, counting the one
that wins, when it wins as soon as it can against the longest resistance; negative if the side to move loses. On 6×7 the
soonest win of all, with a player's fourth stone, scores 18, and the first player's win from the empty board scores 1.
Values are what is left of a score when only winning, drawing (0) and losing count: +1, 0, −1. They are found faster.
"""

import numpy as np

from boardzero.errors import BadInput
from boardzero.games.connect4 import STONES_MASK, STONES_SHIFT, ConnectFour
from boardzero.games.rules import Outcome, State
from boardzero.search.bounds_table import new_table
from boardzero.search.connect4_book import Book, shipped_book
from boardzero.search.connect4_search import Search
from boardzero.search.connect4_threats import (
    bitboard,
    describe_board,
    playable_cells,
    position_key,
    safe_cells,
    winning_cells,
)
from boardzero.search.slices import OutOfTime, deadline_after, run_in_slices


class ConnectFourSolver:
    """Exact answers for one board; what one answer found out makes the next ones faster.

    A solver belongs to one thread at a time. It holds 8 · 2 ** table_bits bytes. What a search that was interrupted, or ran
    out of time, has found out is kept too: asked again, it gets further.
    """

    def __init__(self, game: ConnectFour, table_bits: int = 22, *, use_book: bool = True) -> None:
        if (game.rows + 1) * game.columns > 64:
            raise BadInput(
                f"{game.specification} is too large to solve: (rows + 1) · columns is {(game.rows + 1) * game.columns},"
                " and may be at most 64."
            )
        self.game = game
        self._board = describe_board(game.rows, game.columns, game.connect)
        self._search = Search(self._board, new_table(table_bits), game.max_plies)
        self._book: Book | None = shipped_book(game) if use_book else None

    @property
    def nodes(self) -> int:
        """Positions visited so far by searching."""
        return int(self._search.nodes[0])

    def score(self, state: State) -> int:
        """For the side to move: positive if it wins, the larger the sooner; 0 for a draw."""
        cells = self.game.max_plies
        return self._solve(state, -cells, cells)

    def value(self, state: State) -> int:
        """+1, 0 or −1: the side to move wins, draws or loses."""
        return self._solve(state, -1, 1)

    def action_scores(self, state: State, seconds: float | None = None) -> list[int | None]:
        """For each column the score, for the player who makes the move, of playing there; None where it is not legal.

        OutOfTime if that takes longer than these seconds.
        """
        cells, deadline = self.game.max_plies, deadline_after(seconds)
        return [None if child is None else -self._solve(child, -cells, cells, deadline) for child in self._children(state)]

    def action_values(self, state: State, most_nodes: int | None = None) -> list[int | None]:
        """The same in values: +1, 0 or −1 for the player who makes the move.

        OutOfTime if that takes more than so many nodes, which, unlike seconds, are the same on every machine.
        """
        last = None if most_nodes is None else self.nodes + most_nodes
        return [None if child is None else -self._solve(child, -1, 1, last=last) for child in self._children(state)]

    def quiet_actions(self, state: State) -> list[int]:
        """Columns after which the other side cannot win with its next stone; none where the side to move can win itself."""
        own, all_stones = self._bitboards(state)
        if winning_cells(self._board, own, all_stones) & playable_cells(self._board, all_stones):
            return []
        safe, height = int(safe_cells(self._board, own, all_stones)), self.game.rows + 1
        return [column for column in self.game.legal_actions(state) if safe >> column * height & (1 << height) - 1]

    def _children(self, state: State) -> list[State | None]:
        legal = set(self.game.legal_actions(state))
        return [self.game.next_state(state, column) if column in legal else None for column in range(self.game.columns)]

    def _bitboards(self, state: State) -> tuple[np.uint64, np.uint64]:
        """The stones of the side to move, and all stones; a few tall boards keep them differently in their states."""
        if self.game.is_bitboard:
            return state[1], state[2]
        cells = self.game.cells(state)
        return bitboard(cells == self.game.turn(state) + 1), bitboard(cells != 0)

    def _solve(self, state: State, lower: int, upper: int, deadline: float | None = None, last: int | None = None) -> int:
        """The score, or the nearest bound if it lies beyond one; OutOfTime at the deadline, or at the node with number last."""
        return max(lower, min(upper, self._score_within(state, lower, upper, deadline, last)))

    def _score_within(self, state: State, lower: int, upper: int, deadline: float | None, last: int | None) -> int:
        own, all_stones = self._bitboards(state)
        stones = int(state[0] >> STONES_SHIFT & STONES_MASK)
        remaining = self.game.max_plies - stones
        outcome = self.game.outcome(state)
        if outcome is not Outcome.GOING_ON:
            return 0 if outcome is Outcome.DRAW else -((remaining + 2) // 2)
        if winning_cells(self._board, own, all_stones) & playable_cells(self._board, all_stones):
            return (remaining + 1) // 2
        if not safe_cells(self._board, own, all_stones):
            return -(remaining // 2)
        if self._book is not None and stones <= self._book.most_stones:
            known = self._book.find(int(position_key(own, all_stones)))
            if known is not None:
                return known
        lower, upper = max(lower, -(remaining // 2)), min(upper, (remaining - 1) // 2)
        self._search.begin(own, all_stones, remaining, lower, upper)
        if last is None:
            run_in_slices(self._search.go_on, deadline)
        elif not self._search.go_on(max(0, last - self.nodes)):
            raise OutOfTime
        return self._search.score
