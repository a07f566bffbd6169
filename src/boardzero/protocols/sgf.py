"""SGF, the Smart Game Format (FF[4]): one game tree a game; the main line is read, variations and comments are not.

Othello (GM[2]) and Gomoku (GM[4]) are written as others write them: set-up stones in AB and AW, who begins in PL, Gomoku's
rule in RU. Gomoku's points are two letters, column then row, from the top left; Othello's are in its own notation (`f5`), and
a pass is `PA`, as Edax has them, the program of its world that reads SGF. Othello's points are read as two letters too, and
passes as nothing, `tt` or `pass`.

Games that SGF has no number for (Connect Four, Latrunculi, …) have GM[0] and our own properties, which other programs skip:
XG the game's specification, XB the board at the start where it is not the usual one; moves are in the game's notation. Every
game may have XD (the moment of its end, as DT holds days only), XO (moves of the opening), XT (seconds that each side
thought), XE (what ended it, where RE cannot say so).
"""

import re
from collections.abc import Callable, Iterator
from functools import cache
from importlib.metadata import version
from typing import get_args

from boardzero.errors import BadInput
from boardzero.events.games import GameRecord, Reason, Result
from boardzero.games.catalogue import find_game
from boardzero.games.notation import cell_from_text, cell_to_text
from boardzero.games.position import Position
from boardzero.games.rules import Game
from boardzero.protocols.colours import black_side
from boardzero.protocols.played_moves import PASS, is_usual_start, play_words, record_of_file, seconds_of
from boardzero.protocols.property_lists import Damaged, marks, read_properties, trees

OTHELLO, GOMOKU, OTHER = "2", "4", "0"
LETTERS = "abcdefghijklmnopqrstuvwxyz"
COLOURS = ("B", "W")
PASSES = ("", "tt", "pa", "pass")
RULES = {"freestyle": "freestyle", "free": "freestyle", "gomoku": "freestyle", "standard": "standard"}
END_LETTERS: dict[Reason, str] = {"rules": "", "resignation": "R", "time": "T", "illegal move": "F", "failure": "F"}
ENDS: dict[str, Reason] = {"r": "resignation", "t": "time", "f": "failure"}
UNSAID: dict[Result, tuple[Reason, ...]] = {  # ends that RE cannot tell, where they differ from those of a won game
    "unfinished": (),
    "draw": ("illegal move", "stopped", "time", "failure"),
}
OPEN_RESULTS = ("", "?", "void")
RESULT = re.compile(r"([bw])\+(.*)", re.IGNORECASE)
NUMBER = re.compile("[0-9]{1,6}")
DAY = len("2031-01-31")
PROGRAM = "boardzero"
MOVES_A_LINE = 12

Properties = dict[str, list[str]]


# -- writing -----------------------------------------------------------------------------------------------------------
def write_sgf(record: GameRecord, game_id: str = "") -> str:
    """One game tree, with a line break at the end."""
    game = find_game(record.game)
    colours = _colours(game)
    number = {"othello": OTHELLO, "gomoku": GOMOKU}.get(game.name, OTHER)
    names = dict(zip(colours, record.players, strict=True))
    facts = {
        "FF": "4",
        "GM": number,
        "CA": "UTF-8",
        "AP": _program(),
        "GN": game_id,
        "SZ": str(game.rows) if game.rows == game.columns else f"{game.columns}:{game.rows}",
        "PB": names["B"],
        "PW": names["W"],
        "DT": record.ended[:DAY],
        "RE": _result_text(record, game),
        "RU": getattr(game.parameters, "rule", ""),
        "XD": record.ended if len(record.ended) > DAY else "",
        "XO": str(record.opening) if record.opening else "",
        "XT": " ".join(map(str, record.seconds)) if any(record.seconds) else "",
        "XE": record.reason if record.reason in UNSAID.get(record.result, ("illegal move", "stopped")) else "",
        "GC": record.remark,
    }
    head = "".join(f"{name}[{_escape(value)}]" for name, value in facts.items() if value)
    moves = _moves_text(record, game, number)
    return f"(;{head}{_start_text(record, game, number)}\n{moves})\n"


@cache
def _program() -> str:
    """Our name and version, which it takes as long to find out as to write a game."""
    return f"{PROGRAM}:{version(PROGRAM)}"


def _colours(game: Game) -> tuple[str, str]:
    """What the first and the second side are called: Black begins, but where the game says otherwise."""
    return ("W", "B") if black_side(game) == 1 else ("B", "W")


def _start_text(record: GameRecord, game: Game, number: str) -> str:
    usual = is_usual_start(record, game)
    if number == OTHER:
        return f"XG[{_escape(game.specification)}]" + ("" if usual else f"XB[{_escape(record.start)}]")
    if usual and number == GOMOKU:
        return ""
    variant = f"XG[{_escape(game.specification)}]" if _colours(game)[0] == "W" else ""
    state = game.board_from_text(record.start)
    stones: dict[str, list[str]] = {"B": [], "W": []}
    for cell, piece in enumerate(game.cells(state).reshape(-1)):
        if piece:
            stones[_colours(game)[piece - 1]].append(f"[{_point(cell, game, number)}]")
    said = "".join(f"A{colour}{''.join(points)}" for colour, points in stones.items() if points)
    return variant + said + f"PL[{_colours(game)[game.turn(state)]}]"


