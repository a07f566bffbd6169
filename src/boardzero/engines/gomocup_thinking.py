"""What the session of a brain of Gomocup asks of the process that thinks for it."""

import random
import time
from contextlib import suppress

from boardzero.engines.memory import used_megabytes
from boardzero.engines.thinking_process import NoAnswer, ThinkingProcess, ThoughtFailed
from boardzero.engines.timing import Thinking
from boardzero.engines.told_position import ToldPosition
from boardzero.engines.told_stones import told_stones
from boardzero.protocols.gomocup import Board, Point

LOADING_SECONDS = 0.25  # that START may take, so that a player which is compiled already is ready for the first move
OPENINGS = 24  # that are tried
USUAL_MEGABYTES = 30  # that a process takes which only answers


class GomocupThinker:
    """Every method returns by its deadline, or raises NoAnswer, or ThoughtFailed."""

    def __init__(self, process: ThinkingProcess) -> None:
        self._process = process
        self._own_bytes = int(1e6 * used_megabytes(USUAL_MEGABYTES))

    @property
    def is_ready(self) -> bool:
        """Has the player been loaded?"""
        return self._process.is_ready

    def prepare(self, size: int, exact: bool, memory: int, patient: bool) -> None:
        """Get the player ready for this board; patient: if it is not, wait a little for it, since no clock runs yet."""
        begun = told_board(Board(size, {Point(size // 2, size // 2): False}), exact)
        task = "get_ready", begun, self._left_of(memory)
        if self.is_ready or not patient:
            self._process.begin(*task)
            return
        with suppress(NoAnswer, ThoughtFailed):
            self._process.ask(time.perf_counter() + LOADING_SECONDS, *task)

    def choose(self, board: Board, exact: bool, memory: int, times: Thinking) -> Point | None:
        """The player's move; None on a board that the rules do not know."""
        told = told_board(board, exact)
        if told is None:
            return None
        action: int | None = self._process.ask(times.hard, "choose", told, self._left_of(memory), times.soft)
        return None if action is None else _point(action, board.size)

    def judge(self, board: Board, exact: bool, memory: int, times: Thinking) -> tuple[float, Point] | None:
        """What the position is worth for us, who are to move, from −1 to +1, and the best move; None if it cannot be said."""
        told = told_board(board, exact)
        if told is None:
            return None
        judged: tuple[float, int] | None = self._process.ask(times.hard, "judge", told, self._left_of(memory), times.soft)
        return None if judged is None else (judged[0], _point(judged[1], board.size))

    def balanced_opening(self, size: int, exact: bool, memory: int, times: Thinking) -> list[Point]:
        """Three stones (black, white, black) after which neither side is better; any three where there is no time to judge."""
        openings = _openings(size)
        boards = (Board(size, {point: ply % 2 == 1 for ply, point in enumerate(opening)}) for opening in openings)
        positions = [told_board(board, exact) for board in boards]  # as white sees them, who is to move
        with suppress(NoAnswer, ThoughtFailed):
            found: int = self._process.ask(times.hard, "most_even", positions, self._left_of(memory), times.soft)
            return openings[found]
        return openings[0]

    def hurry(self) -> None:
        """Let the search end now, with its best move."""
        self._process.interrupt()

    def dismiss(self) -> None:
        """Nobody waits any longer, and nobody will."""
        self._process.dismiss()

    def close(self) -> None:
        self._process.close()

    def _left_of(self, memory: int) -> int:
        """What the thinking process may take, where all may take so many bytes (0: any number)."""
        return max(1, memory - self._own_bytes) if memory else 0


def _openings(size: int) -> list[list[Point]]:
    """Three stones near one another and near an edge, where the first mover's advantage is small; always the same ones."""
    draw = random.Random(size)
    openings: list[list[Point]] = []
    while len(openings) < OPENINGS:
        first = Point(draw.randrange(size), draw.randrange(min(3, size)))
        near = [Point(first.x + draw.randint(-3, 3), first.y + draw.randint(-3, 3)) for _ in range(2)]
        stones = [first, *near]
        if len(set(stones)) == 3 and all(0 <= point.x < size and 0 <= point.y < size for point in stones):
            openings.append(stones)
    return openings


def told_board(board: Board, exact: bool) -> ToldPosition | None:
    """The manager's board as a position with us to move; None where there are too many stones of one side."""
    stones = [(point.x, point.y, own) for point, own in board.stones.items()]
    told = told_stones(board.size, "standard" if exact else "freestyle", stones, we_are_next=True)
    return None if told is None else told.position


def _point(action: int, size: int) -> Point:
    return Point(action % size, action // size)
