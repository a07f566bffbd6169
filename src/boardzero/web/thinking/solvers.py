"""Exact results, where a solver knows them; one thread asks, since a solver belongs to one thread.

Whoever waits for a move comes first, then whoever looks at a position, then reviews.
"""

import asyncio
import heapq
import secrets
from collections import OrderedDict
from collections.abc import AsyncIterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress
from enum import IntEnum

from boardzero.errors import BadInput
from boardzero.games.position import Position
from boardzero.games.rules import Game
from boardzero.players.perfect import ExactScores, exact_scores
from boardzero.search.slices import OutOfTime
from boardzero.web.limits import EXACT_SECONDS
from boardzero.web.thinking.jobs import Busy

MOST_SOLVERS = 3  # each keeps a table of some 30 MB
MOST_ANSWERS = 10_000  # that are remembered
MOST_WAITING = 64


class Urgency(IntEnum):
    """Who is answered first: the lowest."""

    MOVE = 0
    LOOK = 1
    REVIEW = 2


class Turns:
    """Lets one in at a time, the most urgent first; of those, whoever came first."""

    def __init__(self) -> None:
        self._taken = False
        self._line: list[tuple[Urgency, int, asyncio.Future[None]]] = []
        self._number = 0

    def __len__(self) -> int:
        """How many wait or are in."""
        return self._taken + sum(not waiting.done() for _, _, waiting in self._line)

    @asynccontextmanager
    async def wait(self, urgency: Urgency) -> AsyncIterator[None]:
        if self._taken:
            called = asyncio.get_running_loop().create_future()
            self._number += 1
            heapq.heappush(self._line, (urgency, self._number, called))
            try:
                await called
            except asyncio.CancelledError:
                if called.done() and not called.cancelled():
                    self._call_next()  # it was let in, but has gone
                raise
        self._taken = True
        try:
            yield
        finally:
            self._call_next()

    def _call_next(self) -> None:
        """The turn stays taken while it is handed on, so that nobody slips in."""
        while self._line:
            called = heapq.heappop(self._line)[2]
            if not called.done():
                called.set_result(None)
                return
        self._taken = False


class Solvers:
    """Scores of all legal moves, remembered."""

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="solver")
        self._solvers: OrderedDict[str, ExactScores] = OrderedDict()
        self._answers: OrderedDict[tuple[str, bytes], Mapping[int, int]] = OrderedDict()
        self._turns = Turns()

    async def scores(
        self, position: Position, seconds: float = EXACT_SECONDS, urgency: Urgency = Urgency.LOOK
    ) -> Mapping[int, int]:
        """For the side to move: positive wins (the larger the sooner), 0 draws; BadInput where that is not known in time."""
        if position.over:
            raise BadInput(f"The game is over there ({position.result_text}).")
        key = (position.game.specification, position.state.tobytes())
        if key in self._answers:
            self._answers.move_to_end(key)
            return self._answers[key]
        if len(self._turns) >= MOST_WAITING:
            raise Busy("The solver is busy with other positions; try again in a few seconds.")
        async with self._turns.wait(urgency):
            loop = asyncio.get_running_loop()
            scores = await loop.run_in_executor(self._thread, self._solve, position.copy(), seconds)
        self._answers[key] = scores
        if len(self._answers) > MOST_ANSWERS:
            self._answers.popitem(last=False)
        return scores

    async def choose(self, position: Position) -> tuple[int, int]:
        """One of the best moves, and the result it leads to."""
        scores = await self.scores(position, 4 * EXACT_SECONDS, Urgency.MOVE)
        best = max(scores.values())
        action = secrets.choice([action for action, score in scores.items() if score == best])
        return action, (best > 0) - (best < 0)

    def close(self) -> None:
        self._thread.shutdown(wait=False, cancel_futures=True)

    def _solve(self, position: Position, seconds: float) -> Mapping[int, int]:
        is_new = position.game.specification not in self._solvers
        solver = self._solver(position.game)
        if is_new:
            with suppress(OutOfTime):
                solver(position.state, 0.0)  # what has to be loaded and compiled takes none of the time
        try:
            return solver(position.state, seconds)
        except OutOfTime:
            raise BadInput(
                f"No solver knows this position of {position.game.specification} within {seconds:g} seconds."
            ) from None

    def _solver(self, game: Game) -> ExactScores:
        name = game.specification
        if name not in self._solvers:
            self._solvers[name] = exact_scores(game)
            if len(self._solvers) > MOST_SOLVERS:
                self._solvers.popitem(last=False)
        self._solvers.move_to_end(name)
        return self._solvers[name]
