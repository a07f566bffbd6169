"""The generation loop: play games, learn from them, make a new network of it, and again."""

import math
import os
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from queue import Empty, SimpleQueue

import torch

from boardzero.arena.perfect_play import SolvedPosition, count_mistakes, draw_solved_positions, search_chooser
from boardzero.errors import BadInput
from boardzero.events.training import GenerationDone, Listener, PerfectPlayMeasured, SelfPlayProgress
from boardzero.games.catalogue import find_game
from boardzero.games.connect4 import ConnectFour
from boardzero.games.randomness import new_stream
from boardzero.network.build import build_network
from boardzero.network.evaluator import find_evaluator
from boardzero.network.weights import save_network
from boardzero.replay.record import SelfPlayGame
from boardzero.replay.replay import Replay
from boardzero.search.forest import Evaluator
from boardzero.selfplay.worker import SelfPlayWorker
from boardzero.settings.run import RunSettings
from boardzero.settings.search import SearchSettings
from boardzero.training.learner import Learner
from boardzero.training.run_folder import Progress, RunFolder

MEASURED_POSITIONS = 400
MEASURED_SIMULATIONS = 100
MEASURED_SEED = 20_001  # the same positions for every run, so that runs can be compared
SAMPLE_STREAM = 1 << 41  # streams of samples are numbered apart from those of games


