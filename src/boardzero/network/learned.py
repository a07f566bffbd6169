"""Which boards and rules a network has learned, and which it only can play because it takes every size."""

from collections.abc import Iterator, Sequence
from typing import Literal, get_args, get_origin

from boardzero.games.catalogue import find_game
from boardzero.games.rules import Game
from boardzero.network.header import NetworkHeader

BOARD = ("size", "rows", "columns")  # parameters of games that say how large the board is


def caution_about(header: NetworkHeader, game: Game) -> str:
    """What should be known of a network before its strength in a game is judged; empty if it learned this, or does not say."""
    learned = [find_game(name) for name in header.learned]
    if not learned:
        return ""
    unknown = [f"{key}={value}" for key, value, known in _compared(game, learned) if value not in known]
    if not unknown:
        return ""
    return f"The network has never seen {' and '.join(unknown)} while it learned; it plays there by what it learned elsewhere."


def never_seen(learned: Sequence[str]) -> str:
    """What else a network that takes every size can play: `size=5, 6, 8, 16 to 20`; empty if there is nothing."""
    games = [find_game(name) for name in learned]
    found = []
    for key, _, known in _compared(games[0], games):
        values = [value for value in _possible(games[0], key) if value not in known]
        if values:
            found.append(f"{key}={_listed(values)}")
    return "; ".join(found)


def _compared(game: Game, learned: Sequence[Game]) -> Iterator[tuple[str, object, set[object]]]:
    """The parameters that count: the size of the board, and rules that are chosen from a few. Theirs, and those learned."""
    for key in type(game.parameters).model_fields:
        if key in BOARD or _choices(game, key):
            yield key, getattr(game.parameters, key), {getattr(one.parameters, key) for one in learned}


def _possible(game: Game, key: str) -> list[object]:
    if choices := _choices(game, key):
        return choices
    limits = type(game.parameters).model_fields[key].metadata
    least = next(limit.ge for limit in limits if hasattr(limit, "ge"))
    greatest = next(limit.le for limit in limits if hasattr(limit, "le"))
    steps = [limit.multiple_of for limit in limits if hasattr(limit, "multiple_of")]
    return [value for value in range(least, greatest + 1) if all(value % step == 0 for step in steps)]


def _choices(game: Game, key: str) -> list[object]:
    annotation = type(game.parameters).model_fields[key].annotation
    return list(get_args(annotation)) if get_origin(annotation) is Literal else []


def _listed(values: Sequence[object]) -> str:
    """Whole numbers that follow one another are put together: `5, 6, 8, 16 to 20`."""
    groups: list[list[object]] = []
    for value in values:
        if groups and isinstance(value, int) and value - 1 == groups[-1][-1]:
            groups[-1].append(value)
        else:
            groups.append([value])
    texts = [f"{group[0]} to {group[-1]}" if len(group) > 2 else ", ".join(map(str, group)) for group in groups]
    return ", ".join(texts)
