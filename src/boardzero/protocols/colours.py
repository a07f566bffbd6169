"""Black and white, which other programs speak of, and the first and the second side, which boardzero does."""

from boardzero.games.rules import Game

BLACK = "X"  # what boardzero draws black as


def black_side(game: Game) -> int:
    """0 or 1: the side that has black. It begins, unless the game says otherwise."""
    return game.players.index(BLACK) if BLACK in game.players else 0