def _moves_text(record: GameRecord, game: Game, number: str) -> str:
    side = game.turn(game.board_from_text(record.start))
    words = []
    for ply, action in enumerate(game.moves_from_text(record.moves)):
        text = game.action_to_text(action)
        if number != OTHER:
            text = "PA" if text == PASS else _point(action, game, number)
        end = "\n" if ply % MOVES_A_LINE == MOVES_A_LINE - 1 else ""
        words.append(f";{_colours(game)[(side + ply) % 2]}[{_escape(text)}]{end}")
    return "".join(words)


def _point(cell: int, game: Game, number: str) -> str:
    if number == OTHELLO:
        return cell_to_text(cell, game.rows, game.columns, game.rank_one_on_top)
    row, column = divmod(cell, game.columns)
    return LETTERS[column] + LETTERS[row]


def _result_text(record: GameRecord, game: Game) -> str:
    if record.winner is None:
        return "Draw" if record.result == "draw" else "Void"
    end = END_LETTERS.get(record.reason, "")
    if game.name == "othello" and record.reason == "rules":
        board = Position(game, record.moves, board=record.start).board.split(" ")[0]
        end = str(abs(board.count("X") - board.count("O")))
    return f"{_colours(game)[record.winner]}+{end}"


def _escape(text: str) -> str:
    return re.sub(r"([\\\]])", r"\\\1", " ".join(text.split()))


# -- reading -----------------------------------------------------------------------------------------------------------
def read_sgf(text: str, find: Callable[[str], Game]) -> Iterator[tuple[str, Callable[[], GameRecord]]]:
    """Each game: the id that we once wrote (or nothing), and a function that makes the record or raises Damaged or BadInput.

    find: the game that a specification names.
    """
    for tree in trees(text, escapes=True):
        try:
            nodes = [dict(read_properties(node, escapes=True)) for node in _main_line(tree)]
        except Damaged as damage:
            yield "", _raiser(damage)
            continue
        root = nodes[0] if nodes else {}
        name = _text(root, "GN")
        yield name if re.fullmatch(r"[0-9a-f]{32}", name) else "", lambda nodes=nodes: _record(nodes, find)  # type: ignore[misc]


def _raiser(damage: Damaged) -> Callable[[], GameRecord]:
    def make() -> GameRecord:
        raise damage

    return make


def _main_line(tree: str) -> list[str]:
    """The nodes from the root along each first variation, as texts without their `;`."""
    nodes: list[str] = []
    begun: int | None = None
    for position, mark in marks(tree, escapes=True):
        if mark in "();" and begun is not None:
            nodes.append(tree[begun:position])
            begun = None
        if mark == ";":
            begun = position + 1
        elif mark == ")":
            return nodes  # the first variation ends here; the others are not the game
    raise Damaged("the game is cut short")


def _record(nodes: list[Properties], find: Callable[[str], Game]) -> GameRecord:
    # Set-up and facts come before the first move, sometimes in nodes of their own, sometimes together with it.
    facts: Properties = {}
    for node in nodes:
        facts = {**node, **facts}
        if set(COLOURS) & set(node):
            break
    moves = [(name, values[0]) for node in nodes for name, values in node.items() if name in COLOURS]
    number = _text(facts, "GM") or "1"
    candidates = [find(_text(facts, "XG"))] if "XG" in facts else _candidates(facts, number)
    for last, game in enumerate(candidates, 1):
        try:
            return _played(game, facts, moves, number)
        except BadInput:
            if last == len(candidates):
                raise
    raise Damaged("no game fits")


def _candidates(facts: Properties, number: str) -> list[Game]:
    """The games that the moves may belong to; Gomoku whose rule is not said may be of either."""
    if number not in (OTHELLO, GOMOKU):
        raise Damaged(f"it is of game number {number}; Othello (2), Gomoku (4) and boardzero's own games (XG) can be read")
    size = _text(facts, "SZ") or ("8" if number == OTHELLO else "15")
    columns, _, rows = size.partition(":")
    if rows not in ("", columns) or not NUMBER.fullmatch(columns):
        raise Damaged(f"its board has size {size}; only square boards can be read")
    if number == OTHELLO:
        return [find_game(f"othello:size={columns}")]
    said = _text(facts, "RU").lower()
    if said and said not in RULES:
        raise Damaged(f"its rule '{said}' is unknown; freestyle and standard are known")
    rules = [RULES[said]] if said else ["freestyle", "standard"]
    return [find_game(f"gomoku:size={columns},rule={rule}") for rule in rules]


