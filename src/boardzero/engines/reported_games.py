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
from boardzero.engines.told_stones import told_stones
from boardzero.errors import BadInput
from boardzero.events.games import GameRecord, Reason, Result
from boardzero.games.catalogue import find_game
from boardzero.games.position import Position
from boardzero.storage.listeners import log_game
from boardzero.storage.log import GameLog

OPPONENT, STRONGEST = "opponent", "boardzero"
NOT_TOLD = "the last move was not told to the engine"


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
    stones = report["stones"]
    told = told_stones(report["size"], report["rule"], stones, we_are_next=not stones[-1][2]) if stones else None
    if told is None:
        return None
    try:
        position = Position(find_game(told.position.game), board=told.position.start)
        for action in told.position.actions:
            if not position.over:
                position.play(action)
    except BadInput:
        return None
    return _Played(position, [told.own_side])


def _say(sentence: str) -> None:
    print(sentence, file=sys.stderr, flush=True)
