"""What the sessions that know their game as a position (GTP, NBoard) ask of the process that thinks for them."""

import numpy as np

from boardzero.engines.thinking_process import NoAnswer, ThinkingProcess, ThoughtFailed
from boardzero.engines.timing import Thinking
from boardzero.engines.told_position import ToldPosition
from boardzero.errors import BadInput
from boardzero.games.position import Position
from boardzero.games.rules import Game
from boardzero.players.player import Analysis

ANY_MEMORY = 0


class PositionThinker:
    """Thinks about positions of one game after another. BadInput: the player failed, or cannot play the game."""

    def __init__(self, process: ThinkingProcess) -> None:
        self._process = process

    def prepare(self, game: Game) -> None:
        """Get the player ready while nobody waits for it."""
        self._process.begin("get_ready", ToldPosition(game.specification), ANY_MEMORY)

    def choose(self, position: Position, times: Thinking) -> int:
        """The player's move by the moment times.soft; any legal one if not even a first thought has come by times.hard."""
        legal = position.legal_actions()
        if len(legal) == 1:
            return legal[0]
        try:
            action: int = self._process.ask(times.hard, "choose", told(position), ANY_MEMORY, times.soft)
        except NoAnswer:
            return legal[len(legal) // 2]
        except ThoughtFailed as error:
            raise BadInput(str(error)) from None
        return action

    def analyse(self, position: Position, until: float) -> Analysis:
        """What the player thinks of each move by this moment."""
        try:
            analysis: Analysis = self._process.ask(None, "analyse", told(position), ANY_MEMORY, until)
        except ThoughtFailed as error:
            raise BadInput(str(error)) from None
        return analysis

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
