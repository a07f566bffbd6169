"""What happened in games between players."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

Result = Literal["first", "second", "draw", "unfinished"]
Reason = Literal["rules", "time", "illegal move", "failure", "resignation", "stopped"]


@dataclass(frozen=True)
class GameRecord:
    """One game between two players; everything in it is plain text and numbers, ready to be stored."""

    game: str  # specification: `connect4:rows=5`
    players: tuple[str, str]  # specifications: who played the first and who the second side
    start: str  # the board before the first move, as one line of text
    moves: str  # all moves in the game's notation, those of the opening too
    opening: int  # how many of the moves were given before the players began
    plies: int  # how many moves there are in all
    result: Result  # which side won
    reason: Reason  # what ended the game
    seconds: tuple[float, float]  # how long each side thought
    ended: str  # when, in UTC: `2031-01-31T12:00:00Z`
    remark: str = ""  # what went wrong, where something did

    @property
    def winner(self) -> int | None:
        """0 or 1 for a side that won, otherwise None."""
        return {"first": 0, "second": 1}.get(self.result)

    @property
    def is_fault(self) -> bool:
        """Was the game lost by something else than the rules or a resignation?"""
        return self.reason in ("time", "illegal move", "failure")


@dataclass(frozen=True)
class PlayedGame:
    """A game that the rules ended, whoever played it."""

    start: str  # the board before the first move, as one line of text
    moves: str  # all moves in the game's notation, those of the opening too
    opening: int  # how many of the moves were given before the players began
    plies: int  # how many moves there are in all
    result: Result  # which side won


@dataclass(frozen=True)
class GamePlayed:
    """A game of a match is over."""

    players: tuple[str, str]  # the two sides of the match, as the match calls them
    number: int  # how many games of the match have been played, this one included
    planned: int  # how many the match may have
    points: tuple[float, float]  # of the two sides so far: a win counts 1, a draw ½
    record: GameRecord


GameListener = Callable[[GamePlayed], None]
