"""The generation loop: play games, learn from them, make a new network of it, and again."""

import math
import os
import time
from dataclasses import replace
from types import TracebackType

import torch

from boardzero.arena.perfect_play import SolvedPosition, count_mistakes, draw_solved_positions, search_chooser
from boardzero.errors import BadInput
from boardzero.events.training import DamageFound, GenerationDone, Listener, PerfectPlayMeasured, SelfPlayProgress
from boardzero.games.catalogue import find_game
from boardzero.games.connect4 import ConnectFour
from boardzero.games.randomness import new_stream
from boardzero.network.build import build_network
from boardzero.network.evaluator import find_evaluator
from boardzero.network.weights import save_network
from boardzero.replay.record import SelfPlayGame
from boardzero.replay.replay import Replay
from boardzero.replay.sampler import Batch
from boardzero.search.forest import Evaluator, SearchCounts
from boardzero.selfplay.pool import play_games
from boardzero.selfplay.worker import SelfPlayWorker
from boardzero.settings.run import RunSettings
from boardzero.settings.search import SearchSettings
from boardzero.training.learner import Learner, LossReport
from boardzero.training.lock import FolderLock
from boardzero.training.resuming import find_start, network_is_sound
from boardzero.training.run_folder import RunFolder
from boardzero.training.stopwatch import Stopwatch
from boardzero.training.tensorboard import TensorBoardLog

MEASURED_POSITIONS = 400
MEASURED_SIMULATIONS = 100
MEASURED_SEED = 20_001  # the same positions for every run, so that runs can be compared
SAMPLE_STREAM = 1 << 41  # streams of samples are numbered apart from those of games


class Stopped(Exception):
    """Somebody asked the run to stop; whoever runs it may resume it later."""


