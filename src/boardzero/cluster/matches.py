"""Matches of a run as tasks on the cluster: the same gate and the same measurements, only elsewhere.

A task gets the networks that it needs through the object store, and lays them out as the run's folder has them.
"""

from collections.abc import Callable, Iterable, Sequence
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeVar

from boardzero.arena.solved_games import SolvedPosition, Values
from boardzero.cluster.broadcast import Broadcast
from boardzero.cluster.game_file import is_file
from boardzero.cluster.orders import SentNetwork
from boardzero.cluster.player import check_version
from boardzero.cluster.workforce import Say
from boardzero.events.training import PerfectPlayMeasured
from boardzero.games.catalogue import find_game
from boardzero.games.position import Position
from boardzero.network.evaluator import find_evaluator
from boardzero.network.weights import ONNX_SUFFIX
from boardzero.settings.run import RunSettings
from boardzero.training.gate import Gate
from boardzero.training.matches import MatchScore
from boardzero.training.run_folder import RunFolder
from boardzero.training.strength import MatchAnswer, Opponent, StrengthMeter, measure_match, measure_perfect_play

LOOK_SECONDS = 0.5
RETRIES = 3
OF_THIS_MACHINE = ("alphazero", "engine")  # players that are files or programs here

Result = TypeVar("Result")
Solved = list[tuple[str, Values]]  # moves and their values, as they are sent


class Tasks:
    """Runs functions on the cluster, where there is a core to spare, and waits for what they return."""

    def __init__(self, ray: Any, settings: RunSettings, broadcast: Broadcast, players: Callable[[], int], say: Say) -> None:
        """players: how many there are now, each on a core."""
        self._ray, self._settings, self._broadcast, self._players, self._say = ray, settings, broadcast, players, say

    def run(
        self,
        function: Callable[..., Result],
        generations: Iterable[int],
        arguments: Sequence[Any],
        check: Callable[[], None],
        here: Callable[[], Result],
    ) -> Result:
        """function(settings, folder, *arguments) there, in a folder with the networks of these generations.

        check may raise to end it. What fails there, or needs a file of this machine, is done `here`.
        """
        if is_file(self._settings.game):
            return here()
        networks = [self._broadcast.network(generation) for generation in sorted(set(generations))]
        spare = self._ray.cluster_resources().get("CPU", 0) > self._players()
        task = self._ray.remote(num_cpus=1 if spare else 0, max_retries=RETRIES, scheduling_strategy="SPREAD")(_there)
        reference = task.remote(function, version("boardzero"), self._settings.model_dump_json(), networks, *arguments)
        try:
            while not self._ray.wait([reference], timeout=LOOK_SECONDS)[0]:
                check()
            result: Result = self._ray.get(reference)
        except self._ray.exceptions.RayError as error:
            reason = " ".join(str(getattr(error, "cause", None) or error).split())
            self._say(f"A match failed on the cluster and is played here instead: {reason}")
            return here()
        except BaseException:
            self._ray.cancel(reference, force=True)
            raise
        return result

    def put(self, content: object) -> Any:
        """A reference to something that several tasks need."""
        return self._ray.put(content)


class RemoteGate(Gate):
    """The gate, whose match is played somewhere on the cluster."""

    def __init__(self, settings: RunSettings, folder: RunFolder, threads: int, tasks: Tasks) -> None:
        super().__init__(find_game(settings.game), settings, folder, threads)
        self._tasks = tasks

    def compare(self, generation: int, best: int, check: Callable[[], None]) -> MatchScore:
        here = super().compare
        return self._tasks.run(_compare, (generation, best), (generation, best), check, lambda: here(generation, best, check))


class RemoteStrengthMeter(StrengthMeter):
    """Measurements somewhere on the cluster, but for those with files or programs of this machine."""

    def __init__(
        self, settings: RunSettings, folder: RunFolder, threads: int, spent: float, check: Callable[[], None], tasks: Tasks
    ) -> None:
        super().__init__(find_game(settings.game), settings, folder, threads, spent, check)
        self._tasks = tasks
        self._sent_positions: Any = None

    def _match(self, opponent: Opponent, generation: int, seconds: float) -> MatchAnswer:
        here = super()._match
        if opponent.kind in OF_THIS_MACHINE:
            return here(opponent, generation, seconds)
        generations = {generation} if opponent.generation is None else {generation, opponent.generation}
        arguments = opponent, generation, seconds
        return self._tasks.run(_measure_match, generations, arguments, self._check, lambda: here(*arguments))

    def _perfect_play(self, generation: int, seconds: float) -> PerfectPlayMeasured:
        here = super()._perfect_play
        if self._sent_positions is None:  # solved once, here, and sent once
            solved: Solved = [(entry.position.moves, entry.values) for entry in self._drawn or ()]
            self._sent_positions = self._tasks.put(solved)
        arguments = generation, seconds, self._sent_positions
        return self._tasks.run(_measure_perfect_play, (generation,), arguments, self._check, lambda: here(generation, seconds))


# -- there -------------------------------------------------------------------------------------------------------------------
def _there(
    function: Callable[..., Result], version_of_driver: str, settings: str, networks: Sequence[SentNetwork], *arguments: Any
) -> Result:
    check_version(version_of_driver)
    with TemporaryDirectory() as path:
        return function(RunSettings.model_validate_json(settings), _laid_out(Path(path), networks), *arguments)


def _compare(run: RunSettings, folder: RunFolder, generation: int, best: int) -> MatchScore:
    return Gate(find_game(run.game), run, folder, 1).compare(generation, best, _go_on)


def _measure_match(run: RunSettings, folder: RunFolder, opponent: Opponent, generation: int, seconds: float) -> MatchAnswer:
    game = find_game(run.game)
    return measure_match(
        game, run, opponent, lambda number: find_evaluator(folder.network(number), game), generation, seconds, _go_on
    )


def _measure_perfect_play(
    run: RunSettings, folder: RunFolder, generation: int, seconds: float, solved: Solved
) -> PerfectPlayMeasured:
    game = find_game(run.game)
    positions = [SolvedPosition(Position(game, moves), values) for moves, values in solved]
    return measure_perfect_play(game, run, find_evaluator(folder.network(generation), game), positions, generation, seconds)


def _laid_out(path: Path, networks: Sequence[SentNetwork]) -> RunFolder:
    import ray

    folder = RunFolder(path)
    folder.networks.mkdir()
    for network in networks:
        weights: Any = ray.get(network.weights)
        onnx: Any = ray.get(network.onnx)
        folder.network(network.generation).write_bytes(weights)
        folder.network(network.generation).with_suffix(ONNX_SUFFIX).write_bytes(onnx)
    return folder


def _go_on() -> None:
    """Nobody can ask a task to stop but Ray."""
