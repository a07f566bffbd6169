"""Games from outside are checked by playing them."""

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, date, datetime
from typing import cast, get_args

from boardzero.errors import BadInput
from boardzero.events.games import GameRecord, Reason, Result
from boardzero.games.catalogue import find_game
from boardzero.games.position import Position
from boardzero.games.rules import Game
from boardzero.protocols.property_lists import Damaged
from boardzero.settings.specification import split_specification

FindGame = Callable[[str], Game]


def known_game(specification: str) -> Game:
    """A game whose rules boardzero has. Those in files of users are refused: no file of games has a program run."""
    name, _ = split_specification(specification)
    if name.endswith(".py"):
        raise BadInput(f"Its rules are a program, '{name}'; --trust lets it run.")
    return find_game(specification)


def checked(record: GameRecord, find: FindGame) -> GameRecord:
    """The record in the words that we use; one that the rules contradict is refused (Damaged, BadInput).

    Without a start the game begins as usual; without a result it is the one that the moves lead to.
    """
    for value, allowed in ((record.result, get_args(Result)), (record.reason, get_args(Reason))):
        if value and value not in allowed:
            raise Damaged(f"'{value}' is not one of {', '.join(allowed)}")
    ended = moment_of(record.ended)
    if ended is None:
        raise Damaged(f"'{record.ended}' is not a date; write it like 2031-01-31 or 2031-01-31T12:00:00Z")
    position = Position(find(record.game), record.moves, board=record.start or None)
    result: str = record.result
    reason: str = record.reason
    if position.over:
        by_rules = "draw" if position.winner is None else ("first", "second")[position.winner]
        if result not in ("", by_rules):
            raise Damaged(f"its result is '{result}', but by the rules it is '{by_rules}'")
        result, reason = by_rules, "rules"
    elif reason == "rules":
        raise Damaged(f"it should have ended by the rules, but after {len(position.actions)} moves it goes on")
    else:
        result = result or "unfinished"
        reason = reason or ("stopped" if result == "unfinished" else "resignation")
    if not 0 <= record.opening <= len(position.actions):
        raise Damaged(f"{record.opening} of its {len(position.actions)} moves are said to be the opening")
    return replace(
        record,
        game=position.game.specification,
        start=position.game.board_to_text(position.start),
        moves=position.moves,
        plies=len(position.actions),
        result=cast(Result, result),
        reason=cast(Reason, reason),
        ended=ended,
    )


def moment_of(text: str) -> str | None:
    """A date as the log writes it, in UTC; a day, a month or a year stay what they are. None for what is no date."""
    text = text.strip()
    if not text or re.fullmatch(r"\d{4}(-(0[1-9]|1[0-2]))?", text, re.ASCII):
        return text
    try:
        if re.fullmatch(r"\d{4}-\d\d-\d\d", text, re.ASCII):
            return date.fromisoformat(text).isoformat()
        moment = datetime.fromisoformat(text)
        moment = moment.replace(tzinfo=moment.tzinfo or UTC).astimezone(UTC)
    except (ValueError, OverflowError):
        return None
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")
