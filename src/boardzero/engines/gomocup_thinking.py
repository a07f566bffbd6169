"""What the session of a brain of Gomocup asks of the process that thinks for it."""

import random
import time
from contextlib import suppress

from boardzero.engines.memory import used_megabytes
from boardzero.engines.thinking_process import ThinkingProcess, ThoughtFailed
from boardzero.engines.timing import NoAnswer, Thinking
from boardzero.engines.told_position import ToldPosition
from boardzero.protocols.gomocup import Board, Point

LOADING_SECONDS = 0.25  # that START may take, so that a player which is compiled already is ready for the first move
OPENINGS = 24  # that are tried
EVALUATION_SECONDS = 0.3  # to say what was thought of a move


class GomocupThinker:
    """Every method returns by its deadline, or raises NoAnswer, or ThoughtFailed."""

    def __init__(self, process: ThinkingProcess) -> None:
        self._process = process
        self._own_bytes = int(1e6 * used_megabytes())

    @property
    def is_ready(self) -> bool:
        """Has the player been loaded?"""
        return self._process.is_ready

    def prepare(self, size: int, exact: bool, memory: int) -> None:
        """Get the player ready for this board; the first time, wait a little for it: no clock runs yet."""
        patience = 0.0 if self.is_ready else LOADING_SECONDS
        begun = told_board(Board(size, {Point(size // 2, size // 2): False}), exact)
        with suppress(NoAnswer, ThoughtFailed):
            self._process.ask(time.perf_counter() + patience, "get_ready", begun, self._left_of(memory))

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

    def opinion(self, point: Point, size: int) -> str:
        """What the last search thought of a move, for people; empty where it did not look at it."""
        with suppress(NoAnswer, ThoughtFailed):
            deadline = time.perf_counter() + EVALUATION_SECONDS
            opinion: tuple[float, int] | None = self._process.ask(deadline, "opinion", point.y * size + point.x)
            return "" if opinion is None else f"{point}: expected result {opinion[0]:+.2f}, {opinion[1]} simulations"
        return ""

    def hurry(self) -> None:
        """Let the search end now, with its best move."""
        self._process.interrupt()

    def dismiss(self) -> None:
        """Nobody waits any longer."""
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
    """The manager's board as a position with us to move; None where there are too many stones of one side.

    The order of the stones is kept where the sides alternate, so that the search goes on with the tree that it has.
    """
    game = f"gomoku:size={board.size},rule={'standard' if exact else 'freestyle'}"
    own = sum(board.stones.values())
    others = len(board.stones) - own
    if others - own not in (0, 1):
        return None
    we_begin = others == own
    if all(mine == (we_begin == (ply % 2 == 0)) for ply, mine in enumerate(board.stones.values())):
        return ToldPosition(game, tuple(point.y * board.size + point.x for point in board.stones))
    letters = {True: "XO"[not we_begin], False: "OX"[not we_begin]}
    points = ([Point(x, y) for x in range(board.size)] for y in range(board.size))
    rows = ("".join(letters[board.stones[p]] if p in board.stones else "." for p in row) for row in points)
    return ToldPosition(game, start=f"{'/'.join(rows)} {letters[True]}")


def _point(action: int, size: int) -> Point:
    return Point(action % size, action // size)
