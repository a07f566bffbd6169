"""What a dialogue with an engine has to be able to do, whatever its protocol."""

import time
from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import ClassVar

from boardzero.errors import BadInput
from boardzero.games.position import Position
from boardzero.games.rules import Game
from boardzero.players.engine_process import EngineFault, EngineSilence, Transport


class Dialogue(ABC):
    """One engine over one transport. It knows what the engine has been told, so that it tells only what is new."""

    farewell: ClassVar[str]  # the line that asks the engine to end
    playable: ClassVar[str]  # games that the protocol can tell of, for people

    def __init__(self, game: Game, transport: Transport, patience: float) -> None:
        """patience: seconds to wait beyond what a command should take."""
        self.game, self.transport, self.patience = game, transport, patience
        self.seconds_left: float | None = None  # of the engine's time for the game, where a clock runs

    @classmethod
    @abstractmethod
    def can_play(cls, game: Game) -> bool:
        """Can the protocol tell of this game?"""

    @abstractmethod
    def introduce(self) -> None:
        """Get to know each other, once, after the engine was started."""

    @abstractmethod
    def new_game(self) -> None:
        """Forget the last game."""

    @abstractmethod
    def choose(self, position: Position, seconds: float) -> int:
        """The engine's move; it is told to take at most so long. EngineFault if it answers wrongly or not at all."""

    def _lines(self, asked: str, wait: float) -> Iterator[str]:
        """What the engine says, line by line without an end; EngineFault if it has ended, or the seconds are over."""
        deadline = time.perf_counter() + wait
        while True:
            try:
                yield self.transport.receive(deadline - time.perf_counter())
            except EngineSilence:
                raise EngineSilence(f"gave no answer within {wait:.3g} seconds, asked '{asked}'") from None
            except EngineFault as fault:
                raise EngineFault(f"{fault}, asked '{asked}'") from None


def refuse_start(position: Position, protocol: str) -> None:
    """A protocol that cannot set up a board needs a game that begins as it always does."""
    if not bool((position.start == position.game.initial_state()).all()):
        raise BadInput(f"{protocol} tells games by their moves: they must begin as {position.game.title} always does.")
