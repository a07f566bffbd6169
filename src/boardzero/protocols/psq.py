"""PSQ, the files of Piskvork, the manager of the Gomocup: one game of Gomoku a file.

    Piskvorky 15x15, 11:11, 0     columns × rows, levels of the two players, which of them began (0 or 1)
    8,8,1250                      column and row from the top left, from 1; milliseconds
    …
    pbrain-first                  names of the players, in files of tournaments
    pbrain-second
    -1                            what went wrong; −1: nothing, 15: who was to move lost on time
    1,Freestyle                   who won (1, 2; 0: nobody) and the rule, in files of newer managers

Older files do not say the rule: the moves are tried free-style first. What PSQ has no place for (date, moves of the opening,
remarks, other ends of a game) is not written; seconds are written as a total at each side's last move.
"""

import re
from collections.abc import Callable, Iterator

from boardzero.errors import BadInput
from boardzero.events.games import GameRecord, Reason, Result
from boardzero.games.catalogue import find_game
from boardzero.games.notation import cell_to_text
from boardzero.protocols.played_moves import is_usual_start, play_words, record_of_file
from boardzero.protocols.property_lists import Damaged

HEADER = re.compile(r"Piskvorky\s+(\d{1,6})x(\d{1,6})\s*,\s*\d+:\d+\s*,\s*(\d)", re.IGNORECASE)
MOVE = re.compile(r"(\d{1,6})\s*,\s*(\d{1,6})(?:\s*,\s*(\d{1,12}))?")
LIKE_A_MOVE = re.compile(r"\d+\s*,")  # how half a move begins, too
CODE = re.compile(r"-?\d{1,6}")
ENDING = re.compile(r"(\d)\s*,\s*([A-Za-z]\w*)")
RULES = {"freestyle": "freestyle", "standard": "standard"}
WINNERS: dict[str, Result] = {"0": "draw", "1": "first", "2": "second"}
NOTHING, TIMEOUT = "-1", "15"  # codes of what went wrong
LEVEL = 11  # of players whose time is set by themselves


# -- writing -----------------------------------------------------------------------------------------------------------
def write_psq(record: GameRecord) -> str:
    """One game; other games than Gomoku, and games from set-up boards, are refused (BadInput)."""
    game = find_game(record.game)
    if game.name != "gomoku":
        raise BadInput(f"PSQ files hold games of Gomoku, not of {game.specification}.")
    if not is_usual_start(record, game):
        raise BadInput("PSQ files cannot hold a game that begins from a set-up board.")
    actions = game.moves_from_text(record.moves)
    lines = [f"Piskvorky {game.columns}x{game.rows}, {LEVEL}:{LEVEL}, 0"]
    for number, action in enumerate(actions):
        row, column = divmod(action, game.columns)
        is_last = number >= len(actions) - 2
        lines.append(f"{column + 1},{row + 1},{round(1000 * record.seconds[number % 2]) if is_last else 0}")
    winner = {"first": 1, "second": 2, "draw": 0}.get(record.result)
    rule = getattr(game.parameters, "rule", "freestyle").capitalize()
    lines += [*(_name(player) for player in record.players), TIMEOUT if record.reason == "time" else NOTHING]
    lines += [f"{winner},{rule}" if winner is not None else f"9,{rule}"]
    return "\n".join(lines) + "\n"


def _name(player: str) -> str:
    """Not what would be taken for a move, a code or the end."""
    text = " ".join(player.split()) or "?"
    return f"player {text}" if CODE.fullmatch(text) or LIKE_A_MOVE.match(text) else text


# -- reading -----------------------------------------------------------------------------------------------------------
def read_psq(text: str) -> Iterator[Callable[[], GameRecord]]:
    """For each game (a file may hold several, one after another) a function that makes the record or raises."""
    starts = [found.start() for found in HEADER.finditer(text)]
    if not starts:
        if text.strip():
            yield _not_psq
        return
    for first, end in zip(starts, [*starts[1:], len(text)], strict=True):
        yield lambda part=text[first:end]: _record(part)  # type: ignore[misc]


def _not_psq() -> GameRecord:
    raise Damaged("it does not begin like 'Piskvorky 15x15, 11:11, 0'")


def _record(text: str) -> GameRecord:
    header = HEADER.match(text)
    assert header is not None
    columns, rows, beginner = (int(header[group]) for group in (1, 2, 3))
    if rows != columns:
        raise Damaged(f"its board is {columns}×{rows}; only square boards can be read")
    lines = [line.strip() for line in text[header.end() :].splitlines()]
    cells: list[tuple[int, int]] = []
    seconds = [0.0, 0.0]
    rest = [line for line in lines if line]
    while rest and (move := MOVE.fullmatch(rest[0])) is not None:
        column, row = int(move[1]) - 1, int(move[2]) - 1
        if not (0 <= column < columns and 0 <= row < rows):
            raise Damaged(f"move {len(cells) + 1}, {rest[0]}, is not on a board of {columns}×{rows}")
        seconds[len(cells) % 2] += int(move[3] or 0) / 1000
        cells.append((row, column))
        rest.pop(0)
    _refuse_cut_short(text, cells, rest)
    return _played(columns, cells, (round(seconds[0], 4), round(seconds[1], 4)), rest, beginner)


def _refuse_cut_short(text: str, cells: list[tuple[int, int]], rest: list[str]) -> None:
    """Half a line would be taken for another move, a name or a code; only what stands last anyway may lack its line end."""
    half = next((line for line in rest if LIKE_A_MOVE.match(line) and not ENDING.fullmatch(line)), None)
    if half is not None:
        raise Damaged(f"the game is cut short or damaged: '{half[:20]}' is not a move")
    last = rest[-1] if rest else ""
    is_whole = text.endswith(("\n", "\r")) or last == NOTHING or ENDING.fullmatch(last)
    if not is_whole or not (cells or rest):
        raise Damaged("the game is cut short")


def _played(
    size: int, cells: list[tuple[int, int]], seconds: tuple[float, float], rest: list[str], beginner: int
) -> GameRecord:
    names = [line for line in rest if not CODE.fullmatch(line) and not ENDING.fullmatch(line)]
    names = [*names[:2], "?", "?"]
    on_time = TIMEOUT in rest
    ending = next((found for line in rest if (found := ENDING.fullmatch(line))), None)
    rule = ending[2].lower() if ending else ""
    if rule and rule not in RULES:
        raise Damaged(f"its rule '{rule}' is unknown; freestyle and standard are known")
    players = (names[0], names[1]) if beginner == 0 else (names[1], names[0])
    said: tuple[Result, Reason] | None = None
    if ending and ending[1] in WINNERS:
        said = WINNERS[ending[1]], "time" if on_time else "rules"
    elif on_time:
        said = ("first" if len(cells) % 2 else "second"), "time"
    candidates = [RULES[rule]] if rule else ["freestyle", "standard"]
    for last, candidate in enumerate(candidates, 1):
        game = find_game(f"gomoku:size={size},rule={candidate}")
        words = [cell_to_text(row * size + column, size, size, game.rank_one_on_top) for row, column in cells]
        try:
            position = play_words(game, None, [(None, word) for word in words])
        except BadInput:
            if last == len(candidates):
                raise
        else:
            return record_of_file(position, players, said, seconds=seconds)
    raise Damaged("no rule fits")
