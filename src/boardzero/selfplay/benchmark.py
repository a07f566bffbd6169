"""How much of the machine self-play turns into evaluations: the same network alone, and inside games, in the same run."""

import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from boardzero.games.rules import Game
from boardzero.network.build import build_network
from boardzero.network.evaluator import OnnxEvaluator
from boardzero.network.fitting import check_fits
from boardzero.network.onnx_export import export_onnx
from boardzero.network.positions import random_positions
from boardzero.network.precision import in_precision
from boardzero.network.weights import load_network
from boardzero.replay.record import SelfPlayGame
from boardzero.replay.replay import Replay
from boardzero.selfplay.pool import play_games
from boardzero.selfplay.worker import SelfPlayWorker
from boardzero.settings.network import NetworkSettings
from boardzero.settings.run import RunSettings

BATCHES = (16, 32, 64, 128, 256, 512)


@dataclass(frozen=True)
class SelfPlaySpeed:
    """Of one number of threads. The ceiling is the network alone, with as many sessions, at its best batch size."""

    threads: int
    ceiling: float  # evaluations/s
    best_batch: int
    evaluations: float  # /s in self-play
    simulations: float  # /s in self-play, those that needed no evaluation included
    games: float  # /s

    @property
    def use(self) -> float:
        """Evaluations over what is possible."""
        return self.evaluations / self.ceiling

    @property
    def gain(self) -> float:
        """Simulations over the evaluations that are possible: what cache, kept trees and proofs add."""
        return self.simulations / self.ceiling


def measure_selfplay(game: Game, settings: RunSettings, model: bytes, threads: int, seconds: float) -> SelfPlaySpeed:
    """Each part for about `seconds`; self-play after as long a warm-up, so that its games are at all stages."""
    model = in_precision(model, game, settings.selfplay.precision)
    ceilings = {batch: _evaluations_alone(game, model, batch, threads, seconds / len(BATCHES)) for batch in BATCHES}
    best = max(ceilings, key=lambda batch: ceilings[batch])
    workers = [
        SelfPlayWorker(game, settings.selfplay, settings.search, settings.seed, first, threads) for first in range(threads)
    ]
    with TemporaryDirectory() as folder:
        replay = Replay(game, settings.replay, Path(folder))
        _play(workers, model, replay, seconds)
        before, begun, games = _counts(workers), time.perf_counter(), sum(worker.counts.games for worker in workers)
        _play(workers, model, replay, seconds)
        elapsed = time.perf_counter() - begun
    simulations, evaluations = (new - old for new, old in zip(_counts(workers), before, strict=True))
    games = sum(worker.counts.games for worker in workers) - games
    return SelfPlaySpeed(threads, ceilings[best], best, evaluations / elapsed, simulations / elapsed, games / elapsed)


def new_model(game: Game, settings: NetworkSettings) -> bytes:
    """An untrained network, as ONNX."""
    return export_onnx(build_network(settings, game).eval(), game)


def read_model(path: Path, game: Game) -> bytes:
    """A network file (.safetensors) for this game, as ONNX."""
    stored = load_network(path)
    check_fits(stored.header, game, str(path))
    return export_onnx(stored.network, game)


def _evaluations_alone(game: Game, model: bytes, batch: int, threads: int, seconds: float) -> float:
    planes = random_positions(game, batch)

    def evaluate_again_and_again() -> float:
        evaluate = OnnxEvaluator(model)
        evaluate(planes)
        calls, begun = 0, time.perf_counter()
        while (elapsed := time.perf_counter() - begun) < seconds:
            evaluate(planes)
            calls += 1
        return calls * batch / elapsed

    with ThreadPoolExecutor(threads) as pool:
        return sum(job.result() for job in [pool.submit(evaluate_again_and_again) for _ in range(threads)])


def _play(workers: list[SelfPlayWorker], model: bytes, replay: Replay, seconds: float) -> None:
    end = time.perf_counter() + seconds

    def take_in(games: list[SelfPlayGame]) -> bool:
        replay.add(games)  # as in training: games are checked and written
        return time.perf_counter() > end

    play_games(workers, lambda: OnnxEvaluator(model), 0, take_in)


def _counts(workers: list[SelfPlayWorker]) -> tuple[int, int]:
    counts = [worker.forest.counts() for worker in workers]
    return sum(count.simulations for count in counts), sum(count.evaluations for count in counts)
