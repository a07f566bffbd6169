"""Games as files: plain text, JSON lines and Parquet, which keep everything; SGF, GGF and PSQ, which other programs read."""

import codecs
import io
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from boardzero.errors import BadInput
from boardzero.events.games import GameRecord
from boardzero.protocols.ggf import read_ggf, write_ggf
from boardzero.protocols.property_lists import Damaged
from boardzero.protocols.psq import read_psq, write_psq
from boardzero.protocols.sgf import read_sgf, write_sgf
from boardzero.storage.checking import FindGame, checked, known_game, moment_of
from boardzero.storage.entries import StoredGame, clean_text, game_entry, game_from_row, id_of_record, is_id

ENDINGS = {".txt": "text", ".jsonl": "json", ".parquet": "parquet", ".sgf": "sgf", ".ggf": "ggf", ".psq": "psq"}
FORMATS = tuple(ENDINGS.values())
NUMBERS = {"plies": int, "opening": int, "number": int, "generation": int, "seconds_first": float, "seconds_second": float}
CHARACTERS = re.compile(rb"CA\s*\[\s*([A-Za-z0-9_:.-]{1,40})\s*\]")  # of an SGF
LARGEST = 2**31 - 1  # of numbers that a database holds
USUAL: dict[str, Any] = {
    "id": "",
    "first": "?",
    "second": "?",
    "result": "",
    "reason": "",
    "source": "import",
    "plies": 0,
    "opening": 0,
    "seconds_first": 0.0,
    "seconds_second": 0.0,
    "ended": "",
    "match": None,
    "number": None,
    "run": None,
    "generation": None,
    "start": "",
    "remark": "",
    "who": "",
}


@dataclass(frozen=True)
class Skipped:
    """A game that was not taken, and the sentence that says why (and which, where it comes from a file)."""

    sentence: str


def format_of(path: str, said: str | None) -> str:
    """The format that is said, or that the file's ending tells."""
    found = said or ENDINGS.get(Path(path).suffix.lower())
    if found not in FORMATS:
        asked = f"'{found}' is not a format" if found else f"The ending of '{path}' does not tell the format"
        raise BadInput(f"{asked}; there are {', '.join(FORMATS)} ({', '.join(ENDINGS)}).")
    return found


# -- writing -----------------------------------------------------------------------------------------------------------
def format_games(games: Iterable[StoredGame], form: str) -> tuple[bytes, list[Skipped]]:
    """The content of a file, and the games that the format cannot hold."""
    if form == "parquet":
        return _parquet(games), []
    write: Callable[[StoredGame], str] = {
        "text": _text_of,
        "json": _json_of,
        "sgf": lambda game: write_sgf(game.record, game.id),
        "ggf": lambda game: write_ggf(game.record),
        "psq": lambda game: write_psq(game.record),
    }[form]
    parts, skipped = [], []
    for game in games:
        try:
            parts.append(write(game))
        except BadInput as error:
            skipped.append(Skipped(str(error)))
    return ("\n" if form == "text" else "").join(parts).encode(), skipped


def _text_of(game: StoredGame) -> str:
    """A line for each fact that is not the usual one, the moves last."""
    values = game_entry(game).values
    moves = values.pop("moves")
    lines = [f"{name}: {' '.join(str(value).split())}" for name, value in values.items() if value != USUAL.get(name)]
    return "\n".join([*lines, f"moves: {moves}"]) + "\n"


def _json_of(game: StoredGame) -> str:
    return json.dumps(game_entry(game).values, ensure_ascii=False) + "\n"


def _parquet(games: Iterable[StoredGame]) -> bytes:
    import pyarrow as pa
    import pyarrow.parquet as pq

    kinds = {int: pa.int64(), float: pa.float64()}
    names = ["id", "game", "moves", *(name for name in USUAL if name != "id")]
    schema = pa.schema([(name, kinds.get(NUMBERS.get(name, str), pa.string())) for name in names])
    rows = [game_entry(game).values for game in games]
    buffer = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(rows, schema=schema), buffer, compression="zstd")
    return buffer.getvalue()


# -- reading -----------------------------------------------------------------------------------------------------------
def read_games_file(path: str, form: str, find: FindGame = known_game) -> Iterator[StoredGame | Skipped]:
    """Every game of a file, played through; those that are damaged or illegal are named. find: the game of a name."""
    try:
        content = Path(path).read_bytes()
    except OSError as error:
        raise BadInput(f"Games cannot be read from '{path}': {error.strerror or error}.") from None
    return parse_games(content, form, path, find)


def parse_games(content: bytes, form: str, name: str, find: FindGame = known_game) -> Iterator[StoredGame | Skipped]:
    makers = _from_parquet(content, name, find) if form == "parquet" else _from_text(decoded(content, form), form, find)
    seen: Counter[str] = Counter()
    number = 0
    for number, make in enumerate(makers, 1):
        try:
            game = make()
        except (Damaged, BadInput) as error:
            said = str(error).rstrip(".")
            yield Skipped(f"Game {number} of '{name}' was skipped: {said}.")
        else:
            yield game if game.id else _with_id(game, seen)
    if number == 0:
        yield Skipped(f"There is no game in '{name}', which was read as {form}.")


