"""Every game by its name: the five, OpenSpiel's, and those in files of users."""

import hashlib
import importlib
import importlib.util
import sys
from functools import lru_cache
from pathlib import Path
from types import ModuleType

from boardzero.errors import BadInput
from boardzero.games.rules import Game
from boardzero.settings.specification import nearest, parse_parameters, split_pairs, split_specification

# name → the module and class that define it; a module is imported, and its rules compiled or loaded, when first asked for.
BUILT_IN = {
    "tictactoe": ("boardzero.games.tictactoe", "TicTacToe"),
    "connect4": ("boardzero.games.connect4", "ConnectFour"),
    "othello": ("boardzero.games.othello", "Othello"),
    "gomoku": ("boardzero.games.gomoku", "Gomoku"),
    "latrunculi": ("boardzero.games.latrunculi", "Latrunculi"),
}
OPENSPIEL = "openspiel"


@lru_cache(maxsize=256)
def find_game(specification: str) -> Game:
    """The game that a specification names: `connect4:rows=5`, `openspiel:breakthrough`, `path/to/game.py:size=5`."""
    name, rest = split_specification(specification)
    if name == OPENSPIEL:
        from boardzero.games.openspiel import OpenSpielGame

        return OpenSpielGame.from_text(rest)
    kind = game_class(name)
    pairs = split_pairs(rest, specification)
    game = kind(parse_parameters(kind.Parameters, pairs, name))
    if name not in BUILT_IN:
        game.name = name  # a file's game is found again by the file's name
    return game


def game_class(name: str) -> type[Game]:
    """The class behind a name, before its size is chosen."""
    if name in BUILT_IN:
        module, attribute = BUILT_IN[name]
        found: type[Game] = getattr(importlib.import_module(module), attribute)
        return found
    if name.endswith(".py"):
        return _class_in_file(Path(name))
    known = [*BUILT_IN, OPENSPIEL]
    raise BadInput(
        f"There is no game '{name}'{nearest(name, known)}; there are {', '.join(BUILT_IN)},"
        f" {OPENSPIEL}:NAME, and any game in a file of yours (path/to/game.py)."
    )


def _class_in_file(path: Path) -> type[Game]:
    module = _load_file(path)
    found = [
        value
        for value in vars(module).values()
        if isinstance(value, type) and issubclass(value, Game) and value.__module__ == module.__name__
    ]
    if len(found) != 1:
        raise BadInput(f"'{path}' defines {len(found)} games; a game file defines exactly one subclass of Game.")
    return found[0]


def _load_file(path: Path) -> ModuleType:
    if not path.is_file():
        raise BadInput(f"There is no game file '{path}'.")
    path = path.resolve()
    digest = hashlib.sha256(str(path).encode()).hexdigest()[:16]  # Numba's cache remembers modules by name: always the same one
    name = f"boardzero_game_{path.stem}_{digest}"
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        del sys.modules[name]
        raise BadInput(f"The game file '{path}' cannot be loaded: {type(error).__name__}: {error}.") from error
    return module
