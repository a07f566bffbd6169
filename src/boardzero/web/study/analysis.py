"""The search's opinion of a position, live."""

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing

from boardzero.errors import BadInput
from boardzero.games.position import Position
from boardzero.players.player import Analysis
from boardzero.web.describing.position import Cells, locate_move
from boardzero.web.events import Message, merged
from boardzero.web.limits import MOST_ANALYSIS_SECONDS, MOST_SECONDS, MOST_SIMULATIONS
from boardzero.web.players import PlayerChoice, analyst_of, parse_player, refuse_impossible, solver_of
from boardzero.web.study.models import (
    AnalysisReport,
    Candidate,
    Exact,
    ExactMove,
    ExactReport,
    Place,
    PolicyMove,
    PolicyReport,
)
from boardzero.web.thinking.jobs import Busy, SearchReport
from boardzero.web.thinking.pool import SHARED, ThinkingPool

ALONE_SECONDS = (0.2, 0.6, 2.0, 6.0, 20.0)  # of players who cannot tell what they think on the way: each time longer
SHOWN_MOVES = 60  # candidates of one report; the rest of a large board has no visits worth showing


def probability(value: float | None) -> float | None:
    """The share of a point that a value expects, a draw counting one half."""
    return None if value is None else (value + 1) / 2


class Analyst:
    """Answers questions about positions."""

    def __init__(self, pool: ThinkingPool) -> None:
        self.pool = pool

    def choice_for(self, position: Position, player: str | None) -> PlayerChoice:
        """Who analyses: the one named, or the game's usual analyst."""
        choice = parse_player(player or analyst_of(position.game, self.pool.shelf))
        refuse_impossible(choice, position.game, self.pool.shelf)
        if choice.is_human:
            raise BadInput("A person cannot analyse for the server; choose another player.")
        return choice

    async def live(self, position: Position, player: str | None, seconds: float) -> AsyncIterator[Message]:
        """`analysis` again and again, and `exact` once, where a solver knows."""
        refuse_over(position)
        choice = self.choice_for(position, player)
        sources = [self._reports(position, choice, min(seconds, MOST_ANALYSIS_SECONDS))]
        if solver_of(position.game) != "never":
            sources.append(self._exact_once(position))
        async with aclosing(merged(sources)) as messages:
            async for message in messages:
                yield message

    async def exact(self, position: Position) -> ExactReport:
        refuse_over(position)
        scores = await self.pool.solvers.scores(position)
        game, cells = position.game, position.game.cells(position.state)
        ranked = sorted(scores, key=lambda action: -scores[action])
        moves = [
            ExactMove(
                **place_of(position, action, cells).model_dump(),
                exact=_sign(scores[action]),
                score=scores[action],
                text=_in_words(game.name, scores[action], position),
            )
            for action in ranked
        ]
        return ExactReport(turn=position.turn, value=moves[0].exact, score=moves[0].score, moves=moves)

    async def policy(self, position: Position, network: str) -> PolicyReport:
        """What the network alone thinks; a search of one simulation asks it, in the next batch."""
        refuse_over(position)
        choice = parse_player(f"alphazero:network={network}" if network else "alphazero")
        found = self.pool.shelf.find(network, position.game)
        report = await self.pool.submit(self.pool.job_for(choice, position.game, position.state, simulations=1))
        board = position.game.cells(position.state)
        moves = [
            PolicyMove(**place_of(position, edge.action, board).model_dump(), probability=edge.prior) for edge in report.edges
        ]
        moves.sort(key=lambda move: -move.probability)
        cells: list[float | None] = [None] * board.size
        for move in moves:
            if move.target is not None:
                cells[move.target] = (cells[move.target] or 0.0) + move.probability
        value = report.network_value
        return PolicyReport(network=found.id, value=value, win_probability=(value + 1) / 2, moves=moves, cells=cells)

    # -- sources of messages -------------------------------------------------------------------------------------------
    async def _reports(self, position: Position, choice: PlayerChoice, seconds: float) -> AsyncGenerator[Message, None]:
        source = self._shared_reports if choice.name in SHARED else self._alone_reports
        async with aclosing(source(position, choice, seconds)) as reports:
            async for report in reports:
                yield "analysis", report

    async def _exact_once(self, position: Position) -> AsyncGenerator[Message, None]:
        try:
            exact = await self.exact(position)
        except (BadInput, Busy):
            return  # not solved, or not in time: the analysis goes without it
        yield "exact", exact

    async def _shared_reports(
        self, position: Position, choice: PlayerChoice, seconds: float
    ) -> AsyncGenerator[AnalysisReport, None]:
        simulations = choice.simulations if "sims" in choice.parameters.model_fields_set else MOST_SIMULATIONS
        job = self.pool.job_for(choice, position.game, position.state, simulations, seconds)
        job.temperature, job.wants_lines = 0.0, True
        last: SearchReport | None = None
        async with aclosing(self.pool.watch(job)) as reports:
            async for report in reports:
                if last is not None:
                    yield report_of_search(position, choice, last, final=False)
                last = report
        if last is not None:
            yield report_of_search(position, choice, last, final=True)

    async def _alone_reports(
        self, position: Position, choice: PlayerChoice, seconds: float
    ) -> AsyncGenerator[AnalysisReport, None]:
        if choice.name == "perfect":
            return  # the exact report says it all
        if choice.parameters.model_fields_set or choice.name == "random":
            analysis = await self.pool.analyse(choice, position, seconds)
            yield report_of_player(position, choice, analysis, 0.0, final=True)
            return
        spent = 0.0
        for step in (*ALONE_SECONDS, MOST_ANALYSIS_SECONDS):
            share = max(0.01, min(step, seconds - spent, MOST_SECONDS))
            analysis = await self.pool.analyse(parse_player(f"{choice.name}:seconds={share:.2f}"), position, share)
            spent += share
            final = spent >= seconds or analysis.exact is not None or step == MOST_ANALYSIS_SECONDS
            yield report_of_player(position, choice, analysis, spent, final)
            if final:
                return


