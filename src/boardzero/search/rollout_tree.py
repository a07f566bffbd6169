"""The tree of Monte-Carlo search with random rollouts, compiled once for all games; `rollouts.py` is its front.

Each simulation walks down the tree by UCB1 (mean result + c · √(ln N / n)), rolls a random game out from where the tree
ends, and backs its result up. Two ways of growing the tree:

    uct          a node is rolled out on its first visit and gets its children on its second
    every-child  a node gets its children on its first visit, and a random game is rolled out from each of them

Proven results are backed up exactly: a node with a winning move is won, one whose moves are all decided has the best of
their results. Before its first rollout a node is searched for a move that wins at once, so such moves are never overlooked.

lessons/5_mcts.py explains this.
"""

from typing import Any, NamedTuple

import numba
import numpy as np
import numpy.typing as npt
from numba import boolean, float64, int64, uint64

from boardzero.games.bits import signed
from boardzero.games.compiled import compiled
from boardzero.games.randomness import Stream, draw_below
from boardzero.games.rules import APPLY_RULE, LEGAL_RULE, Actions, ApplyRule, LegalRule, State

UNPROVEN = 2  # beside the proven results −1, 0 and +1
NO_CHILDREN = 0  # as first_child: node 0 is the root, and nobody's child
ROOT = 0


# One node; results are for the player who moved into it. The children of a node lie side by side.
NODE = np.dtype(
    [
        ("total", np.float64),  # the sum of the results of its rollouts
        ("visits", np.int32),  # rollouts that went through it
        ("action", np.int32),  # leads into the node
        ("first_child", np.int32),  # or NO_CHILDREN
        ("child_count", np.int32),
        ("proven", np.int8),  # −1, 0, +1 or UNPROVEN
    ],
    align=True,
)


class Tree(NamedTuple):
    """Nodes up to a fixed number, the root first."""

    nodes: Any  # [capacity] of NODE
    used: npt.NDArray[np.int64]  # [2] nodes in use; how often children found no room


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
    nodes = np.zeros(capacity, NODE)
    nodes[ROOT]["proven"] = UNPROVEN
    return Tree(nodes, np.array([1, 0], np.int64))


def new_work(state_length: int, max_legal: int, max_plies: int) -> Work:
    state, next_state, here, there = (np.empty(state_length, np.uint64) for _ in range(4))
    return Work(state, next_state, here, there, np.empty(max_legal, np.int32), np.zeros(max_plies + 2, np.int32))


TREE_TYPE: Any = numba.typeof(new_tree(1))
WORK_TYPE: Any = numba.typeof(new_work(1, 1, 1))


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
    if first + count > len(tree.nodes):
        tree.used[1] += 1
        return False
    tree.used[0] += count
    for index in range(count):
        chosen = index + draw_below(stream, count - index)
        action = actions[chosen]
        actions[chosen] = actions[index]
        outcome = apply(state, signed(action), work.next_state)
        child = first + index
        tree.nodes[child].action = action
        tree.nodes[child].proven = result_of(outcome) if outcome != 0 else UNPROVEN
    tree.nodes[node].first_child = first
    tree.nodes[node].child_count = count
    prove_from_children(tree, node)
    return True


@compiled()
def prove_from_children(tree: Tree, node: int) -> None:
    """A node is lost for who moved into it if one child is won for who moves there; otherwise all must be decided."""
    best = -1
    decided = True
    first = tree.nodes[node].first_child
    for child in range(first, first + tree.nodes[node].child_count):
        proven = tree.nodes[child].proven
        if proven == 1:
            tree.nodes[node].proven = -1
            return
        if proven == UNPROVEN:
            decided = False
        elif proven > best:
            best = proven
    if decided:
        tree.nodes[node].proven = -best


@compiled()
def upper_bound(tree: Tree, child: int, exploration: float) -> float:
    """U = mean + exploration / √n, where exploration is c · √(ln N); what is proven needs no exploring."""
    proven = tree.nodes[child].proven
    if proven != UNPROVEN:
        return 0.0 if proven == 0 else np.inf * proven
    visits = tree.nodes[child].visits
    if visits == 0:
        return np.inf
    share = 1.0 / visits
    return tree.nodes[child].total * share + exploration * np.sqrt(share)


@compiled()
def select_child(tree: Tree, node: int, c: float) -> int:
    """The child with the highest U, the first of equals."""
    exploration = c * np.sqrt(np.log(np.float64(max(1, tree.nodes[node].visits))))
    first = signed(tree.nodes[node].first_child)
    best, highest = first, -np.inf
    for child in range(first, first + tree.nodes[node].child_count):
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
    first = tree.nodes[node].first_child
    for child in range(first, first + tree.nodes[node].child_count):
        result = signed(tree.nodes[child].proven)
        if result == UNPROVEN:
            apply(state, signed(tree.nodes[child].action), leaf)
            if wins_at_once(legal, apply, leaf, work):
                tree.nodes[child].proven = result = -1
            else:
                result = roll_out(legal, apply, leaf, work, stream)
        tree.nodes[child].visits += 1
        tree.nodes[child].total += result
        total -= result
    prove_from_children(tree, node)
    return total


@compiled()
def back_up(tree: Tree, path: npt.NDArray[np.int32], depth: int, total: int, count: int) -> None:
    """Add results to every node of the path, from the leaf at `depth` up, and carry proofs as far as they reach."""
    is_news = tree.nodes[path[depth]].proven != UNPROVEN
    if is_news:
        total = count * tree.nodes[path[depth]].proven
    while True:
        node = path[depth]
        if is_news and tree.nodes[node].proven == UNPROVEN:
            prove_from_children(tree, node)
            is_news = tree.nodes[node].proven != UNPROVEN
            if is_news:
                total = count * tree.nodes[node].proven
        tree.nodes[node].visits += count
        tree.nodes[node].total += total
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
    while tree.nodes[node].proven == UNPROVEN:
        if tree.nodes[node].first_child == NO_CHILDREN:
            if not every_child and tree.nodes[node].visits == 0 and depth > 0:
                if wins_at_once(legal, apply, state, work):
                    tree.nodes[node].proven = -1
                    break
                back_up(tree, work.path, depth, roll_out(legal, apply, state, work, stream), 1)
                return
            if not expand(legal, apply, tree, node, state, work, stream):
                back_up(tree, work.path, depth, roll_out(legal, apply, state, work, stream), 1)
                return
            if every_child:
                total = roll_out_children(legal, apply, tree, node, state, next_state, work, stream)
                back_up(tree, work.path, depth, total, signed(tree.nodes[node].child_count))
                return
            continue  # the expansion may have proved the node
        node = select_child(tree, node, c)
        apply(state, signed(tree.nodes[node].action), next_state)
        state, next_state = next_state, state
        depth += 1
        work.path[depth] = node
    back_up(tree, work.path, depth, signed(tree.nodes[node].proven), 1)


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
        if tree.nodes[ROOT].proven != UNPROVEN:
            return done
        simulate(legal, apply, tree, root, work, stream, c, every_child)
    return simulations
