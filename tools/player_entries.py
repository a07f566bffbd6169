"""What measure_players.py measures, entry by entry, and the file in which each entry's games and figures are kept."""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, model_validator

from boardzero.evaluation.entrants import player_named
from boardzero.events.games import GameRecord
from boardzero.games.catalogue import find_game
from boardzero.games.rules import Game
from boardzero.settings.specification import Parameters

SEED = 1  # of all games


class Entry(Parameters):
    """One of players.toml: a match, or something else that is measured of shipped networks."""

    name: str = Field(pattern=r"^[a-z0-9][a-z0-9-]*$")
    kind: Literal["match", "first", "decided", "mistakes", "sets", "rating"] = Field(
        "match",
        description="match: each opening from both sides; first: always moving first, from the start; decided: games against"
        " itself that are not drawn; mistakes: in drawn positions; sets: in those of Pascal Pons; rating: a table",
    )
    game: str
    player: str = Field(
        "alphazero", description="whose score is told; several, separated by spaces, where mistakes are counted"
    )
    opponent: str = ""
    games: int = Field(100, ge=2)
    positions: int = Field(1000, ge=1, description="mistakes: how many are drawn")
    run: str = Field("", description="rating: the run whose earlier networks are rated too, a folder in --runs")
    networks: int = Field(6, ge=1, description="rating: how many of them")
    simulations: int = Field(100, ge=1, description="rating: a move, of networks")
    others: tuple[str, ...] = Field((), description="rating: players beside the usual anchors")
    goal: str = Field("", description="what is asked for")
    minutes: float = Field(gt=0, description="how long it may take on two cores")

    @model_validator(mode="after")
    def has_an_opponent(self) -> "Entry":
        if bool(self.opponent) != (self.kind in ("match", "first")):
            raise ValueError(f"kind={self.kind} {'takes no' if self.opponent else 'needs an'} opponent.")
        return self

    @property
    def rules(self) -> Game:
        return find_game(self.game)

    @property
    def players(self) -> list[str]:
        """Whose figures are told."""
        return self.player.split() if self.kind in ("mistakes", "sets") else [self.player]


class Kept:
    """Lines of one entry's file, each with the key that it belongs to; written as soon as they are known."""

    def __init__(self, folder: Path, entry: Entry) -> None:
        self.path = folder / f"{entry.name}.jsonl"

    def append(self, key: str, **content: Any) -> None:
        """One write, so that lines of several processes do not mix."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("ab", buffering=0) as file:
            file.write(f"{json.dumps({'key': key, **content}, ensure_ascii=False)}\n".encode())
            os.fsync(file.fileno())

    def lines(self, key: str) -> Iterator[dict[str, Any]]:
        """Without one that a crash tore."""
        for line in self.path.read_bytes().splitlines() if self.path.is_file() else []:
            try:
                content = json.loads(line)
            except ValueError:
                continue
            if content["key"] == key:
                yield content

    def figure(self, key: str, name: str) -> Any:
        return next((line["figure"] for line in self.lines(key) if line.get("name") == name), None)

    def records(self, key: str) -> dict[int, GameRecord]:
        """Games by their numbers."""
        found = {}
        for line in self.lines(key):
            if "number" in line:
                record = line["record"]
                pairs = {name: tuple(record[name]) for name in ("players", "seconds")}
                found[int(line["number"])] = GameRecord(**{**record, **pairs})
        return found


def key_of(entry: Entry) -> str:
    """Who meets whom: networks by their weights."""
    game = entry.rules
    entrants = [player_named(name, game) for name in (*entry.players, entry.opponent) if name]
    return f"{game.specification}: {' – '.join(one.key for one in entrants)}"
