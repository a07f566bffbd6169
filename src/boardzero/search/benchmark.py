"""How fast the search is: simulations a second, against its plain twin in the same run, over tree size and threads."""

import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from boardzero.games.randomness import new_stream
from boardzero.games.rules import Game
from boardzero.search import rollouts
from boardzero.search.forest import Evaluator, Forest
from boardzero.search.forest_arrays import EDGE, NODE
from boardzero.search.reference import ReferenceTree
from boardzero.settings.search import SearchSettings

SIMULATIONS_A_MOVE = 200


def free_evaluator(game: Game, batch: int) -> Evaluator:
    """Costs nothing: every move alike, every position even."""
    logits, values = np.zeros((batch, game.action_count), np.float32), np.zeros(batch, np.float32)

    def evaluate(planes: npt.NDArray[np.float32]) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
        return logits[: len(planes)], values[: len(planes)]

    return evaluate


@dataclass(frozen=True)
class ForestSpeed:
    """Simulations a second of the forest on one core, and of its plain twin."""

    game: str
    batch: int
    simulations_per_second: float
    reference_simulations_per_second: float
    bytes_per_node: float

    @property
    def ratio(self) -> float:
        return self.simulations_per_second / self.reference_simulations_per_second


@dataclass(frozen=True)
class GrowthStep:
    """The time of a thousand simulations when a tree has this many behind it."""

    simulations: int
    seconds_per_thousand: float


def measure_forest(game: Game, batch: int, seconds: float, reference_speed: float) -> ForestSpeed:
    """Trees from the start of the game, each searched as for one move, again and again."""
    forest = Forest(game, trees=batch, nodes=SIMULATIONS_A_MOVE + 2)
    simulations = repeat_searches(forest, seconds)
    used = forest.arrays.trees
    nodes, edges = int(used["nodes"].sum()), int(used["edges"].sum())
    size = NODE.itemsize + 8 * game.state_length + EDGE.itemsize * edges / nodes
    return ForestSpeed(game.specification, batch, simulations, reference_speed, size)


def repeat_searches(forest: Forest, seconds: float) -> float:
    """Simulations a second."""
    evaluate = free_evaluator(forest.game, len(forest))
    start_state = forest.game.initial_state()
    before, start = forest.counts().simulations, time.perf_counter()
    while True:
        for tree in range(len(forest)):
            forest.set_root(tree, start_state)
        forest.search(evaluate, SIMULATIONS_A_MOVE)
        elapsed = time.perf_counter() - start
        if elapsed >= seconds:
            return (forest.counts().simulations - before) / elapsed


def measure_reference(game: Game, seconds: float) -> float:
    """Simulations a second of the search in plain Python, over the same compiled rules."""
    evaluate = free_evaluator(game, 1)
    tree = ReferenceTree(game, SearchSettings(), nodes=SIMULATIONS_A_MOVE + 2, edges=SIMULATIONS_A_MOVE * game.max_legal)
    done, start = 0, time.perf_counter()
    while time.perf_counter() - start < seconds:
        tree.set_root(game.initial_state())
        tree.search(evaluate, SIMULATIONS_A_MOVE)
        done += SIMULATIONS_A_MOVE
    return done / (time.perf_counter() - start)


def measure_rollouts(game: Game, seconds: float) -> float:
    """Rollout simulations a second on one core, from the start of the game."""
    state = game.initial_state()
    rollouts.search(game, state, new_stream(0), simulations=10)
    start = time.perf_counter()
    report = rollouts.search(game, state, new_stream(0), seconds=seconds)
    return report.simulations / (time.perf_counter() - start)


def measure_growth(game: Game, simulations: int, evaluate: Evaluator | None = None) -> list[GrowthStep]:
    """One tree that grows to this many simulations, timed a thousand at a time; ten of the timings, evenly spread."""
    forest = Forest(game, nodes=simulations + 2)
    evaluate = evaluate or free_evaluator(game, 1)
    forest.search(evaluate, 1)
    steps = []
    for done in range(0, simulations, 1000):
        start = time.perf_counter()
        forest.search(evaluate, 1000)
        steps.append(GrowthStep(done + 1000, time.perf_counter() - start))
    tenth = max(1, len(steps) // 10)
    groups = [steps[first : first + tenth] for first in range(0, len(steps), tenth)]
    return [GrowthStep(group[-1].simulations, float(np.median([s.seconds_per_thousand for s in group]))) for group in groups]


def measure_threads(game: Game, batch: int, seconds: float, threads: int) -> float:
    """Simulations a second of this many forests, each in a thread of its own."""
    forests = [Forest(game, trees=batch, nodes=SIMULATIONS_A_MOVE + 2) for _ in range(threads)]
    with ThreadPoolExecutor(threads) as pool:
        return sum(pool.map(repeat_searches, forests, [seconds] * threads))
