"""Monte-Carlo tree search with random rollouts: limits, clock and report; the search itself is in `rollout_tree.py`."""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from boardzero.games.randomness import Stream
from boardzero.games.rules import Game, Outcome, State
from boardzero.games.wrapped import raise_kept_error
from boardzero.search.rollout_tree import NO_CHILDREN, ROOT, UNPROVEN, Tree, new_tree, new_work, run_simulations, upper_bound

Variant = Literal["uct", "every-child"]

SLICE_SECONDS = 0.004  # between two looks at the clock
FIRST_SLICE = 1  # simulations, before their speed is known: one that rolls out every child may take many milliseconds
DEFAULT_CAPACITY = 2_000_000  # nodes


@dataclass(frozen=True)
class ActionReport:
    """What a search found out about one action; results are for the side to move at the root."""

    action: int
    visits: int
    value: float | None  # mean result; None if never tried and not proven
    bound: float  # U, what an every-child search chooses by
    exact: int | None  # proven result
    line: tuple[int, ...]  # the expected continuation, this action first; it alone where lines were not asked for


@dataclass(frozen=True)
class RolloutReport:
    """A finished search: its choice first, the other actions from best to worst."""

    actions: tuple[ActionReport, ...]
    value: float  # for the side to move
    exact: int | None
    simulations: int
    nodes: int
    is_full: bool  # the tree found no room at least once and stopped growing there


def search(
    game: Game,
    state: State,
    stream: Stream,
    *,
    simulations: int | None = None,
    seconds: float | None = None,
    c: float = 1.4,
    variant: Variant = "uct",
    capacity: int = DEFAULT_CAPACITY,
    lines: bool = True,
    is_stopped: Callable[[], bool] = lambda: False,
) -> RolloutReport:
    """Search a state that is not over until a limit is reached (at least one must be given) or its result is proven.

    lines       find the expected continuations; with many actions that takes as long as a short search
    is_stopped  asked every few milliseconds: then what is known by now is the answer
    """
    if simulations is None and seconds is None:
        raise ValueError("a search needs a limit: simulations or seconds")
    every_child = variant == "every-child"
    tree, done = grow(game, state, stream, simulations, seconds, c, every_child, capacity, is_stopped)
    return _report(game, state if lines else None, tree, c, every_child, done)


def grow(
    game: Game,
    state: State,
    stream: Stream,
    simulations: int | None,
    seconds: float | None,
    c: float,
    every_child: bool,
    capacity: int,
    is_stopped: Callable[[], bool],
) -> tuple[Tree, int]:
    """The tree of such a search, and how many simulations made it."""
    start = time.perf_counter()
    if simulations is not None:  # no simulation adds more nodes than a position has actions
        capacity = min(capacity, (simulations + 1) * game.max_legal + 1)
    tree = new_tree(max(capacity, game.max_legal + 1))
    work = new_work(game.state_length, game.max_legal, game.max_plies)

    def run(count: int) -> int:
        done = run_simulations(game.legal, game.apply, tree, state, work, stream, c, every_child, count)
        raise_kept_error(game)
        return int(done)

    return tree, _run_in_slices(run, simulations, start, seconds, is_stopped)


def _run_in_slices(
    run: Callable[[int], int], limit: int | None, start: float, seconds: float | None, is_stopped: Callable[[], bool]
) -> int:
    """Call `run` with a few milliseconds' worth of simulations at a time, until a limit or until it stops early.

    A simulation that would not fit into the time left is not begun, except the first.
    """
    begun = time.perf_counter()
    done, wanted = 0, FIRST_SLICE
    while limit is None or done < limit:
        if limit is not None:
            wanted = min(wanted, limit - done)
        ran = run(wanted)
        done += ran
        now = time.perf_counter()
        a_simulation = (now - begun) / max(1, done)
        left = math.inf if seconds is None else start + seconds - now
        if ran < wanted or left < a_simulation or is_stopped():
            break
        wanted = min(max(1, int(min(SLICE_SECONDS, left) / a_simulation)), 4 * wanted)
    return done


def _report(game: Game, state: State | None, tree: Tree, c: float, every_child: bool, simulations: int) -> RolloutReport:
    """With the root's state lines are found too."""
    exploration = c * math.sqrt(math.log(max(1, int(tree.nodes["visits"][ROOT]))))
    reports = []
    for child in _children(tree, ROOT):
        visits, proven = int(tree.nodes["visits"][child]), int(tree.nodes["proven"][child])
        exact = None if proven == UNPROVEN else proven
        value = float(exact) if exact is not None else tree.nodes["total"][child] / visits if visits else None
        bound = float(upper_bound(tree, child, exploration))
        action = int(tree.nodes["action"][child])
        line = (action,) if state is None else _line(game, state, tree, child)
        reports.append(ActionReport(action, visits, value, bound, exact, line))
    reports.sort(key=_rank_by_bound if every_child else _rank_by_visits)
    proven = int(tree.nodes["proven"][ROOT])
    exact = None if proven == UNPROVEN else -proven
    value = float(exact) if exact is not None else -float(tree.nodes["total"][ROOT]) / max(1, int(tree.nodes["visits"][ROOT]))
    return RolloutReport(tuple(reports), value, exact, simulations, int(tree.used[0]), bool(tree.used[1]))


def _rank_by_visits(report: ActionReport) -> tuple[float, ...]:
    """Won actions first, lost ones last (the longest searched of them was the hardest to refute); then by visits."""
    decided = report.exact or 0
    return -decided, -report.visits, -(report.value or 0.0), report.action


def _rank_by_bound(report: ActionReport) -> tuple[float, ...]:
    decided = report.exact or 0
    return -decided, -report.bound if report.exact is None else 0.0, -report.visits, report.action


def _children(tree: Tree, node: int) -> range:
    first = int(tree.nodes["first_child"][node])
    return range(first, first + int(tree.nodes["child_count"][node]))


def _line(game: Game, state: State, tree: Tree, node: int) -> tuple[int, ...]:
    """The action into a root's child, then the most visited actions (proven wins first, proven losses last)."""

    def rank(child: int) -> tuple[int, int]:
        proven = int(tree.nodes["proven"][child])
        return 0 if proven == UNPROVEN else proven, int(tree.nodes["visits"][child])

    line = [int(tree.nodes["action"][node])]
    while tree.nodes["first_child"][node] != NO_CHILDREN:
        child = max(_children(tree, node), key=rank)
        if tree.nodes["visits"][child] == 0 and tree.nodes["proven"][child] == UNPROVEN:
            return tuple(line)
        node = child
        line.append(int(tree.nodes["action"][node]))
    if tree.nodes["proven"][node] == -1:  # refuted by a move that wins at once, which needed no node
        for action in line:
            state = game.next_state(state, action)
        wins = [move for move in game.legal_actions(state) if game.outcome(game.next_state(state, move)) is Outcome.MOVER_WON]
        line += wins[:1]
    return tuple(line)
