"""The syntax that SGF and GGF share: properties with values in brackets, in parentheses, `(;PB[Ann]AB[dd][ee])`.

In SGF a backslash takes the meaning from the character behind it; GGF has nothing of the kind, so a value has no `]` in it.
"""

import re
from collections.abc import Iterator

PROPERTY = re.compile(r"\s*([A-Za-z]+)\s*")
ESCAPED_VALUE = re.compile(r"\s*\[((?:\\.|[^\]\\])*)\]", re.DOTALL)
PLAIN_VALUE = re.compile(r"\s*\[([^\]]*)\]")


class Damaged(Exception):
    """What is wrong with a game in a file; its message has no full stop."""


def trees(text: str, escapes: bool) -> Iterator[str]:
    """The text of everything in parentheses, with them; what stands between does not count, the last may be cut short."""
    depth, first = 0, 0
    for position, mark in marks(text, escapes):
        if mark == "(":
            first = position if depth == 0 else first
            depth += 1
        elif mark == ")" and depth:
            depth -= 1
            if depth == 0:
                yield text[first : position + 1]
    if depth:
        yield text[first:]


def marks(text: str, escapes: bool) -> Iterator[tuple[int, str]]:
    """Parentheses and semicolons that do not stand in a value."""
    inside = escaped = False
    for position, letter in enumerate(text):
        if inside:
            inside = escaped or letter != "]"
            escaped = escapes and letter == "\\" and not escaped
        elif letter == "[":
            inside = True
        elif letter in "();":
            yield position, letter


def read_properties(text: str, escapes: bool) -> Iterator[tuple[str, list[str]]]:
    """Each name with its raw values, in order; small letters in names, as old files have them, do not count."""
    pattern, position = ESCAPED_VALUE if escapes else PLAIN_VALUE, 0
    while position < len(text.rstrip()):
        name = PROPERTY.match(text, position)
        if name is None:
            raise Damaged(f"'{_short(text[position:])}' is not a property")
        position, values = name.end(), []
        while (value := pattern.match(text, position)) is not None:
            values.append(value[1])
            position = value.end()
        if not values:
            raise Damaged(f"the property {name[1]} has no value")
        yield "".join(letter for letter in name[1] if letter.isupper()) or name[1].upper(), values


def _short(text: str) -> str:
    words = " ".join(text.split())
    return words if len(words) <= 20 else words[:20] + "…"
