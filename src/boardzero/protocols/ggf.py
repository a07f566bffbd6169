"""GGF, the Generic Game Format of the GGS server, NBoard and other Othello programs: one game a line, `(;GM[Othello]…;)`.

Boards are written row by row: `*` black, `O` white, `-` empty, then the side to move. A move may carry an evaluation and the
seconds it took: `B[d3/1.5/0.3]`. What GGF has no place for (moves of the opening, remarks, what ended a game by a fault) is
not written; seconds are written as a total at each side's last move.
"""

import re
from collections.abc import Callable, Iterator, Sequence

from boardzero.errors import BadInput
from boardzero.events.games import GameRecord, Reason, Result
from boardzero.games.catalogue import find_game
from boardzero.games.position import Position
from boardzero.games.rules import Game
from boardzero.protocols.colours import black_side
from boardzero.protocols.played_moves import PASS, play_words, record_of_file, seconds_of
from boardzero.protocols.property_lists import Damaged, read_properties, trees

PIECES = {"X": "*", "O": "O", ".": "-"}  # our letters → GGF's
LETTERS = {"*": "X", "B": "X", "X": "X", "O": "O", "W": "O", "-": ".", ".": "."}
FLAGS: dict[Reason, str] = {"resignation": ":r", "time": ":t"}
REASONS: dict[str, Reason] = {"r": "resignation", "t": "time", "s": "resignation"}
SIZE = re.compile("[1-9][0-9]?")
DATE = re.compile(r"(\d{4})[.-](\d\d?)[.-](\d\d?)(?!\d)(?:[_ ](\d\d:\d\d:\d\d)[. ](?:GMT|UTC|Z))?", re.ASCII)


# -- writing -----------------------------------------------------------------------------------------------------------
def write_ggf(record: GameRecord) -> str:
    """One game, with a line break at the end; other games than Othello are refused (BadInput)."""
    game = find_game(record.game)
    if game.name != "othello":
        raise BadInput(f"GGF files hold games of Othello, not of {game.specification}.")
    black = black_side(game)
    facts = {
        "GM": "Othello",
        "PC": "boardzero",
        "DT": _date_text(record.ended),
        "PB": _name(record.players[black]),
        "PW": _name(record.players[1 - black]),
        "RE": _result_text(record, game, black),
        "TY": str(game.rows),
        "BO": f"{game.rows} {board_text(record.start)}",
    }
    head = "".join(f"{name}[{value}]" for name, value in facts.items() if value)
    words = game.moves_to_text(game.moves_from_text(record.moves)).split()
    return f"(;{head}{moves_text(game, record.start, words, record.seconds)};)\n"


def board_text(start: str, between: str = " ") -> str:
    """A board and who is to move; between: what stands between two rows."""
    rows, mover = start.split(" ")
    return between.join("".join(PIECES[letter] for letter in row) for row in rows.split("/")) + f" {PIECES[mover]}"


def moves_text(game: Game, start: str, words: Sequence[str], seconds: tuple[float, float] = (0.0, 0.0)) -> str:
    """words: the moves as they are to be written; seconds: that each side took for all of its moves."""
    first, black = game.turn(game.board_from_text(start)), black_side(game)
    sides = [(first + number) % 2 for number in range(len(words))]
    last = {side: number for number, side in enumerate(sides)}
    return "".join(
        f"{'B' if side == black else 'W'}[{word}{_seconds_text(seconds[side]) if last[side] == number else ''}]"
        for number, (side, word) in enumerate(zip(sides, words, strict=True))
    )


def _seconds_text(seconds: float) -> str:
    """Without an exponent, which others do not read."""
    return f"//{seconds:.3f}" if seconds else ""


def _result_text(record: GameRecord, game: Game, black: int) -> str:
    """For black, in discs; a game that ended early counts as won by all of them."""
    if record.result == "unfinished":
        return "?"
    cells = game.rows * game.columns
    if record.reason == "rules":
        final = play_words(game, record.start, [(None, word) for word in record.moves.split()])
        board = final.board.split(" ")[0]
        return f"{board.count('X') - board.count('O'):+.3f}"
    lead = 0 if record.winner is None else cells if record.winner == black else -cells
    return f"{lead:+.3f}{FLAGS.get(record.reason, '')}"


def _date_text(ended: str) -> str:
    match = re.fullmatch(r"(\d{4})-(\d\d)-(\d\d)T(\d\d:\d\d:\d\d)Z", ended)
    return f"{match[1]}.{match[2]}.{match[3]}_{match[4]}.UTC" if match else ended.replace("-", ".")


def _name(text: str) -> str:
    """Values have no way to hold brackets."""
    return " ".join(text.replace("[", "(").replace("]", ")").split())


