"""Networks by the ids that the server made for them: a client never names a file."""

import hashlib
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from boardzero.errors import BadInput
from boardzero.games.catalogue import BUILT_IN, find_game
from boardzero.games.rules import Game
from boardzero.network.shipped import shipped_network
from boardzero.players.engine_name import EngineName

SHIPPED = "shipped-"
NEWEST = "newest"
NETWORK_ID = re.compile(r"[a-z0-9-]{1,80}(\.(newest|[0-9]{1,6}))?")
MOST_LISTED = 200


@dataclass(frozen=True)
class Network:
    """A network file, and what people call it."""

    id: str
    title: str
    path: Path
    run: str | None = None
    generation: int | None = None

    def caution(self, game: Game) -> str:
        """What people should know who meet it in this game; mostly nothing."""
        from boardzero.network.header import read_header
        from boardzero.network.learned import caution_about

        try:
            return caution_about(read_header(self.path), game)
        except BadInput:  # a file that cannot be read is refused by whoever needs it
            return ""


class RunShelf:
    """The runs in a folder, by ids that follow from their names; only what was found there by listing it can be asked for."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._paths: dict[str, Path] = {}

    def scan(self) -> dict[str, Path]:
        """All runs that are there now, the newest first."""
        found = [path for path in _folders_in(self.folder) if (path / "settings.json").is_file()]
        found.sort(key=lambda path: (path / "settings.json").stat().st_mtime, reverse=True)
        self._paths = {run_id(path.name): path for path in found}
        return self._paths

    def path(self, identity: str) -> Path:
        if identity not in self._paths and identity not in self.scan():
            raise KeyError(identity)
        return self._paths[identity]


def run_id(name: str) -> str:
    """`connect4:rows=5 (2)` → `connect4-rows-5-2-1f3a`: letters, digits and dashes, and different for every folder."""
    words = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:50]
    return f"{words or 'run'}-{hashlib.sha256(name.encode()).hexdigest()[:4]}"


class NetworkShelf:
    """The shipped networks and those of the runs; beside them the engines that the operator has named."""

    def __init__(
        self,
        runs: RunShelf,
        shipped: Callable[[Game], Path | None] = shipped_network,
        engines: Mapping[str, EngineName] = MappingProxyType({}),
    ) -> None:
        self.runs, self.engines = runs, engines
        self._shipped = shipped
        self._fit: set[tuple[Path, str]] = set()  # files of networks, and games that they can play

    def shipped_for(self, game: Game) -> Network | None:
        path = self._shipped(game)
        return None if path is None else Network(SHIPPED + game.name, "shipped with boardzero", path)

    def find(self, identity: str, game: Game) -> Network:
        """The network with an id, or the shipped one if the id is empty; one that is not there is refused (BadInput)."""
        if not identity or identity.startswith(SHIPPED):
            network = self.shipped_for(game)
            if network is None or identity not in ("", network.id):
                raise BadInput(f"There is no network '{identity}' for {game.specification}." if identity else no_network(game))
            return network
        if not NETWORK_ID.fullmatch(identity):
            raise BadInput("A network's id has letters, digits and dashes, then a dot and the generation: run-1f3a.12.")
        run, _, generation = identity.partition(".")
        try:
            path = self.runs.path(run)
        except KeyError:
            raise BadInput(f"There is no run '{run}' on this server.") from None
        network = self._of_run(run, path, generation or NEWEST)
        self._refuse_misfit(network, game)
        return network

    def fitting(self, game: Game) -> list[Network]:
        """Networks of runs of this very game, those of the newest run first."""
        found: list[Network] = []
        for run, path in self.runs.scan().items():
            if run_game(path) == game.specification:
                found += [_network_of(run, path, number) for number in reversed(generations_in(path))]
            if len(found) >= MOST_LISTED:
                break
        return found[:MOST_LISTED]

    def _refuse_misfit(self, network: Network, game: Game) -> None:
        """A network of another game, or one that cannot be read, is refused by its id: its path is the server's business."""
        if (network.path, game.specification) in self._fit:
            return
        from boardzero.network.fitting import check_fits
        from boardzero.network.header import read_header

        try:
            header = read_header(network.path)
        except BadInput:
            raise BadInput(f"The network '{network.id}' cannot be read.") from None
        check_fits(header, game, network.id)
        self._fit.add((network.path, game.specification))

    def _of_run(self, run: str, path: Path, generation: str) -> Network:
        there = generations_in(path)
        number = (there[-1] if there else -1) if generation == NEWEST else int(generation)
        if number not in there:
            known = f"there are {', '.join(map(str, there[-10:]))}" if there else "it has none yet"
            raise BadInput(f"The run '{run}' has no network of generation {generation}; {known}.")
        return _network_of(run, path, number)


def no_network(game: Game) -> str:
    return f"No network is shipped for {game.specification}; train one, or choose another player."


def generations_in(run: Path) -> list[int]:
    """The generations whose networks are there, increasing."""
    names = (path.stem.removeprefix("generation-") for path in (run / "networks").glob("generation-*.safetensors"))
    return sorted(int(name) for name in names if name.isdecimal())


def run_settings(run: Path) -> dict[str, Any] | None:
    """What a run was begun with, as it wrote it (another version of boardzero may have done so); None if it cannot be read."""
    try:
        content = json.loads((run / "settings.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return content if isinstance(content, dict) else None


def run_game(run: Path) -> str | None:
    """The game that a run learns, in its canonical name; None where the page does not know it."""
    game = (run_settings(run) or {}).get("game")
    if not isinstance(game, str) or game.partition(":")[0] not in BUILT_IN:
        return None
    try:
        return find_game(game).specification
    except BadInput:
        return None


def _network_of(run: str, path: Path, number: int) -> Network:
    file = path / "networks" / f"generation-{number:05}.safetensors"
    return Network(f"{run}.{number}", f"{path.name}, generation {number}", file, run, number)


def _folders_in(folder: Path) -> list[Path]:
    try:
        return [path for path in folder.iterdir() if path.is_dir() and not path.is_symlink()]
    except OSError:
        return []
