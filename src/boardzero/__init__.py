"""boardzero learns board games from their rules alone, and lets people play, study and rate what it learned.

    >>> import boardzero
    >>> position = boardzero.Position(boardzero.find_game("connect4"), "4453")
    >>> position.legal_moves()
    ['1', '2', '3', '4', '5', '6', '7']

The names below are imported when first used, so that `import boardzero` costs nothing.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from boardzero.arena.match import Match, MatchSettings
    from boardzero.errors import BadInput
    from boardzero.games.catalogue import find_game
    from boardzero.games.position import Position
    from boardzero.games.rules import Game
    from boardzero.players.catalogue import find_player
    from boardzero.players.player import Analysis, Player
    from boardzero.search.forest import Forest
    from boardzero.settings.search import SearchSettings

_HOMES = {
    "Analysis": "boardzero.players.player",
    "BadInput": "boardzero.errors",
    "Forest": "boardzero.search.forest",
    "Game": "boardzero.games.rules",
    "Match": "boardzero.arena.match",
    "MatchSettings": "boardzero.arena.match",
    "Player": "boardzero.players.player",
    "Position": "boardzero.games.position",
    "SearchSettings": "boardzero.settings.search",
    "find_game": "boardzero.games.catalogue",
    "find_player": "boardzero.players.catalogue",
}

__all__ = [
    "Analysis",
    "BadInput",
    "Forest",
    "Game",
    "Match",
    "MatchSettings",
    "Player",
    "Position",
    "SearchSettings",
    "find_game",
    "find_player",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'boardzero' has no attribute '{name}'")
    return getattr(importlib.import_module(_HOMES[name]), name)