def _with_id(game: StoredGame, seen: Counter[str]) -> StoredGame:
    """The same game again is the same row, if it comes from another reading; twice in one file it was played twice."""
    found = id_of_record(game.record)
    seen[found] += 1
    return replace(game, id=id_of_record(game.record, seen[found]))


Maker = Callable[[], StoredGame]


def decoded(content: bytes, form: str) -> str:
    """The text of a file, whoever wrote it: in Unicode, in the characters that an SGF names, or in those of old programs."""
    for mark, name in ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be")):
        if content.startswith(mark):
            return clean_text(content[len(mark) :].decode(name, errors="replace"))
    said = CHARACTERS.search(content) if form == "sgf" else None
    for name in ([said[1].decode()] if said else []) + ["utf-8"]:
        try:
            return clean_text(content.decode(name))
        except (LookupError, ValueError):  # nobody knows that name, or the file is not what it says
            continue
    return clean_text(content.decode("iso-8859-1"))


def _from_text(text: str, form: str, find: FindGame) -> Iterator[Maker]:
    match form:
        case "sgf":
            for game_id, make in read_sgf(text, find):
                yield lambda game_id=game_id, make=make: StoredGame(game_id, _dated(make()))  # type: ignore[misc]
        case "ggf" | "psq":
            for make in read_ggf(text) if form == "ggf" else read_psq(text):
                yield lambda make=make: StoredGame("", _dated(make()))  # type: ignore[misc]
        case "json":
            for line in filter(str.strip, text.split("\n")):  # other line ends may stand in a name
                yield lambda line=line: _from_values(_json_values(line), find)  # type: ignore[misc]
        case _:
            for block in _blocks(text):
                yield lambda block=block: _from_values(_block_values(block), find)  # type: ignore[misc]


def _dated(record: GameRecord) -> GameRecord:
    """What others write for a date need not be one."""
    return replace(record, ended=moment_of(record.ended) or "")


def _blocks(text: str) -> Iterator[list[str]]:
    """Lines that stand together; those with # are comments."""
    block: list[str] = []
    for line in [*text.splitlines(), ""]:
        if line.strip().startswith("#"):
            continue
        if line.strip():
            block.append(line)
        elif block:
            yield block
            block = []


def _block_values(block: list[str]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for line in block:
        name, colon, value = line.partition(":")
        if not colon:
            raise Damaged(f"the line '{line.strip()[:40]}' is not of the form 'name: value'")
        values[name.strip().lower()] = value.strip()
    return values


def _json_values(line: str) -> dict[str, Any]:
    """A line of ours, or one of `--save`, whose players and seconds are pairs."""
    try:
        values = json.loads(line)
        if not isinstance(values, dict):
            raise ValueError("not an object")
        if "players" in values:
            values["first"], values["second"] = values.pop("players")
        if "seconds" in values:
            values["seconds_first"], values["seconds_second"] = values.pop("seconds")
    except (ValueError, TypeError, RecursionError) as error:
        raise Damaged(f"the line is not a game ({error})") from None
    return values


def _from_parquet(content: bytes, name: str, find: FindGame) -> Iterator[Maker]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        rows = pq.read_table(io.BytesIO(content)).to_pylist()
    except (pa.ArrowException, OSError, ValueError) as error:
        said = " ".join(str(error).split())[:200].rstrip(".")
        raise BadInput(f"'{name}' is not a Parquet file that can be read: {said}.") from None
    for row in rows:
        yield lambda row=row: _from_values(row, find)  # type: ignore[misc]


def _from_values(values: dict[str, Any], find: FindGame) -> StoredGame:
    missing = [name for name in ("game", "moves") if values.get(name) is None]
    if missing:
        raise Damaged(f"it has no '{missing[0]}'")
    unknown = sorted(set(values) - set(USUAL) - {"game", "moves"})
    if unknown:
        raise Damaged(f"'{unknown[0]}' is unknown; a game has game, moves, {', '.join(USUAL)}")
    said = {name: value for name, value in values.items() if value is not None and (value != "" or name not in USUAL)}
    complete = USUAL | said
    numbers = {name: _number(complete[name], kind) for name, kind in NUMBERS.items() if complete[name] is not None}
    texts = {name: clean_text(str(value)) for name, value in complete.items() if name not in NUMBERS and value is not None}
    game = game_from_row(SimpleNamespace(**{**complete, **texts, **numbers}))
    return replace(game, id=game.id if is_id(game.id) else "", record=checked(game.record, find))


def _number(value: Any, kind: type[int] | type[float]) -> int | float:
    try:
        number = kind(value)
    except (ValueError, TypeError, OverflowError) as error:
        raise Damaged(f"a number is not one ({error})") from None
    if not 0 <= number <= LARGEST:
        raise Damaged(f"the number {number} is not between 0 and {LARGEST}")
    return number
