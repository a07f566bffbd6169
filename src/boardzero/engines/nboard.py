"""boardzero as an engine of NBoard, a board for Othello."""

import time
from importlib.metadata import version

from boardzero.engines.conversation import Answer
from boardzero.engines.game_reports import Reporter, unreported
from boardzero.engines.plain_actions import plain_action
from boardzero.engines.position_reports import PlayedGame, is_same_game
from boardzero.engines.position_thinking import PositionThinker
from boardzero.engines.thinking_process import ThinkingProcess
from boardzero.errors import BadInput
from boardzero.games.catalogue import find_game
from boardzero.games.othello import Othello
from boardzero.games.position import Position
from boardzero.players.player import Analysis, MoveOpinion
from boardzero.protocols import nboard

USUAL_DEPTH = 12  # NBoard's measure of strength: at this depth a move takes the usual seconds, at others in proportion
DEEPEST = 60
DISCS = 20.0  # what a sure win is shown as: NBoard counts in discs, boardzero in results
LONGEST_LINE = 8  # moves of a continuation that are shown
NOT_READY = "boardzero is still being compiled, once after its installation"


class NBoardSession:
    """One board. A line that is not understood is passed over, as the protocol asks."""

    def __init__(self, answer: Answer, process: ThinkingProcess, seconds: float = 5.0, report: Reporter = unreported) -> None:
        """process: has the player that thinks; seconds: a move, at the usual depth."""
        self._played = PlayedGame(report)
        self._send, self._seconds, self._depth = answer, seconds, USUAL_DEPTH
        self._thinker = PositionThinker(process)
        self.position = Position(find_game("othello"))
        self._thinker.prepare(self.position.game)

    def take(self, line: str, moment: float) -> bool:
        command, _, rest = line.strip().partition(" ")
        try:
            goes_on = self._obey(command.lower(), rest.strip())
        except BadInput as error:
            self._send(f"status {' '.join(str(error).split())}")
            return True
        if self.position.over:
            self._played.ended(self.position)
        return goes_on

    def overhear(self, line: str | None) -> None:
        """Whatever the board says while we think, it no longer waits for the thought."""
        self._thinker.interrupt()

    def close(self) -> None:
        self._played.ended(self.position)
        self._thinker.close()

    def _obey(self, command: str, rest: str) -> bool:
        match command:
            case "nboard":
                self._send(f"set myname boardzero {version('boardzero')}")
            case "set":
                self._set(*rest.partition(" ")[::2])
            case "move":
                self._play(rest)
            case "go":
                self._go()
            case "hint":
                self._hint(rest)
            case "ping":
                self._send(f"pong {rest}".rstrip())
            case "learn":
                self._send("learned")
            case "quit":
                return False
            case _ if self._is_move(command):
                self._play(command)
        return True

    def _set(self, key: str, value: str) -> None:
        if key == "game":
            position = nboard.game_from_text(value)
            if not is_same_game(self.position, position):
                self._played.ended(self.position)
            if position.game.specification != self.position.game.specification:
                self._thinker.prepare(position.game)
            self.position = position
        elif key == "depth" and value.strip().isdecimal():
            self._depth = max(1, min(DEEPEST, int(value.strip()[:6])))

    @property
    def _game(self) -> Othello:
        game = self.position.game
        assert isinstance(game, Othello)
        return game

    def _is_move(self, word: str) -> bool:
        """Old boards send a move alone: `F5`."""
        try:
            nboard.action_from_text(word, self._game)
        except BadInput:
            return False
        return True

    def _play(self, text: str) -> None:
        self.position.play(nboard.action_from_text(text, self._game))

    def _go(self) -> None:
        """The move is only told: the board says when it has been made."""
        legal = self.position.legal_actions()
        if self.position.over:
            self._send("status The game is over")
        elif len(legal) == 1:  # of a move that is forced nothing else need be said
            self._tell_move(legal[0], "")
        else:
            begun = time.perf_counter()
            analysis = self._think(begun)
            worth = 0.0 if analysis is None else _worth(analysis, analysis.moves[0])
            action = plain_action(self.position) if analysis is None else analysis.action
            self._tell_move(action, f"/{worth:.2f}/{time.perf_counter() - begun:.2f}")
            self._send("status" if analysis else f"status {NOT_READY}, so this is a plain move")

    def _tell_move(self, action: int, opinion: str) -> None:
        self._played.advises(self.position, action)
        self._send(f"=== {nboard.move_to_text(action, self._game)}{opinion}")

    def _hint(self, rest: str) -> None:
        if self.position.over:
            self._send("status The game is over")
            return
        analysis = self._think(time.perf_counter())
        if analysis is None:
            self._send(f"status {NOT_READY}, ask again in a minute")
            return
        count = int(rest[:6]) if rest.isdecimal() else 1
        for opinion in analysis.moves[: max(1, count)]:
            line = "".join(
                nboard.move_to_text(action, self._game) for action in (opinion.line or (opinion.action,))[:LONGEST_LINE]
            )
            self._send(f"search {line} {_worth(analysis, opinion):.2f} 0 {self._depth}")
        self._send("status")

    def _think(self, begun: float) -> Analysis | None:
        """None: the player has not been loaded yet."""
        self._send("status boardzero is thinking")
        seconds = self._seconds * self._depth / USUAL_DEPTH
        return self._thinker.analyse(self.position, begun + seconds)


def _worth(analysis: Analysis, opinion: MoveOpinion) -> float:
    """In discs, for the player to move."""
    value = opinion.value if opinion.value is not None else analysis.value
    return DISCS * (value or 0.0)
