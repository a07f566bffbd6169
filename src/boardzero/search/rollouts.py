"""Monte-Carlo tree search with random rollouts, compiled once for all games.

Each simulation walks down the tree by UCB1 (mean result + c · √(ln N / n)), rolls a random game out from where the tree
ends, and backs its result up. Two ways of growing the tree:

    uct          a node is rolled out on its first visit and gets its children on its second
    every-child  a node gets its children on its first visit, and a random game is rolled out from each of them

Proven results are backed up exactly: a node with a winning move is won, one whose moves are all decided has the best of
their results. Before its first rollout a node is searched for a move that wins at once, so such moves are never overlooked.
"""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numba
import numpy as np
import numpy.typing as npt
from numba import boolean, float64, int64, uint64

from boardzero.games.bits import signed
from boardzero.games.compiled import compiled
from boardzero.games.randomness import Stream, draw_below
from boardzero.games.rules import APPLY_RULE, LEGAL_RULE, Actions, ApplyRule, Game, LegalRule, Outcome, State
from boardzero.games.wrapped import raise_kept_error

Variant = Literal["uct", "every-child"]

UNPROVEN = 2  # beside the proven results −1, 0 and +1
NO_CHILDREN = 0  # as first_child: node 0 is the root, and nobody's child
ROOT = 0
SLICE_SECONDS = 0.004  # between two looks at the clock
FIRST_SLICE = 16  # simulations, before their speed is known
DEFAULT_CAPACITY = 2_000_000  # nodes


class Tree(NamedTuple):
    """Flat arrays over nodes, the children of a node side by side. Results are for the player who moved into the node."""

    visits: npt.NDArray[np.int32]  # [capacity] rollouts that went through the node
    totals: npt.NDArray[np.float64]  # [capacity] the sum of their results
    proven: npt.NDArray[np.int8]  # [capacity] −1, 0, +1 or UNPROVEN
    actions: npt.NDArray[np.int32]  # [capacity] the action that leads into the node
    first_child: npt.NDArray[np.int32]  # [capacity] or NO_CHILDREN
    child_count: npt.NDArray[np.int32]  # [capacity]
    used: npt.NDArray[np.int64]  # [2] nodes in use; nodes that found no room for their children


class Work(NamedTuple):
    """Memory that simulations use over and over."""

    state: State  # [state_length] of the rollout
    next_state: State  # [state_length] of the rollout
    here: State  # [state_length] of the walk through the tree
    there: State  # [state_length] of the walk through the tree
    legal: Actions  # [max_legal]
    path: npt.NDArray[np.int32]  # [max_plies + 2] nodes from the root to the leaf


def new_tree(capacity: int) -> Tree:
    """A tree that is its root alone."""
    numbers = (np.zeros(capacity, np.int32) for _ in range(4))
    visits, actions, first_child, child_count = numbers
    proven = np.full(capacity, UNPROVEN, np.int8)
    used = np.array([1, 0], np.int64)
    return Tree(visits, np.zeros(capacity, np.float64), proven, actions, first_child, child_count, used)


def _new_work(state_length: int, max_legal: int, max_plies: int) -> Work:
    state, next_state, here, there = (np.empty(state_length, np.uint64) for _ in range(4))
    return Work(state, next_state, here, there, np.empty(max_legal, np.int32), np.zeros(max_plies + 2, np.int32))


TREE_TYPE: Any = numba.typeof(new_tree(1))  # type: ignore[no-untyped-call]
WORK_TYPE: Any = numba.typeof(_new_work(1, 1, 1))  # type: ignore[no-untyped-call]


# -- one simulation ----------------------------------------------------------------------------------------------------
@compiled()
def result_of(outcome: int) -> int:
    """An outcome of `apply` as −1, 0 or +1 for the player who moved."""
    return 1 if outcome == 2 else -1 if outcome == 3 else 0


@compiled()
def roll_out(legal: LegalRule, apply: ApplyRule, start: State, work: Work, stream: Stream) -> int:
    """Play at random to the end; the result is for the player who moved into `start`, which must not be over."""
    state, next_state, actions = work.state, work.next_state, work.legal
    count = legal(start, actions)
    outcome = apply(start, signed(actions[draw_below(stream, count)]), state)
    sign = -1
    while outcome == 0:
        count = legal(state, actions)
        outcome = apply(state, signed(actions[draw_below(stream, count)]), next_state)
        state, next_state = next_state, state
        sign = -sign
    return sign * result_of(outcome)


@compiled()
def wins_at_once(legal: LegalRule, apply: ApplyRule, state: State, work: Work) -> bool:
    """Has the player to move an action that wins immediately?"""
    for choice in range(legal(state, work.legal)):
        if apply(state, signed(work.legal[choice]), work.next_state) == 2:
            return True
    return False