class Training:
    """One run, from where its folder stands to where its settings say.

    with Training(RunFolder(path), listen) as training:
        training.run()
    """

    def __init__(self, folder: RunFolder, listen: Listener) -> None:
        self.folder, self._listener = folder, listen
        self.settings: RunSettings = folder.settings()
        self.game = find_game(self.settings.game)
        if self.settings.minutes is None and self.settings.generations is None:
            raise BadInput("A run needs an end: minutes or generations.")
        self.stopping = False
        self.stopwatch = Stopwatch()
        self._lock = FolderLock(folder.path)
        folder.tidy()
        self.replay = Replay(self.game, self.settings.replay, folder.games)
        for sentence in self.replay.load().damaged:
            self._tell_damage(sentence)
        self.learner = Learner(build_network(self.settings.network, self.game, self.settings.seed), self.settings.training)
        self.progress = find_start(folder, self.learner, self.replay, self._tell_damage)
        waiting = self.replay.totals(self.progress.generation)  # games since then, which the next generation learns from
        self._new_games, self._new_positions = waiting.games, waiting.positions
        self._begun = time.perf_counter() - self.progress.seconds
        network_is_sound(folder.network(self.progress.generation), self._tell_damage)
        self._save_network(self.progress.generation)  # anew: whatever has happened to its files does no harm
        if not folder.checkpoint.is_file():
            folder.save_checkpoint(self.progress, self.learner.state())
        self.workers = self._make_workers(max(self.progress.next_number, waiting.next_number))
        self._tensorboard = TensorBoardLog(folder.path / "tensorboard", self.progress.generation)
        self._measured: list[SolvedPosition] = []
        self._measured_generation = -1

    def __enter__(self) -> "Training":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """Let go of the folder; nothing needs to be saved, everything is."""
        self._tensorboard.close()
        self._lock.release()

    @property
    def seconds(self) -> float:
        """Spent on the run so far."""
        return time.perf_counter() - self._begun

    @property
    def share_done(self) -> float:
        """From 0 to 1."""
        if self.settings.minutes is not None:
            return self.seconds / (60 * self.settings.minutes)
        assert self.settings.generations is not None
        return self.progress.generation / self.settings.generations

    def stop(self) -> None:
        """End the run soon, from another thread or a signal; no finished game is lost."""
        self.stopping = True

    def run(self) -> None:
        """Generation after generation, until the end or until `stop`; each is safe on disk when the next one begins."""
        # One worker: a run that is to be the same again, whatever the machine. Otherwise training has all cores to itself.
        torch.set_num_threads(1 if len(self.workers) == 1 else os.cpu_count() or 1)
        try:
            while self.share_done < 1:
                self._next_generation()
        except Stopped:
            self.replay.sync()

    # -- one generation ------------------------------------------------------------------------------------------------
    def _next_generation(self) -> None:
        begun, before = time.perf_counter(), self._search_counts()
        with self.stopwatch.part("self-play"):
            games = self._play()
        played, after = time.perf_counter(), self._search_counts()
        with self.stopwatch.part("training"):
            report = self._learn()
        with self.stopwatch.part("saving"):
            self._complete_generation()
        speeds = [(new - old) / (played - begun) for new, old in zip(after, before, strict=True)]
        self._tell(
            GenerationDone(
                generation=self.progress.generation,
                seconds=self.seconds,
                games=self.progress.games,
                positions=self.progress.positions,
                window=self.replay.positions,
                mean_plies=sum(game.plies for game in games) / max(1, len(games)),
                selfplay_seconds=played - begun,
                training_seconds=time.perf_counter() - played,
                simulations_per_second=speeds[0],
                evaluations_per_second=speeds[1],
                cache_hits=speeds[2] / max(1e-9, speeds[1] + speeds[2]),
                steps=self.learner.steps,
                policy_loss=report.policy,
                value_loss=report.value,
                learning_rate=report.learning_rate,
            )
        )
        if self.settings.evaluate_every and self.progress.generation % self.settings.evaluate_every == 0:
            self.measure()

    def _learn(self) -> LossReport:
        """Train on the window for as many steps as the new positions are worth."""
        training = self.settings.training
        steps = max(1, math.ceil(self._new_positions * training.passes / training.batch))
        stream = new_stream(self.settings.seed, SAMPLE_STREAM + self.progress.generation + 1)

        def draw() -> Batch:
            if self.stopping:  # the games are safe; the training begins anew when the run is resumed
                raise Stopped
            return self.replay.sample(training.batch, stream)

        return self.learner.train(draw, steps, self.share_done)

    def _complete_generation(self) -> None:
        """Write the new network and the checkpoint: from here on, the run goes on after this generation."""
        self.progress = replace(
            self.progress,
            generation=self.progress.generation + 1,
            games=self.progress.games + self._new_games,
            positions=self.progress.positions + self._new_positions,
            next_number=max(worker.next_number for worker in self.workers),
        )
        self._new_games = self._new_positions = 0
        self._save_network(self.progress.generation)
        self.progress = replace(self.progress, seconds=self.seconds)
        self.replay.sync()
        self.folder.save_checkpoint(self.progress, self.learner.state())
        self._forget_networks()

    # -- self-play -----------------------------------------------------------------------------------------------------
    def _make_workers(self, first: int) -> list[SelfPlayWorker]:
        """Workers whose games have numbers from this one on, which no game of the run has had."""
        count = self.settings.selfplay.workers or os.cpu_count() or 1
        return [
            SelfPlayWorker(self.game, self.settings.selfplay, self.settings.search, self.settings.seed, first + index, count)
            for index in range(count)
        ]

    def _play(self) -> list[SelfPlayGame]:
        """Games until there are enough new positions; each goes to disk as it ends."""
        training, generation = self.settings.training, self.progress.generation
        wanted = training.first_positions if generation == 0 else training.positions
        played: list[SelfPlayGame] = []
        begun = told = time.perf_counter()
        before = self._search_counts()[1]

        def take_in(games: list[SelfPlayGame]) -> bool:
            nonlocal told
            self.replay.add(games)
            played.extend(games)
            self._new_games += len(games)
            self._new_positions += sum(int(game.learned.sum()) for game in games)
            if time.perf_counter() - told > 1:
                told = time.perf_counter()
                evaluations, total = self._search_counts()[1] - before, self.progress.games + self._new_games
                self._listener(SelfPlayProgress(generation, self._new_positions, wanted, total, told - begun, evaluations))
            over = self.settings.minutes is not None and self.share_done >= 1 and self.replay.positions > 0
            return self.stopping or over or self._new_positions >= wanted

        play_games(self.workers, self._evaluator, generation, take_in)
        if self.stopping:
            raise Stopped
        return played

    def _evaluator(self) -> Evaluator:
        return self.stopwatch.timed(find_evaluator(self.folder.network(self.progress.generation), self.game))

    def _search_counts(self) -> tuple[int, int, int]:
        """Simulations, evaluations and cache hits of all workers so far."""
        counts: list[SearchCounts] = [worker.forest.counts() for worker in self.workers]
        return (
            sum(count.simulations for count in counts),
            sum(count.evaluations for count in counts),
            sum(count.cache_hits for count in counts),
        )

    # -- networks ------------------------------------------------------------------------------------------------------
    def _save_network(self, generation: int) -> None:
        details = {"generation": generation, "seconds": round(self.seconds if generation else 0, 1), "seed": self.settings.seed}
        self.learner.playing.eval()
        save_network(self.folder.network(generation), self.learner.playing, self.game, details)

    def _forget_networks(self) -> None:
        newest = self.progress.generation
        for generation in self.folder.network_generations():
            if generation < newest - 1 and generation % self.settings.keep_every:
                self.folder.forget_network(generation)

    # -- measuring -----------------------------------------------------------------------------------------------------
    def measure(self) -> None:
        """Compare the newest network with perfect play, once, where a solver knows it."""
        solved = isinstance(self.game, ConnectFour) and self.game.is_bitboard
        if not solved or self._measured_generation == self.progress.generation:
            return
        self._measured_generation = self.progress.generation
        with self.stopwatch.part("measuring"):
            if not self._measured:
                self._measured = draw_solved_positions(self.game, MEASURED_POSITIONS, MEASURED_SEED)
            evaluate = find_evaluator(self.folder.network(self.progress.generation), self.game, os.cpu_count() or 1)
            choose = search_chooser(self.game, evaluate, MEASURED_SIMULATIONS, SearchSettings())
            mistakes = count_mistakes(choose, self._measured)
        self._tell(
            PerfectPlayMeasured(self.progress.generation, self.seconds, MEASURED_SIMULATIONS, len(self._measured), mistakes)
        )

    # -- telling -------------------------------------------------------------------------------------------------------
    def _tell(self, event: GenerationDone | PerfectPlayMeasured) -> None:
        self.folder.append_event(event)
        self._tensorboard.write(event)
        self._listener(event)

    def _tell_damage(self, sentence: str) -> None:
        event = DamageFound(sentence)
        self.folder.append_event(event)
        self._listener(event)
