"""Compile everything that is compiled, once, in one process: `python -m boardzero.players.warm`.

Processes that are started together would each do it for themselves, so this runs before them.
"""

import importlib
import pkgutil

import boardzero.games
import boardzero.search
from boardzero.errors import BadInput
from boardzero.games.catalogue import BUILT_IN, find_game
from boardzero.games.conformance import check_game
from boardzero.games.position import Position
from boardzero.players.catalogue import find_player

QUICK_PLAYERS = ("random", "mcts:sims=2", "minimax:depth=1", "heuristic:sims=2", "perfect")


def warm_up() -> None:
    """Import every module with compiled functions, and use each game and player once."""
    for package in (boardzero.games, boardzero.search):
        for module in pkgutil.iter_modules(package.__path__):
            if module.name != "openspiel":
                importlib.import_module(f"{package.__name__}.{module.name}")
    for name in (*BUILT_IN, "connect4:rows=9,columns=9"):
        game = find_game(name)
        check_game(game, seeds=[0])
        for player in QUICK_PLAYERS:
            try:
                find_player(player, game).analyse(Position(game))
            except BadInput:
                continue  # not every player plays every game


if __name__ == "__main__":
    warm_up()
