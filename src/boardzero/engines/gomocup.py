"""boardzero as a brain of Gomocup: what it answers to a tournament manager's lines.

Only the Python standard library is needed to answer; the player is loaded by the process that thinks. So START is answered
soon, and a move comes in time even while everything is compiled for the first time: then a plain one.
"""

import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from importlib.metadata import version

from boardzero.engines.conversation import Answer
from boardzero.engines.game_reports import Reporter, unreported
from boardzero.engines.gomocup_thinking import GomocupThinker
from boardzero.engines.plain_moves import plain_move
from boardzero.engines.thinking_process import NoAnswer, ThinkingProcess, ThoughtFailed
from boardzero.engines.timing import Lateness, Thinking, time_for_move
from boardzero.protocols.gomocup import (
    CARO,
    COMMANDS,
    CONTINUOUS,
    EXACT_FIVE,
    LARGEST,
    MOST_MILLISECONDS,
    RENJU,
    SMALLEST,
    Board,
    Point,
    one_line,
    parse_limit,
    parse_numbers,
    parse_point,
    split_command,
)

USUAL_SECONDS = 5.0  # a move, where the manager sets no limit
LAST_SECONDS = 0.5  # for an answer after the input was closed
HURRIED_SECONDS = 0.05  # for each of the lines that were still waiting then
OWN, OTHER, WINNING = 1, 2, 3  # whose stone it is, in the lines of BOARD
SWAP2_STONES = (0, 3, 5)
OTHER_RULES = "MESSAGE only free-style and standard rules are known here; the others are not kept"


@dataclass
class Limits:
    """What the manager has said with INFO; times in milliseconds, memory in bytes (0: no limit)."""

    turn: int | None = None
    match: int | None = None
    left: int | None = None
    is_left_told: bool = False  # since our last move, for the next; otherwise it is what we have counted ourselves
    memory: int = 0
    rule: int = 0

    def new_game(self) -> None:
        """The time of a match is that of one game; some managers tell what is left of it before they begin the game."""
        if not self.is_left_told:
            self.left = self.match

    def spend(self, milliseconds: int) -> None:
        self.is_left_told = False
        if self.left is not None:
            self.left = max(0, self.left - milliseconds)


class BadLine(Exception):
    """What a line asks for cannot be done; the message is sent after ERROR."""


