"""A game that a file of the user defines, on machines that do not have the file: its text goes with the run."""

import hashlib
from dataclasses import dataclass
from pathlib import Path

from boardzero.games.catalogue import find_game
from boardzero.games.rules import Game
from boardzero.network.weights import write_whole
from boardzero.settings.specification import split_specification

FOLDER = Path(".cache/boardzero/games")  # under the home of whoever plays; always the same, so that rules are compiled once


def is_file(specification: str) -> bool:
    """Does a file of the user define this game?"""
    return split_specification(specification)[0].endswith(".py")


@dataclass(frozen=True)
class SentGame:
    """A game as it is sent to players."""

    specification: str
    text: bytes | None = None  # of the file that defines it; None: it is known everywhere

    @classmethod
    def of(cls, specification: str) -> "SentGame":
        path = Path(split_specification(specification)[0])
        return cls(specification, path.read_bytes() if is_file(specification) else None)

    def find(self) -> Game:
        """The game; a file is written anew where it was not before."""
        if self.text is None:
            return find_game(self.specification)
        name, parameters = split_specification(self.specification)
        path = Path.home() / FOLDER / hashlib.sha256(self.text).hexdigest()[:16] / Path(name).name
        if not path.is_file() or path.read_bytes() != self.text:
            path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(path, self.text)
        game = find_game(f"{path}:{parameters}" if parameters else str(path))
        game.name = name  # as records and networks of the run call it
        return game