class Training:
    """One run, from where its folder stands to where its settings say."""

    def __init__(self, folder: RunFolder, listen: Listener) -> None:
        self.folder, self._listener = folder, listen
        self.settings: RunSettings = folder.settings()
        self.game = find_game(self.settings.game)
        if self.settings.minutes is None and self.settings.generations is None:
            raise BadInput("A run needs an end: minutes or generations.")
        self.replay = Replay(self.game, self.settings.replay, folder.games)
        self.replay.load()
        network = build_network(self.settings.network, self.game, self.settings.seed)
        self.learner = Learner(network, self.settings.training)
        self.progress = Progress()
        checkpoint = folder.load_checkpoint()
        if checkpoint is None:
            self._save_network(0)
        else:
            self.progress = checkpoint[0]
            self.learner.restore(checkpoint[1])
        self._begun = time.perf_counter() - self.progress.seconds
        self._workers = self._make_workers()
        self._measured: list[SolvedPosition] = []

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

    def run(self) -> None:
        """Generation after generation; each is safe on disk when the next one begins."""
        while self.share_done < 1:
            self._next_generation()

    # -- one generation ------------------------------------------------------------------------------------------------
    def _next_generation(self) -> None:
        begun = time.perf_counter()
        before = [worker.forest.counts() for worker in self._workers]
        games = self._play()
        played = time.perf_counter()
        after = [worker.forest.counts() for worker in self._workers]
        learned = sum(int(game.learned.sum()) for game in games)
        steps = max(1, math.ceil(learned * self.settings.training.passes / self.settings.training.batch))
        generation = self.progress.generation + 1
        stream = new_stream(self.settings.seed, SAMPLE_STREAM + generation)
        batch = self.settings.training.batch
        report = self.learner.train(lambda: self.replay.sample(batch, stream), steps, self.share_done)
        self.progress = replace(
            self.progress,
            generation=generation,
            games=self.progress.games + len(games),
            positions=self.progress.positions + learned,
            next_number=max(worker.next_number for worker in self._workers),
        )
        self._save_network(generation)
        self.progress = replace(self.progress, seconds=self.seconds)
        self.replay.sync()
        self.folder.save_checkpoint(self.progress, self.learner.state())
        simulations, evaluations, hits = (
            sum(getattr(new, name) - getattr(old, name) for new, old in zip(after, before, strict=True))
            for name in ("simulations", "evaluations", "cache_hits")
        )
        self._tell(
            GenerationDone(
                generation=generation,
                seconds=self.seconds,
                games=self.progress.games,
                positions=self.progress.positions,
                window=self.replay.positions,
                mean_plies=sum(game.plies for game in games) / max(1, len(games)),
                selfplay_seconds=played - begun,
                training_seconds=time.perf_counter() - played,
                simulations_per_second=simulations / (played - begun),
                evaluations_per_second=evaluations / (played - begun),
                cache_hits=hits / max(1, hits + evaluations),
                steps=self.learner.steps,
                policy_loss=report.policy,
                value_loss=report.value,
                learning_rate=report.learning_rate,
            )
        )
        self._forget_networks()
        if self.settings.evaluate_every and generation % self.settings.evaluate_every == 0:
            self.measure()

    # -- self-play -----------------------------------------------------------------------------------------------------
    def _make_workers(self) -> list[SelfPlayWorker]:
        count = self.settings.selfplay.workers or os.cpu_count() or 1
        first = self.progress.next_number
        return [
            SelfPlayWorker(self.game, self.settings.selfplay, self.settings.search, self.settings.seed, first + index, count)
            for index in range(count)
        ]

    def _play(self) -> list[SelfPlayGame]:
        """Games until there are enough new positions; each goes to disk as it ends."""
        training = self.settings.training
        wanted = training.first_positions if self.progress.generation == 0 else training.positions
        finished: SimpleQueue[SelfPlayGame] = SimpleQueue()
        games: list[SelfPlayGame] = []
        positions, enough = 0, False
        begun = told = time.perf_counter()
        before = sum(worker.forest.counts().evaluations for worker in self._workers)

        def take_in(wait: float) -> None:
            nonlocal positions, enough, told
            batch = []
            try:
                batch.append(finished.get(timeout=wait) if wait else finished.get_nowait())
                while True:
                    batch.append(finished.get_nowait())
            except Empty:
                pass
            self.replay.add(batch)
            games.extend(batch)
            positions += sum(int(game.learned.sum()) for game in batch)
            enough = enough or positions >= wanted or (self.settings.minutes is not None and self.share_done >= 1)
            if time.perf_counter() - told > 1:
                told = time.perf_counter()
                evaluations = sum(worker.forest.counts().evaluations for worker in self._workers) - before
                total = self.progress.games + len(games)
                self._listener(SelfPlayProgress(self.progress.generation, positions, wanted, total, told - begun, evaluations))

        if len(self._workers) == 1:  # in this very thread, so that the order of events is always the same

            def stop() -> bool:
                take_in(0)
                return enough

            self._workers[0].run(self._evaluator(), self.progress.generation, finished.put, stop)
        else:
            with ThreadPoolExecutor(len(self._workers)) as pool:
                jobs = [
                    pool.submit(worker.run, self._evaluator(), self.progress.generation, finished.put, lambda: enough)
                    for worker in self._workers
                ]
                try:
                    while not enough:
                        take_in(0.2)
                        for job in jobs:
                            if job.done():
                                job.result()
                finally:
                    enough = True
                for job in jobs:
                    job.result()
        take_in(0)
        return games

    def _evaluator(self) -> Evaluator:
        return find_evaluator(self.folder.network(self.progress.generation), self.game)

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
        """Compare the newest network with perfect play, where a solver knows it."""
        if not isinstance(self.game, ConnectFour) or not self.game.is_bitboard:
            return
        if not self._measured:
            self._measured = draw_solved_positions(self.game, MEASURED_POSITIONS, MEASURED_SEED)
        evaluate = find_evaluator(self.folder.network(self.progress.generation), self.game, threads=torch.get_num_threads())
        choose = search_chooser(self.game, evaluate, MEASURED_SIMULATIONS, SearchSettings())
        mistakes = count_mistakes(choose, self._measured)
        self._tell(
            PerfectPlayMeasured(self.progress.generation, self.seconds, MEASURED_SIMULATIONS, len(self._measured), mistakes)
        )

    def _tell(self, event: GenerationDone | PerfectPlayMeasured) -> None:
        self.folder.append_event(event)
        self._listener(event)
