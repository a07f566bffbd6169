"""Monte-Carlo tree search with random rollouts: plays any game from its rules alone, without having learned anything."""

from boardzero.games.position import Position
from boardzero.games.randomness import new_stream
from boardzero.games.rules import Game
from boardzero.players.parameters import RolloutParameters
from boardzero.players.player import Analysis, MoveOpinion, Player
from boardzero.search import rollouts
from boardzero.search.rollout_tree import Tree
from boardzero.search.rollouts import RolloutReport

DEFAULT_SIMULATIONS = 1000


class RolloutPlayer(Player):
    """Searches anew at every move; random numbers follow from the seed and the number of moves played."""

    name = "mcts"
    Parameters = RolloutParameters
    parameters: RolloutParameters

    def __init__(self, game: Game, parameters: RolloutParameters, seed: int = 0) -> None:
        super().__init__(game, parameters, seed)
        self._interrupted = False

    def analyse(self, position: Position, seconds: float | None = None) -> Analysis:
        report = self._search(position, seconds, lines=True)
        moves = tuple(
            MoveOpinion(found.action, value=found.value, visits=found.visits, exact=found.exact, line=found.line)
            for found in report.actions
        )
        return Analysis(moves, report.value, report.exact, _remarks(report))

    def interrupt(self) -> None:
        self._interrupted = True

    def choose(self, position: Position, seconds: float | None = None) -> int:
        return self._search(position, seconds, lines=False).actions[0].action

    def grow(self, position: Position, simulations: int, seconds: float, capacity: int) -> tuple[Tree, int]:
        """The tree of a search of this length, to be looked at, and how many simulations made it."""
        self._interrupted = False
        settings = self.parameters
        return rollouts.grow(
            self.game,
            position.state,
            new_stream(self.seed, len(position.actions)),
            simulations,
            seconds,
            settings.c,
            settings.variant == "every-child",
            capacity,
            lambda: self._interrupted,
        )

    def _search(self, position: Position, seconds: float | None, lines: bool) -> RolloutReport:
        settings = self.parameters
        self._interrupted = False
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
            is_stopped=lambda: self._interrupted,
        )


def _remarks(report: RolloutReport) -> tuple[str, ...]:
    remarks = [f"{report.simulations} simulations, {report.nodes} nodes"]
    if report.is_full:
        remarks.append("the tree is full and stopped growing")
    return tuple(remarks)
