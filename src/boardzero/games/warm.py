"""Compile everything that is compiled, once, in one process: `python -m boardzero.games.warm`.

Parallel first compilations of the same function can spoil Numba's cache, so this runs before anything that starts workers.
"""

import importlib
import pkgutil

import boardzero.games
from boardzero.games.catalogue import BUILT_IN, find_game
from boardzero.games.conformance import check_game


def warm_games() -> None:
    """Import every module with compiled functions, and use each game once."""
    for module in pkgutil.iter_modules(boardzero.games.__path__):
        if module.name not in ("warm", "openspiel"):
            importlib.import_module(f"boardzero.games.{module.name}")
    for name in BUILT_IN:
        check_game(find_game(name), seeds=[0])
    check_game(find_game("connect4:rows=9,columns=9"), seeds=[0])


if __name__ == "__main__":
    warm_games()
