"""Stored games to files and back."""

import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from boardzero.errors import BadInput

if TYPE_CHECKING:
    from boardzero.storage.database import Database
    from boardzero.storage.entries import StoredGame
    from boardzero.storage.game_files import Skipped

STANDARD_OUTPUT = "-"
TOLD_EVERY = 100  # games


def export_games(games: "list[StoredGame]", out: str, form: str | None) -> dict[str, Any]:
    """Write the games; how many, and a sentence about each that the format cannot hold."""
    from boardzero.storage.game_files import format_games, format_of

    if out == STANDARD_OUTPUT and form is None:
        raise BadInput("Standard output has no ending that tells the format; say --format text, json, sgf, ggf or psq.")
    if Path(out).is_dir() and form is None:
        raise BadInput(f"'{out}' is a folder; say --format psq for one file a game, or name a file.")
    found = format_of(out, form)
    if found == "psq" and out != STANDARD_OUTPUT and (Path(out).is_dir() or len(games) > 1):
        return _export_psq_files(games, Path(out))
    with _counting("written") as counted:
        content, skipped = format_games(counted(games), found)
    if out == STANDARD_OUTPUT:
        sys.stdout.buffer.write(content)
        sys.stdout.flush()
    else:
        _write(Path(out), content)
    return _answer(len(games) - len(skipped), skipped)


def _export_psq_files(games: "list[StoredGame]", folder: Path) -> dict[str, Any]:
    """A PSQ file holds one game, so that several make a folder."""
    from boardzero.storage.game_files import format_games

    if not folder.is_dir():
        raise BadInput(f"A PSQ file holds one game and there are {len(games)}; name a folder that exists, not '{folder}'.")
    left_out: list[Skipped] = []
    for game in games:
        content, skipped = format_games([game], "psq")
        left_out += skipped
        if not skipped:
            _write(folder / f"{game.id}.psq", content)
    return _answer(len(games) - len(left_out), left_out)


def import_files(database: "Database", files: list[str], form: str | None, trusted: bool) -> dict[str, Any]:
    """Bring in the games of all files; how many were new, how many known, and a sentence about each that was skipped.

    trusted: games whose rules are a Python file have it run.
    """
    from boardzero.games.catalogue import find_game
    from boardzero.storage.checking import known_game
    from boardzero.storage.game_files import Skipped, format_of, read_games_file
    from boardzero.storage.importing import import_games

    skipped: list[str] = []
    refused: list[str] = []
    taken = 0

    def sound_games() -> "Iterator[StoredGame]":
        nonlocal taken
        for path, found in zip(files, forms, strict=True):
            for game in read_games_file(path, found, find_game if trusted else known_game):
                if isinstance(game, Skipped):
                    skipped.append(game.sentence)
                else:
                    taken += 1
                    yield game

    forms = [format_of(path, form) for path in files]
    for path in files:
        if not Path(path).is_file():
            raise BadInput(f"There is no file '{path}'.")
    with _counting("read") as counted:
        imported = import_games(database, counted(sound_games()), refused.append)
    return {"imported": imported, "known": taken - imported - len(refused), "skipped": skipped + refused}


@contextmanager
def _counting(done: str) -> "Iterator[Callable[[Iterable[StoredGame]], Iterator[StoredGame]]]":
    """On a terminal, games that are taken through this are counted before the eyes of who waits for 100,000 of them."""
    from rich.console import Console

    console = Console(stderr=True)
    if not console.is_terminal:
        yield iter
        return
    with console.status(f"games are {done}") as status:

        def counted(games: "Iterable[StoredGame]") -> "Iterator[StoredGame]":
            for count, game in enumerate(games, 1):
                yield game
                if count % TOLD_EVERY == 0:
                    status.update(f"{count:,} games {done}")

        yield counted


def _answer(exported: int, skipped: "list[Skipped]") -> dict[str, Any]:
    """Games that are left out for the same reason share a sentence."""
    reasons = Counter(one.sentence for one in skipped)
    sentences = [f"{count:,} {'game was' if count == 1 else 'games were'} left out: {why}" for why, count in reasons.items()]
    return {"exported": exported, "skipped": sentences}


def _write(path: Path, content: bytes) -> None:
    try:
        path.write_bytes(content)
    except OSError as error:
        raise BadInput(f"Games cannot be written to '{path}': {error.strerror or error}.") from None
