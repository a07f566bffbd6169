"""Self-play on Ray against threads of one process, and the numbers that `scaling` predicts larger clusters from."""

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from boardzero.cluster.broadcast import Broadcast
from boardzero.cluster.scaling import Measured, fit_rate
from boardzero.cluster.selfplay import ClusterSelfPlay
from boardzero.cluster.workforce import Say, Workforce
from boardzero.games.randomness import new_stream
from boardzero.games.rules import Game
from boardzero.network.build import build_network
from boardzero.network.evaluator import OnnxEvaluator
from boardzero.network.precision import in_precision
from boardzero.network.weights import ONNX_SUFFIX, save_network
from boardzero.replay.columns import GameColumns
from boardzero.replay.journal import frame_of, parse_journal
from boardzero.replay.record import SelfPlayGame
from boardzero.replay.replay import Replay
from boardzero.search.forest import SearchCounts
from boardzero.selfplay.source import ContinuousGames, LocalSelfPlay
from boardzero.selfplay.worker import SelfPlayWorker
from boardzero.settings.run import RunSettings
from boardzero.training.learner import Learner

LOOK_SECONDS = 0.1
START_SECONDS = 120.0  # that players may take until all of them have answered
TRAINED_STEPS = 20
LANES = 32  # games at once, and games in all, to tell what a game costs


@dataclass(frozen=True)
class Speed:
    """Of some workers, a second."""

    simulations: float
    simulations_per_core: float  # for each second of processor time, whatever else the machine was doing


@dataclass
class ClusterReport:
    """Speeds are medians over the rounds; a round measures everything once, so that a busy machine is unfair to all alike."""

    cores: int
    threads: dict[int, Speed] = field(default_factory=dict)  # of one process, by their number
    players: dict[int, Speed] = field(default_factory=dict)  # on Ray, by their number
    measured: Measured | None = None

    def ratio(self, count: int) -> float:
        """Simulations on Ray over those of as many threads."""
        return self.players[count].simulations / self.threads[count].simulations

    def ratio_per_core(self, count: int) -> float:
        """The same for equal processor time, which other programs on the machine cannot spoil."""
        return self.players[count].simulations_per_core / self.threads[count].simulations_per_core


