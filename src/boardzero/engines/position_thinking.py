"""What the sessions that know their game as a position (GTP, NBoard) ask of the process that thinks for them."""

import time

import numpy as np

from boardzero.engines.plain_actions import plain_action
from boardzero.engines.thinking_process import NoAnswer, ThinkingProcess, ThoughtFailed
from boardzero.engines.told_position import ToldPosition
from boardzero.errors import BadInput
from boardzero.games.position import Position
from boardzero.games.rules import Game
from boardzero.players.player import Analysis

ANY_MEMORY = 0
LOADING_SECONDS = 10.0  # that a question without a clock waits for a player which is still being loaded or compiled


class PositionThinker:
    """Thinks about positions of one game after another. BadInput: the player failed, or cannot play the game."""

    def __init__(self, process: ThinkingProcess) -> None:
        self._process = process

    @property
    def is_ready(self) -> bool:
        """Has the player been loaded?"""
        return self._process.is_ready

    def prepare(self, game: Game) -> None:
        """Get the player ready while nobody waits for it."""
        self._process.begin("get_ready", ToldPosition(game.specification), ANY_MEMORY)

    def choose(self, position: Position, soft: float, hard: float | None) -> int:
        """The player's move by the moment `soft`; a plain one if not even a first thought has come by `hard`.

        hard None: no clock runs, so a player that has been loaded is waited for.
        """
        legal = position.legal_actions()
        if len(legal) == 1:
            return legal[0]
        deadline = self._patience(soft) if hard is None else hard
        try:
            action: int = self._process.ask(deadline, "choose", told(position), ANY_MEMORY, soft)
        except NoAnswer:
            return plain_action(position)
        except ThoughtFailed as error:
            raise BadInput(str(error)) from None
        return action

    def analyse(self, position: Position, until: float) -> Analysis | None:
        """What the player thinks of each move by this moment, which no clock sets; None if it has not been loaded yet."""
        try:
            analysis: Analysis = self._process.ask(self._patience(until), "analyse", told(position), ANY_MEMORY, until)
        except NoAnswer:
            return None
        except ThoughtFailed as error:
            raise BadInput(str(error)) from None
        return analysis

    def _patience(self, until: float) -> float | None:
        """When to wait no longer where no clock runs: compiling takes long, and managers may have limits of their own."""
        return None if self._process.is_ready else max(until, time.perf_counter() + LOADING_SECONDS)

    def interrupt(self) -> None:
        """Said by another thread: end the search now, with its best move."""
        self._process.interrupt()

    def close(self) -> None:
        self._process.close()


def told(position: Position) -> ToldPosition:
    """As the other process can be told it."""
    game = position.game
    is_usual = np.array_equal(position.start, game.initial_state())
    return ToldPosition(game.specification, tuple(position.actions), None if is_usual else game.board_to_text(position.start))