@compiled()
def expand(legal: LegalRule, apply: ApplyRule, tree: Tree, node: int, state: State, work: Work, stream: Stream) -> bool:
    """Give a node its children, in random order so that none is preferred; False if there is no room for them."""
    actions = work.legal
    count = legal(state, actions)
    first = tree.used[0]
    if first + count > len(tree.visits):
        tree.used[1] += 1
        return False
    tree.used[0] += count
    for index in range(count):
        chosen = index + draw_below(stream, count - index)
        action = actions[chosen]
        actions[chosen] = actions[index]
        outcome = apply(state, signed(action), work.next_state)
        child = first + index
        tree.actions[child] = action
        tree.proven[child] = result_of(outcome) if outcome != 0 else UNPROVEN
    tree.first_child[node] = first
    tree.child_count[node] = count
    prove_from_children(tree, node)
    return True


@compiled()
def prove_from_children(tree: Tree, node: int) -> None:
    """A node is lost for who moved into it if one child is won for who moves there; otherwise all must be decided."""
    best = -1
    decided = True
    first = tree.first_child[node]
    for child in range(first, first + tree.child_count[node]):
        proven = tree.proven[child]
        if proven == 1:
            tree.proven[node] = -1
            return
        if proven == UNPROVEN:
            decided = False
        elif proven > best:
            best = proven
    if decided:
        tree.proven[node] = -best


@compiled()
def upper_bound(tree: Tree, child: int, exploration: float) -> float:
    """U = mean + exploration / √n, where exploration is c · √(ln N); what is proven needs no exploring."""
    proven = tree.proven[child]
    if proven != UNPROVEN:
        return 0.0 if proven == 0 else np.inf * proven
    visits = tree.visits[child]
    if visits == 0:
        return np.inf
    share = 1.0 / visits
    return tree.totals[child] * share + exploration * np.sqrt(share)


@compiled()
def select_child(tree: Tree, node: int, c: float) -> int:
    """The child with the highest U, the first of equals."""
    exploration = c * np.sqrt(np.log(np.float64(max(1, tree.visits[node]))))
    first = signed(tree.first_child[node])
    best, highest = first, -np.inf
    for child in range(first, first + tree.child_count[node]):
        bound = upper_bound(tree, child, exploration)
        if bound > highest:
            best, highest = child, bound
            if bound == np.inf:
                break
    return best


@compiled()
def roll_out_children(
    legal: LegalRule, apply: ApplyRule, tree: Tree, node: int, state: State, leaf: State, work: Work, stream: Stream
) -> int:
    """One rollout from each child (a decided child gives its result); the sum of results, for who moved into the node."""
    total = 0
    first = tree.first_child[node]
    for child in range(first, first + tree.child_count[node]):
        result = signed(tree.proven[child])
        if result == UNPROVEN:
            apply(state, signed(tree.actions[child]), leaf)
            if wins_at_once(legal, apply, leaf, work):
                tree.proven[child] = result = -1
            else:
                result = roll_out(legal, apply, leaf, work, stream)
        tree.visits[child] += 1
        tree.totals[child] += result
        total -= result
    prove_from_children(tree, node)
    return total


@compiled()
def back_up(tree: Tree, path: npt.NDArray[np.int32], depth: int, total: int, count: int) -> None:
    """Add results to every node of the path, from the leaf at `depth` up, and carry proofs as far as they reach."""
    is_news = tree.proven[path[depth]] != UNPROVEN
    if is_news:
        total = count * tree.proven[path[depth]]
    while True:
        node = path[depth]
        if is_news and tree.proven[node] == UNPROVEN:
            prove_from_children(tree, node)
            is_news = tree.proven[node] != UNPROVEN
            if is_news:
                total = count * tree.proven[node]
        tree.visits[node] += count
        tree.totals[node] += total
        if depth == 0:
            return
        total = -total
        depth -= 1


@compiled()
def simulate(
    legal: LegalRule, apply: ApplyRule, tree: Tree, root: State, work: Work, stream: Stream, c: float, every_child: bool
) -> None:
    """One walk to the edge of the tree, one growth there, and the way back."""
    state, next_state = work.here, work.there
    state[:] = root
    node, depth = ROOT, 0
    while tree.proven[node] == UNPROVEN:
        if tree.first_child[node] == NO_CHILDREN:
            if not every_child and tree.visits[node] == 0 and depth > 0:
                if wins_at_once(legal, apply, state, work):
                    tree.proven[node] = -1
                    break
                back_up(tree, work.path, depth, roll_out(legal, apply, state, work, stream), 1)
                return
            if not expand(legal, apply, tree, node, state, work, stream):
                back_up(tree, work.path, depth, roll_out(legal, apply, state, work, stream), 1)
                return
            if every_child:
                total = roll_out_children(legal, apply, tree, node, state, next_state, work, stream)
                back_up(tree, work.path, depth, total, signed(tree.child_count[node]))
                return
            continue  # the expansion may have proved the node
        node = select_child(tree, node, c)
        apply(state, signed(tree.actions[node]), next_state)
        state, next_state = next_state, state
        depth += 1
        work.path[depth] = node
    back_up(tree, work.path, depth, signed(tree.proven[node]), 1)


