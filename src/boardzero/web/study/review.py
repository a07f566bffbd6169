"""A finished game, judged move by move: what each cost in win probability, and how well each side played.

A position's value is the search's, and what a move lost is the difference between two of them. Where the solver knows the
exact results, they bound that: a move that keeps the result is good at worst, one that does not an inaccuracy at best.
"""

import asyncio
import math
from collections.abc import AsyncIterator
from dataclasses import dataclass

from boardzero.errors import BadInput
from boardzero.games.position import Position
from boardzero.web.events import Message
from boardzero.web.limits import MOST_REVIEW_SIMULATIONS
from boardzero.web.players import PlayerChoice, parse_player, solver_of
from boardzero.web.study.analysis import Analyst
from boardzero.web.study.models import Exact, JudgedMove, MoveClass, PlyReport, ReviewReport, SideReview
from boardzero.web.thinking.jobs import Busy
from boardzero.web.thinking.pool import SHARED
from boardzero.web.thinking.solvers import Urgency

CLASSES: tuple[MoveClass, ...] = ("best", "excellent", "good", "inaccuracy", "mistake", "blunder")
LOST_BELOW: tuple[tuple[float, MoveClass], ...] = ((0.02, "excellent"), (0.05, "good"), (0.10, "inaccuracy"), (0.20, "mistake"))
RESULT_KEPT = 0.049  # at most lost by a move after which the exact result is the same: it is still good
RESULT_LOST = 0.05  # at least lost by any other
SOLVER_SECONDS = 1.0  # for each position
AT_ONCE = 32  # positions of one review that are searched together: the queue belongs to others too
PROBES_AT_ONCE = 2  # positions of all reviews that the solver is asked about at once
BUSY_SECONDS = 1.0  # before a solver that had no room is asked again
USUAL_SIMULATIONS = 200
ROLLOUTS_EACH = 10  # random games in place of one simulation with a network


@dataclass(frozen=True)
class Judgement:
    """What is known of one position; values are for the side to move."""

    ply: int
    turn: int
    value: float
    best: int | None  # None: the game is over there
    line: tuple[int, ...]
    scores: dict[int, int] | None  # exact, of every move

    @property
    def exact(self) -> int | None:
        if self.scores is None:
            return None
        score = max(self.scores.values())
        return (score > 0) - (score < 0)


class Reviewer:
    """Searches every position of a game, many at once."""

    def __init__(self, analyst: Analyst) -> None:
        self.analyst, self.pool = analyst, analyst.pool
        self._probes = asyncio.Semaphore(PROBES_AT_ONCE)

    async def review(self, position: Position, player: str | None, simulations: int | None) -> AsyncIterator[Message]:
        """`ply` for every position as it becomes known, then `summary`."""
        if not position.actions:
            raise BadInput("There are no moves to review yet.")
        choice = self.analyst.choice_for(position, player)
        positions = positions_of(position)
        room, budget = asyncio.Semaphore(AT_ONCE), simulations or USUAL_SIMULATIONS
        tasks = [asyncio.create_task(self._judge(each, choice, budget, room)) for each in positions]
        try:
            for coming in asyncio.as_completed(tasks):
                yield "ply", _report(position, await coming)
            judgements = [task.result() for task in tasks]
            yield "summary", summary(position, judgements, f"{choice.name}:sims={budget}" if _searches(choice) else choice.text)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def judge(self, position: Position, move: str, player: str | None, simulations: int | None) -> JudgedMove:
        """What one move would cost."""
        choice = self.analyst.choice_for(position, player)
        after = position.copy()
        after.play(move)
        room, budget = asyncio.Semaphore(2), simulations or USUAL_SIMULATIONS
        before, then = await asyncio.gather(
            self._judge(position, choice, budget, room), self._judge(after, choice, budget, room)
        )
        return judge_move(after, before, then)

    async def _judge(self, position: Position, choice: PlayerChoice, simulations: int, room: asyncio.Semaphore) -> Judgement:
        ply, turn = len(position.actions), position.turn
        if position.over:
            value = 0.0 if position.winner is None else 1.0 if position.winner == turn else -1.0
            return Judgement(ply, turn, value, None, (), None)
        async with room:
            asked = asyncio.ensure_future(self._scores(position))
            try:
                value, best, line = await self._search(position, choice, min(simulations, MOST_REVIEW_SIMULATIONS))
                scores = await asked
            finally:
                asked.cancel()
        if scores is not None:
            leading = max(scores.values())
            if scores[best] != leading:
                best = max(scores, key=lambda action: scores[action])
                line = (best,)
        return Judgement(ply, turn, value, best, line, scores)

    async def _scores(self, position: Position) -> dict[int, int] | None:
        if solver_of(position.game) == "never":
            return None
        async with self._probes:
            while True:
                try:
                    return dict(await self.pool.solvers.scores(position, SOLVER_SECONDS, Urgency.REVIEW))
                except BadInput:
                    return None
                except Busy:
                    await asyncio.sleep(BUSY_SECONDS)

    async def _search(self, position: Position, choice: PlayerChoice, simulations: int) -> tuple[float, int, tuple[int, ...]]:
        if choice.name in SHARED:
            job = self.pool.job_for(choice, position.game, position.state, simulations, 30.0)
            job.temperature = 0.0
            report = await self.pool.submit(job)
            return report.value, report.action, report.lines[report.action]
        if choice.name == "perfect":
            action, exact = await self.pool.solvers.choose(position)
            return float(exact), action, (action,)
        text = f"mcts:sims={simulations * ROLLOUTS_EACH}" if choice.name == "mcts" else choice.text
        analysis = await self.pool.analyse(parse_player(text), position)
        best = analysis.moves[0]
        return analysis.value or 0.0, best.action, best.line


