"""Leading an NBoard engine through a game of Othello: boardzero as the board."""

from boardzero.errors import BadInput
from boardzero.games.othello import Othello
from boardzero.games.position import Position
from boardzero.games.rules import Game
from boardzero.players.engine_dialogue import Dialogue
from boardzero.players.engine_process import EngineFault
from boardzero.protocols.nboard import VERSION, action_from_text, game_to_text

DEPTH = 12  # NBoard knows no clock, only how deep an engine looks


class NBoardDialogue(Dialogue):
    """Sends the whole game before every move: the protocol keeps nothing that could go wrong."""

    farewell = "quit"
    playable = "othello"
    game: Othello

    @classmethod
    def can_play(cls, game: Game) -> bool:
        return isinstance(game, Othello)

    def introduce(self) -> None:
        self.pings = 0
        self.transport.send(f"nboard {VERSION}")
        self.transport.send(f"set depth {DEPTH}")
        self._ping()

    def new_game(self) -> None:
        """Every move tells its game anew."""

    def choose(self, position: Position, seconds: float) -> int:
        self.transport.send(f"set game {game_to_text(position)}")
        self._ping()
        self.transport.send("go")
        answer = self._await("===", "go", 2 * seconds + self.patience)
        try:
            return action_from_text(answer.removeprefix("==="), self.game)
        except BadInput:
            raise EngineFault(f"answered '{answer[:60]}', which is no move") from None

    def _ping(self) -> None:
        """Wait until the engine has taken in all that it was told; answers to earlier questions are passed over."""
        self.pings += 1
        asked = f"ping {self.pings}"
        self.transport.send(asked)
        next(line for line in self._lines(asked, self.patience) if line.split() == ["pong", str(self.pings)])

    def _await(self, beginning: str, asked: str, wait: float) -> str:
        """The next line that begins so; engines say much else."""
        return next(line.strip() for line in self._lines(asked, wait) if line.strip().startswith(beginning))
