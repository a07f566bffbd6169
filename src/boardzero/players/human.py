"""A person at the terminal: reads moves and a few commands from standard input, and asks again until one is a legal move."""

from collections.abc import Callable

from boardzero.errors import BadInput
from boardzero.games.drawing import draw
from boardzero.games.position import Position
from boardzero.games.rules import Game
from boardzero.players.answers import LeftGame, Resigned, TookBack
from boardzero.players.player import Analysis, MoveOpinion, Player
from boardzero.settings.specification import Parameters

HELP = """\
  a move     {moves}
  moves      list the legal moves
  hint       ask the computer which move it thinks best
  undo       take back your last move and the reply to it
  save FILE  append the game so far to a file
  resign     give the game up
  quit       leave; the game stays unfinished
  help       show this again"""


class HumanPlayer(Player):
    """Shows the board, then asks. What a prompt alone cannot do is given by whoever sets up the game: `adviser`, `save`."""

    name = "human"
    needs_person = True

    def __init__(self, game: Game, parameters: Parameters, seed: int = 0) -> None:
        super().__init__(game, parameters, seed)
        self.adviser: Player | None = None  # answers `hint`
        self.save: Callable[[Position, str], str] | None = None  # writes the game to the named file, says what it did

    def analyse(self, position: Position, seconds: float | None = None) -> Analysis:
        """The person's move; it can also raise `Resigned`, `TookBack` or `LeftGame`. The clock is not shown."""
        self._show(position)
        while True:
            try:
                action = self._answer(self._read(position), position)
            except BadInput as error:
                print(error)
                continue
            if action is not None:
                return Analysis((MoveOpinion(action),))

    def _show(self, position: Position) -> None:
        from rich.console import Console

        Console().print(draw(position), crop=False, overflow="ignore", no_wrap=True, end="")

    def _read(self, position: Position) -> str:
        try:
            return input(f"{self.game.players[position.turn]}, your move (or help): ").strip()
        except EOFError:
            print()
            raise LeftGame from None

    def _answer(self, line: str, position: Position) -> int | None:
        """The action that a line names; None where it was a command that leaves the person to move."""
        command, _, rest = line.partition(" ")
        match command.lower():
            case "":
                return None
            case "help" | "?":
                print(HELP.format(moves=self.game.notation_hint))
            case "moves":
                print(" ".join(position.legal_moves()))
            case "hint":
                self._hint(position)
            case "save":
                self._save(position, rest.strip())
            case "undo" if len(position.actions) < 2:
                raise BadInput("There is no move of yours to take back.")
            case "undo":
                raise TookBack
            case "resign":
                raise Resigned
            case "quit" | "exit":
                raise LeftGame
            case _:
                return self._action(line, position)
        return None

    def _action(self, text: str, position: Position) -> int:
        try:
            action = self.game.action_from_text(text)
        except BadInput as error:
            raise BadInput(f"{error} Type help for what else can be said here.") from None
        position.copy().play(action)  # refuses an illegal one with a sentence
        return action

    def _hint(self, position: Position) -> None:
        if self.adviser is None:
            raise BadInput("There is nobody to ask for a hint in this game.")
        best = self.adviser.analyse(position).moves[0]
        thought = "" if best.value is None else f" (expected result for you {best.value:+.2f}, from −1 lost to +1 won)"
        print(f"{self.adviser.specification} thinks {self.game.action_to_text(best.action)} best{thought}.")

    def _save(self, position: Position, path: str) -> None:
        if not path:
            raise BadInput("Say where to save the game: save FILE.")
        if self.save is None:
            raise BadInput("This game cannot be saved from here.")
        print(self.save(position, path))
