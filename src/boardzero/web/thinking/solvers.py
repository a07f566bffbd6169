"""Exact results, where a solver knows them; one thread asks, since a solver belongs to one thread."""

import asyncio
import secrets
from collections import OrderedDict
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor

from boardzero.errors import BadInput
from boardzero.games.position import Position
from boardzero.games.rules import Game
from boardzero.players.perfect import ExactScores, exact_scores
from boardzero.search.slices import OutOfTime
from boardzero.web.limits import EXACT_SECONDS

MOST_SOLVERS = 3  # each keeps a table of some 30 MB
MOST_ANSWERS = 10_000  # that are remembered
MOST_WAITING = 64


class Solvers:
    """Scores of all legal moves, remembered."""

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="solver")
        self._solvers: OrderedDict[str, ExactScores] = OrderedDict()
        self._answers: OrderedDict[tuple[str, bytes], Mapping[int, int]] = OrderedDict()
        self._waiting = 0

    async def scores(self, position: Position, seconds: float = EXACT_SECONDS) -> Mapping[int, int]:
        """For the side to move: positive wins (the larger the sooner), 0 draws; BadInput where that is not known in time."""
        if position.over:
            raise BadInput(f"The game is over there ({position.result_text}).")
        key = (position.game.specification, position.state.tobytes())
        if key in self._answers:
            self._answers.move_to_end(key)
            return self._answers[key]
        if self._waiting >= MOST_WAITING:
            raise BadInput("The solver is busy with other positions; try again in a few seconds.")
        self._waiting += 1
        try:
            loop = asyncio.get_running_loop()
            scores = await loop.run_in_executor(self._thread, self._solve, position.copy(), seconds)
        finally:
            self._waiting -= 1
        self._answers[key] = scores
        if len(self._answers) > MOST_ANSWERS:
            self._answers.popitem(last=False)
        return scores

    async def choose(self, position: Position) -> tuple[int, int]:
        """One of the best moves, and the result it leads to."""
        scores = await self.scores(position, 4 * EXACT_SECONDS)
        best = max(scores.values())
        action = secrets.choice([action for action, score in scores.items() if score == best])
        return action, (best > 0) - (best < 0)

    def close(self) -> None:
        self._thread.shutdown(wait=False, cancel_futures=True)

    def _solve(self, position: Position, seconds: float) -> Mapping[int, int]:
        solver = self._solver(position.game)
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
