"""Leading a GTP engine through a game: boardzero as the manager."""

from itertools import takewhile

from boardzero.errors import BadInput
from boardzero.games.position import Position
from boardzero.games.rules import Game
from boardzero.players.answers import Resigned
from boardzero.players.engine_dialogue import Dialogue, refuse_start
from boardzero.players.engine_process import EngineFault
from boardzero.protocols.colours import black_side
from boardzero.protocols.gtp import COLOURS, PASS, RESIGN, action_of, parse_answer, vertex_of

OURSELVES = "boardzero"  # what our own engine says to `name`
TOLD_BY_SIZE = ("size", "rows", "columns")  # parameters of games that `boardsize` tells


class GtpDialogue(Dialogue):
    """Plays the moves that the engine does not know yet, then lets it generate its own."""

    farewell = "quit"
    playable = "games on a square board"

    @classmethod
    def can_play(cls, game: Game) -> bool:
        return game.rows == game.columns and not game.varied_start

    def introduce(self) -> None:
        self.known: list[int] = []
        self.limit = 0
        self.commands = set(self._tell("list_commands").split())
        self._tell_game()
        self._require(f"boardsize {self.game.rows}")
        self._tell("clear_board")

    def _tell_game(self) -> None:
        """GTP has words for a game and its size only; boardzero's own engine takes the whole specification."""
        knows_games = "set_game" in self.commands
        if knows_games and "name" in self.commands and self._tell("name") == OURSELVES:
            self._require(f"set_game {self.game.specification}")
            return
        said = self.game.parameters.model_dump(exclude_defaults=True)
        unsaid = ", ".join(f"{key}={value}" for key, value in said.items() if key not in TOLD_BY_SIZE)
        if unsaid:
            raise BadInput(
                f"GTP cannot tell an engine of {unsaid}: only boardzero's own engine plays {self.game.specification}."
            )
        if knows_games:
            self._tell(f"set_game {self.game.title}", required=False)

    def _require(self, command: str) -> None:
        """An engine that refuses this cannot play the game at all."""
        done, text = self._exchange(command, self.patience)
        if not done:
            raise BadInput(f"The engine does not play {self.game.specification}: it says '{text[:100]}'.")

    def new_game(self) -> None:
        self._tell("clear_board")
        self.known = []

    def choose(self, position: Position, seconds: float) -> int:
        refuse_start(position, "GTP")
        self.transport.forget()
        self._tell_time(seconds)
        if position.actions[: len(self.known)] != self.known:
            self.new_game()
        for ply in range(len(self.known), len(position.actions)):
            self._play(position.actions[ply], ply)
        answer = self._tell(f"genmove {self._colour(len(position.actions))}", 2 * seconds + self.patience)
        if answer.lower() == RESIGN:
            raise Resigned
        try:
            action = action_of(answer.strip(), self.game)
        except BadInput:
            raise EngineFault(f"answered '{answer[:60]}' to genmove, which is no move") from None
        self.known = [*position.actions, action]
        return action

    def _play(self, action: int, ply: int) -> None:
        """Some engines pass by themselves where they must, and do not know the word."""
        vertex = vertex_of(action, self.game)
        self._tell(f"play {self._colour(ply)} {vertex}", required=vertex != PASS)

    def _colour(self, ply: int) -> str:
        return COLOURS[(black_side(self.game) + ply) % 2]

    def _tell_time(self, seconds: float) -> None:
        """GTP counts whole seconds: less than one is told as one."""
        whole = max(1, int(seconds))
        if whole != self.limit and "time_settings" in self.commands:
            self._tell(f"time_settings 0 {whole} 1", required=False)
            self.limit = whole

    def _tell(self, command: str, wait: float | None = None, required: bool = True) -> str:
        done, text = self._exchange(command, self.patience if wait is None else wait)
        if required and not done:
            raise EngineFault(f"refused '{command}': {text[:100]}")
        return text

    def _exchange(self, command: str, wait: float) -> tuple[bool, str]:
        """Was the command done, and what the engine answered; it may have said something else before."""
        self.transport.send(command)
        lines = self._lines(command, wait)
        first = next(line for line in lines if line.startswith(("=", "?")))
        return parse_answer([first, *takewhile(str.strip, lines)])
