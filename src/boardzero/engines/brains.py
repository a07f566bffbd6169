"""The player behind an engine: the one that was named, or the strongest that there is for the game."""

import gc
from typing import Any

from boardzero.cores import usable_cores
from boardzero.engines.memory import used_megabytes
from boardzero.errors import BadInput
from boardzero.games.rules import Game
from boardzero.players.catalogue import find_player, player_class
from boardzero.players.forest_player import ForestPlayer
from boardzero.players.parameters import AlphaZeroParameters
from boardzero.players.player import Player
from boardzero.settings.specification import split_pairs, split_specification

ENDLESS = 86_400  # seconds: the engine's clock decides, not the player's own limit
MOST_MEGABYTES, FEWEST_MEGABYTES = 1024, 4  # of a search tree
USUAL_MEGABYTES = 250  # that a process takes which has loaded a player, without its tree
TREE_SHARE = 0.8  # of the memory that is free for us; the rest is for whatever grows beside the tree
LEAVES = 8  # of one tree, evaluated together: enough for two cores to share
WITHOUT_NETWORK = ("heuristic", "minimax", "mcts")  # the first that plays the game


def new_brain(specification: str | None, game: Game, max_memory: int = 0) -> Player:
    """specification: a player in the usual grammar (None: the strongest); max_memory: bytes of the whole process, 0: any."""
    player = _strongest(game, max_memory) if specification is None else find_player(completed(specification, max_memory), game)
    if max_memory and player.name == "alphazero":  # only now it is known how much its network takes
        player = with_memory(player, specification, max_memory)
    gc.freeze()  # what is loaded stays: looking through it for garbage takes a tenth of a second, which a move may not have
    return player


def with_memory(player: Player, specification: str | None, max_memory: int) -> Player:
    """The same player where its process may take so many bytes: a network stays loaded, a tree is begun anew."""
    said = {} if specification is None else split_pairs(split_specification(specification)[1], specification)
    if not isinstance(player, ForestPlayer) or "memory" in said:
        return player
    from boardzero.players.alphazero import AlphaZeroPlayer

    settings = player.forest.settings
    del player.forest  # what it took is free for the next
    if isinstance(player, AlphaZeroPlayer):
        changed = {**player.parameters.model_dump(), "memory": tree_megabytes(max_memory)}
        again = AlphaZeroPlayer(player.game, AlphaZeroParameters(**changed), player.seed, player.evaluate, settings)
        again.caution, again.must_win = player.caution, player.must_win
        return again
    return find_player(completed(specification or player.name, max_memory), player.game)


def _strongest(game: Game, max_memory: int) -> Player:
    for name in ("alphazero", *WITHOUT_NETWORK):
        try:
            return find_player(completed(name, max_memory), game)
        except BadInput:  # there is no network for this game, or the player does not know it
            continue
    raise BadInput(f"There is no player for {game.specification}.")


def completed(specification: str, max_memory: int = 0) -> str:
    """The specification with what an engine needs and it does not say: no limit of its own, all cores, the memory allowed."""
    name, rest = split_specification(specification)
    if name == "engine":
        return specification
    said: dict[str, Any] = split_pairs(rest, specification)
    fields = player_class(name).Parameters.model_fields
    usual: dict[str, Any] = {"memory": tree_megabytes(max_memory), "threads": len(usable_cores()), "leaves": LEAVES}
    if not said.keys() & {"sims", "depth", "seconds"}:
        usual["seconds"] = ENDLESS
    for key, value in usual.items():
        if key in fields:
            said.setdefault(key, value)
    pairs = ",".join(f"{key}={value}" for key, value in said.items())
    return f"{name}:{pairs}" if pairs else name


def tree_megabytes(max_memory: int) -> int:
    """What a search tree may take, where the whole process may take so many bytes (0: any number)."""
    if max_memory <= 0:
        return MOST_MEGABYTES
    free = max_memory / 1e6 - used_megabytes(USUAL_MEGABYTES)
    return max(FEWEST_MEGABYTES, min(MOST_MEGABYTES, int(TREE_SHARE * free)))