def refuse_over(position: Position) -> None:
    if position.over:
        raise BadInput(f"The game is over there ({position.result_text}); there is nothing to analyse.")


def place_of(position: Position, action: int, cells: Cells) -> Place:
    """cells: those of the position."""
    move = locate_move(position.game, cells, action)
    return Place(action=action, move=move.move, source=move.source, target=move.target, column=move.column)


def report_of_search(position: Position, choice: PlayerChoice, report: SearchReport, final: bool) -> AnalysisReport:
    game, cells = position.game, position.game.cells(position.state)
    total = max(1, sum(edge.visits for edge in report.edges))
    moves = [
        Candidate(
            **place_of(position, edge.action, cells).model_dump(),
            visits=edge.visits,
            share=edge.visits / total,
            value=edge.value if edge.visits else None,
            win_probability=probability(edge.value) if edge.visits else None,
            prior=edge.prior,
            exact=_exact(edge.lower) if edge.lower == edge.upper else None,
            line=[game.action_to_text(action) for action in report.lines.get(edge.action, (edge.action,))],
        )
        for edge in report.edges[:SHOWN_MOVES]
    ]
    return AnalysisReport(
        final=final,
        player=choice.text,
        simulations=report.simulations,
        seconds=round(report.seconds, 3),
        turn=position.turn,
        value=report.value,
        win_probability=probability(report.value),
        exact=None if report.exact is None else _exact(report.exact),
        moves=moves,
        remarks=["The tree is full and stopped growing."] if report.is_full else [],
    )


def report_of_player(
    position: Position, choice: PlayerChoice, analysis: Analysis, seconds: float, final: bool
) -> AnalysisReport:
    game, cells = position.game, position.game.cells(position.state)
    visits = [opinion.visits for opinion in analysis.moves if opinion.visits is not None]
    total = max(1, sum(visits))
    moves = [
        Candidate(
            **place_of(position, opinion.action, cells).model_dump(),
            visits=opinion.visits,
            share=None if opinion.visits is None else opinion.visits / total,
            value=opinion.value,
            win_probability=probability(opinion.value),
            prior=opinion.prior,
            exact=None if opinion.exact is None else _exact(opinion.exact),
            line=[game.action_to_text(action) for action in opinion.line or (opinion.action,)],
        )
        for opinion in analysis.moves[:SHOWN_MOVES]
    ]
    return AnalysisReport(
        final=final,
        player=choice.text,
        simulations=sum(visits) if visits else None,
        seconds=round(seconds, 3),
        turn=position.turn,
        value=analysis.value,
        win_probability=probability(analysis.value),
        exact=None if analysis.exact is None else _exact(analysis.exact),
        moves=moves,
        remarks=list(analysis.remarks),
    )


def _sign(score: int) -> Exact:
    return _exact((score > 0) - (score < 0))


def _exact(result: int) -> Exact:
    return 1 if result > 0 else -1 if result < 0 else 0


def _in_words(name: str, score: int, position: Position) -> str:
    """`wins in 7 moves`, `loses by 12 discs`, `draws`."""
    if score == 0:
        return "draws"
    verb = "wins" if score > 0 else "loses"
    if name == "othello":
        return f"{verb} by {abs(score)} discs"
    plies = _plies_to_end(name, score, position)
    return f"{verb} in {plies} {'ply' if plies == 1 else 'plies'}"


def _plies_to_end(name: str, score: int, position: Position) -> int:
    """How many moves of both sides are left, the one that is judged counted, if both play as well as they can."""
    game = position.game
    if name == "tictactoe":
        return game.max_plies + 1 - abs(score)
    # Connect Four: the winner has |score| stones left, counting the one that wins.
    stones = sum(1 for cell in game.cells(position.state).reshape(-1) if cell)
    remaining = game.max_plies - stones
    own_left = (remaining + 1) // 2 if score > 0 else remaining // 2
    rounds = own_left - abs(score)
    return 2 * rounds + (1 if score > 0 else 2)
