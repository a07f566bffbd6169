"""The gate: is a new network good enough to take over self-play?"""

from collections.abc import Callable

from boardzero.arena.game import derived_seed
from boardzero.games.rules import Game
from boardzero.network.evaluator import find_evaluator
from boardzero.settings.run import RunSettings
from boardzero.training.matches import MatchScore, NetworkSide, play_match
from boardzero.training.run_folder import Promotions, RunFolder

GATE_STREAM = 2  # seeds of comparisons are derived apart from those of evaluations


class Gate:
    """Compares networks as the settings of a run say."""

    def __init__(self, game: Game, settings: RunSettings, folder: RunFolder, threads: int) -> None:
        self.settings = settings.gate
        self.is_open = settings.gate.kind == "none"  # does the newest network always play?
        self._game, self._folder, self._threads = game, folder, threads
        self._search, self._seed = settings.search, settings.seed
        self.simulations = settings.gate.simulations or settings.selfplay.cap.full_simulations

    def is_due(self, generation: int, promotions: Promotions, seconds: float) -> bool:
        """Is the newest network to be compared with the best one now?"""
        if self.is_open or generation <= promotions.compared or generation % self.settings.every:
            return False
        return not promotions.promoted or seconds - promotions.seconds >= 60 * self.settings.wait_minutes

    def compare(self, generation: int, best: int, check: Callable[[], None]) -> MatchScore:
        """The match of a generation against the best; check may raise to end it."""
        seed = derived_seed(self._seed, GATE_STREAM, generation)
        sides = [
            NetworkSide(
                self._game,
                find_evaluator(self._folder.network(number), self._game, self._threads),
                self.simulations,
                self._search,
                self.settings.temperature,
                self.settings.temperature_plies,
                derived_seed(seed, order),
            )
            for order, number in enumerate((generation, best))
        ]
        return play_match(self._game, sides[0], sides[1], self.settings.games, seed, self.settings.openings, check)

    def is_passed(self, score: MatchScore) -> bool:
        total = score.total
        return self.settings.is_passed(total.wins, total.draws, total.losses)
