"""One forest whose lanes are the searches under way: however many people wait, their leaves are evaluated as one batch."""

import time
from collections import deque
from collections.abc import Iterable

import numpy as np

from boardzero.games.odds import seen_by_who_must_win
from boardzero.games.rules import Game
from boardzero.games.wrapped import raise_kept_error
from boardzero.search.forest import Evaluator, Forest
from boardzero.settings.search import SearchSettings
from boardzero.web.limits import MOST_SIMULATIONS
from boardzero.web.thinking.jobs import LINE_LENGTH, SearchJob, SearchReport, TreeCopy

SHORT_LANES, SHORT_SIMULATIONS = 128, 1_000
LONG_LANES, LONG_NODES = 8, MOST_SIMULATIONS + 2
LONG_EDGES = 1_500_000  # in a long lane: 60 MB, if a search fills it
CACHE = 1 << 15  # evaluations that all searches of a forest share
FIRST_REPORT, LAST_REPORT = 0.1, 1.0  # seconds between two reports to a listener: often at first, then less


class Lanes:
    """A forest, and which search runs in which of its trees."""

    def __init__(
        self, game: Game, settings: SearchSettings, lanes: int, nodes: int, edges: int, must_win: bool = False
    ) -> None:
        """must_win: when it searches for a move, and not to analyse, it thinks that a draw would be lost."""
        edges = max(game.max_legal, min(edges, nodes * game.max_legal))
        self.forest = Forest(game, settings, trees=lanes, nodes=nodes, edges=edges, cache=CACHE)
        self.waiting: deque[SearchJob] = deque()
        self.running: dict[int, SearchJob] = {}
        self._free = list(range(lanes))
        self._must_win = must_win
        self._rows = 0

    def __len__(self) -> int:
        return len(self.waiting) + len(self.running)

    def step(self, evaluate: Evaluator) -> None:
        """Begin what can begin, take every running search one round further, and report those that are complete."""
        self._begin_waiting()
        if not self.running:
            return
        self._rows = self.forest.step(*self.forest.evaluated(evaluate, self._rows))
        self._end_overdue()
        finished = [int(lane) for lane in self.forest.finished() if lane in self.running]
        if finished:
            self._finish(finished)
        self._tell_listeners()

    def jobs(self) -> Iterable[SearchJob]:
        return [*self.running.values(), *self.waiting]

    def _begin_waiting(self) -> None:
        simulations = np.full(len(self.forest), -1, np.int32)
        while self.waiting and self._free:
            job = self.waiting.popleft()
            if not job.begin():
                continue
            lane = self._free.pop()
            self.forest.seed_tree(lane, job.seed, 0)
            must_win = self._must_win and job.is_move
            self.forest.set_root(lane, seen_by_who_must_win(self.forest.game, job.state) if must_win else job.state)
            simulations[lane] = job.simulations
            self.running[lane] = job
        if (simulations >= 0).any():
            self.forest.begin(simulations)

    def _end_overdue(self) -> None:
        """Searches whose time is up, or that nobody waits for any more, take in what has begun and end."""
        now, trees = time.perf_counter(), self.forest.arrays.trees
        for lane, job in self.running.items():
            if job.cancelled or (job.seconds is not None and now >= job.begun + job.seconds):
                trees[lane]["simulations"] = trees[lane]["started"]

    def _finish(self, lanes: list[int]) -> None:
        raise_kept_error(self.forest.game)
        temperatures = np.full(len(self.forest), -1.0)
        for lane in lanes:
            temperatures[lane] = self.running[lane].temperature
        actions = self.forest.choose(temperatures)
        for lane in lanes:
            job = self.running.pop(lane)
            self._free.append(lane)
            job.future.set_result(self._report(lane, job, int(actions[lane]), job.wants_tree))

    def _tell_listeners(self) -> None:
        now = time.perf_counter()
        for lane, job in self.running.items():
            pause = min(LAST_REPORT, max(FIRST_REPORT, (now - job.begun) / 4))
            if job.listen is None or now < job.heard + pause or not self._root_is_ready(lane):
                continue
            job.heard = now
            best = max(self.forest.root_edges(lane), key=lambda edge: (edge.lower == 1, edge.visits, edge.prior))
            job.listen(self._report(lane, job, best.action, False))

    def _root_is_ready(self, lane: int) -> bool:
        arrays = self.forest.arrays
        return bool(arrays.nodes[lane, arrays.trees[lane]["root"]]["ready"])

    def _report(self, lane: int, job: SearchJob, action: int, with_tree: bool) -> SearchReport:
        forest = self.forest
        edges = sorted(forest.root_edges(lane), key=lambda edge: (edge.action != action, -edge.visits, -edge.prior))
        shown = edges if job.wants_lines else edges[:1]
        lower, upper = forest.root_bounds(lane)
        return SearchReport(
            action=action,
            value=forest.root_value(lane),
            network_value=float(forest.arrays.nodes[lane, forest.arrays.trees[lane]["root"]]["evaluation"]),
            exact=lower if lower == upper else None,
            edges=tuple(edges),
            lines={edge.action: forest.line(lane, edge.action, LINE_LENGTH) for edge in shown},
            simulations=sum(edge.visits for edge in edges),
            seconds=time.perf_counter() - job.begun,
            is_full=forest.is_full(lane),
            tree=self._copy(lane) if with_tree else None,
        )

    def _copy(self, lane: int) -> TreeCopy:
        arrays, tree = self.forest.arrays, self.forest.arrays.trees[lane]
        nodes, edges = int(tree["nodes"]), int(tree["edges"])
        return TreeCopy(int(tree["root"]), arrays.nodes[lane, :nodes].copy(), arrays.edges[lane, :edges].copy())


class Grove:
    """All searches of one thread with one evaluator. Long ones have lanes of their own, so that few lanes need much room;
    long moves and long analyses have different ones, so that no move waits for those who study."""

    def __init__(self, game: Game, settings: SearchSettings, evaluate: Evaluator, must_win: bool = False) -> None:
        self._game, self._settings, self._evaluate, self._must_win = game, settings, evaluate, must_win
        self._short = Lanes(game, settings, SHORT_LANES, SHORT_SIMULATIONS + 2, SHORT_SIMULATIONS * 300, must_win)
        self._long: dict[bool, Lanes] = {}  # of moves (True) and of analyses, made when they are first needed
        self.used = time.monotonic()

    def __len__(self) -> int:
        return sum(map(len, self._lanes()))

    def add(self, job: SearchJob) -> None:
        self.used = time.monotonic()
        if job.simulations <= SHORT_SIMULATIONS:
            self._short.waiting.append(job)
            return
        if job.is_move not in self._long:
            self._long[job.is_move] = Lanes(self._game, self._settings, LONG_LANES, LONG_NODES, LONG_EDGES, self._must_win)
        self._long[job.is_move].waiting.append(job)

    def step(self) -> None:
        for lanes in self._lanes():
            lanes.step(self._evaluate)

    def jobs(self) -> list[SearchJob]:
        return [job for lanes in self._lanes() for job in lanes.jobs()]

    def simulations(self) -> int:
        """Since it was made."""
        return sum(lanes.forest.counts().simulations for lanes in self._lanes())

    def _lanes(self) -> list[Lanes]:
        return [self._short, *self._long.values()]
