"""How strong a run is while it learns: matches of its newest network, and its mistakes against perfect play.

All of it happens in a time budget of its own, a share of the run's time: what would take more waits for a later evaluation.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from boardzero.arena.game import derived_seed
from boardzero.arena.perfect_play import count_mistakes, draw_solved_positions, search_chooser
from boardzero.arena.scores import Tally
from boardzero.arena.solved_games import SolvedPosition, is_solved
from boardzero.errors import BadInput
from boardzero.events.games import PlayedGame
from boardzero.events.training import MatchPlayed, PerfectPlayMeasured, Remark, StrengthMeasured
from boardzero.games.rules import Game
from boardzero.network.evaluator import find_evaluator
from boardzero.players.catalogue import player_class
from boardzero.search.forest import Evaluator
from boardzero.settings.evaluation import PREVIOUS
from boardzero.settings.run import RunSettings
from boardzero.settings.search import settings_for_play
from boardzero.settings.specification import split_specification
from boardzero.training.curriculum import learns_odds
from boardzero.training.matches import NetworkSide, PlayerSide, play_match
from boardzero.training.run_folder import RunFolder

MEASURED_SEED = 20_001  # the same positions for every run, so that runs can be compared (of a generation, if they are fresh)
EVALUATION_STREAM = 3  # seeds of evaluations are derived apart from those of comparisons
MINIMAX_DEPTH = 4
LEAST_AT_END = 10.0  # seconds that the evaluation at the end of even the shortest run may take
PATIENCE = 6  # times less than guessed that a first measurement takes at the very least: the guess is rough
TIMED_POSITIONS = 8  # in a batch, to see how fast a network is
PERFECT = "perfect play"

Told = StrengthMeasured | MatchPlayed | PerfectPlayMeasured | Remark
Tell = Callable[[Told], None]
MatchAnswer = tuple[StrengthMeasured, tuple[PlayedGame, ...]]  # what a match came to, and its games


@dataclass(frozen=True)
class Opponent:
    """Somebody to be measured against: a player, or an earlier network."""

    kind: str
    text: str  # the player's specification, or the network's name
    generation: int | None = None


class StrengthMeter:
    """Measures the newest network whenever it is due and there is time for it."""

    def __init__(
        self, game: Game, settings: RunSettings, folder: RunFolder, threads: int, spent: float, check: Callable[[], None]
    ) -> None:
        """spent: seconds of earlier evaluations; check may raise to end an evaluation."""
        self.settings, self.spent = settings.evaluation, spent
        self._game, self._run, self._folder, self._threads, self._check = game, settings, folder, threads, check
        self._players, self._previous = self._find_opponents()
        self._solvable = is_solved(game) and settings.evaluation.positions > 0
        self._drawn: list[SolvedPosition] | None = None
        self._costs: dict[str, float] = {}  # seconds that each kind of measurement took last
        self._seconds_each: float | None = None  # that an evaluation of a position takes, roughly
        self._measured: dict[str, int] = {}  # the generation that each was last made for
        self._last_seconds = 0.0

    def is_due(self, generation: int, seconds: float) -> bool:
        """Is it time for an evaluation of the generation that has just come?"""
        settings = self.settings
        if settings.minutes is not None:
            return seconds - self._last_seconds >= 60 * settings.minutes
        return settings.every > 0 and generation % settings.every == 0

    def measure(self, generation: int, seconds: float, tell: Tell, final: bool = False) -> None:
        """Measure as much as the budget allows, first what was not measured for longest; each generation once."""
        settings = self.settings
        budget = settings.share * seconds - self.spent
        if final and settings.share > 0:
            budget = max(budget, LEAST_AT_END)
        self._last_seconds = seconds
        wanted = [PERFECT] * self._solvable + [player.text for player in self._players] + [PREVIOUS] * bool(self._previous)
        wanted.sort(key=lambda name: self._measured.get(name, -1))
        for name in wanted:
            if self._measured.get(name) == generation or budget <= 0 or self._expected(name, generation) > budget:
                continue
            begun = time.perf_counter()
            if name == PERFECT:
                self._draw_positions(generation, tell)
            drawing = 0.0 if settings.fresh_positions else time.perf_counter() - begun  # is done once
            for event in self._measurements(name, generation, seconds):
                tell(event)
                if isinstance(event, StrengthMeasured) and time.perf_counter() - begun + event.match_seconds > budget:
                    break  # there is no time for another earlier network
            self._measured[name] = generation
            seconds_taken = time.perf_counter() - begun
            self._costs[name] = 0.0 if name == PREVIOUS else seconds_taken - drawing
            self.spent += seconds_taken
            budget -= seconds_taken

    def _expected(self, name: str, generation: int) -> float:
        """Seconds that a measurement takes: as many as the last one; of the first only what it takes at the very least."""
        if name in self._costs:
            return self._costs[name]
        if self._seconds_each is None:
            self._seconds_each = _time_evaluation(self._evaluator(generation), self._game)
        if name == PERFECT:
            evaluations = self.settings.positions * self.settings.position_simulations
        else:
            evaluations = self.settings.games * match_simulations(self._run) * self._game.max_plies // 4
        return self._seconds_each * evaluations / PATIENCE

    def _measurements(self, name: str, generation: int, seconds: float) -> Iterator[Told]:
        if name == PERFECT:
            if self._drawn:
                yield self._perfect_play(generation, seconds)
            return
        players = [player for player in self._players if player.text == name]
        for opponent in players or self._earlier_networks(generation):
            measured, games = self._match(opponent, generation, seconds)
            simulations = measured.simulations
            yield MatchPlayed("evaluation", generation, opponent.text, opponent.generation, simulations, games)
            yield measured

    # -- perfect play --------------------------------------------------------------------------------------------------
    def _perfect_play(self, generation: int, seconds: float) -> PerfectPlayMeasured:
        """On the same positions every time, unless fresh ones are asked for: a difference is then the network's."""
        assert self._drawn
        self._check()
        return measure_perfect_play(self._game, self._run, self._evaluator(generation), self._drawn, generation, seconds)

    def _draw_positions(self, generation: int, tell: Tell) -> None:
        """Once, or for each evaluation; it is said, the first time, if there are fewer than were asked for."""
        first, fresh = self._drawn is None, self.settings.fresh_positions
        if not first and not fresh:
            return
        wanted, game = self.settings.positions, self._game.specification
        seed = derived_seed(MEASURED_SEED, generation) if fresh else MEASURED_SEED
        self._drawn = draw_solved_positions(self._game, wanted, seed)
        self._solvable = bool(self._drawn)
        if not first:
            return
        if not self._drawn:
            tell(Remark(f"No positions of {game} were found that are soon solved: perfect play is not compared with."))
        elif len(self._drawn) < wanted:
            tell(Remark(f"Perfect play is compared with in {len(self._drawn)} positions of {game}: {wanted} were not found."))

    # -- matches -------------------------------------------------------------------------------------------------------
    def _match(self, opponent: Opponent, generation: int, seconds: float) -> MatchAnswer:
        return measure_match(self._game, self._run, opponent, self._evaluator, generation, seconds, self._check)

    def _evaluator(self, generation: int) -> Evaluator:
        return find_evaluator(self._folder.network(generation), self._game, self._threads)

    # -- opponents -----------------------------------------------------------------------------------------------------
    def _find_opponents(self) -> tuple[list[Opponent], int]:
        """The players, and how many earlier networks; what cannot be played against is refused (BadInput)."""
        players, previous = [], 0
        for text in dict.fromkeys(self.settings.opponents):
            name, rest = split_specification(text)
            if name == PREVIOUS:
                if not (rest or "1").isdecimal():
                    raise BadInput(f"'{text}' in evaluation.opponents should be {PREVIOUS}:NUMBER, like {PREVIOUS}:5.")
                previous = int(rest or "1")
                continue
            if player_class(name).needs_person:
                raise BadInput(f"'{text}' in evaluation.opponents is a person; a run plays against programs.")
            if name == "mcts" and "sims=" not in rest and "seconds=" not in rest:
                text = f"mcts:sims={match_simulations(self._run)}" + (f",{rest}" if rest else "")
            if name == "minimax" and not rest:
                text = f"minimax:depth={MINIMAX_DEPTH}"
            PlayerSide(text, self._game, 1, 0)  # refuses what cannot play
            players.append(Opponent(name, text))
        return players, previous

    def _earlier_networks(self, generation: int) -> list[Opponent]:
        """Those that are kept for good, the newest first."""
        every = self._run.keep_every
        kept = [number for number in self._folder.network_generations() if number < generation and number % every == 0]
        return [Opponent(PREVIOUS, f"generation {number}", number) for number in reversed(kept[-self._previous :])]


