"""The thread that thinks for engines that know their game as a position (GTP, NBoard)."""

import time

from boardzero.engines.brains import new_brain
from boardzero.engines.timing import NoAnswer, Thinking
from boardzero.engines.worker import Worker
from boardzero.games.position import Position
from boardzero.games.rules import Game
from boardzero.players.player import Analysis, Player

READY_SECONDS = 0.01  # of the first search, which loads what is compiled


class PositionThinker:
    """Thinks about positions of one game after another."""

    def __init__(self, specification: str | None) -> None:
        """specification: the player that thinks (None: the strongest for each game)."""
        self._specification = specification
        self._worker = Worker()
        self._player: Player | None = None

    def prepare(self, game: Game) -> None:
        """Get the player ready while nobody waits for it."""
        self._worker.begin(lambda: self._player_for(game).choose(Position(game), READY_SECONDS))

    def choose(self, position: Position, times: Thinking) -> int:
        """The player's move by the moment times.soft; any legal one if it has not answered by times.hard.

        BadInput where the player that was named cannot play this game.
        """
        legal = position.legal_actions()
        if len(legal) == 1:
            return legal[0]
        try:
            return self._worker.ask(lambda: self._choose(position.copy(), times.soft), times.hard)
        except NoAnswer:
            return legal[len(legal) // 2]

    def analyse(self, position: Position, until: float) -> Analysis:
        """What the player thinks of each move by this moment."""
        return self._worker.ask(lambda: self._analyse(position.copy(), until), None)

    def interrupt(self) -> None:
        """Said by another thread: end the search now, with its best move."""
        if self._player is not None:
            self._player.interrupt()

    def close(self) -> None:
        self._worker.close()

    def _choose(self, position: Position, until: float) -> int:
        player = self._player_for(position.game)
        return player.choose(position, max(0.0, until - time.perf_counter()))

    def _analyse(self, position: Position, until: float) -> Analysis:
        player = self._player_for(position.game)
        return player.analyse(position, max(0.0, until - time.perf_counter()))

    def _player_for(self, game: Game) -> Player:
        if self._player is None or self._player.game is not game:
            if self._player is not None:
                self._player.close()
                self._player = None
            self._player = new_brain(self._specification, game)
        return self._player
