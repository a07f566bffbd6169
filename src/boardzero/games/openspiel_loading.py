"""Which of OpenSpiel's games can be played here: names and parameters are checked, and what does not fit is refused."""

import math
import re
from typing import Any

from boardzero.errors import BadInput
from boardzero.settings.specification import nearest, split_pairs

INSTALL = "OpenSpiel's games need the package open_spiel; install it with: pip install 'boardzero[openspiel]'."
FITTING = (
    "boardzero plays games of two players who move in turns, without chance or hidden information,"
    " in which one side's win is the other's loss"
)
EXAMPLES = "amazons, breakthrough, checkers, clobber, dots_and_boxes, go, hex, mancala, nine_mens_morris and y"
MOST_WORDS = 256  # of history: a search keeps thousands of states, and 2 KB each is enough
LARGEST_NUMBER = 10_000  # for parameters: OpenSpiel may crash, rather than refuse, where a size is absurd


def load(text: str) -> tuple[Any, str]:
    """`breakthrough,columns=6,rows=6` → OpenSpiel's game, and its canonical text.

    In canonical text parameters at their defaults are left out, and rows come first, then the others by the alphabet.
    """
    name, _, rest = (part.strip() for part in text.partition(","))
    if not name:
        raise BadInput("Name one of OpenSpiel's games behind 'openspiel:', for example openspiel:breakthrough.")
    pyspiel = _package()
    if written := re.fullmatch(r"(\w+)\((.*)\)", text.strip()):  # OpenSpiel's own way to write it
        right = ",".join(filter(None, written.groups()))
        raise BadInput(f"'openspiel:{text}' has brackets; write openspiel:{right} instead.")
    kind = next((kind for kind in pyspiel.registered_games() if kind.short_name == name), None)
    if kind is None:
        near = nearest(name, pyspiel.registered_names())
        raise BadInput(f"OpenSpiel has no game '{name}'{near}; among those that can be played here are {EXAMPLES}.")
    values = _parse_values(name, kind.parameter_specification, split_pairs(rest, f"openspiel:{text}"))
    said = {key: value for key, value in values.items() if value != kind.parameter_specification[key]}
    canonical = ",".join([name, *(f"{key}={said[key]}" for key in sorted(said, key=_rows_first))])
    try:
        game = pyspiel.load_game(name, said)
        _check_kind(pyspiel, game, canonical)
        _check_sizes(game, canonical)
        start = game.new_initial_state()
    except pyspiel.SpielError as error:
        raise BadInput(f"OpenSpiel cannot make '{canonical}': {_reason(error)}.") from None
    if start.is_terminal() or not start.legal_actions():
        raise BadInput(f"openspiel:{canonical} is over before the first move.")
    return game, canonical


def action_packing(action_count: int) -> tuple[int, int]:
    """How many bits a move takes, and how many moves fit into a word."""
    bits = max(1, (action_count - 1).bit_length())
    return bits, 64 // bits


def words_needed(action_count: int, longest: int) -> int:
    """The words that hold the moves of the longest game."""
    return math.ceil(longest / action_packing(action_count)[1])


def _package() -> Any:
    try:
        import pyspiel
    except ImportError:
        raise BadInput(INSTALL) from None
    return pyspiel


def _rows_first(key: str) -> tuple[bool, str]:
    return not key.endswith("rows"), key


def _parse_values(name: str, defaults: dict[str, Any], pairs: dict[str, str]) -> dict[str, Any]:
    """Texts as the types of the game's own defaults."""
    values: dict[str, Any] = {}
    for key, text in pairs.items():
        if key not in defaults:
            allowed = f"it takes {', '.join(defaults)}" if defaults else "it takes no parameters"
            raise BadInput(f"openspiel:{name} has no parameter '{key}'{nearest(key, defaults)}; {allowed}.")
        value = _parse_value(text, defaults[key])
        if value is None:
            raise BadInput(f"openspiel:{name}: {key}={text} is not allowed: {key} should be {_requirement(defaults[key])}.")
        values[key] = value
    return values


def _parse_value(text: str, default: Any) -> Any:
    """The value, or None where the text is none of the default's type."""
    match default:
        case bool():
            return {"true": True, "false": False}.get(text.lower())
        case int():
            is_number = re.fullmatch("[0-9]{1,5}", text, re.ASCII) is not None
            return int(text) if is_number and min(1, default) <= int(text) <= LARGEST_NUMBER else None
        case float():
            return float(text) if re.fullmatch(r"-?[0-9]{1,9}(\.[0-9]{1,9})?", text, re.ASCII) else None
        case str():
            return text
        case _:
            return None


def _requirement(default: Any) -> str:
    match default:
        case bool():
            return "true or false"
        case int():
            return f"a whole number from {min(1, default)} to {LARGEST_NUMBER}"
        case float():
            return f"a number such as {default}"
        case _:
            return "another game, which cannot be named here"


def _check_kind(pyspiel: Any, game: Any, canonical: str) -> None:
    objections = _objections(pyspiel, game.get_type())
    if game.num_players() != 2:
        objections.insert(0, f"has {game.num_players()} player{'s' if game.num_players() != 1 else ''}")
    if objections:
        title = game.get_type().long_name
        raise BadInput(f"{title} (openspiel:{canonical}) {_joined(objections)}; {FITTING}.")


def _joined(parts: list[str]) -> str:
    *others, last = parts
    return f"{', '.join(others)} and {last}" if others else last


def _objections(pyspiel: Any, kind: Any) -> list[str]:
    """Why a kind of game does not fit, each as the end of a sentence that begins with its name."""
    traits = pyspiel.GameType
    checks = {
        "is not played in turns": kind.dynamics != traits.Dynamics.SEQUENTIAL,
        "has chance in it": kind.chance_mode != traits.ChanceMode.DETERMINISTIC,
        "hides information": kind.information != traits.Information.PERFECT_INFORMATION,
        "is not zero-sum": kind.utility != traits.Utility.ZERO_SUM,
        "has no observation tensor for networks to see": not kind.provides_observation_tensor,
    }
    return [objection for objection, holds in checks.items() if holds]


def _check_sizes(game: Any, canonical: str) -> None:
    actions, longest = game.num_distinct_actions(), game.max_game_length()
    if min(actions, longest, *game.observation_tensor_shape()) < 1:
        raise BadInput(f"openspiel:{canonical} has no board to play on.")
    words = words_needed(actions, longest)
    if words > MOST_WORDS:
        raise BadInput(
            f"openspiel:{canonical} is too long: {longest} moves, {action_packing(actions)[0]} bits each, would take"
            f" {words} words of every state; at most {MOST_WORDS} are allowed, so choose a smaller board or fewer moves."
        )


def _reason(error: Exception) -> str:
    """OpenSpiel's message without the place in its source, its first line only."""
    lines = re.sub(r"^\S+\.(cc|h):\d+\s+", "", str(error).strip()).splitlines()
    return lines[0].rstrip(".") if lines else "it gives no reason"
