"""Moves from files of others, played one by one: passes that a file leaves out are put in, and colours are checked."""

from collections.abc import Sequence

from boardzero.errors import BadInput
from boardzero.events.games import GameRecord, Reason, Result
from boardzero.games.position import Position
from boardzero.games.rules import Game
from boardzero.protocols.property_lists import Damaged

PASS = "pass"
LONGEST = 2**31 - 1  # seconds, more than anybody thinks


def play_words(game: Game, start: str | None, moves: Sequence[tuple[int | None, str]]) -> Position:
    """The position after the moves: (0 or 1 for the side that the file says moved, or None; the move in our notation)."""
    position = Position(game, board=start)
    for number, (side, word) in enumerate(moves, 1):
        if word != PASS and _must_pass(position):
            position.play(PASS)
        if side is not None and side != position.turn and not position.over:
            raise BadInput(f"Move {number}, {word}, is by the wrong side: it is {game.players[position.turn]}'s turn.")
        position.play(word)
    return position


def _must_pass(position: Position) -> bool:
    legal = position.legal_actions()
    return len(legal) == 1 and position.game.action_to_text(legal[0]) == PASS


def record_of_file(
    position: Position,
    players: tuple[str, str],
    said: tuple[Result, Reason] | None,
    ended: str = "",
    seconds: tuple[float, float] = (0.0, 0.0),
    opening: int = 0,
    remark: str = "",
) -> GameRecord:
    """said: what the file says about the result, if it does; where the rules ended the game, they decide."""
    if position.over:
        winner = position.winner
        by_rules: Result = "draw" if winner is None else ("first", "second")[winner]
        if said is not None and said[0] not in (by_rules, "unfinished"):
            raise Damaged(f"the file says that {_told(said[0])}, but by the rules {_told(by_rules)}")
        said = by_rules, "rules"
    result, reason = said or ("unfinished", "stopped")
    if result == "unfinished":
        reason = "stopped"
    elif reason == "rules" and not position.over:
        reason = "resignation"  # somebody won, or both agreed, before the rules said so
    return GameRecord(
        game=position.game.specification,
        players=players,
        start=position.game.board_to_text(position.start),
        moves=position.moves,
        opening=opening,
        plies=len(position.actions),
        result=result,
        reason=reason,
        seconds=seconds,
        ended=ended,
        remark=remark,
    )


def seconds_of(text: str) -> float:
    """What a file says that somebody thought; 0 for what is no such number."""
    try:
        seconds = float(text)
    except ValueError:
        return 0.0
    return seconds if 0 <= seconds <= LONGEST else 0.0


def is_usual_start(record: GameRecord, game: Game) -> bool:
    return record.start == game.board_to_text(game.initial_state())


def _told(result: Result) -> str:
    return {"first": "the first side won", "second": "the second side won", "draw": "it was a draw"}.get(result, "it goes on")
