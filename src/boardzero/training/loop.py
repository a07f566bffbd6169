"""The generation loop: play games, learn from them, make a new network of it, and again.

lessons/6_alphazero.py explains this.
"""

import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from dataclasses import asdict, replace
from types import TracebackType

from boardzero.errors import BadInput
from boardzero.events.training import (
    DamageFound,
    LearningProgress,
    Listener,
    MatchPlayed,
    Measurement,
    NetworksCompared,
    Remark,
    SelfPlayProgress,
)
from boardzero.games.randomness import new_stream
from boardzero.games.rules import Game
from boardzero.network.build import build_network
from boardzero.network.evaluator import find_evaluator
from boardzero.network.growing import grown
from boardzero.network.header import LEARNED, ODDS, VALUE_SPREAD, noted_lessons
from boardzero.network.model import Network
from boardzero.network.weights import save_network
from boardzero.replay.record import SelfPlayGame
from boardzero.replay.sampler import Batch
from boardzero.replay.several import Replays
from boardzero.search.forest import Evaluator
from boardzero.selfplay.source import PlayingWorker, SelfPlaySource
from boardzero.settings.run import RunSettings
from boardzero.training.beginning import copied_positions
from boardzero.training.concurrent import learn_while_playing
from boardzero.training.cores import selfplay_here, threads_of_matches, threads_of_training
from boardzero.training.curriculum import Curriculum, learns_odds
from boardzero.training.epochs import EpochBatches
from boardzero.training.gate import Gate
from boardzero.training.learner import Learner, LossReport
from boardzero.training.lock import FolderLock
from boardzero.training.matches import MatchScore
from boardzero.training.progress_file import ProgressFile
from boardzero.training.quota import Quota
from boardzero.training.resuming import find_best, find_start, games_since, network_is_sound, seconds_at_work
from boardzero.training.run_clock import RunClock
from boardzero.training.run_folder import Promotions, RunFolder
from boardzero.training.speeds import SpeedMeter, Speeds, generation_done
from boardzero.training.stopping import Stopped
from boardzero.training.stopwatch import Stopwatch
from boardzero.training.strength import StrengthMeter
from boardzero.training.tensorboard import TensorBoardLog

SAMPLE_STREAM = 1 << 41  # streams of samples are numbered apart from those of games
TOLD_EVERY = 0.5  # seconds between two reports on what is under way