@compiled(int64(LEGAL_RULE, APPLY_RULE, TREE_TYPE, uint64[::1], WORK_TYPE, uint64[::1], float64, boolean, int64))
def run_simulations(
    legal: LegalRule,
    apply: ApplyRule,
    tree: Tree,
    root: State,
    work: Work,
    stream: Stream,
    c: float,
    every_child: bool,
    simulations: int,
) -> int:
    """Run this many simulations, or fewer if the root becomes proven; returns how many were run."""
    for done in range(simulations):
        if tree.proven[ROOT] != UNPROVEN:
            return done
        simulate(legal, apply, tree, root, work, stream, c, every_child)
    return simulations


# -- whole searches ----------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class ActionReport:
    """What a search found out about one action; results are for the side to move at the root."""

    action: int
    visits: int
    value: float | None  # mean result; None if never tried and not proven
    bound: float  # U, what an every-child search chooses by
    exact: int | None  # proven result
    line: tuple[int, ...]  # the expected continuation, this action first


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
) -> RolloutReport:
    """Search a state that is not over until a limit is reached (at least one must be given) or its result is proven."""
    if simulations is None and seconds is None:
        raise ValueError("a search needs a limit: simulations or seconds")
    if simulations is not None:  # no simulation adds more nodes than a position has actions
        capacity = min(capacity, (simulations + 1) * game.max_legal + 1)
    tree = new_tree(max(capacity, game.max_legal + 1))
    work = _new_work(game.state_length, game.max_legal, game.max_plies)
    every_child = variant == "every-child"

    def run(count: int) -> int:
        done = run_simulations(game.legal, game.apply, tree, state, work, stream, c, every_child, count)
        raise_kept_error(game)
        return int(done)

    done = _run_in_slices(run, simulations, seconds)
    return _report(game, state, tree, c, every_child, done)


def _run_in_slices(run: Callable[[int], int], limit: int | None, seconds: float | None) -> int:
    """Call `run` with a few milliseconds' worth of simulations at a time, until a limit or until it stops early."""
    start = time.perf_counter()
    done, wanted = 0, FIRST_SLICE
    while limit is None or done < limit:
        if limit is not None:
            wanted = min(wanted, limit - done)
        ran = run(wanted)
        done += ran
        elapsed = time.perf_counter() - start
        if ran < wanted or (seconds is not None and elapsed >= seconds):
            break
        left = SLICE_SECONDS if seconds is None else min(SLICE_SECONDS, seconds - elapsed)
        wanted = min(max(1, int(done / elapsed * left)), 4 * wanted)
    return done


def _report(game: Game, state: State, tree: Tree, c: float, every_child: bool, simulations: int) -> RolloutReport:
    exploration = c * math.sqrt(math.log(max(1, int(tree.visits[ROOT]))))
    reports = []
    for child in _children(tree, ROOT):
        visits, proven = int(tree.visits[child]), int(tree.proven[child])
        exact = None if proven == UNPROVEN else proven
        value = float(exact) if exact is not None else tree.totals[child] / visits if visits else None
        bound = float(upper_bound(tree, child, exploration))
        reports.append(ActionReport(int(tree.actions[child]), visits, value, bound, exact, _line(game, state, tree, child)))
    reports.sort(key=_rank_by_bound if every_child else _rank_by_visits)
    proven = int(tree.proven[ROOT])
    exact = None if proven == UNPROVEN else -proven
    value = float(exact) if exact is not None else -float(tree.totals[ROOT]) / max(1, int(tree.visits[ROOT]))
    return RolloutReport(tuple(reports), value, exact, simulations, int(tree.used[0]), bool(tree.used[1]))


def _rank_by_visits(report: ActionReport) -> tuple[float, ...]:
    """Won actions first, lost ones last (the longest searched of them was the hardest to refute); then by visits."""
    decided = report.exact or 0
    return -decided, -report.visits, -(report.value or 0.0), report.action


def _rank_by_bound(report: ActionReport) -> tuple[float, ...]:
    decided = report.exact or 0
    return -decided, -report.bound if report.exact is None else 0.0, -report.visits, report.action


def _children(tree: Tree, node: int) -> range:
    first = int(tree.first_child[node])
    return range(first, first + int(tree.child_count[node]))


def _line(game: Game, state: State, tree: Tree, node: int) -> tuple[int, ...]:
    """The action into a root's child, then the most visited actions (proven wins first, proven losses last)."""

    def rank(child: int) -> tuple[int, int]:
        proven = int(tree.proven[child])
        return 0 if proven == UNPROVEN else proven, int(tree.visits[child])

    line = [int(tree.actions[node])]
    while tree.first_child[node] != NO_CHILDREN:
        child = max(_children(tree, node), key=rank)
        if tree.visits[child] == 0 and tree.proven[child] == UNPROVEN:
            return tuple(line)
        node = child
        line.append(int(tree.actions[node]))
    if tree.proven[node] == -1:  # refuted by a move that wins at once, which needed no node
        for action in line:
            state = game.next_state(state, action)
        wins = [move for move in game.legal_actions(state) if game.outcome(game.next_state(state, move)) is Outcome.MOVER_WON]
        line += wins[:1]
    return tuple(line)