class GomocupSession:
    """One manager."""

    def __init__(
        self, answer: Answer, process: ThinkingProcess, seconds: float = USUAL_SECONDS, report: Reporter = unreported
    ) -> None:
        """process: has the player that thinks; seconds: a move, where the manager sets no limit."""
        self._answer, self._seconds, self._report = answer, seconds, report
        self._thinker = GomocupThinker(process)
        self.limits = Limits()
        self._lateness = Lateness()
        self.board: Board | None = None
        self._listing: list[str] | None = None  # lines of BOARD or SWAP2BOARD so far
        self._listed_for = ""
        self._remark = ""  # what INFO asks for and cannot be had: INFO has no answer, so it is told before the next one
        self._ended = self._closed = False

    # -- the conversation ----------------------------------------------------------------------------------------------
    def take(self, line: str, moment: float) -> bool:
        command, rest = split_command(line)
        try:
            if self._listing is not None and command not in COMMANDS:
                self._list(command, line, moment)
            elif command:
                if command != "INFO":  # which may come at any time
                    self._listing = None
                return self._obey(command, rest, moment)
        except BadLine as error:
            self._send(f"ERROR {one_line(str(error))}")
        return True

    def overhear(self, line: str | None) -> None:
        if line is None:
            self._closed = True
            self._thinker.hurry()
            timer = threading.Timer(LAST_SECONDS, self._thinker.dismiss)
            timer.daemon = True
            timer.start()
        elif split_command(line)[0] == "END":
            self._ended = True
            self._thinker.hurry()
            self._thinker.dismiss()

    def close(self) -> None:
        self._game_ended()
        self._thinker.close()

    def _send(self, line: str) -> None:
        """Nothing is said after the manager has ended the conversation."""
        remark, self._remark = self._remark, ""
        for said in filter(None, (remark, line)):
            if not self._ended:
                self._answer(said)

    def _obey(self, command: str, rest: str, moment: float) -> bool:
        match command:
            case "START":
                self._start(parse_numbers(rest, 1))
            case "RECTSTART":
                self._start(parse_numbers(rest, 2))
            case "RESTART":
                self._start((self._game().size,))
            case "BEGIN":
                self._game_ended()
                self._game().stones.clear()
                self._move(moment)
            case "TURN":
                self._game().stones[self._free_point(rest)] = False
                self._move(moment)
            case "PLAY":
                point = self._free_point(rest)
                self._game().stones[point] = True
                self._send(str(point))
            case "TAKEBACK":
                self._take_back(rest)
            case "BOARD" | "SWAP2BOARD":
                self._game()
                self._listing, self._listed_for = [], command
            case "INFO":
                self._hear(*split_command(rest))
            case "ABOUT":
                self._answer(about())  # also to those who ask only this, and END
            case "END":
                return False
            case _:
                self._send(f"UNKNOWN {one_line(command)[:40]}")
        return True

    # -- commands ------------------------------------------------------------------------------------------------------
    def _start(self, sides: tuple[int, ...] | None) -> None:
        if sides is None:
            raise BadLine("the size of the board is missing")
        if len(set(sides)) > 1:
            raise BadLine(f"square boards of size {SMALLEST} to {LARGEST} are played here, not {sides[0]} by {sides[1]}")
        if not SMALLEST <= sides[0] <= LARGEST:
            raise BadLine(f"boards of size {SMALLEST} to {LARGEST} are played here, not {sides[0]}")
        self._game_ended()
        self.limits.new_game()
        self.board = Board(sides[0])
        self._prepare(patient=True)
        self._send("OK")

    def _prepare(self, patient: bool) -> None:
        """Have the player ready for what is known of the game."""
        if self.board is not None:
            self._thinker.prepare(self.board.size, self._exact, self.limits.memory, patient)

    def _game_ended(self) -> None:
        """What is on the board is not gone on with."""
        if self.board is not None and any(self.board.stones.values()):
            stones = [(point.x, point.y, mine) for point, mine in self.board.stones.items()]
            rule = "standard" if self._exact else "freestyle"
            self._report({"size": self.board.size, "rule": rule, "stones": stones})

    def _take_back(self, rest: str) -> None:
        point = parse_point(rest)
        if point is None or self._game().stones.pop(point, None) is None:
            raise BadLine("there is no stone to take back")
        self._send("OK")

    def _hear(self, key: str, value: str) -> None:
        """INFO is never answered; what is not understood is passed over. The player is made ready for what has changed."""
        number = parse_limit(value)
        before = self._exact, self.limits.memory
        match key.lower():
            case "timeout_turn" if number is not None:
                self.limits.turn = max(0, number)
            case "timeout_match" if number is not None:
                self.limits.match = self.limits.left = number if number > 0 else None
            case "time_left" if number is not None:
                self.limits.left = None if number >= MOST_MILLISECONDS else max(0, number)
                self.limits.is_left_told = True
            case "max_memory" if number is not None:
                self.limits.memory = max(0, number)
            case "rule" if number is not None:
                self.limits.rule = max(0, number)
                self._remark = OTHER_RULES if self.limits.rule & (CONTINUOUS | RENJU | CARO) else ""
        if (self._exact, self.limits.memory) != before:
            self._prepare(patient=False)

    def _list(self, command: str, line: str, moment: float) -> None:
        assert self._listing is not None
        if command != "DONE":
            self._listing.append(line)
            return
        lines, self._listing = self._listing, None
        if self._listed_for == "BOARD":
            board = self._listed_board(lines)
            if not self._game().stones.items() <= board.stones.items():
                self._game_ended()
            self.board = board
            self._move(moment)
        else:
            self._swap(self._listed_points(lines), moment)

    def _listed_board(self, lines: list[str]) -> Board:
        board = Board(self._game().size)
        for line in lines:
            numbers = parse_numbers(line, 3)
            if numbers is None or numbers[2] not in (OWN, OTHER, WINNING):
                raise BadLine(f"'{line[:40]}' is not a stone: x,y,1 (own) or x,y,2")
            point = Point(*numbers[:2])
            if not board.has(point) or point in board.stones:
                raise BadLine(f"no stone can be put on {point}")
            board.stones[point] = numbers[2] == OWN
        return board

    def _listed_points(self, lines: list[str]) -> list[Point]:
        points = [parse_point(line) for line in lines]
        found = [point for point in points if point is not None and self._game().has(point)]
        if len(found) < len(lines) or len(set(found)) < len(found) or len(found) not in SWAP2_STONES:
            raise BadLine("the swap2 opening has 0, 3 or 5 different stones on the board")
        return found

    # -- moving --------------------------------------------------------------------------------------------------------
    def _move(self, moment: float) -> None:
        board = self._game()
        point, remark = self._think(board, moment)
        if self._ended:
            return
        if point is None:
            raise BadLine("no cell is free")
        board.stones[point] = True
        self._send(str(point))
        if remark:  # told after the move, which could not wait
            self._send(remark)

    def _think(self, board: Board, moment: float) -> tuple[Point | None, str]:
        """The player's move, or a plain one where it knows none in time or the manager plays on after the end of a game.

        Also a remark on what went wrong; empty if nothing did.
        """
        plain = plain_move(board, self._exact)  # ready before it is needed
        if self._ended or len(board.stones) in (0, board.size**2):
            return plain, ""
        times, point, remark = self._times(board, moment), None, ""
        try:
            point = self._thinker.choose(board, self._exact, self.limits.memory, times)
            self._lateness.saw(times.soft, time.perf_counter())
            remark = "DEBUG the rules know no move on this board: a plain move" if point is None else ""
        except NoAnswer:
            remark = "" if self._closed else "DEBUG the player was not ready in time: a plain move"
        except ThoughtFailed as error:
            if not self._ended:
                self._send(f"MESSAGE {one_line(str(error)).rstrip('.')}: a plain move")
        if point is None or point in board.stones:
            point = plain
        self.limits.spend(int(1000 * (time.perf_counter() - moment)))
        return point, remark

    def _swap(self, stones: list[Point], moment: float) -> None:
        """Put three stones that favour nobody, or take the better colour."""
        board = self._game()
        board.stones = {point: ply % 2 == 0 for ply, point in enumerate(stones)}  # True: black's
        times = self._times(board, moment)
        if not stones:
            opening = self._thinker.balanced_opening(board.size, self._exact, self.limits.memory, times)
            if not self._ended:
                board.stones = {point: ply % 2 == 0 for ply, point in enumerate(opening)}
                self._send(" ".join(map(str, opening)))
            return
        board.stones = {point: not black for point, black in board.stones.items()}  # as white sees it, who is to move
        judged = None
        with suppress(NoAnswer, ThoughtFailed):
            judged = self._thinker.judge(board, self._exact, self.limits.memory, times)
        value, point = judged or (0.0, plain_move(board, self._exact))
        if self._ended:
            return
        if value < 0 or point is None:
            board.stones = {stone: not own for stone, own in board.stones.items()}
            self._send("SWAP")
        else:
            board.stones[point] = True
            self._send(str(point))

    def _times(self, board: Board, moment: float) -> Thinking:
        """The moments, not the spans, at which to stop and at which to have answered."""
        turn, left = (None if limit is None else limit / 1000 for limit in (self.limits.turn, self.limits.left))
        times = time_for_move(turn, left, (board.size**2 - len(board.stones)) // 2, self._seconds, self._lateness.seconds)
        soft = min(times.soft, HURRIED_SECONDS) if self._closed else times.soft
        return Thinking(moment + soft, moment + times.hard)

    # -- what is known -------------------------------------------------------------------------------------------------
    @property
    def _exact(self) -> bool:
        return bool(self.limits.rule & EXACT_FIVE)

    def _game(self) -> Board:
        if self.board is None:
            raise BadLine("no game has been started")
        return self.board

    def _free_point(self, text: str) -> Point:
        point = parse_point(text)
        if point is None or not self._game().has(point):
            raise BadLine(f"'{text[:40]}' is not a cell of the board")
        if point in self._game().stones:
            raise BadLine(f"there is a stone on {point} already")
        return point


def about() -> str:
    return f'name="boardzero", version="{version("boardzero")}", author="the boardzero authors", country="EU"'
