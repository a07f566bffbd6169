"""boardzero as a GTP engine: Othello as Debian's gtp-rhino speaks it, and every other game that begins the same each time."""

import time
from collections.abc import Callable
from importlib.metadata import version

import numpy as np

from boardzero.engines.conversation import Answer
from boardzero.engines.game_reports import Reporter, unreported
from boardzero.engines.gtp_clock import GtpClock, TimeSettings
from boardzero.engines.position_reports import PlayedGame
from boardzero.engines.position_thinking import PositionThinker
from boardzero.engines.thinking_process import ThinkingProcess
from boardzero.engines.timing import Lateness, Thinking, time_for_move
from boardzero.errors import BadInput
from boardzero.games.catalogue import BUILT_IN, find_game
from boardzero.games.position import Position
from boardzero.games.rules import Game
from boardzero.protocols.colours import black_side
from boardzero.protocols.gtp import PASS, Command, action_of, format_answer, parse_colour, parse_command, vertex_of
from boardzero.settings.specification import split_specification

GAMES = tuple(name for name in BUILT_IN if name != "latrunculi")


class GtpSession:
    """One manager. Commands are done in their order, to the last one, even after the input was closed."""

    def __init__(
        self, answer: Answer, process: ThinkingProcess, game: Game, seconds: float = 5.0, report: Reporter = unreported
    ) -> None:
        """process: has the player that thinks; seconds: a move, where the manager sets no limit."""
        self._played = PlayedGame(report)
        self._send, self._seconds = answer, seconds
        self._thinker, self._lateness = PositionThinker(process), Lateness()
        self._answered = 0.0  # the moment of the last answer
        self._set_clocks(TimeSettings())
        self._unspoken: set[int] = set()  # plies at which a side passed that no manager told us to pass
        self.position = Position(game)
        self._thinker.prepare(game)
        self._commands: dict[str, Callable[[tuple[str, ...]], str]] = {
            "protocol_version": lambda _: "2",
            "name": lambda _: "boardzero",
            "version": lambda _: version("boardzero"),
            "known_command": lambda words: str(bool(words) and words[0] in self._commands).lower(),
            "list_commands": lambda _: "\n".join(self._commands),
            "quit": lambda _: "",
            "boardsize": self._set_size,
            "clear_board": self._clear,
            "komi": lambda _: "",
            "play": self._play,
            "genmove": lambda words: self._generate(words, stays=False),
            "reg_genmove": lambda words: self._generate(words, stays=True),
            "undo": self._undo,
            "time_settings": self._set_time,
            "time_left": self._set_time_left,
            "final_score": self._score,
            "showboard": lambda _: f"\n{self.position}",  # begins a line, so that its columns stay columns
            "list_games": lambda _: "\n".join(find_game(name).title for name in GAMES),
            "set_game": self._set_game,
        }

    def take(self, line: str, moment: float) -> bool:
        command = parse_command(line)
        if command is None:
            return True
        self._moment = max(moment, self._answered)  # commands may have waited in a row
        answer = self._answer(command)
        self._answered = time.perf_counter()
        self._send(answer)
        if self.position.over:
            self._played.ended(self.position)
        return command.name != "quit"

    def overhear(self, line: str | None) -> None:
        """Nothing that comes early changes what is being done."""

    def close(self) -> None:
        self._played.ended(self.position)
        self._thinker.close()

    def _answer(self, command: Command) -> str:
        act = self._commands.get(command.name)
        if act is None:
            return format_answer(command, "unknown command", failed=True)
        try:
            return format_answer(command, act(command.arguments))
        except BadInput as error:
            return format_answer(command, str(error), failed=True)

    # -- the game ------------------------------------------------------------------------------------------------------
    def _begin(self, game: Game) -> None:
        self._set_up(game)
        self._thinker.prepare(game)

    def _set_up(self, game: Game) -> None:
        """An empty board; whatever was played before is over."""
        self._played.ended(self.position)
        self.position = Position(game)
        self._unspoken.clear()
        self._set_clocks(self._time)

    @property
    def _game(self) -> Game:
        return self.position.game

    def _set_game(self, words: tuple[str, ...]) -> str:
        """By its title, which leaves the rules that are set, or by a whole specification: `gomoku:size=13,rule=standard`."""
        wanted = " ".join(words)
        if split_specification(wanted)[0] in GAMES:
            try:
                game = find_game(wanted)
            except BadInput:
                raise BadInput("unsupported game") from None
            if game.specification != self._game.specification:
                self._begin(game)
            return ""
        for name in GAMES:
            if wanted.lower() in (name, find_game(name).title.lower()):
                if self._game.name != name:
                    self._begin(find_game(name))
                return ""
        raise BadInput("unsupported game")

    def _set_size(self, words: tuple[str, ...]) -> str:
        size = _number(words, 0)
        if size != self._game.rows or size != self._game.columns:
            said = {**self._game.parameters.model_dump(exclude_defaults=True), "size": int(size)}
            try:
                game = find_game(f"{self._game.name}:" + ",".join(f"{key}={value}" for key, value in said.items()))
            except BadInput:
                raise BadInput("unacceptable size") from None
            self._begin(game)
        else:
            self._set_up(self._game)
        return ""

    def _clear(self, _: tuple[str, ...]) -> str:
        self._set_up(self._game)
        return ""

    def _play(self, words: tuple[str, ...]) -> str:
        if len(words) < 2:
            raise BadInput("syntax error")
        colour, action = self._colour(words), action_of(words[1], self._game)
        if words[1].lower() == PASS and not self._is_turn_of(colour):
            return ""  # it had to pass, and we have passed for it
        position = self._with_turn_of(colour)
        if action not in position.legal_actions():
            raise BadInput("illegal move")
        self._go_on(position, action)
        return ""

    def _undo(self, _: tuple[str, ...]) -> str:
        if not self.position.actions:
            raise BadInput("cannot undo")
        self.position.undo()
        if len(self.position.actions) - 1 in self._unspoken:  # the manager does not know of it
            self._unspoken.remove(len(self.position.actions) - 1)
            self.position.undo()
        return ""

    def _generate(self, words: tuple[str, ...], stays: bool) -> str:
        """stays: the move is only told, not made, and takes none of the side's time."""
        colour = self._colour(words)
        if self.position.over:
            return PASS
        position = self._with_turn_of(colour)
        times, is_limited = self._times(colour), self._clocks[colour].is_limited
        action = self._thinker.choose(position, times.soft, times.hard if is_limited else None)
        if is_limited and self._thinker.is_ready:
            self._lateness.saw(times.soft, time.perf_counter())
        if not stays:
            self._clocks[colour].spend(time.perf_counter() - self._moment)
            self._played.moves_for(position.turn)
            self._go_on(position, action)
        return vertex_of(action, self._game)

    def _with_turn_of(self, colour: int) -> Position:
        """The position, with a pass where it needs one: managers that know none let a side move again if the other cannot.

        Such a pass never ends the game: where neither side can move it is over before.
        """
        if self.position.over or self._is_turn_of(colour):
            return self.position
        legal = self.position.legal_actions()
        if [self._game.action_to_text(action) for action in legal] != [PASS]:
            raise BadInput("illegal move: it is the other side's turn")
        passed = self.position.copy()
        passed.play(legal[0])
        return passed

    def _go_on(self, position: Position, action: int) -> None:
        """Play an action in what `_with_turn_of` has found."""
        if position is not self.position:
            self._unspoken.add(len(self.position.actions))
            self.position = position
        self.position.play(action)

    def _is_turn_of(self, colour: int) -> bool:
        """0 = black, which moves first unless the game says otherwise."""
        return self.position.turn == black_side(self._game) ^ colour

    def _colour(self, words: tuple[str, ...]) -> int:
        colour = parse_colour(words[0]) if words else None
        if colour is None:
            raise BadInput("syntax error")
        return colour

    def _score(self, _: tuple[str, ...]) -> str:
        """Discs in Othello; in the other games a win counts 1."""
        if not self.position.over:
            raise BadInput("cannot score")
        winner = self.position.winner
        if winner is None:
            return "0"
        cells = self._game.cells(self.position.state)
        counts = [int(np.count_nonzero(cells == player)) for player in (1, 2)]
        margin = abs(counts[0] - counts[1]) if self._game.name == "othello" else 1
        return f"{'BW'[winner ^ black_side(self._game)]}+{margin}"

    # -- time ----------------------------------------------------------------------------------------------------------
    def _set_time(self, words: tuple[str, ...]) -> str:
        main, period, stones = (_number(words, index) for index in range(3))
        self._set_clocks(TimeSettings(main, period, int(stones), is_set=True))
        return ""

    def _set_clocks(self, settings: TimeSettings) -> None:
        """One for each colour, as at the beginning of a game."""
        self._time, self._clocks = settings, (GtpClock(settings), GtpClock(settings))

    def _set_time_left(self, words: tuple[str, ...]) -> str:
        self._clocks[self._colour(words)].put(_number(words, 1), int(_number(words, 2)))
        return ""

    def _times(self, colour: int) -> Thinking:
        """The moments, not the spans, at which to stop and at which to have answered."""
        clock = self._clocks[colour]
        turn, left = clock.limits()
        plies = self._game.max_plies - len(self.position.actions)
        lateness = self._lateness.seconds if clock.is_limited else 0.0
        times = time_for_move(turn, left, plies // 2, self._seconds, lateness)
        return Thinking(self._moment + times.soft, self._moment + times.hard)


def _number(words: tuple[str, ...], index: int) -> float:
    """A number from 0 among the arguments; a huge one is cut."""
    try:
        number = float(words[index])
    except (IndexError, ValueError):
        raise BadInput("syntax error") from None
    if not 0 <= number < float("inf"):
        raise BadInput("syntax error")
    return min(number, 1e9)
