"""Monte-Carlo tree search with random rollouts: plays any game from its rules alone, without having learned anything."""

from typing import Literal

from pydantic import Field

from boardzero.games.position import Position
from boardzero.games.randomness import new_stream
from boardzero.games.rules import Game
from boardzero.players.player import Analysis, MoveOpinion, Player
from boardzero.search import rollouts
from boardzero.search.rollouts import DEFAULT_CAPACITY, RolloutReport
from boardzero.settings.specification import Parameters

DEFAULT_SIMULATIONS = 1000


class RolloutParameters(Parameters):
    """How long to search and how. With both limits the first one reached ends the search; with none, 1000 simulations do."""

    sims: int | None = Field(None, ge=1, le=1_000_000_000, description="simulations a move")
    seconds: float | None = Field(None, gt=0, le=86_400, description="seconds a move")
    c: float = Field(1.4, ge=0, le=1000, description="weight of exploration in UCB1: mean + c · √(ln N / n)")
    variant: Literal["uct", "every-child"] = Field(
        "uct", description="uct: a rollout a simulation, most visits win; every-child: one from each child, highest U wins"
    )
    nodes: int = Field(DEFAULT_CAPACITY, ge=1000, le=100_000_000, description="largest size of the tree")


class RolloutPlayer(Player):
    """Searches anew at every move; random numbers follow from the seed and the number of moves played."""

    name = "mcts"
    Parameters = RolloutParameters
    parameters: RolloutParameters

    def __init__(self, game: Game, parameters: RolloutParameters, seed: int = 0) -> None:
        super().__init__(game, parameters, seed)

    def analyse(self, position: Position, seconds: float | None = None) -> Analysis:
        report = self._search(position, seconds, lines=True)
        moves = tuple(
            MoveOpinion(found.action, value=found.value, visits=found.visits, exact=found.exact, line=found.line)
            for found in report.actions
        )
        return Analysis(moves, report.value, report.exact, _remarks(report))

    def choose(self, position: Position, seconds: float | None = None) -> int:
        return self._search(position, seconds, lines=False).actions[0].action

    def _search(self, position: Position, seconds: float | None, lines: bool) -> RolloutReport:
        settings = self.parameters
        limits = [limit for limit in (settings.seconds, seconds) if limit is not None]
        simulations = settings.sims
        if simulations is None and settings.seconds is None:
            simulations = DEFAULT_SIMULATIONS
        return rollouts.search(
            self.game,
            position.state,
            new_stream(self.seed, len(position.actions)),
            simulations=simulations,
            seconds=min(limits, default=None),
            c=settings.c,
            variant=settings.variant,
            capacity=settings.nodes,
            lines=lines,
        )


def _remarks(report: RolloutReport) -> tuple[str, ...]:
    remarks = [f"{report.simulations} simulations, {report.nodes} nodes"]
    if report.is_full:
        remarks.append("the tree is full and stopped growing")
    return tuple(remarks)
