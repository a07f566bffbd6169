"""The file of rated games: one JSON object a line, only ever appended to, so that a rating can be stopped and gone on with."""

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from boardzero.errors import BadInput
from boardzero.evaluation.rating_model import Floats, Integers, Results
from boardzero.events.games import GameRecord
from boardzero.games.position import Position

OUTCOMES = {"first": 0, "draw": 1, "second": 2}


@dataclass(frozen=True)
class RatedGame:
    """What the fit needs of a game."""

    keys: tuple[str, str]  # who had the first and who the second side
    outcome: int  # 0: the first side won, 1: drawn, 2: it lost
    opening: str  # the start and the moves that were given: the two games of a pair share them
    moves: str  # all of them; a game with the same players, opening and moves is the same game

    @property
    def points(self) -> float:
        """Of the first side."""
        return 1 - self.outcome / 2


class RatingGames:
    """Games of one kind of board: of a file that new ones are added to, and of others that are only read.

    Damaged lines, and games of other boards, are left out. A game that stands in several files counts once: runs are copied,
    and players who leave nothing to chance repeat themselves.
    """

    def __init__(self, path: Path, game: str, others: Iterable[Path] = ()) -> None:
        self.path, self.game = path, game
        self.damaged: dict[Path, int] = {}  # how many lines of which file
        found: dict[RatedGame, None] = {}  # in order, each once
        files = {file.resolve(): file for file in (*others, path)}  # each once, too, however it is called
        for file in files.values():
            if file.is_file():
                self._read(file, found)
        self.games = list(found)

    def append(self, played: Sequence[tuple[tuple[str, str], GameRecord]]) -> None:
        """Add games with the keys of their players; they are on the disk when this returns."""
        lines = "".join(
            json.dumps({"keys": list(keys), **asdict(record)}, ensure_ascii=False) + "\n" for keys, record in played
        )
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self.path.open("ab+") as file:
                if file.tell():
                    file.seek(-1, 2)
                    lines = lines if file.read(1) == b"\n" else "\n" + lines
                file.write(lines.encode())
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise BadInput(f"Rated games cannot be written to '{self.path}': {error.strerror or error}.") from None
        self.games += [game for keys, record in played if (game := _rated(keys, asdict(record))) is not None]

    def _read(self, path: Path, found: dict[RatedGame, None]) -> None:
        try:
            lines = path.read_bytes().decode(errors="replace").split("\n")  # other line ends may stand in a name
        except OSError as error:
            raise BadInput(f"Rated games cannot be read from '{path}': {error.strerror or error}.") from None
        understood = damaged = 0
        for line in filter(str.strip, lines):
            try:
                content = json.loads(line)
                first, second = content["keys"]
                game = _rated((first, second), content)
                if game is not None and content["game"] == self.game:
                    found[game] = None
                understood += 1
            except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
                damaged += 1
        if damaged and not understood and path == self.path:
            raise BadInput(f"'{path}' holds something else than rated games; choose another file.")
        if damaged:
            self.damaged[path] = damaged

    # -- what the fit takes ----------------------------------------------------------------------------------------------
    def results(self, keys: Sequence[str]) -> Results:
        """Counts of the games among these players."""
        return results_of(self._among(keys), keys)

    def pairs(self, keys: Sequence[str]) -> tuple[Integers, Floats]:
        """Games of one opening with colours swapped: the two players' numbers [pairs, 2], points of the first [pairs]."""
        numbers = {key: number for number, key in enumerate(keys)}
        waiting: dict[tuple[str, str, str], list[RatedGame]] = {}
        players, points = [], []
        for game in self._among(keys):
            first, second = game.keys
            others = waiting.get((second, first, game.opening))
            if others:
                other = others.pop()
                players.append((numbers[second], numbers[first]))
                points.append(other.points + 1 - game.points)
            else:
                waiting.setdefault((first, second, game.opening), []).append(game)
        return np.array(players, np.int64).reshape(-1, 2), np.array(points, np.float64)

    def played(self, keys: Sequence[str]) -> dict[tuple[int, int], int]:
        """How many games each two of these players have played, the smaller number first."""
        numbers = {key: number for number, key in enumerate(keys)}
        counts: dict[tuple[int, int], int] = {}
        for game in self._among(keys):
            a, b = sorted(numbers[key] for key in game.keys)
            counts[a, b] = counts.get((a, b), 0) + 1
        return counts

    def openings(self) -> dict[tuple[str, str], set[str]]:
        """By who moved first and who second: the openings of their games."""
        found: dict[tuple[str, str], set[str]] = {}
        for game in self.games:
            found.setdefault(game.keys, set()).add(game.opening)
        return found

    def _among(self, keys: Sequence[str]) -> list[RatedGame]:
        known = set(keys)
        return [game for game in self.games if known.issuperset(game.keys)]


def results_of(games: Iterable[RatedGame], keys: Sequence[str]) -> Results:
    """Games counted by ordered pairing."""
    numbers = {key: number for number, key in enumerate(keys)}
    counts: dict[tuple[int, int], Floats] = {}
    for game in games:
        pairing = (numbers[game.keys[0]], numbers[game.keys[1]])
        counts.setdefault(pairing, np.zeros(3))[game.outcome] += 1
    pairings = sorted(counts)
    first, second = (np.array([pairing[side] for pairing in pairings], np.int64) for side in range(2))
    return Results(len(keys), first, second, np.array([counts[pairing] for pairing in pairings]).reshape(-1, 3))


def opening_text(position: Position) -> str:
    """What games that begin with this position, and the moves that led to it, have in common."""
    game = position.game
    return " ".join([game.board_to_text(position.start), *map(game.action_to_text, position.actions)])


def _rated(keys: tuple[str, str], content: Mapping[str, Any]) -> RatedGame | None:
    """None for a game that nobody finished."""
    outcome = OUTCOMES.get(content["result"])
    if outcome is None or keys[0] == keys[1]:
        return None
    words = content["moves"].split()
    moves = words if len(words) == content["plies"] else list(content["moves"])  # some games write moves without spaces
    return RatedGame(keys, outcome, " ".join([content["start"], *moves[: content["opening"]]]), " ".join(moves))
