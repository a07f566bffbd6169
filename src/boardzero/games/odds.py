"""Odds: one side loses what would be a draw, so that it must attack.

Where good players draw, networks learn to attack from such games (docs/training.md), and go on doing so if they are shown that
a draw would be lost for them. Results that a search proves stay true: only what networks see is changed.
"""

from typing import Protocol, TypeGuard, runtime_checkable

from boardzero.games.rules import Game, State

SHARED = "shared"


@runtime_checkable
class GivesOdds(Protocol):
    """A game in which one side may win what would be a draw."""

    draws: str  # who wins them: "shared", "first" or "second"

    def must_win(self, state: State) -> State:
        """The same position, with planes as if the player to move lost what would be a draw; by the rules it is a draw."""


def has_odds(game: Game) -> bool:
    """Does one side win what would be a draw?"""
    return isinstance(game, GivesOdds) and game.draws != SHARED


def can_give_odds(game: Game) -> TypeGuard[GivesOdds]:
    """Are draws shared, but might be lost for either side?"""
    return isinstance(game, GivesOdds) and game.draws == SHARED


def seen_by_who_must_win(game: Game, state: State) -> State:
    """The position as it is shown to a network that is to think that a draw would be lost; as it is in games without odds."""
    return game.must_win(state) if can_give_odds(game) else state
