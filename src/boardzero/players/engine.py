"""Programs of others as players: `engine:gomocup:COMMAND`, `engine:gtp:COMMAND`, `engine:nboard:COMMAND`."""

from collections.abc import Callable
from typing import TypeVar

from boardzero.games.position import Position
from boardzero.games.rules import Game
from boardzero.players.answers import Resigned
from boardzero.players.engine_dialogue import Dialogue
from boardzero.players.engine_gomocup import GomocupDialogue
from boardzero.players.engine_gtp import GtpDialogue
from boardzero.players.engine_name import EngineParameters, parse_engine
from boardzero.players.engine_nboard import NBoardDialogue
from boardzero.players.engine_process import ProcessTransport, Transport, check_command
from boardzero.players.player import Analysis, MoveOpinion, Player, refuse_game

DIALOGUES: dict[str, type[Dialogue]] = {"gomocup": GomocupDialogue, "gtp": GtpDialogue, "nboard": NBoardDialogue}

Result = TypeVar("Result")


class EnginePlayer(Player):
    """Another program. One that crashes, stays silent or answers nonsense loses its game, and is started anew for the next."""

    name = "engine"
    Parameters = EngineParameters
    parameters: EngineParameters
    starts_program = True

    def __init__(
        self,
        game: Game,
        parameters: EngineParameters,
        seed: int = 0,
        protocol: str = "gomocup",
        command: str = "",
        transport: Transport | None = None,
    ) -> None:
        """transport: an engine that runs already; otherwise the command is started when the first game begins."""
        super().__init__(game, parameters, seed)
        if not DIALOGUES[protocol].can_play(game):
            raise refuse_game(f"engine:{protocol}", game, DIALOGUES[protocol].playable)
        if transport is None:
            check_command(command)
        self.protocol, self.command = protocol, command
        self._given = transport
        self._dialogue: Dialogue | None = None

    @classmethod
    def from_text(cls, text: str, game: Game, seed: int = 0) -> "EnginePlayer":
        """`gtp,seconds=2:COMMAND`: what stands behind `engine:`."""
        name = parse_engine(text)
        return cls(game, name.parameters, seed, name.protocol, name.command)

    @property
    def specification(self) -> str:
        said = self.parameters.to_text()
        return f"engine:{self.protocol}{f',{said}' if said else ''}:{self.command}"

    def start_game(self, seed: int) -> None:
        super().start_game(seed)
        self._led(lambda dialogue: dialogue.new_game())

    def analyse(self, position: Position, seconds: float | None = None) -> Analysis:
        return Analysis((MoveOpinion(self.choose(position, seconds)),))

    def choose(self, position: Position, seconds: float | None = None) -> int:
        limit = self.parameters.seconds if seconds is None else seconds
        self.seconds_taken = None
        return self._led(lambda dialogue: self._timed(dialogue, position, limit))

    def close(self) -> None:
        if self._dialogue is not None:
            self._dialogue.transport.close(self._dialogue.farewell)
            self._dialogue = None

    def _timed(self, dialogue: Dialogue, position: Position, limit: float) -> int:
        dialogue.transport.seconds = 0.0
        dialogue.seconds_left = self.seconds_left
        action = dialogue.choose(position, limit)
        self.seconds_taken = dialogue.transport.seconds
        return action

    def _led(self, act: Callable[[Dialogue], Result]) -> Result:
        """Do something with the running engine; one that fails is ended, so that no late answer can be mistaken."""
        try:
            if self._dialogue is None:
                transport = self._given or ProcessTransport(self.command)
                self._given = None
                self._dialogue = DIALOGUES[self.protocol](self.game, transport, self.parameters.patience)
                self._dialogue.introduce()
            return act(self._dialogue)
        except Resigned:
            raise
        except BaseException:
            if self._dialogue is not None:
                self._dialogue.transport.close()
                self._dialogue = None
            raise
