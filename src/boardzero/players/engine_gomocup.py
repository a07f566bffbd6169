"""Leading a brain of Gomocup through a game: boardzero as the tournament manager."""

import time

from boardzero.errors import BadInput
from boardzero.games.gomoku import Gomoku
from boardzero.games.position import Position
from boardzero.games.rules import Game
from boardzero.players.engine_dialogue import Dialogue
from boardzero.players.engine_process import EngineFault
from boardzero.protocols.gomocup import EXACT_FIVE, MOST_MILLISECONDS, AnswerKind, Point, parse_answer


class GomocupDialogue(Dialogue):
    """Tells the brain its opponent's move where the game goes on, and the whole board where it does not."""

    farewell = "END"
    playable = "gomoku"
    game: Gomoku

    @classmethod
    def can_play(cls, game: Game) -> bool:
        return isinstance(game, Gomoku)

    def introduce(self) -> None:
        self.known: list[int] | None = None  # the moves that are on the brain's board; None: it has none
        self.told: dict[str, int] = {}  # what INFO has said
        self.transport.send(f"START {self.game.size}")
        self._await_ok("START")
        self._inform(timeout_match=0, time_left=MOST_MILLISECONDS, game_type=1, rule=EXACT_FIVE if self.game.exact else 0)
        self.known = []

    def new_game(self) -> None:
        if self.known != []:
            self.transport.forget()
            self.transport.send("RESTART")
            self._await_ok("RESTART")
            self.known = []

    def choose(self, position: Position, seconds: float) -> int:
        self.transport.forget()
        self._tell_time(seconds)
        action = self._ask(position, 2 * seconds + self.patience)
        self.known = [*position.actions, action] if self._from_empty(position) else None
        return action

    def _tell_time(self, seconds: float) -> None:
        """The limit of this move, and what is left of the game's time: all of it is what the brain has for the match."""
        self._inform(timeout_turn=max(1, int(1000 * seconds)))
        if self.seconds_left is None:
            self._inform(timeout_match=0, time_left=MOST_MILLISECONDS)
            return
        left = max(1, int(1000 * self.seconds_left))
        if left > self.told["time_left"] or not self.told["timeout_match"]:  # a game has begun
            self._inform(timeout_match=left)
        self.told.pop("time_left")  # said before every move
        self._inform(time_left=left)

    def _inform(self, **facts: int) -> None:
        """What the brain knows already is not said again."""
        for key, value in facts.items():
            if self.told.get(key) != value:
                self.transport.send(f"INFO {key} {value}")
                self.told[key] = value

    def _ask(self, position: Position, wait: float) -> int:
        actions = position.actions
        if self._from_empty(position) and not actions and self.known == []:
            return self._await_move("BEGIN", wait)
        if self._from_empty(position) and actions and self.known == actions[:-1]:
            return self._await_move(f"TURN {self._point(actions[-1])}", wait)
        self.new_game()
        self.transport.send("BOARD")
        for point, own in self._stones(position):
            self.transport.send(f"{point},{1 if own else 2}")
        return self._await_move("DONE", wait)

    def _stones(self, position: Position) -> list[tuple[Point, bool]]:
        """In the order in which they were played, as far as that is known; True: the brain's own."""
        cells = self.game.cells(position.start).reshape(-1)
        turn = position.turn
        stones = [(self._point(cell), piece - 1 == turn) for cell, piece in enumerate(map(int, cells)) if piece]
        first = self.game.turn(position.start)
        return stones + [(self._point(action), (first + ply) % 2 == turn) for ply, action in enumerate(position.actions)]

    def _from_empty(self, position: Position) -> bool:
        return not self.game.cells(position.start).any()

    def _point(self, action: int) -> Point:
        return Point(action % self.game.size, action // self.game.size)

    def _await_ok(self, command: str) -> None:
        kind, _, text = self._await(command, self.patience)
        if kind in (AnswerKind.ERROR, AnswerKind.UNKNOWN) and command == "START":
            raise BadInput(f"The engine does not play {self.game.specification}: it says '{text[:100]}'.")
        if kind is not AnswerKind.OK:
            raise EngineFault(f"answered '{kind.value} {text[:60]}' to {command}")

    def _await_move(self, command: str, wait: float) -> int:
        """The move that answers the command. One that is only suggested is told to be made, which the brain confirms."""
        deadline = time.perf_counter() + wait
        self.transport.send(command)
        kind, points, text = self._await(command, wait)
        if kind is AnswerKind.SUGGEST and len(points) == 1:
            self._cell(points[0])
            command = f"PLAY {points[0]}"
            self.transport.send(command)
            kind, points, text = self._await(command, deadline - time.perf_counter())
        if kind is not AnswerKind.MOVE or len(points) != 1:
            raise EngineFault(f"answered '{text[:60]}' to '{command}', which is no move")
        return self._cell(points[0])

    def _cell(self, point: Point) -> int:
        if not (0 <= point.x < self.game.size and 0 <= point.y < self.game.size):
            raise EngineFault(f"played {point}, which is not on the board")
        return point.y * self.game.size + point.x

    def _await(self, command: str, wait: float) -> tuple[AnswerKind, tuple[Point, ...], str]:
        """The next line that is an answer; what the brain only says aside is passed over."""
        answers = (parse_answer(line) for line in self._lines(command, wait) if line.strip())
        return next(answer for answer in answers if answer[0] is not AnswerKind.TALK)
