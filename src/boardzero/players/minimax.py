"""Alpha-beta search over a hand-written heuristic of the game (or none, in a game that has none)."""

from boardzero.games.position import Position
from boardzero.games.randomness import new_stream
from boardzero.games.rules import Game
from boardzero.players.parameters import MinimaxParameters
from boardzero.players.player import Analysis, MoveOpinion, Player
from boardzero.search import deepening
from boardzero.search.deepening import AlphaBetaReport
from boardzero.search.heuristics import find_heuristic, value_of_score

DEFAULT_SECONDS = 1.0


class MinimaxPlayer(Player):
    """Chooses the move with the best minimax value; of equally good moves the seed decides."""

    name = "minimax"
    Parameters = MinimaxParameters
    parameters: MinimaxParameters

    def __init__(self, game: Game, parameters: MinimaxParameters, seed: int = 0) -> None:
        super().__init__(game, parameters, seed)
        self._interrupted = False
        self.heuristic = find_heuristic(game)

    def analyse(self, position: Position, seconds: float | None = None) -> Analysis:
        """Every move gets its own value, which takes longer than only finding the best."""
        report = self._search(position, seconds, every_action=True)
        moves = tuple(
            MoveOpinion(scored.action, value=scored.value, exact=scored.exact, line=scored.line) for scored in report.actions
        )
        value = value_of_score(report.score) if report.exact is None else float(report.exact)
        return Analysis(moves, value, report.exact, (f"depth {report.depth}, {report.nodes} nodes",))

    def interrupt(self) -> None:
        self._interrupted = True

    def choose(self, position: Position, seconds: float | None = None) -> int:
        return self._search(position, seconds, every_action=False).actions[0].action

    def _search(self, position: Position, seconds: float | None, every_action: bool) -> AlphaBetaReport:
        settings = self.parameters
        self._interrupted = False
        limits = [limit for limit in (settings.seconds, seconds) if limit is not None]
        if settings.depth is None and settings.seconds is None:
            limits.append(DEFAULT_SECONDS)
        return deepening.search(
            self.game,
            position.state,
            depth=settings.depth,
            seconds=min(limits, default=None),
            heuristic=self.heuristic,
            every_action=every_action,
            order=new_stream(self.seed, len(position.actions)),
            is_stopped=lambda: self._interrupted,
        )
