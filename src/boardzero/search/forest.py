"""The forest: many search trees that advance together, so that their leaves are evaluated as one batch.

lessons/6_alphazero.py explains this.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from boardzero.games.function_pointers import rule_addresses
from boardzero.games.randomness import new_stream
from boardzero.games.rules import Game, State
from boardzero.games.wrapped import raise_kept_error
from boardzero.search import forest_arrays
from boardzero.search.decisions import choose_actions, draw_full_searches, root_value, write_policies
from boardzero.search.forest_arrays import EMPTY_WORD, NONE, Arrays, options_from
from boardzero.search.rerooting import advance_roots, set_root
from boardzero.search.simulation import begin_search, step
from boardzero.settings.search import PlayoutCap, SearchSettings

# Planes [batch, planes, rows, columns] → logits [batch, actions] and values [batch] for the side to move, both float32.
Evaluator = Callable[[npt.NDArray[np.float32]], tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]]

NO_LOGITS, NO_VALUES = np.empty((0, 0), np.float32), np.empty(0, np.float32)


@dataclass(frozen=True)
class RootEdge:
    """A move of the root; values and bounds are for the player who would make it."""

    action: int
    visits: int
    value: float  # the mean of its simulations; 0 if there were none
    prior: float
    lower: int
    upper: int


class Judgement(NamedTuple):
    """What the search says of a position, for the player to move there."""

    value: float  # the expected result
    lower: int  # the proven bounds of the result; equal when it is proven
    upper: int


@dataclass(frozen=True)
class SearchCounts:
    """What the searches of a forest cost so far."""

    simulations: int
    evaluations: int
    cache_hits: int
    known_results: int


class Forest:
    """Search trees over one game. Each tree is what it would be alone: the others only share its batches."""

    def __init__(
        self,
        game: Game,
        settings: SearchSettings | None = None,
        trees: int = 1,
        nodes: int = 4096,
        edges: int | None = None,
        cache: int = 0,
        seed: int = 0,
    ) -> None:
        """Room for this many nodes and edges (by default, enough for the nodes) in each tree, and for `cache` evaluations,
        rounded up to a power of two, that all trees share. Room that is not used takes no memory."""
        self.game = game
        self.settings = (settings or SearchSettings()).scaled()
        self._options = options_from(self.settings)
        self._addresses = rule_addresses(game)
        edges = edges or nodes * game.max_legal
        if nodes < 1 or edges < game.max_legal:
            raise ValueError(f"a tree needs room for a root: 1 node and {game.max_legal} edges")
        slots = max(2, 1 << (cache - 1).bit_length()) if cache else 0
        self.arrays: Arrays = forest_arrays.new_arrays(game, self._options, trees, nodes, edges, slots)
        for tree in range(trees):
            self.seed_tree(tree, seed, tree)
            self.set_root(tree, game.initial_state())

    def __len__(self) -> int:
        return len(self.arrays.trees)

    # -- roots ---------------------------------------------------------------------------------------------------------
    def seed_tree(self, tree: int, seed: int, index: int) -> None:
        """Let a tree draw from the stream with this number among those of the seed."""
        self.arrays.streams[tree] = new_stream(seed, index)

    def set_root(self, tree: int, state: State) -> None:
        """Begin a tree anew at a state."""
        set_root(self._addresses, self.arrays, self._options, tree, state)

    def advance(self, actions: Sequence[int] | npt.NDArray[np.int32]) -> None:
        """Play an action in each tree (−1: leave it) and keep the subtree that it leads to."""
        each = np.ascontiguousarray(actions, np.int32)
        if (self.arrays.trees["leaves"][each != NONE] > 0).any():
            raise ValueError("a tree whose search is under way cannot be advanced")
        advance_roots(self._addresses, self.arrays, self._options, each)

    def root_state(self, tree: int) -> State:
        return self.arrays.states[tree, self.arrays.trees[tree]["root"]]

    def root_states(self, trees: npt.NDArray[np.int32]) -> npt.NDArray[np.uint64]:
        """[trees, words]: a copy of the roots' states."""
        return self.arrays.states[trees, self.arrays.trees["root"][trees]]

    # -- searching -----------------------------------------------------------------------------------------------------
    def search(
        self,
        evaluate: Evaluator,
        simulations: int | npt.NDArray[np.int32],
        noisy: bool | npt.NDArray[np.bool_] = False,
        seconds: float | None = None,
    ) -> None:
        """Run this many simulations in each tree (or in each its own number), or until the time is up.

        A tree whose root is proven, and one whose game is over, is left as it is.
        """
        self.begin(simulations, noisy)
        deadline = None if seconds is None else time.perf_counter() + seconds
        rows = self.step()
        while rows or len(self.finished()) < len(self):
            rows = self.step(*self.evaluated(evaluate, rows))
            if deadline is not None and time.perf_counter() >= deadline:
                self.arrays.trees["simulations"] = self.arrays.trees["started"]  # what has begun is still taken in
        raise_kept_error(self.game)

    def evaluated(self, evaluate: Evaluator, rows: int) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
        """The evaluations of the planes that wait, checked; if there are none to be had, trees that wait begin anew."""
        if rows == 0:
            return NO_LOGITS, NO_VALUES
        try:
            logits, values = evaluate(self.arrays.planes[:rows])
            return _checked(logits, (rows, self.game.action_count)), _checked(values, (rows,))
        except BaseException:
            for tree in map(int, np.flatnonzero(self.arrays.trees["leaves"])):
                self.set_root(tree, self.root_state(tree).copy())
            raise

    def begin(self, simulations: int | npt.NDArray[np.int32], noisy: bool | npt.NDArray[np.bool_] = False) -> None:
        """Begin a search in each tree, of its own number of simulations (−1: leave the tree as it is)."""
        each, noise = np.full(len(self), simulations, np.int32), np.full(len(self), noisy, np.bool_)
        begin_search(self.arrays, self._options, each, noise)

    def step(self, logits: npt.NDArray[np.float32] = NO_LOGITS, values: npt.NDArray[np.float32] = NO_VALUES) -> int:
        """Take in the evaluations of the planes of the last step; returns how many of `arrays.planes` wait for theirs."""
        return step(self._addresses, self.arrays, self._options, logits, values)

    def finished(self) -> npt.NDArray[np.int32]:
        """The trees whose search is complete: no simulation is left or needed, and none waits."""
        trees = self.arrays.trees
        roots = self.arrays.nodes[np.arange(len(self)), trees["root"]]
        proven = (roots["lower"] == roots["upper"]) & (roots["ready"] != 0)
        done = (trees["leaves"] == 0) & ((trees["started"] >= trees["simulations"]) | proven) & (roots["ready"] != 0)
        return np.flatnonzero(done).astype(np.int32)

    def draw_playout_caps(
        self, cap: PlayoutCap, trees: npt.NDArray[np.int32] | None = None
    ) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.bool_]]:
        """The simulations of each (or of these) trees' next search, and whether it is full: with noise, and learned from."""
        which = np.arange(len(self), dtype=np.int32) if trees is None else trees
        full = np.empty(len(which), np.bool_)
        draw_full_searches(self.arrays, cap.full_probability, which, full)
        return np.where(full, cap.full_simulations, cap.fast_simulations).astype(np.int32), full

    # -- decisions -----------------------------------------------------------------------------------------------------
    def choose(self, temperatures: float | npt.NDArray[np.float64] = 0.0, softmax_beta: float = 0.0) -> npt.NDArray[np.int32]:
        """A move for each tree, at its own temperature (0: the best; below 0, or where the game is over: −1)."""
        actions = np.empty(len(self), np.int32)
        choose_actions(self.arrays, self._options, np.full(len(self), temperatures, np.float64), softmax_beta, actions)
        return actions

    def policies(self, trees: npt.NDArray[np.int32] | None = None) -> npt.NDArray[np.float32]:
        """[trees, actions]: what a network should learn from each search (or from those of these trees)."""
        which = np.arange(len(self), dtype=np.int32) if trees is None else trees
        policies = np.empty((len(which), self.game.action_count), np.float32)
        write_policies(self.arrays, self._options, which, policies)
        return policies

    def clear_cache(self) -> None:
        """Forget all evaluations; needed when the evaluator changes."""
        self.arrays.cache_states[:] = EMPTY_WORD

    # -- results -------------------------------------------------------------------------------------------------------
    def root_edges(self, tree: int) -> list[RootEdge]:
        """The legal moves of a root, in increasing order of their actions."""
        edges = self._edges(tree, int(self.arrays.trees[tree]["root"]))
        return [
            RootEdge(
                action=int(edge["action"]),
                visits=int(edge["visits"]),
                value=_mean(edge),
                prior=float(edge["prior"]),
                lower=int(edge["lower"]),
                upper=int(edge["upper"]),
            )
            for edge in edges
        ]

    def line(self, tree: int, action: int, length: int) -> tuple[int, ...]:
        """A move of the root and its most visited continuation (a proven win comes first), at most this long."""
        line = [action]
        edges = self._edges(tree, int(self.arrays.trees[tree]["root"]))
        chosen = edges[edges["action"] == action][0]
        while len(line) < length and chosen["child"] != NONE:
            edges = self._edges(tree, int(chosen["child"]))
            won = edges["lower"] == 1
            chosen = edges[np.argmax(edges["visits"] + np.where(won, 2**31, 0))]
            if chosen["visits"] == 0:
                break
            line.append(int(chosen["action"]))
        return tuple(line)

    def root_value(self, tree: int) -> float:
        """The expected result for the player to move at the root."""
        return root_value(self.arrays, self._options, tree)

    def root_bounds(self, tree: int) -> tuple[int, int]:
        """The proven bounds of the result for the player to move at the root; equal when it is proven."""
        root = self.arrays.nodes[tree, self.arrays.trees[tree]["root"]]
        return int(root["lower"]), int(root["upper"])

    def root_judgements(self, trees: npt.NDArray[np.int32]) -> list[Judgement]:
        """Of many roots at once; values are means of all simulations, also with halving: they are what networks learn."""
        roots = self.arrays.nodes[trees, self.arrays.trees["root"][trees]]
        lower, upper = roots["lower"], roots["upper"]
        values = np.clip(roots["value_sum"] / np.maximum(roots["visits"], 1), lower, upper)
        return [Judgement(*root) for root in zip(values.tolist(), lower.tolist(), upper.tolist(), strict=True)]

    def is_full(self, tree: int) -> bool:
        """Did the last search of this tree run out of room? It then went on without growing."""
        return bool(self.arrays.trees[tree]["full"])

    def counts(self) -> SearchCounts:
        return SearchCounts(*(int(count) for count in self.arrays.counters))

    def _edges(self, tree: int, node: int) -> npt.NDArray[np.void]:
        first, count = (int(self.arrays.nodes[tree, node][name]) for name in ("first_edge", "edge_count"))
        return self.arrays.edges[tree, first : first + count]


def _checked(numbers: npt.NDArray[np.float32], shape: tuple[int, ...]) -> npt.NDArray[np.float32]:
    """What an evaluator gave, as compiled code takes it."""
    array = np.ascontiguousarray(numbers, np.float32)
    if array.shape != shape:
        raise ValueError(f"the evaluator gave an array of shape {array.shape} where {shape} was needed")
    if not np.isfinite(array).all():
        raise ValueError("the evaluator gave numbers that are not finite")
    return array


def _mean(record: np.void) -> float:
    """The mean result of a node or edge, within its bounds; 0 where nothing is known."""
    mean = float(record["value_sum"]) / max(int(record["visits"]), 1)
    return min(max(mean, float(record["lower"])), float(record["upper"]))