# -- one measurement, which needs no meter -----------------------------------------------------------------------------------
def measure_perfect_play(
    game: Game, run: RunSettings, evaluate: Evaluator, positions: Sequence[SolvedPosition], generation: int, seconds: float
) -> PerfectPlayMeasured:
    """Mistakes of a generation's network; seconds: of the run."""
    simulations = run.evaluation.position_simulations
    search = settings_for_play(game.max_legal, simulations, value_spread=run.search.value_spread)
    mistakes = count_mistakes(search_chooser(game, evaluate, simulations, search), positions)
    return PerfectPlayMeasured(generation, seconds, simulations, len(positions), mistakes)


def measure_match(
    game: Game,
    run: RunSettings,
    opponent: Opponent,
    evaluator_of: Callable[[int], Evaluator],
    generation: int,
    seconds: float,
    check: Callable[[], None],
) -> MatchAnswer:
    """A generation's network against an opponent; seconds: of the run; check may raise to end it."""
    begun, games, simulations = time.perf_counter(), run.evaluation.games, match_simulations(run)
    seed = derived_seed(run.seed, EVALUATION_STREAM, generation)
    must_win = learns_odds(run)
    own = NetworkSide(game, evaluator_of(generation), simulations, run.search, must_win=must_win)
    other = (
        PlayerSide(opponent.text, game, games, seed)
        if opponent.generation is None
        else NetworkSide(game, evaluator_of(opponent.generation), simulations, run.search, must_win=must_win)
    )
    score = play_match(game, own, other, games, seed, check=check)
    first, second = score.by_colour
    measured = StrengthMeasured(
        generation=generation,
        seconds=seconds,
        opponent=opponent.text,
        kind=opponent.kind,
        simulations=simulations,
        moving_first=_counts(first),
        moving_second=_counts(second),
        score=score.total.points / score.total.games,
        interval=score.interval,
        first_score=first.points / first.games,
        first_interval=score.intervals_by_colour[0],
        second_score=second.points / second.games,
        second_interval=score.intervals_by_colour[1],
        match_seconds=time.perf_counter() - begun,
    )
    return measured, score.games


def _time_evaluation(evaluate: Evaluator, game: Game) -> float:
    """Seconds for a position, in a small batch; the first time does not count."""
    planes = np.repeat(game.encoded(game.initial_state(0))[None], TIMED_POSITIONS, axis=0)
    taken = []
    for _ in range(3):
        begun = time.perf_counter()
        evaluate(planes)
        taken.append((time.perf_counter() - begun) / TIMED_POSITIONS)
    return min(taken[1:])


def match_simulations(run: RunSettings) -> int:
    """A move of a network in matches."""
    return run.evaluation.simulations or run.selfplay.cap.full_simulations


def _counts(tally: Tally) -> tuple[int, int, int]:
    return tally.wins, tally.draws, tally.losses
