"""What a new run may take over from another one: its games, its network, or both."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from boardzero.errors import BadInput
from boardzero.games.rules import Game
from boardzero.network.fitting import check_fits
from boardzero.network.weights import StoredNetwork, load_network, save_network
from boardzero.players.alphazero import find_network
from boardzero.replay.columns import GameColumns
from boardzero.replay.journal import read_journal
from boardzero.replay.shards import DamagedShard, read_shard, read_shard_index, write_shard
from boardzero.replay.store import JOURNAL, SHARD
from boardzero.settings.growth import GrowthSettings
from boardzero.training.run_folder import RunFolder

WRITER = "copied"


def read_games(source: Path, game: Game) -> list[GameColumns]:
    """The games of a run's folder, oldest first, a part for each of its files."""
    games = source / "games" if (source / "games").is_dir() else source
    shards = sorted(games.glob(f"[0-9]*{SHARD}"))
    sealed = {path.stem for path in shards}  # a killed run may have left their journals, too
    journals = [path for path in games.glob(f"[0-9]*{JOURNAL}") if path.stem not in sealed]
    paths = sorted([*shards, *journals])
    parts = []
    for path in paths:
        try:
            part = read_shard(path) if path.suffix == SHARD else read_journal(path).games
        except DamagedShard as damage:
            raise BadInput(f"{damage} Move it out of '{games}' to begin with the other games.") from None
        if part is not None:
            parts.append(part)
    if not parts:
        raise BadInput(f"There are no games in '{source}': a run's folder has them under games/.")
    for part in parts:
        if part.game != game.specification:
            raise BadInput(f"The games in '{source}' are of {part.game}, not of {game.specification}.")
    return parts


def write_games(folder: RunFolder, parts: list[GameColumns]) -> None:
    """Make them the games of the first generation, so that the first training is on them."""
    folder.games.mkdir(parents=True, exist_ok=True)
    for earlier in folder.games.glob(f"*-{WRITER}{SHARD}"):  # of a beginning that was interrupted
        earlier.unlink()
    for number, part in enumerate(parts, start=1):
        none = np.zeros(len(part), np.int32)
        write_shard(replace(part, first_generations=none, generations=none), folder.games / f"{number:08d}-{WRITER}{SHARD}")


def copied_positions(folder: RunFolder) -> int:
    """How many positions a run has from another one."""
    return sum(int(read_shard_index(path).positions.sum()) for path in folder.games.glob(f"*-{WRITER}{SHARD}"))


def read_network(source: Path, game: Game) -> StoredNetwork:
    """The network of a file, or the newest of a run's folder."""
    path = find_network(str(source), game)
    stored = load_network(path)
    check_fits(stored.header, game, str(path))
    return stored


def with_shape_of(stored: StoredNetwork, values: Mapping[str, Any]) -> dict[str, Any]:
    """A run's settings with the shape of this network; one that has grown already, or cannot, stays as it is."""
    shape = stored.header.settings
    grows = GrowthSettings(**values["growth"]).refusal(shape) is None
    return {**values, "network": shape.model_dump(), "growth": values["growth"] if grows else GrowthSettings().model_dump()}


def write_network(folder: RunFolder, stored: StoredNetwork, game: Game) -> None:
    """Make it the network that the run begins with."""
    save_network(folder.network(0), stored.network, game, stored.header.details)
