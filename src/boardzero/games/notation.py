"""Moves and boards as text, the same way for every game: what follows from the policy layout and the board's size."""

import re

import numpy as np
import numpy.typing as npt

from boardzero.errors import BadInput
from boardzero.games.policy import Part, PolicyLayout

COLUMN_NAMES = "123456789abcdefghijklmnopqrstuvwxyz"
FILE_NAMES = "abcdefghijklmnopqrstuvwxyz"


def cell_to_text(cell: int, rows: int, columns: int, rank_one_on_top: bool) -> str:
    """`c4`: file letter from the left, rank number from the bottom (or from the top)."""
    row, column = divmod(cell, columns)
    return f"{FILE_NAMES[column]}{row + 1 if rank_one_on_top else rows - row}"


def cell_from_text(text: str, rows: int, columns: int, rank_one_on_top: bool) -> int | None:
    """The cell that a text names, or None where it names none."""
    match = re.fullmatch(r"([a-z])([1-9][0-9]?)", text, re.ASCII)
    if not match:
        return None
    column, rank = FILE_NAMES.index(match[1]), int(match[2])
    row = rank - 1 if rank_one_on_top else rows - rank
    return row * columns + column if 0 <= row < rows and column < columns else None


def action_to_text(action: int, policy: PolicyLayout, rows: int, columns: int, rank_one_on_top: bool) -> str:
    part, index = policy.locate(action)
    match part.kind:
        case "cells":
            return part.text + cell_to_text(index, rows, columns, rank_one_on_top)
        case "columns":
            return COLUMN_NAMES[index]
        case "moves":
            source, target = (cell_to_text(c, rows, columns, rank_one_on_top) for c in divmod(index, rows * columns))
            return f"{source}-{target}"
        case "single":
            return part.text
        case "flat":
            return str(index)


def action_from_text(text: str, policy: PolicyLayout, rows: int, columns: int, rank_one_on_top: bool) -> int | None:
    """The action that a text names (capitals and surrounding space do not matter), or None where it names none."""
    word = text.strip().lower()
    for first, part in policy:
        index = _index_in(part, word, rows, columns, rank_one_on_top)
        if index is not None:
            return first + index
    return None


def hint(policy: PolicyLayout, rows: int, columns: int, rank_one_on_top: bool) -> str:
    """How moves are written, for messages."""
    return "moves are written like " + ", ".join(_example(part, rows, columns, rank_one_on_top) for part in policy.parts)


def split_board(
    text: str, letters: list[str], players: tuple[str, str], shape: tuple[int, int]
) -> tuple[npt.NDArray[np.int8], int, dict[str, str]]:
    """`.../.X./... O key=value` → cells as numbers into letters, whose turn (0 or 1), details."""
    rows, columns = shape
    lines, rest = _board_lines(text, letters)
    if len(lines) != rows or any(len(line) != columns for line in lines):
        raise BadInput(
            f"The board has rows of {', '.join(str(len(line)) for line in lines) or 'no'} cells;"
            f" {rows} rows of {columns} are needed, separated by / or line breaks."
        )
    unknown = sorted(set("".join(lines)) - set(letters))
    if unknown:
        raise BadInput(f"'{unknown[0]}' on the board is unknown; a cell is one of {' '.join(letters)}.")
    if not rest or rest[0] not in players:
        raise BadInput(f"The board must be followed by the side to move, {players[0]} or {players[1]}.")
    details: dict[str, str] = {}
    for word in rest[1:]:
        key, equals, value = word.partition("=")
        if not equals:
            raise BadInput(f"'{word}' behind the board is not of the form key=value.")
        details[key] = value
    cells = np.array([[letters.index(letter) for letter in line] for line in lines], np.int8)
    return cells, players.index(rest[0]), details


def _board_lines(text: str, letters: list[str]) -> tuple[list[str], list[str]]:
    """The rows of a board, and the words behind it.

    With `/` the board is one word; with line breaks each of its rows is a line of its own.
    """
    words = text.split()
    if words and "/" in words[0]:
        return words[0].split("/"), words[1:]
    lines = [line.strip() for line in text.strip().splitlines()]
    if len(lines) == 1:
        return words[:1], words[1:]
    return lines[:-1], lines[-1].split()


def _index_in(part: Part, word: str, rows: int, columns: int, rank_one_on_top: bool) -> int | None:
    match part.kind:
        case "cells":
            led = word.startswith(part.text)
            return cell_from_text(word.removeprefix(part.text), rows, columns, rank_one_on_top) if led else None
        case "columns":
            index = COLUMN_NAMES.find(word) if len(word) == 1 else -1
            return index if 0 <= index < part.size else None
        case "moves":
            ends = [cell_from_text(end, rows, columns, rank_one_on_top) for end in word.split("-")]
            if len(ends) != 2 or ends[0] is None or ends[1] is None:
                return None
            return ends[0] * rows * columns + ends[1]
        case "single":
            return 0 if word == part.text else None
        case "flat":
            return int(word) if word.isascii() and word.isdigit() and int(word) < part.size else None


def _example(part: Part, rows: int, columns: int, rank_one_on_top: bool) -> str:
    last = cell_to_text(columns - 1 if not rank_one_on_top else rows * columns - 1, rows, columns, rank_one_on_top)
    match part.kind:
        case "cells":
            return f"{part.text}a1 (to {part.text}{last})"
        case "columns":
            return f"1 (to {COLUMN_NAMES[part.size - 1]})"
        case "moves":
            return f"a1-a2 (a1 to {last})"
        case "single":
            return part.text
        case "flat":
            return f"0 (to {part.size - 1})"
