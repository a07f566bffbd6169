"""Whose what stands on a board is: what networks learn that are to foresee the board at the end of a game."""

from collections.abc import Callable
from typing import Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from boardzero.errors import BadInput
from boardzero.games.rules import Game, State

Owners = npt.NDArray[np.int8]  # [rows, columns]
NOBODY, FIRST, SECOND = 0, 1, 2  # of each cell


@runtime_checkable
class TellsOwners(Protocol):
    """A game that says itself whose each cell is: one with pieces that are called by other letters than its players."""

    def owners(self, state: State) -> Owners: ...


@runtime_checkable
class HoldsPieces(Protocol):
    """A game in which pieces are still to be placed."""

    def in_hand(self, state: State) -> tuple[int, int]:
        """How many the first and the second player have yet to place."""


def owner_rule(game: Game) -> Callable[[State], Owners]:
    """state → NOBODY, FIRST or SECOND for each cell, top row first; a game that does not tell is refused (BadInput).

    A piece belongs to the player who is called by its letter, large or small: so a captured man, `x`, is still X's.
    """
    if isinstance(game, TellsOwners):
        return game.owners
    by_letter = {player.casefold(): number for number, player in enumerate(game.players, start=FIRST)}
    owner_of = [by_letter.get(piece.letter.casefold()) for piece in game.pieces]
    if owner_of[0] is None:
        owner_of[0] = NOBODY
    strange = [piece.letter for piece, owner in zip(game.pieces, owner_of, strict=True) if owner is None]
    if strange:
        raise BadInput(
            f"The boards of {game.title} cannot be learned from (network.final_board, replay.horizon): whose the piece"
            f" '{strange[0]}' is, neither its letter tells (the players are called {' and '.join(game.players)}) nor a method"
            " owners(state)."
        )
    table = np.array(owner_of, np.int8)
    return lambda state: table[game.cells(state)]
