"""Alpha-beta, one ply deeper each time, until a depth, a time or a proof is reached: the front of `alphabeta.py`."""

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from boardzero.games.randomness import Stream, draw_below
from boardzero.games.rules import Actions, Game, State
from boardzero.games.wrapped import raise_kept_error
from boardzero.search.alphabeta import NODES, PROVEN, Stack, begin, go_on, new_stack
from boardzero.search.alphabeta_table import DEEPEST, Table, new_table
from boardzero.search.heuristics import Heuristic, find_heuristic, value_of_score

SLICE_SECONDS = 0.003  # between two looks at the clock
FIRST_SLICE = 64  # nodes, before their speed is known
TABLE_BITS = 20  # 2^20 entries of 16 bytes
DEEPEST_BY_CLOCK = 128  # where only time is limited


@dataclass(frozen=True)
class ScoredAction:
    """One root action; the score is for the side to move."""

    action: int
    score: int | None  # None where it is only known that the action is not better than the one chosen
    exact: int | None  # proven result
    bound: int  # the score, or what it is at most
    line: tuple[int, ...]  # the expected continuation, this action first

    @property
    def value(self) -> float | None:
        """Expected result, −1 to +1."""
        if self.exact is not None:
            return float(self.exact)
        return None if self.score is None else value_of_score(self.score)


@dataclass(frozen=True)
class AlphaBetaReport:
    """A finished search: its choice first, the other actions from best to worst."""

    actions: tuple[ScoredAction, ...]
    score: int  # for the side to move
    exact: int | None  # proven result for the side to move
    depth: int  # the last depth that was searched to its end (0 if time allowed none)
    nodes: int

    @property
    def line(self) -> tuple[int, ...]:
        """The principal variation."""
        return self.actions[0].line


def search(
    game: Game,
    state: State,
    *,
    depth: int | None = None,
    seconds: float | None = None,
    heuristic: Heuristic | None = None,
    every_action: bool = False,
    order: Stream | None = None,
    table_bits: int = TABLE_BITS,
    is_stopped: Callable[[], bool] = lambda: False,
) -> AlphaBetaReport:
    """Search a state that is not over until a limit is reached (at least one must be given) or its result is proven.

    every_action  score every root action exactly, not only the best (slower)
    order         draws the order of root actions, and so which of equally good ones is chosen; without it, the lowest
    is_stopped    asked every few milliseconds: then what is known by now is the answer
    """
    if depth is None and seconds is None:
        raise ValueError("a search needs a limit: depth or seconds")
    end = None if seconds is None else time.perf_counter() + seconds
    deepest = min(depth or DEEPEST_BY_CLOCK, game.max_plies, DEEPEST)
    run = _Deepening(game, state, heuristic or find_heuristic(game), deepest, every_action, new_table(table_bits))
    run.is_stopped = is_stopped
    run.actions = _ordered(np.array(game.legal_actions(state), np.int32), order)
    return run.until(deepest, end)


class _Deepening:
    """One search over all its depths."""

    def __init__(self, game: Game, state: State, heuristic: Heuristic, deepest: int, every_action: bool, table: Table) -> None:
        self.game, self.state, self.heuristic, self.every_action, self.table = game, state, heuristic, every_action, table
        self.stack: Stack = new_stack(deepest + 1, game.state_length, game.max_legal, game.action_count)
        self.actions: Actions = np.empty(0, np.int32)
        self.nodes_a_slice = FIRST_SLICE
        self.is_stopped: Callable[[], bool] = lambda: False

    def until(self, deepest: int, end: float | None) -> AlphaBetaReport:
        """One ply is always searched."""
        report = None
        for depth in range(1, deepest + 1):
            begin(self.stack, self.state, self.actions, depth, self.every_action)
            finished = self._run_in_slices(None, False) if depth == 1 else self._run_in_slices(end, True)
            if not finished and not self.stack.roots["done"].any():
                break
            report = self._report(depth if finished else depth - 1, report)
            self._bring_to_front(report.actions[0].action)
            if not finished or report.exact is not None:
                break
        assert report is not None
        return report

    def _run_in_slices(self, end: float | None, may_stop: bool) -> bool:
        """A few milliseconds' worth of nodes at a time; False if the time was over first, or somebody stopped it."""
        stack, game = self.stack, self.game
        while True:
            start, before = time.perf_counter(), int(stack.control[NODES])
            if (end is not None and start >= end) or (may_stop and self.is_stopped()):
                return False
            finished = go_on(game.legal, game.apply, self.heuristic, stack, self.table, self.nodes_a_slice)
            raise_kept_error(game)
            if finished:
                return True
            now = time.perf_counter()
            speed = (int(stack.control[NODES]) - before) / max(1e-6, now - start)
            left = SLICE_SECONDS if end is None else min(SLICE_SECONDS, end - now)
            self.nodes_a_slice = max(1, min(int(speed * left), 4 * self.nodes_a_slice))

    def _bring_to_front(self, action: int) -> None:
        """The best action is tried first at the next depth; the others keep their order."""
        others = self.actions[self.actions != action]
        self.actions = np.concatenate([np.array([action], np.int32), others])

    def _report(self, depth: int, previous: AlphaBetaReport | None) -> AlphaBetaReport:
        """What is known now; a depth that was not finished may leave actions as an earlier depth saw them."""
        stack, root = self.stack, self.stack.frames[0]
        best = int(root["best_choice"])
        searched = {choice: self._score(choice, choice == best) for choice in np.flatnonzero(stack.roots["done"]).tolist()}
        earlier = {} if previous is None else {scored.action: scored for scored in previous.actions}
        known = [searched.get(choice) or earlier[int(action)] for choice, action in enumerate(self.actions)]
        order = sorted(range(len(known)), key=lambda choice: (choice != best, -known[choice].bound))
        actions = tuple(known[choice] for choice in order)
        score, finished = int(root["best"]), bool(stack.roots["done"][: len(self.actions)].all())
        exact = _exact(score, finished and bool(root["complete"]))
        return AlphaBetaReport(actions, score, exact, depth, int(stack.control[NODES]))

    def _score(self, choice: int, is_best: bool) -> ScoredAction:
        """A root action that this depth has searched."""
        root, later = self.stack.roots[choice], self.stack.root_lines[choice]
        action, bound = int(self.actions[choice]), int(root["score"])
        is_score = is_best or self.every_action  # of other actions only an upper bound is known
        exact = _exact(bound, is_score and bool(root["complete"]))
        line = (action, *later[later >= 0].tolist())
        return ScoredAction(
            action, bound if is_score else None, exact if is_score or exact == -1 else None, bound=bound, line=line
        )


def _exact(score: int, complete: bool) -> int | None:
    """The proven result behind a score; one that is no win or loss proves a draw only if it is complete."""
    return 1 if score >= PROVEN else -1 if score <= -PROVEN else 0 if complete else None


def _ordered(actions: Actions, order: Stream | None) -> Actions:
    """The actions in an order drawn from the stream, or as they are."""
    if order is not None:
        for index in range(len(actions)):
            chosen = index + draw_below(order, len(actions) - index)
            actions[[index, chosen]] = actions[[chosen, index]]
    return actions