def _searches(choice: PlayerChoice) -> bool:
    return choice.name in (*SHARED, "mcts")


def positions_of(position: Position) -> list[Position]:
    """Every position of a game, from its start."""
    positions, replayed = [], position.copy()
    while True:
        positions.append(replayed.copy())
        if not replayed.actions:
            return positions[::-1]
        replayed.undo()


def summary(position: Position, judgements: list[Judgement], by: str) -> ReviewReport:
    """judgements: of plies 0 … n, in order."""
    moves = [judge_move(each, judgements[ply], judgements[ply + 1]) for ply, each in enumerate(positions_of(position)[1:])]
    first, second = (_side(side, [move for move in moves if move.side == side]) for side in (0, 1))
    return ReviewReport(players=(first, second), moves=moves, graph=[_first(each) for each in judgements], by=by)


def judge_move(after: Position, before_it: Judgement, after_it: Judgement) -> JudgedMove:
    """The last move of a position, from what is known of the positions around it."""
    game, action, best = after.game, after.actions[-1], before_it.best
    assert best is not None  # a move was made there
    before, kept = (before_it.value + 1) / 2, (1 - after_it.value) / 2
    lost, is_best = max(0.0, before - kept), action == best
    if before_it.scores is not None:
        leading, own = max(before_it.scores.values()), before_it.scores[action]
        lost, is_best = bounded_loss(lost, _share(leading) - _share(own)), own == leading
    lost = 0.0 if is_best else lost
    return JudgedMove(
        ply=len(after.actions),
        move=game.action_to_text(action),
        side=before_it.turn,
        kind="best" if is_best else class_of(lost),
        lost=round(lost, 4),
        before=round(before, 4),
        after=round(kept, 4),
        best=game.action_to_text(best),
        best_line=[game.action_to_text(each) for each in before_it.line],
    )


def bounded_loss(lost: float, exact: float) -> float:
    """What the search says that a move lost, within what the exact results say.

    exact: 0 if the move keeps the result (it may only win later), 0.5 from win to draw or draw to loss, 1 from win to loss
    """
    return min(max(lost, RESULT_LOST), exact) if exact else min(lost, RESULT_KEPT)


def class_of(lost: float) -> MoveClass:
    """The class of a move that is not the best, by the win probability that it lost."""
    return next((name for limit, name in LOST_BELOW if lost < limit), "blunder")


def accuracy_of(lost: list[float]) -> float | None:
    """0 to 100: each move's accuracy falls with what it lost, as chess sites reckon it; the mean of all moves."""
    if not lost:
        return None
    each = [min(100.0, max(0.0, 103.1668 * math.exp(-4.354 * share) - 3.1669)) for share in lost]
    return round(sum(each) / len(each), 1)


def _side(side: int, moves: list[JudgedMove]) -> SideReview:
    classes = {name: sum(move.kind == name for move in moves) for name in CLASSES}
    return SideReview(side=side, accuracy=accuracy_of([move.lost for move in moves]), moves=len(moves), classes=classes)


def _report(position: Position, judgement: Judgement) -> PlyReport:
    game = position.game
    exact: Exact | None = None if judgement.exact is None else (1, 0, -1)[1 - judgement.exact]
    return PlyReport(
        ply=judgement.ply,
        turn=judgement.turn,
        value=judgement.value,
        first=_first(judgement),
        best=None if judgement.best is None else game.action_to_text(judgement.best),
        line=[game.action_to_text(action) for action in judgement.line],
        exact=exact,
    )


def _first(judgement: Judgement) -> float:
    """The win probability of the first side."""
    own = (judgement.value + 1) / 2
    return round(own if judgement.turn == 0 else 1 - own, 4)


def _share(score: int) -> float:
    """The share of a point that an exact score is worth."""
    return 1.0 if score > 0 else 0.5 if score == 0 else 0.0
