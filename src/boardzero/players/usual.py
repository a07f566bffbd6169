"""Who plays a game if nobody is named: the same player everywhere, at the keyboard, on the page and behind an engine."""

from boardzero.games.rules import Game


def usual_kind(game: Game, has_network: bool) -> str:
    """The kind of player that is strongest without being told more; has_network: whether there is a network for this game."""
    if has_network:
        return "alphazero"
    return "heuristic" if game.name == "gomoku" else "mcts"