# -- reading -----------------------------------------------------------------------------------------------------------
def read_ggf(text: str) -> Iterator[Callable[[], GameRecord]]:
    """For each game a function that makes the record or raises Damaged or BadInput."""
    for tree in _games(text):
        yield lambda content=tree: _record(content)  # type: ignore[misc]


def read_position(text: str) -> Position:
    """The first game of a text, played through; Damaged or BadInput."""
    for tree in _games(text):
        return _play(*_facts_and_moves(tree))[0]
    raise Damaged("there is no game, which begins with (; and ends with ;)")


def _games(text: str) -> Iterator[str]:
    return (tree for tree in trees(text, escapes=False) if tree.startswith("(;"))


def _record(content: str) -> GameRecord:
    facts, moves = _facts_and_moves(content)
    position, seconds = _play(facts, moves)
    black = black_side(position.game)
    players = (facts.get("PB") or "?", facts.get("PW") or "?")
    cells = position.game.rows * position.game.columns
    said = None if "KM" in facts else _said(facts.get("RE", "?"), black, cells)  # komi moves the result away from the discs
    return record_of_file(
        position,
        players if black == 0 else (players[1], players[0]),
        said,
        ended=_date(facts.get("DT", "")),
        seconds=(round(seconds[0], 4), round(seconds[1], 4)),
    )


def _facts_and_moves(content: str) -> tuple[dict[str, str], list[tuple[str, str]]]:
    """What is said of the game, and its moves: B or W, and the value."""
    if not content.endswith(")"):
        raise Damaged("the game is cut short")
    facts: dict[str, str] = {}
    moves: list[tuple[str, str]] = []
    for name, values in read_properties(content[2:-1].rstrip("; \r\n\t"), escapes=False):
        if name in ("B", "W"):
            moves.append((name, values[0]))
        else:
            facts[name] = " ".join(values[0].split())
    return facts, moves


def _play(facts: dict[str, str], moves: list[tuple[str, str]]) -> tuple[Position, list[float]]:
    """The position at the end, and the seconds of each side."""
    if facts.get("GM", "").lower() not in ("othello", "reversi"):
        raise Damaged(f"it is a game of '{facts.get('GM', 'nothing')}'; only Othello is read from GGF")
    if "a" in facts.get("TY", "").lower():
        raise Damaged(f"it is anti-Othello (TY[{facts['TY']}])")
    game, start = _game_and_start(facts)
    black = black_side(game)
    seconds = [0.0, 0.0]
    words = []
    for colour, value in moves:
        side = black if colour == "B" else 1 - black
        word, spent = parse_move(value)
        seconds[side] += spent
        words.append((side, word))
    return play_words(game, start, words), seconds


def _game_and_start(facts: dict[str, str]) -> tuple[Game, str | None]:
    if "BO" not in facts:
        return find_game("othello"), None
    words = facts["BO"].split() or [""]
    size, cells, mover = words[0], "".join(words[1:-1]), words[-1]
    if len(words) == 2:  # the board and the side to move stand together
        cells, mover = words[1][:-1], words[1][-1]
    unknown = set(cells + mover) - set(LETTERS)
    if unknown or not SIZE.fullmatch(size) or len(cells) != int(size) ** 2 or LETTERS.get(mover) not in ("X", "O"):
        raise Damaged(f"its board BO[{facts['BO'][:30]}…] is not a board")
    letters = "".join(LETTERS[letter] for letter in cells)
    rows = "/".join(letters[row : row + int(size)] for row in range(0, len(letters), int(size)))
    start = f"{rows} {LETTERS[mover]}"
    white = find_game(f"othello:size={size},first=white")
    is_whites = start == white.board_to_text(white.initial_state())
    return (white if is_whites else find_game(f"othello:size={size}")), start


def parse_move(value: str) -> tuple[str, float]:
    """A move in our notation, and the seconds it took."""
    parts = value.strip().split("/")
    word = parts[0].strip().lower()
    spent = seconds_of(parts[2]) if len(parts) > 2 else 0.0
    return PASS if word in ("pa", "pass", "ps", "--") else word, spent


def _said(text: str, black: int, cells: int) -> tuple[Result, Reason] | None:
    """None for what is no lead in discs: `?`, or the −127 that Edax writes of games that are not over."""
    number, _, flag = text.partition(":")
    try:
        lead = float(number)
    except ValueError:
        return None
    if not abs(lead) <= cells:
        return None
    result: Result = "draw" if lead == 0 else ("first", "second")[black if lead > 0 else 1 - black]
    return result, REASONS.get(flag.strip().lower()[:1], "rules")


def _date(text: str) -> str:
    match = DATE.match(text)
    if match is None:
        year = re.match(r"\d{4}(?!\d)", text)
        return year[0] if year else ""
    day = f"{match[1]}-{match[2]:0>2}-{match[3]:0>2}"
    return f"{day}T{match[4]}Z" if match[4] else day
