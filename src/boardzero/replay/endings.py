"""How the games of the window ended on the board, for networks that learn to foresee it."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from boardzero.games.compiled import compiled
from boardzero.games.owners import FIRST, owner_rule
from boardzero.games.randomness import Stream, draw_below
from boardzero.games.rules import Game, Outcome
from boardzero.replay.record import offsets_from

UNKNOWN = -1  # whose a cell would have been, had the rules ended the game


class Endings(NamedTuple):
    """The final boards of G games and the N positions that led to them, as compiled code takes them.

    Where nobody learns them, all of it is empty.
    """

    boards: npt.NDArray[np.int8]  # [G, cells]  NOBODY, FIRST or SECOND; UNKNOWN if the game was resigned or cut short
    games: npt.NDArray[np.int64]  # [occurrences of positions]  a row of boards
    starts: npt.NDArray[np.int64]  # [N + 1]  position i occurred in games[starts[i] … starts[i + 1]], once unless merged

    @property
    def cells(self) -> int:
        """Of a board; 0 where nobody learns them."""
        return self.boards.shape[1]

    def merged(self, members: npt.NDArray[np.int64], counts: npt.NDArray[np.int64]) -> "Endings":
        """Of groups of positions that each occurred once; the members of a group, counted, lie one after another."""
        return self._replace(games=self.games[members], starts=offsets_from(counts)) if self.cells else self


NO_ENDINGS = Endings(np.empty((0, 0), np.int8), np.empty(0, np.int64), np.zeros(1, np.int64))


def final_boards(game: Game, last_states: npt.NDArray[np.uint64]) -> npt.NDArray[np.int8]:
    """[games, cells]: whose each cell is in the last state [games, words] of each game, or UNKNOWN if it is not over there."""
    owners = owner_rule(game)
    boards = np.full((len(last_states), game.rows * game.columns), UNKNOWN, np.int8)
    for board, state in zip(boards, last_states, strict=True):
        if game.outcome(state) is not Outcome.GOING_ON:
            board[:] = owners(state).reshape(-1)
    return boards


@compiled()
def write_final_board(
    endings: Endings,
    position: int,
    second_to_move: bool,
    cells: npt.NDArray[np.int32],
    stream: Stream,
    board: npt.NDArray[np.int8],
) -> None:
    """[cells]: whose each cell became, as the side to move sees it (own 1, the other's 2), where a symmetry takes the cells.

    A merged position led to several boards: one of them, by chance, so that over many draws all count alike.
    """
    occurrence, count = endings.starts[position], endings.starts[position + 1] - endings.starts[position]
    if count > 1:
        occurrence += draw_below(stream, count)
    final = endings.boards[endings.games[occurrence]]
    for cell in range(len(final)):
        owner = final[cell]
        board[cells[cell]] = 3 - owner if second_to_move and owner >= FIRST else owner
