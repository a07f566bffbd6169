"""What the session of a brain of Gomocup asks of the process that thinks for it."""

import random
import time
from contextlib import suppress

from boardzero.engines.memory import used_megabytes
from boardzero.engines.thinking_process import ThinkingProcess, ThoughtFailed
from boardzero.engines.timing import NoAnswer, Thinking
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
        with suppress(NoAnswer, ThoughtFailed):
            self._process.ask(time.perf_counter() + patience, "get_ready", size, exact, self._left_of(memory))

    def choose(self, board: Board, exact: bool, memory: int, times: Thinking) -> Point | None:
        """The player's move; None on a board that the rules do not know."""
        point: Point | None = self._process.ask(times.hard, "choose", board, exact, self._left_of(memory), times.soft)
        return point

    def judge(self, board: Board, exact: bool, memory: int, times: Thinking) -> tuple[float, Point] | None:
        """What the position is worth for us, who are to move, from −1 to +1, and the best move; None if it cannot be said."""
        judged: tuple[float, Point] | None
        judged = self._process.ask(times.hard, "judge", board, exact, self._left_of(memory), times.soft)
        return judged

    def balanced_opening(self, size: int, exact: bool, memory: int, times: Thinking) -> list[Point]:
        """Three stones (black, white, black) after which neither side is better; any three where there is no time to judge."""
        openings = _openings(size)
        with suppress(NoAnswer, ThoughtFailed):
            left = self._left_of(memory)
            found: list[Point] = self._process.ask(times.hard, "most_balanced", openings, size, exact, left, times.soft)
            return found
        return openings[0]

    def opinion(self, point: Point) -> str:
        """What the last search thought of a move, for people; empty where it did not look at it."""
        with suppress(NoAnswer, ThoughtFailed):
            return str(self._process.ask(time.perf_counter() + EVALUATION_SECONDS, "opinion", point))
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
