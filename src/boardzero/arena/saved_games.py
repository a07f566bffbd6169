"""Files of saved games: one JSON object a line, appended with one write each, so that a kill can spoil the last line at most.

Whoever appends to such a file ends the spoilt line first, and whoever reads it skips what is spoilt and says so.
"""

import io
import json
import os
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

from boardzero.errors import BadInput
from boardzero.events.games import GameRecord
from boardzero.games.catalogue import find_game
from boardzero.games.position import Position

CHECKED = 1 << 20  # bytes of a file that are looked at before games are added to it
FIELDS = {field.name for field in fields(GameRecord)}


class SavedGames:
    """A file that games are appended to; what stands in the way of writing it is refused at once, before anything is played."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        try:
            with self._open() as file:
                file.seek(0)
                beginning = file.read(CHECKED)
        except OSError as error:
            raise self._refusal(error) from None
        self._refuse_other_files(beginning)

    def append(self, record: GameRecord) -> None:
        """Write one game; it is on the disk when this returns."""
        line = json.dumps(asdict(record), ensure_ascii=False).encode() + b"\n"
        try:
            with self._open() as file:
                if _ends_within_a_line(file):
                    line = b"\n" + line
                written = file.write(line)
                os.fsync(file.fileno())
        except OSError as error:
            raise self._refusal(error) from None
        if written != len(line):
            raise BadInput(f"The game could not be saved to '{self.path}' as a whole; the disk may be full.")

    def _open(self) -> io.FileIO:
        """Unbuffered, so that a line is one write; what is written always goes to the end."""
        return open(self.path, "a+b", buffering=0)

    def _refuse_other_files(self, beginning: bytes) -> None:
        """Games are only added to what is a file of games already; one spoilt line may be all that it holds."""
        lines = [line for line in beginning.decode(errors="replace").split("\n") if line.strip()]
        if lines and not any(_parse(line) for line in lines) and not (len(lines) == 1 and lines[0].startswith("{")):
            raise BadInput(f"'{self.path}' holds something else than saved games; choose another file.")

    def _refusal(self, error: OSError) -> BadInput:
        return BadInput(f"Games cannot be saved to '{self.path}': {error.strerror or error}.")


def read_games(path: str | Path) -> tuple[list[GameRecord], list[str]]:
    """The games of a file, and a sentence for each line that is damaged and was skipped."""
    try:
        lines = Path(path).read_bytes().decode(errors="replace").split("\n")  # other line ends may stand in a name
    except OSError as error:
        raise BadInput(f"Saved games cannot be read from '{path}': {error.strerror or error}.") from None
    parsed = [(number, _parse(line)) for number, line in enumerate(lines, 1) if line.strip()]
    damaged = [f"Line {number} of '{path}' is damaged and was skipped." for number, record in parsed if record is None]
    return [record for _, record in parsed if record is not None], damaged


def position_of(record: GameRecord) -> Position:
    """The recorded game, played through to its last move."""
    return Position(find_game(record.game), record.moves, board=record.start)


def _parse(line: str) -> GameRecord | None:
    try:
        values: Any = json.loads(line)
        if not isinstance(values, dict) or set(values) - FIELDS:
            return None
        first, second = map(str, values.pop("players"))
        spent, other_spent = map(float, values.pop("seconds"))
        return GameRecord(**values, players=(first, second), seconds=(spent, other_spent))
    except (ValueError, TypeError, KeyError, RecursionError):
        return None


def _ends_within_a_line(file: io.FileIO) -> bool:
    if file.seek(0, os.SEEK_END) == 0:
        return False
    file.seek(-1, os.SEEK_END)
    return file.read(1) != b"\n"