class ClusterBenchmark:
    """Measures with an untrained network in a folder that is gone afterwards."""

    def __init__(self, ray: Any, game: Game, settings: RunSettings, cores: int, say: Say) -> None:
        self._ray, self._game, self._settings, self.cores, self._say = ray, game, settings, cores, say

    def run(self, players: list[int], seconds: float, rounds: int) -> ClusterReport:
        """Threads are measured for those numbers of players that there are cores for."""
        report = ClusterReport(self.cores)
        with TemporaryDirectory() as folder:
            path = Path(folder) / "network.safetensors"
            save_network(path, build_network(self._settings.network, self._game, 1).eval(), self._game)
            threads: dict[int, list[Speed]] = {}
            remote: dict[int, list[Speed]] = {}
            for number in range(rounds):
                for count in players:
                    self._say(f"round {number + 1} of {rounds}: {count} players")
                    if count <= self.cores:
                        threads.setdefault(count, []).append(self._threads(path, count, seconds))
                    remote.setdefault(count, []).append(self._players(path, count, seconds))
            report.threads = {count: _median(speeds) for count, speeds in threads.items()}
            report.players = {count: _median(speeds) for count, speeds in remote.items()}
            self._say("what a game costs the driver and the learner")
            rate = fit_rate({count: speed.simulations for count, speed in report.players.items()}, self.cores)
            report.measured = self._measured(rate, path, Path(folder))
        return report

    def _threads(self, path: Path, count: int, seconds: float) -> Speed:
        run = self._settings
        model = in_precision(path.with_suffix(ONNX_SUFFIX).read_bytes(), self._game, run.selfplay.precision)
        workers = [SelfPlayWorker(self._game, run.selfplay, run.search, run.seed, first, count) for first in range(count)]
        source = LocalSelfPlay(workers, lambda generation: lambda: OnnxEvaluator(model))
        play = source.begin(0, 0.0)
        try:
            return self._speed(play, source.counts, time.process_time, seconds)
        finally:
            play.close()

    def _players(self, path: Path, count: int, seconds: float) -> Speed:
        workforce = Workforce(self._ray, self._settings, count, self._say)
        broadcast = Broadcast(self._ray, lambda generation: path)
        seed = self._settings.seed
        source = ClusterSelfPlay(self._ray, workforce, seed, 0, broadcast, lambda state: None, self._say)
        play = source.begin(0, 0.0)
        end = time.monotonic() + START_SECONDS
        while not all(hand.node for hand in workforce.hands) and time.monotonic() < end:
            play.finished()
            time.sleep(LOOK_SECONDS)
        try:
            speed = self._speed(play, source.counts, lambda: source.tallies.processor_seconds, seconds)
        finally:
            play.close()
            workforce.dismiss()
        return speed

    def _speed(
        self, play: ContinuousGames, counts: Callable[[], SearchCounts], processor: Callable[[], float], seconds: float
    ) -> Speed:
        """After as long a warm-up, so that games are at all stages."""
        for _ in range(2):
            before, used, begun = counts().simulations, processor(), time.perf_counter()
            while time.perf_counter() - begun < seconds:
                time.sleep(LOOK_SECONDS)
                play.finished()
            elapsed = time.perf_counter() - begun
        simulations = counts().simulations - before
        return Speed(simulations / elapsed, simulations / max(processor() - used, 1e-9))

    def _whole_games(self, path: Path) -> tuple[list[SelfPlayGame], float]:
        """Games that are not only the short ones, and the simulations that one takes on average."""
        run = self._settings
        few = run.selfplay.model_copy(update={"games": LANES})
        worker = SelfPlayWorker(self._game, few, run.search, run.seed)
        evaluate = OnnxEvaluator(path.with_suffix(ONNX_SUFFIX))
        games: list[SelfPlayGame] = []
        worker.run(evaluate, 0, games.append, lambda: sum(game.number < LANES for game in games) == LANES)
        before, first = worker.forest.counts().simulations, len(games)
        worker.run(evaluate, 0, games.append, lambda: len(games) >= first + LANES)
        simulations = worker.forest.counts().simulations - before
        plies = sum(game.plies for game in games[first:])
        whole = [game for game in games if game.number < LANES]
        return whole, simulations / plies * sum(game.plies for game in whole) / LANES

    def _measured(self, rate: float, path: Path, folder: Path) -> Measured:
        """What it costs to take games in and to learn from them, on this machine."""
        boards = self._settings.network.final_board
        replay = Replay(self._game, self._settings.replay, folder / "games", final_boards=boards)
        games, simulations = self._whole_games(path)
        replay.add(games[:1])  # compiles what it needs
        begun = time.process_time()
        frame = frame_of(GameColumns.from_games(games))
        content = parse_journal(frame).games
        assert content is not None
        replay.add([content[index] for index in range(len(content))])
        driver = (time.process_time() - begun) / len(games)
        training = self._settings.training
        learner, stream = Learner(build_network(self._settings.network, self._game, 1), training), new_stream(1)
        learner.use_threads(self.cores)
        learner.train(lambda: replay.sample(training.batch, stream), 2, 0.0)
        begun = time.perf_counter()
        learner.train(lambda: replay.sample(training.batch, stream), TRAINED_STEPS, 0.0)
        learned = TRAINED_STEPS * training.batch / (time.perf_counter() - begun)
        learner.close()
        return Measured(
            games_per_core=rate / simulations,
            simulations_per_game=simulations,
            positions_per_game=sum(int(game.learned.sum()) for game in games) / len(games),
            bytes_per_game=len(frame) / len(games),
            driver_seconds_per_game=driver,
            learner_positions=learned,
            network_bytes=path.with_suffix(ONNX_SUFFIX).stat().st_size,
        )


def _median(speeds: list[Speed]) -> Speed:
    return Speed(
        statistics.median(speed.simulations for speed in speeds),
        statistics.median(speed.simulations_per_core for speed in speeds),
    )