class Training:
    """One run, from where its folder stands to where its settings say.

    with Training(RunFolder(path), listen) as training:
        training.run()
    """

    def __init__(self, folder: RunFolder, listen: Listener) -> None:
        self.folder = folder
        self.settings: RunSettings = folder.settings()
        self.curriculum = Curriculum(self.settings)
        self.game = self.curriculum.games[0]
        if self.settings.minutes is None and self.settings.generations is None:
            raise BadInput("A run needs an end: minutes or generations.")
        self.stopping = False
        self.stopwatch = Stopwatch()
        self.in_use: set[int] = set()  # generations whose networks are in matches that are under way
        self._told = 0.0
        self._waiting_told = False
        self._lock = FolderLock(folder.path)
        try:
            self._take_over(folder, listen)
        except BaseException:
            self._lock.release()
            raise

    def _take_over(self, folder: RunFolder, listen: Listener) -> None:
        """Find everything as whoever worked on the run last left it, however that ended."""
        folder.tidy()
        self._listener = self._progress_file = ProgressFile(folder, listen)
        folder.mend_settings(self.settings, self._tell_damage)
        self.replay = Replays(self.curriculum.games, self.settings.replay, folder.games, self.settings.network.final_board)
        for sentence in self.replay.load().damaged:
            self._tell_damage(sentence)
        self.learner, start = find_start(folder, self._new_learner, self._tell_damage)
        self.progress, waiting = games_since(start, self.replay.totals())
        self._begin_generation()
        copied = copied_positions(folder)
        self.quota = Quota(self.settings, waiting, lambda: self.replay.positions, lambda: self.progress.generation, copied)
        self._learned_before, self._knew_odds = noted_lessons(folder.network(0))
        self.clock = RunClock(folder, seconds_at_work(folder, self.progress, waiting, self._tell_damage))
        network_is_sound(folder.network(self.progress.generation), self._tell_damage)
        self._save_network(self.progress.generation)  # anew: whatever has happened to its files does no harm
        if not folder.checkpoint.is_file():
            self._save_checkpoint()
        self.selfplay = self._make_selfplay(waiting.next_number)
        self.speeds = SpeedMeter(self.selfplay.counts, self.settings.selfplay.resign_below)
        weight = self.settings.training.value_weight
        self._tensorboard = TensorBoardLog(folder.path / "tensorboard", self.progress.generation, weight)
        threads = threads_of_matches(self.settings, self.selfplay)
        self.gate = self._make_gate(threads)
        self.promotions = Promotions()
        if not self.gate.is_open:
            self.promotions = find_best(folder, self.progress.generation, self._tell_damage)
        if self.replay.store.ledger.cleared < self.promotions.cleared:  # killed just when a new best network was chosen
            self.replay.clear(self.promotions.cleared)
        self.strength = self._make_strength(threads)

    def __enter__(self) -> "Training":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """Let go of everything, the folder last, even if a part of it fails; nothing needs to be saved, everything is."""
        with ExitStack() as stack:
            for let_go in (self._lock.release, self.learner.close, self._progress_file.remove, self._tensorboard.close):
                stack.callback(let_go)

    @property
    def seconds(self) -> float:
        """Spent on playing, learning and comparing so far; evaluations have a budget of their own."""
        return self.clock.seconds

    @property
    def share_done(self) -> float:
        """From 0 to 1."""
        if self.settings.minutes is not None:
            return self.seconds / (60 * self.settings.minutes)
        assert self.settings.generations is not None
        return self.progress.generation / self.settings.generations

    def _begin_generation(self) -> None:
        """Choose what is played and learned from until the next checkpoint; a run that is resumed chooses the same."""
        generations, minutes = self.settings.generations, self.settings.minutes
        done = self.progress.seconds / (60 * minutes) if minutes else self.progress.generation / (generations or 1)
        self.curriculum.begin_generation(done, self.progress.generation)
        self.replay.learn_from(self.curriculum.learned)

    @property
    def best(self) -> int:
        """The generation of the network that plays."""
        return self.progress.generation if self.gate.is_open else self.promotions.best

    def is_over(self) -> bool:
        """Is the run's time up? Without anything to learn from yet it waits for a first game, and says so."""
        if self.settings.minutes is None or self.share_done < 1:
            return False
        if self.replay.positions == 0 and not self._waiting_told:
            self._waiting_told = True
            self.tell(Remark("The time is over, but no game has ended yet; the first one is awaited, to learn from it."))
        return self.replay.positions > 0

    def stop(self) -> None:
        """End the run soon, from another thread or a signal; no finished game is lost."""
        self.stopping = True

    def check(self) -> None:
        """Raise Stopped if somebody asked for it."""
        if self.stopping:
            raise Stopped

    def run(self) -> None:
        """Generation after generation, until the end or until `stop`; each is safe on disk when the next one begins."""
        self.learner.use_threads(threads_of_training(self.settings, self.selfplay))
        with suppress(Stopped):
            if self.settings.mode == "concurrent":
                learn_while_playing(self)
            else:
                self._alternate()
        self.replay.sync()
        self.clock.keep()

    # -- one after the other ---------------------------------------------------------------------------------------------
    def _alternate(self) -> None:
        self._compare_if_due()  # it may have been stopped before it was compared
        while self.share_done < 1 or self.progress.generation == 0:  # also if the time was up before the first game began
            self.speeds.restart()
            with self.stopwatch.part("self-play"):
                self._play()
            speeds = self.speeds.since_restart()
            begun = time.perf_counter()
            with self.stopwatch.part("training"):
                self.quota.begin_training()
                report = self.learn()
            with self.stopwatch.part("saving"):
                self.complete_generation(report, speeds, time.perf_counter() - begun)
            self._compare_if_due()
            if self.strength.is_due(self.progress.generation, self.seconds):
                self.measure()

    def _play(self) -> None:
        """Games until there are enough new positions; each goes to disk as it ends."""

        def take_in(games: list[SelfPlayGame]) -> bool:
            self.take_in(games)
            return self.stopping or self.is_over() or self.quota.is_reached()

        self.selfplay.play(self.best, self.share_done, self.quota.goal, take_in)
        self.check()

    def _compare_if_due(self) -> None:
        if self.is_comparison_due():
            generation, best, begun = self.progress.generation, self.best, time.perf_counter()
            with self.stopwatch.part("comparing"):
                score = self.gate.compare(generation, best, self.check)
                self.judge(generation, best, score, time.perf_counter() - begun)

    def measure(self, final: bool = False) -> None:
        """Find out how strong the newest network is; the run's clock stands still meanwhile."""
        with self.stopwatch.part("measuring"), self.clock.stopped():
            self.strength.measure(self.progress.generation, self.seconds, self.tell, final)

    # -- the steps of a generation -----------------------------------------------------------------------------------------
    def take_in(self, games: list[SelfPlayGame]) -> None:
        """Games that have just ended."""
        quota = self.quota
        self.replay.add(games)
        quota.count(games)
        self.speeds.count(games)
        if games:
            self.clock.note_games()
        if time.perf_counter() - self._told > TOLD_EVERY:
            self._told = time.perf_counter()
            speeds, total = self.speeds.since_restart(), self.progress.games + quota.games
            self._listener(
                SelfPlayProgress(
                    self.best, quota.counted, quota.wanted, total, speeds.seconds, speeds.simulations, speeds.evaluations,
                    speeds.cache_hits, speeds.games, quota.unit,
                )
            )  # fmt: skip

    def learn(self) -> LossReport:
        """Train on the window, for as many steps as the new positions are worth or for whole epochs; write the network."""
        training, generation = self.settings.training, self.progress.generation + 1
        stream = new_stream(self.settings.seed, SAMPLE_STREAM + generation)
        if self.settings.growth.is_due(self.share_done) and not self._has_grown:
            self._grow()
        if training.epochs:
            window, symmetries = self.replay.content(), self.settings.replay.symmetries
            batches = EpochBatches(self.game, window, training.batch, training.held_out, symmetries, stream)
            drawn = self._watched(training.epochs * batches.steps)
            report = self.learner.train_epochs(batches, training.epochs, self.share_done, drawn)
        else:
            steps = self.quota.steps()
            drawn = self._watched(steps)

            def draw() -> Batch:
                drawn()
                return self.replay.sample(training.batch, stream)

            report = self.learner.train(draw, steps, self.share_done)
        self._save_network(generation)
        return report

    def _watched(self, steps: int) -> Callable[[], None]:
        """What is to be called before every step: it tells how far the training is, and ends it if somebody asked to."""
        done, told, generation = 0, time.perf_counter(), self.progress.generation + 1

        def before_step() -> None:
            nonlocal done, told
            self.check()  # the games are safe; the training begins anew when the run is resumed
            if self.settings.mode == "alternating" and time.perf_counter() - told > TOLD_EVERY:
                told = time.perf_counter()
                self._listener(LearningProgress(generation, done, steps))
            done += 1

        return before_step

    def complete_generation(self, report: LossReport, speeds: Speeds, training_seconds: float) -> None:
        """Write the checkpoint: from here on, the run goes on after this generation."""
        best, played, window = self.best, self.curriculum.playing, self.replay.positions
        self.progress = replace(
            self.progress,
            generation=self.progress.generation + 1,
            games=self.progress.games + self.quota.learned_games,
            positions=self.progress.positions + self.quota.learned_positions,
            next_number=max([self.progress.next_number, *(worker.next_number for worker in self.workers)]),
            seconds=self.seconds,
            evaluation_seconds=self.strength.spent,
            grown=self._has_grown,
        )
        self.replay.sync()
        self._save_checkpoint()
        self._forget_networks()
        self._begin_generation()
        figures = {"window": window, "steps": self.learner.steps, "best": best}
        game = played.specification if self.curriculum.has_stages else ""
        self.tell(generation_done(self.progress, speeds, report, training_seconds, game=game, **figures))

    def _save_checkpoint(self) -> None:
        self.folder.save_checkpoint(self.progress, self.learner.state(), self.settings)

    # -- the gate --------------------------------------------------------------------------------------------------------
    def is_comparison_due(self) -> bool:
        return self.gate.is_due(self.progress.generation, self.promotions, self.seconds)

    def judge(self, generation: int, best: int, score: MatchScore, match_seconds: float) -> None:
        """Take the result of a comparison in: a network that passed the gate plays from now on."""
        promoted, total = self.gate.is_passed(score), score.total
        promotions = replace(self.promotions, compared=generation)
        clears = promoted and self.settings.replay.window.clear_on_promotion
        if promoted:
            promotions = replace(promotions, promoted=(*promotions.promoted, generation), seconds=self.seconds)
        if clears:
            promotions = replace(promotions, cleared=self.replay.seal())
        self.folder.save_promotions(promotions)
        self.promotions = promotions
        if clears:
            self.replay.clear(promotions.cleared)
        counts = total.wins, total.draws, total.losses
        self.tell(NetworksCompared(generation, best, self.seconds, *counts, promoted, match_seconds))
        self.tell(MatchPlayed("gate", generation, f"generation {best}", best, self.gate.simulations, score.games))

    # -- its parts, which a cluster makes otherwise ------------------------------------------------------------------------
    @property
    def workers(self) -> Sequence[PlayingWorker]:
        return self.selfplay.workers

    def _make_selfplay(self, first: int) -> SelfPlaySource:
        """first: the number of its first game; no game of the run has had it, or a higher one."""
        return selfplay_here(self.settings, self.curriculum, first, self._evaluator_of)

    def _evaluator_of(self, generation: int, game: Game) -> Callable[[], Evaluator]:
        path, precision = self.folder.network(generation), self.settings.selfplay.precision
        return lambda: self.stopwatch.timed(find_evaluator(path, game, precision=precision))

    def _make_learner(self, network: Network) -> Learner:
        return Learner(network, self.settings.training)

    def _make_gate(self, threads: int) -> Gate:
        return Gate(self.game, self.settings, self.folder, threads)

    def _make_strength(self, threads: int) -> StrengthMeter:
        return StrengthMeter(self.game, self.settings, self.folder, threads, self.progress.evaluation_seconds, self.check)

    # -- networks --------------------------------------------------------------------------------------------------------
    def _new_learner(self, grown: bool) -> Learner:
        shape = self.settings.growth.applied(self.settings.network) if grown else self.settings.network
        return self._make_learner(build_network(shape, self.game, self.settings.seed))

    @property
    def _has_grown(self) -> bool:
        return self.learner.network.settings != self.settings.network

    def _grow(self) -> None:
        """Go on with larger networks that compute the same, the newest and the averaged one; the optimizer begins anew."""
        growth, seed, before = self.settings.growth, self.settings.seed, self.learner
        before.close()
        newest, playing = (grown(network, growth, self.game, seed) for network in (before.network, before.playing))
        self.learner = self._make_learner(newest)
        self.learner.use_threads(threads_of_training(self.settings, self.selfplay))
        self.learner.take_weights([newest.state_dict(), playing.state_dict()])
        self.learner.steps = before.steps

    def _save_network(self, generation: int) -> None:
        """With how far the run is then, should the checkpoints be lost."""
        progress = replace(self.progress, generation=generation, grown=self._has_grown)
        if generation > self.progress.generation:
            games, positions = progress.games + self.quota.learned_games, progress.positions + self.quota.learned_positions
            progress = replace(progress, games=games, positions=positions, seconds=self.seconds)
        details = {
            "generation": generation,
            "seconds": round(progress.seconds, 1),
            "seed": self.settings.seed,
            VALUE_SPREAD: self.settings.search.value_spread,
            ODDS: learns_odds(self.settings) or self._knew_odds,
            "progress": asdict(progress),
        }
        if generation == 0 and self._learned_before:
            details[LEARNED] = list(self._learned_before)
        self.learner.playing.eval()
        save_network(self.folder.network(generation), self.learner.playing, self.game, details)

    def _forget_networks(self) -> None:
        """All but the newest two, one in so many for good, those that were promoted, and those that are playing."""
        newest = self.progress.generation
        kept = {newest, newest - 1, self.best, *self.promotions.promoted, *self.in_use}
        for generation in self.folder.network_generations():
            if generation not in kept and generation % self.settings.keep_every:
                self.folder.forget_network(generation)

    # -- telling ---------------------------------------------------------------------------------------------------------
    def tell(self, event: Measurement | MatchPlayed | DamageFound | Remark) -> None:
        """Those who only see the folder hear of it, too; of a match only what it came to, which is told besides."""
        if not isinstance(event, MatchPlayed):
            self.folder.append_event(event)
        if isinstance(event, Measurement):
            self._tensorboard.write(event)
        self._listener(event)

    def _tell_damage(self, sentence: str) -> None:
        self.tell(DamageFound(sentence))
