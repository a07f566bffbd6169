"""Matches of a run as tasks on the cluster: the same gate and the same measurements, only elsewhere.

A task gets the networks that it needs through the object store, and lays them out as the run's folder has them.
"""

from collections.abc import Callable, Iterable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeVar

from boardzero.events.training import PerfectPlayMeasured, StrengthMeasured
from boardzero.games.catalogue import find_game
from boardzero.network.weights import ONNX_SUFFIX
from boardzero.settings.run import RunSettings
from boardzero.training.gate import Gate
from boardzero.training.matches import MatchScore
from boardzero.training.run_folder import RunFolder
from boardzero.training.strength import Opponent, StrengthMeter

LOOK_SECONDS = 0.5
RETRIES = 3

Answer = TypeVar("Answer")
Files = dict[str, Any]  # references to the contents of files, by name


class Tasks:
    """Runs functions on the cluster, where there is a core to spare, and waits for what they return."""

    def __init__(self, ray: Any, settings: RunSettings, folder: RunFolder, players: Callable[[], int]) -> None:
        self._ray, self._settings, self._folder, self._players = ray, settings, folder, players

    def run(
        self, function: Callable[..., Answer], generations: Iterable[int], check: Callable[[], None], *arguments: Any
    ) -> Answer:
        """function(settings, files, *arguments) there, with the networks of these generations; check may raise to end it."""
        spare = self._ray.cluster_resources().get("CPU", 0) > self._players()
        task = self._ray.remote(num_cpus=1 if spare else 0, max_retries=RETRIES, scheduling_strategy="SPREAD")(function)
        reference = task.remote(self._settings.model_dump_json(), self._files(generations), *arguments)
        try:
            while not self._ray.wait([reference], timeout=LOOK_SECONDS)[0]:
                check()
        except BaseException:
            self._ray.cancel(reference, force=True)
            raise
        answer: Answer = self._ray.get(reference)
        return answer

    def _files(self, generations: Iterable[int]) -> Files:
        paths = [self._folder.network(generation) for generation in set(generations)]
        paths += [path.with_suffix(ONNX_SUFFIX) for path in paths]
        return {path.name: self._ray.put(path.read_bytes()) for path in paths if path.is_file()}


class RemoteGate(Gate):
    """The gate, whose match is played somewhere on the cluster."""

    def __init__(self, settings: RunSettings, folder: RunFolder, threads: int, tasks: Tasks) -> None:
        super().__init__(find_game(settings.game), settings, folder, threads)
        self._tasks = tasks

    def compare(self, generation: int, best: int, check: Callable[[], None]) -> MatchScore:
        return self._tasks.run(_compare, (generation, best), check, generation, best)


class RemoteStrengthMeter(StrengthMeter):
    """Measurements somewhere on the cluster, but for those with files of this machine."""

    def __init__(
        self, settings: RunSettings, folder: RunFolder, threads: int, spent: float, check: Callable[[], None], tasks: Tasks
    ) -> None:
        super().__init__(find_game(settings.game), settings, folder, threads, spent, check)
        self._tasks = tasks

    def _match(self, opponent: Opponent, generation: int, seconds: float) -> StrengthMeasured:
        if "network=" in opponent.text:
            return super()._match(opponent, generation, seconds)
        generations = {generation} if opponent.generation is None else {generation, opponent.generation}
        return self._tasks.run(_measure_match, generations, self._check, opponent, generation, seconds)

    def _perfect_play(self, generation: int, seconds: float) -> PerfectPlayMeasured:
        return self._tasks.run(_measure_perfect_play, (generation,), self._check, generation, seconds)


# -- there -------------------------------------------------------------------------------------------------------------------
def _compare(settings: str, files: Files, generation: int, best: int) -> MatchScore:
    run = RunSettings.model_validate_json(settings)
    with TemporaryDirectory() as path:
        return Gate(find_game(run.game), run, _laid_out(Path(path), files), 1).compare(generation, best, _go_on)


def _measure_match(settings: str, files: Files, opponent: Opponent, generation: int, seconds: float) -> StrengthMeasured:
    with TemporaryDirectory() as path:
        return _meter(settings, Path(path), files)._match(opponent, generation, seconds)


def _measure_perfect_play(settings: str, files: Files, generation: int, seconds: float) -> PerfectPlayMeasured:
    with TemporaryDirectory() as path:
        return _meter(settings, Path(path), files)._perfect_play(generation, seconds)


def _meter(settings: str, path: Path, files: Files) -> StrengthMeter:
    run = RunSettings.model_validate_json(settings)
    return StrengthMeter(find_game(run.game), run, _laid_out(path, files), 1, 0.0, _go_on)


def _laid_out(path: Path, files: Files) -> RunFolder:
    import ray

    folder = RunFolder(path)
    folder.networks.mkdir()
    for name, reference in files.items():
        content: Any = ray.get(reference)
        (folder.networks / name).write_bytes(content)
    return folder


def _go_on() -> None:
    """Nobody can ask a task to stop but Ray."""
