"""GTP, the Go Text Protocol (version 2): parse and format commands, answers and vertices.

A command is one line, `[id] name arguments`; an answer begins with `=` (done) or `?` (failed), repeats the id, and ends with an
empty line. Vertices are a letter (without I) and a number. Rows count from the bottom, except in games whose own notation
counts them from the top (Othello). Actions that are not cells are written as the game itself writes them.
"""

import re
from dataclasses import dataclass

from boardzero.errors import BadInput
from boardzero.games.rules import Game

LETTERS = "ABCDEFGHJKLMNOPQRSTUVWXYZ"  # no I
COLOURS = ("black", "white")
PASS, RESIGN = "pass", "resign"


@dataclass(frozen=True)
class Command:
    """A line from a manager."""

    identity: str  # the number before it, as it came; empty if there was none
    name: str
    arguments: tuple[str, ...]


def parse_command(line: str) -> Command | None:
    """The command of a line; None for lines without one (comments, empty lines)."""
    cleaned = "".join(" " if letter == "\t" else letter for letter in line if letter == "\t" or letter.isprintable())
    words = cleaned.partition("#")[0].split()
    if not words:
        return None
    identity = words.pop(0) if re.fullmatch(r"[0-9]{1,18}", words[0], re.ASCII) else ""
    return Command(identity, words[0] if words else "", tuple(words[1:]))


def format_answer(command: Command, text: str, failed: bool = False) -> str:
    """The answer, with the empty line that ends it (without the last line feed). A text that begins with a line feed
    begins on the next line."""
    head = ("?" if failed else "=") + command.identity
    kept = "\n".join(line.rstrip() for line in text.splitlines() if line.strip())
    between = "\n" if text.startswith("\n") else " "
    return f"{head}{between}{kept}".rstrip() + "\n"


def parse_answer(lines: list[str]) -> tuple[bool, str]:
    """Was the command done, and the text of its answer; the lines are without the empty one at the end."""
    match = re.match(r"([=?])[0-9]*\s*", lines[0]) if lines else None
    if not match:
        raise ValueError(f"'{lines[0] if lines else ''}' is not an answer of GTP")
    return match[1] == "=", "\n".join([lines[0][match.end() :], *lines[1:]]).strip()


def parse_colour(text: str) -> int | None:
    """0 = black, 1 = white; None where it is neither."""
    return {"b": 0, "black": 0, "w": 1, "white": 1}.get(text.lower())


def vertex_of(action: int, game: Game) -> str:
    """`C4`, `pass`, or the game's own name of an action that is not a cell."""
    part, index = game.policy.locate(action)
    if part.kind != "cells" or part.text:
        return game.action_to_text(action)
    row, column = divmod(index, game.columns)
    return f"{LETTERS[column]}{row + 1 if game.rank_one_on_top else game.rows - row}"


def action_of(vertex: str, game: Game) -> int:
    """The action that a vertex names; BadInput where it names none."""
    first_part = game.policy.parts[0]
    match = re.fullmatch(r"([A-HJ-Za-hj-z])([1-9][0-9]?)", vertex, re.ASCII)
    if first_part.kind != "cells" or first_part.text or not match:
        if first_part.kind == "cells" and not first_part.text and vertex.lower() != PASS:
            raise BadInput(f"'{vertex}' is not a vertex.")
        return game.action_from_text(vertex)
    column, rank = LETTERS.index(match[1].upper()), int(match[2])
    row = rank - 1 if game.rank_one_on_top else game.rows - rank
    if not (0 <= row < game.rows and column < game.columns):
        raise BadInput(f"'{vertex}' is not on the board.")
    return row * game.columns + column