def _played(game: Game, facts: Properties, moves: list[tuple[str, str]], number: str) -> GameRecord:
    if number == OTHELLO and "XG" not in facts and _begins_white(facts, moves, game):
        game = find_game(f"othello:size={game.rows},first=white")
    colours = _colours(game)
    start = _text(facts, "XB") or _start_of(facts, game, colours)
    words = [(colours.index(colour), _word(value, game, number)) for colour, value in moves]
    position = play_words(game, start, words)
    names = {"B": _text(facts, "PB") or "?", "W": _text(facts, "PW") or "?"}
    opening = _text(facts, "XO")
    spent = [*_text(facts, "XT").split(), "0", "0"]
    said = _said(_text(facts, "RE"), colours)
    reason = next((known for known in get_args(Reason) if known == _text(facts, "XE")), None)
    if said is not None and reason is not None:
        said = said[0], reason
    return record_of_file(
        position,
        (names[colours[0]], names[colours[1]]),
        said,
        ended=date_of(_text(facts, "XD") or _text(facts, "DT")),
        seconds=(seconds_of(spent[0]), seconds_of(spent[1])),
        opening=min(int(opening), len(position.actions)) if NUMBER.fullmatch(opening) else 0,
        remark=_text(facts, "GC") if "XG" in facts or _text(facts, "AP").startswith(PROGRAM) else "",
    )


def _begins_white(facts: Properties, moves: list[tuple[str, str]], game: Game) -> bool:
    """White begins from the usual set-up: that is a game of its own here (from others, the board tells who is to move)."""
    first = _text(facts, "PL")[:1].upper() or (moves[0][0] if moves else "B")
    if first != "W":
        return False
    board = _start_of({**facts, "PL": ["B"]}, game, ("B", "W"))
    return board is None or board == game.board_to_text(game.initial_state())


def _start_of(facts: Properties, game: Game, colours: tuple[str, str]) -> str | None:
    """The board that AB, AW and PL set up; None if they do not."""
    stones = {"AB": facts.get("AB", []), "AW": facts.get("AW", [])}
    if not any(stones.values()):
        return None
    cells = [["."] * game.columns for _ in range(game.rows)]
    for name, points in stones.items():
        for point in points:
            for row, column in _area(point, game):
                cells[row][column] = game.pieces[1 + colours.index(name[1])].letter
    counts = [sum(row.count(game.pieces[1 + side].letter) for row in cells) for side in (0, 1)]
    said = _text(facts, "PL")[:1].upper()
    usual = 0 if game.name == "othello" else counts[0] - counts[1]  # stones alternate in Gomoku
    turn = colours.index(said) if said in colours else min(max(usual, 0), 1)
    return "/".join("".join(row) for row in cells) + f" {game.players[turn]}"


def _area(point: str, game: Game) -> Iterator[tuple[int, int]]:
    """A point, or all points of a rectangle: `aa:cc`."""
    ends = [_cell(end, game) for end in point.split(":")]
    (top, left), (bottom, right) = (divmod(cell, game.columns) for cell in (ends[0], ends[-1]))
    yield from ((row, column) for row in range(top, bottom + 1) for column in range(left, right + 1))


def _word(value: str, game: Game, number: str) -> str:
    """A move in our notation."""
    text = _unescape(value)
    if number not in (OTHELLO, GOMOKU):
        return text
    if number == OTHELLO and text.lower() in PASSES:  # all of them are points of a large board of Gomoku, or no move at all
        return PASS
    return cell_to_text(_cell(text, game), game.rows, game.columns, game.rank_one_on_top)


def _cell(text: str, game: Game) -> int:
    word = text.strip().lower()
    if len(word) == 2 and word.isascii() and word.isalpha():
        column, row = (LETTERS.index(letter) for letter in word)
        if row < game.rows and column < game.columns:
            return row * game.columns + column
    named = cell_from_text(word, game.rows, game.columns, game.rank_one_on_top)
    if named is None:
        raise Damaged(f"'{text}' is not a point of a board of {game.rows}×{game.columns}")
    return named


def _said(text: str, colours: tuple[str, str]) -> tuple[Result, Reason] | None:
    word = text.strip().lower()
    if word in OPEN_RESULTS:
        return ("unfinished", "stopped") if word == "void" else None
    if word in ("0", "draw", "jigo"):
        return "draw", "rules"
    match = RESULT.fullmatch(word)
    if match is None:
        return None
    winner: Result = ("first", "second")[colours.index(match[1].upper())]
    return winner, ENDS.get(match[2][:1], "rules")


def date_of(text: str) -> str:
    """What is a date at the beginning of the text, as the log writes it; a day, a month or a year stay what they are."""
    match = re.match(r"\d{4}(-\d\d(-\d\d(T\d\d:\d\d:\d\dZ)?)?)?", text.strip())
    return match[0] if match else ""


def _text(facts: Properties, name: str) -> str:
    return _unescape(facts.get(name, [""])[0])


def _unescape(value: str) -> str:
    without_soft_breaks = re.sub(r"\\\r?\n", "", value)
    return " ".join(re.sub(r"\\(.)", r"\1", without_soft_breaks, flags=re.DOTALL).split())
