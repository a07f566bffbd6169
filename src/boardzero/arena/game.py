"""One game between two players: whose turn it is, the clock, and what happens when a player goes wrong."""

import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime

import numpy as np

from boardzero.arena.clock import NO_CLOCK, Clock
from boardzero.errors import BadInput
from boardzero.events.games import GameRecord, Reason, Result
from boardzero.games.position import Position
from boardzero.players.answers import LeftGame, Resigned, TookBack
from boardzero.players.engine_process import EngineFault, EngineSilence
from boardzero.players.player import Player

SIDES: tuple[Result, Result] = ("first", "second")
MoveListener = Callable[[Position, float], None]  # the position after a move, the seconds it took


def play_game(
    players: tuple[Player, Player],
    position: Position,
    *,
    clock: Clock = NO_CLOCK,
    seed: int = 0,
    on_move: MoveListener | None = None,
    is_first: bool = False,
) -> GameRecord:
    """Let two players finish a game from a position, which is played on in place; its moves so far are the opening.

    players: who plays the first and who the second side. A player that oversteps the clock, chooses an illegal move or
    raises loses this game, and the record says why. In the first game of these players, what a player refuses (BadInput)
    before it has made a move is raised instead: it cannot play here at all.
    """
    table = _Table(players, position, clock, is_first)
    record = table.begin(seed)
    while record is None:
        record = table.over() if position.over else table.move(on_move)
    return record


class _Table:
    """A game being played. Each step answers with the record once the game has ended, and with None before."""

    def __init__(self, players: tuple[Player, Player], position: Position, clock: Clock, is_first: bool) -> None:
        self.players, self.position, self.clock = players, position, clock
        self.unproved = {0, 1} if is_first else set()  # sides that have never moved: what they refuse, they cannot play
        self.opening = len(position.actions)
        self.seconds = [0.0, 0.0]

    def begin(self, seed: int) -> GameRecord | None:
        for side, player in enumerate(self.players):
            try:
                player.start_game(derived_seed(seed, side))
            except Exception as error:
                return self._failed(side, error)
        return None

    def move(self, on_move: MoveListener | None) -> GameRecord | None:
        """Ask the side to move, and do what it answers."""
        side, spent = self.position.turn, self.seconds[self.position.turn]
        player = self.players[side]
        limit = self.clock.limit(spent)
        player.seconds_left = self.clock.left(spent)
        advice = self.clock.advice(spent, (self.position.game.max_plies - len(self.position.actions) + 1) // 2)
        begun = time.perf_counter()
        try:
            action = int(player.choose(self.position.copy(), advice))
        except TookBack:
            self._take_back()
            return None
        except LeftGame:
            return self._ended("unfinished", "stopped")
        except Resigned:
            return self._lost(side, "resignation")
        except Exception as error:
            return self._failed(side, error)
        finally:
            taken = time.perf_counter() - begun if player.seconds_taken is None else player.seconds_taken
            self.seconds[side] += taken
        if taken > limit:
            return self._lost(side, "time", f"took {taken:.3f} seconds and had {limit:.3f}")
        if action not in self.position.legal_actions():
            return self._lost(side, "illegal move", f"chose {self._described(action)}")
        self.position.play(action)
        self.unproved.discard(side)
        if on_move is not None:
            on_move(self.position, taken)
        return None

    def over(self) -> GameRecord:
        """The rules have ended the game."""
        winner = self.position.winner
        return self._ended("draw" if winner is None else SIDES[winner], "rules")

    def _take_back(self) -> None:
        """Back to where the side to move moved last: two plies, as play alternates."""
        for _ in range(2 if len(self.position.actions) >= 2 else 0):
            self.position.undo()
        self.opening = min(self.opening, len(self.position.actions))

    def _failed(self, side: int, error: Exception) -> GameRecord:
        if isinstance(error, BadInput):
            if side in self.unproved:
                raise error
            return self._lost(side, "failure", f"failed: {error}")
        if isinstance(error, EngineFault):
            return self._lost(side, "time" if isinstance(error, EngineSilence) else "failure", str(error))
        return self._lost(side, "failure", f"failed: {type(error).__name__}: {error}")

    def _lost(self, side: int, reason: Reason, remark: str = "") -> GameRecord:
        """The remark has no full stop: whoever shows it sets one."""
        remark = remark and f"{self.players[side].specification} {remark}"
        return self._ended(SIDES[1 - side], reason, " ".join(remark.split()).rstrip(".:"))

    def _ended(self, result: Result, reason: Reason, remark: str = "") -> GameRecord:
        names = [player.specification for player in self.players]
        return record_of(self.position, names, self.opening, self.seconds, result, reason, remark)

    def _described(self, action: int) -> str:
        game = self.position.game
        known = 0 <= action < game.action_count
        return f"{game.action_to_text(action)}, which is illegal" if known else f"action {action}, which does not exist"


def record_of(
    position: Position,
    players: Sequence[str],
    opening: int = 0,
    seconds: Sequence[float] = (0.0, 0.0),
    result: Result = "unfinished",
    reason: Reason = "stopped",
    remark: str = "",
) -> GameRecord:
    """The game so far, as a record."""
    first, second = players
    return GameRecord(
        game=position.game.specification,
        players=(first, second),
        start=position.game.board_to_text(position.start),
        moves=position.moves,
        opening=opening,
        plies=len(position.actions),
        result=result,
        reason=reason,
        seconds=(round(seconds[0], 4), round(seconds[1], 4)),
        ended=datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        remark=remark,
    )


def derived_seed(*numbers: int) -> int:
    """A seed that follows from others, unrelated to those of other numbers."""
    return int(np.random.SeedSequence(numbers).generate_state(1, np.uint32)[0])
