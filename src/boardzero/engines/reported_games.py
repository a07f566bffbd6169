"""What an engine knows of a game that it played, as a record for the game log.

It knows its own side only: the other is the `opponent`. Many managers do not tell it the move that ends a game. If the opponent
was to move when the game was ended, and could end it by the rules in one way only, that is what is taken to have happened.
"""

import sys
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from typing import Any

from boardzero.arena.game import SIDES, record_of
from boardzero.engines.game_reports import GameReport
from boardzero.errors import BadInput
from boardzero.events.games import GameRecord, Reason, Result
from boardzero.games.catalogue import find_game
from boardzero.games.position import Position
from boardzero.storage.listeners import log_game
from boardzero.storage.log import GameLog

OPPONENT, STRONGEST = "opponent", "boardzero"
NOT_TOLD = "the last move was not told to the engine"
LETTERS = "XO"


def log_reports(conversation: dict[str, Any], first: GameReport, following: Callable[[], GameReport | None]) -> None:
    """Log games, the first and all that follow, until there is none."""
    player, source = conversation["player"] or STRONGEST, f"engine:{conversation['protocol']}"
    report: GameReport | None = first
    try:
        with GameLog(conversation["database"], _say, patient=True) as log:
            while report is not None:
                record = record_of_report(report, player)
                if record is not None:
                    log_game(log, record, source)
                report = following()
    except BadInput as error:  # it was checked when the engine was started, and is something else by now
        _say(f"Games could not be logged: {error}")


def record_of_report(report: GameReport, player: str) -> GameRecord | None:
    """None for what is no game by the rules: nothing was played, or the manager has put stones as it liked."""
    played = _from_stones(report) if "stones" in report else _from_position(report)
    if played is None or not played.position.actions:
        return None
    names = [player if side in played.own else OPPONENT for side in range(2)]
    result, reason, remark = _ending(played)
    record = record_of(played.position, names, result=result, reason=reason, remark=remark)
    return replace(record, ended=report.get("ended", record.ended))


@dataclass(frozen=True)
class _Played:
    """A game, and the sides that the engine had in it."""

    position: Position
    own: Collection[int]


def _ending(played: _Played) -> tuple[Result, Reason, str]:
    position = played.position
    if position.over:
        return _result(position), "rules", ""
    if position.turn not in played.own:
        ends = set()
        for action in position.legal_actions():
            after = position.copy()
            after.play(action)
            if after.over:
                ends.add(_result(after))
        if len(ends) == 1:
            return ends.pop(), "stopped", NOT_TOLD
    return "unfinished", "stopped", ""


def _result(position: Position) -> Result:
    return "draw" if position.winner is None else SIDES[position.winner]


def _from_position(report: GameReport) -> _Played | None:
    try:
        return _Played(Position(find_game(report["game"]), report["moves"], board=report["start"]), report["own"])
    except BadInput:
        return None


def _from_stones(report: GameReport) -> _Played | None:
    """Stones in the order in which they came; those before the sides alternate were set up, and are the start."""
    for given in range(len(report["stones"])):
        played = _after(report, given)
        if played is not None:
            return played
    return None


def _after(report: GameReport, given: int) -> _Played | None:
    """The game in which so many stones were set up before it began."""
    size, stones = report["size"], report["stones"]
    start, moves = stones[:given], [own for _, _, own in stones[given:]]
    more = sum(1 if own else -1 for _, _, own in start)  # how many more of the start are ours
    we_move = moves[0]
    we_began = we_move if more == 0 else more > 0
    alternate = all(own == (we_move == (ply % 2 == 0)) for ply, own in enumerate(moves))
    if not alternate or abs(more) > 1 or (more != 0 and we_move == we_began):
        return None
    cells = {(x, y): LETTERS[own != we_began] for x, y, own in start}
    rows = ("".join(cells.get((x, y), ".") for x in range(size)) for y in range(size))
    board = f"{'/'.join(rows)} {LETTERS[we_move != we_began]}"
    try:
        position = Position(find_game(f"gomoku:size={size},rule={report['rule']}"), board=board)
        for x, y, _ in stones[given:]:
            if not position.over:
                position.play(y * size + x)
    except BadInput:
        return None
    return _Played(position, [0 if we_began else 1])


def _say(sentence: str) -> None:
    print(sentence, file=sys.stderr, flush=True)
