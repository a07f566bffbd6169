"""Odds: one side loses what would be a draw, so that it must attack.

Where good players draw, networks learn to attack from such games (docs/training.md), and attack best if they think that a draw
would be lost for them.
"""

from typing import Protocol, TypeGuard, runtime_checkable

from boardzero.games.rules import Game, State

SHARED = "shared"


@runtime_checkable
class GivesOdds(Protocol):
    """A game in which one side may win what would be a draw."""

    draws: str  # who wins them: "shared", "first" or "second"

    def must_win(self, state: State) -> State:
        """The same position, but the player to move loses what would be a draw."""


def has_odds(game: Game) -> bool:
    """Does one side win what would be a draw?"""
    return isinstance(game, GivesOdds) and game.draws != SHARED


def can_give_odds(game: Game) -> TypeGuard[GivesOdds]:
    """Are draws shared, but might be lost for either side?"""
    return isinstance(game, GivesOdds) and game.draws == SHARED


def seen_by_who_must_win(game: Game, state: State) -> State:
    """The position as the player to move sees it who thinks that a draw would be lost; as it is where no odds can be given."""
    return game.must_win(state) if can_give_odds(game) else state
