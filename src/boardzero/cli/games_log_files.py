"""Stored games to files and back, and what is said of it."""

import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from boardzero.cli.output import print_json
from boardzero.errors import BadInput

if TYPE_CHECKING:
    from boardzero.storage.database import Database
    from boardzero.storage.entries import StoredGame
    from boardzero.storage.game_files import Skipped

STANDARD_OUTPUT = "-"
TOLD_EVERY = 100  # games
NAMED = 50  # damaged games that are named, where people read it


def export_games(games: "list[StoredGame]", out: str, form: str | None) -> dict[str, Any]:
    """Write the games; how many, and a sentence about each that the format cannot hold.

    Where no game is left that is refused (BadInput), so that no file that is there already becomes an empty one.
    """
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
    _refuse_none(games, skipped, found)
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
    _refuse_none(games, left_out, "psq")
    return _answer(len(games) - len(left_out), left_out)


def _refuse_none(games: "list[StoredGame]", skipped: "list[Skipped]", form: str) -> None:
    if not games:
        raise BadInput("No game in the log fits, so nothing was written.")
    if len(skipped) == len(games):
        raise BadInput(f"Nothing was written, for no game that was found can be written as {form}: {skipped[0].sentence}")


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
            try:
                for game in read_games_file(path, found, find_game if trusted else known_game):
                    if isinstance(game, Skipped):
                        skipped.append(game.sentence)
                    else:
                        taken += 1
                        yield game
            except BadInput as error:  # none of its games can be read; those of the other files are
                skipped.append(str(error))

    forms = [format_of(path, form) for path in files]
    for path in files:
        if not Path(path).is_file():
            raise BadInput(f"There is no file '{path}'.")
    with _counting("read") as counted:
        imported = import_games(database, counted(sound_games()), refused.append)
    return {"imported": imported, "known": taken - imported - len(refused), "skipped": skipped + refused}


def tell_exported(answer: dict[str, Any], out: str, as_json: bool) -> None:
    """On standard error where the games themselves go to standard output."""
    to_stdout = out != STANDARD_OUTPUT
    if as_json and to_stdout:
        print_json(answer)
        return
    _name(answer["skipped"])
    where = out if to_stdout else "standard output"
    print(f"{_games(answer['exported'])} written to {where}.", file=sys.stdout if to_stdout else sys.stderr)


def tell_imported(answer: dict[str, Any], as_json: bool) -> None:
    """Files that no game could be read from are refused (BadInput), once it is told what is wrong with each."""
    skipped, nothing = answer["skipped"], not answer["imported"] + answer["known"]
    if as_json:
        print_json(answer)
    elif not nothing or len(skipped) > 1:
        _name(skipped)
    if nothing:
        raise BadInput(skipped[0] if len(skipped) == 1 else "No game could be imported.")
    if not as_json:
        known = f"; {answer['known']:,} more in the log already" if answer["known"] else ""
        print(f"{_games(answer['imported'])} imported{known}.")


def _name(skipped: list[str]) -> None:
    for sentence in skipped[:NAMED]:
        print(sentence, file=sys.stderr)
    if len(skipped) > NAMED:
        print(f"… and {len(skipped) - NAMED:,} more; --json names them all.", file=sys.stderr)


def _games(count: int) -> str:
    return "1 game was" if count == 1 else f"{count:,} games were"


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
