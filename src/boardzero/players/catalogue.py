"""Every player by its name, in the one grammar: `random`, `mcts:sims=1000`, `minimax:depth=6`, …"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from boardzero.errors import BadInput
from boardzero.settings.specification import nearest, parse_parameters, split_pairs, split_specification

if TYPE_CHECKING:
    from boardzero.games.rules import Game
    from boardzero.players.player import Player

# name → the module and class that define it; imported when first asked for.
PLAYERS = {
    "random": ("boardzero.players.random", "RandomPlayer"),
    "human": ("boardzero.players.human", "HumanPlayer"),
    "minimax": ("boardzero.players.minimax", "MinimaxPlayer"),
    "mcts": ("boardzero.players.mcts", "RolloutPlayer"),
    "heuristic": ("boardzero.players.heuristic", "HeuristicPlayer"),
    "alphazero": ("boardzero.players.alphazero", "AlphaZeroPlayer"),
    "perfect": ("boardzero.players.perfect", "PerfectPlayer"),
    "engine": ("boardzero.players.engine", "EnginePlayer"),
}
ENGINE = "engine"  # its command may hold anything, so it has a grammar of its own: engine:PROTOCOL,key=value:COMMAND


def find_player(specification: str, game: Game, seed: int = 0) -> Player:
    """The player that a specification names, ready to play this game."""
    name, rest = split_specification(specification)
    if name == ENGINE:
        from boardzero.players.engine import EnginePlayer

        return EnginePlayer.from_text(rest, game, seed)
    kind = player_class(name)
    parameters = parse_parameters(kind.Parameters, split_pairs(rest, specification), name)
    return kind(game, parameters, seed)


def player_class(name: str) -> type[Player]:
    """The class behind a name."""
    if name not in PLAYERS:
        raise BadInput(f"There is no player '{name}'{nearest(name, PLAYERS)}; there are {', '.join(PLAYERS)}.")
    module, attribute = PLAYERS[name]
    found: type[Player] = getattr(importlib.import_module(module), attribute)
    return found
