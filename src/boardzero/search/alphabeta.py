"""Alpha-beta search to a fixed depth, compiled once for all games; it can be interrupted at any node.

Principal-variation search (negamax): the first move of a node is searched with the whole window, the others with an empty
one that only asks whether they are better, and again if they are. Moves are tried in the order: best move in the table of
transpositions, moves that lately refuted others at the same ply (killers), moves that refuted often (history).

The search keeps its own stack in arrays, so it can stop after any number of nodes and go on: the clock is looked at in
between, and what an unfinished depth has already found is used. `deepening.py` runs it deeper and deeper.

Scores are for the side to move. A win in n plies from the root scores WIN − n, a draw 0; others are heuristic. A score is
*complete* if it follows from ends of games alone, whatever the heuristic says; only then is a 0 a proven draw.
"""

from typing import Any, NamedTuple

import numba
import numpy as np
import numpy.typing as npt
from numba import boolean, int64, types, uint64

from boardzero.games.bits import signed
from boardzero.games.compiled import compiled
from boardzero.games.counting import hash_state
from boardzero.games.rules import APPLY_RULE, LEGAL_RULE, Actions, ApplyRule, LegalRule, State
from boardzero.search.alphabeta_table import (
    EXACT,
    LOWER,
    UPPER,
    Table,
    choice_of,
    depth_of,
    is_complete,
    kind_of,
    look_up,
    score_of,
    store,
)
from boardzero.search.heuristics import HEURISTIC_RULE, HIGHEST, Heuristic

WIN = 10_000_000
PROVEN = WIN - 10_000  # a score this high is a proven win, however far away
INFINITE = WIN + 1

HASH_RANK, KILLER_RANK = 1 << 60, 1 << 59  # above every count of the history

LOOK_AHEAD = 3  # plies left, from where on successors are looked at to order the actions

# places in Stack.control
PLY, NODES, DEPTH, EVERY_ROOT_ACTION = 0, 1, 2, 3


# What is open at one ply.
FRAME = np.dtype(
    [
        ("key", np.uint64),  # hash of the state
        ("legal_count", np.int64),  # legal actions
        ("tried", np.int64),  # how many of them are done
        ("choice", np.int64),  # the one that is being searched
        ("lower", np.int64),  # the window when the node was opened: lower, beta …
        ("alpha", np.int64),  # … and as it is now: alpha, beta
        ("beta", np.int64),
        ("best", np.int64),  # score of the best action so far
        ("best_choice", np.int64),
        ("line_length", np.int64),  # of the best continuation
        ("killer", np.int32),  # the last two actions that cut a node off at this ply
        ("older_killer", np.int32),
        ("complete", np.bool_),  # is the claim about the score complete?
    ],
    align=True,
)
# What the current depth knows of one root action; the score is exact if that is asked for, or else an upper bound.
ROOT = np.dtype([("score", np.int64), ("complete", np.bool_), ("done", np.bool_)], align=True)


class Stack(NamedTuple):
    """A search that can be interrupted. Few arrays, since all of them are handed from function to function."""

    states: npt.NDArray[np.uint64]  # [plies, state_length]
    actions: npt.NDArray[np.int32]  # [plies, max_legal] in the order of the rules, at the root as the caller ordered them
    ranks: npt.NDArray[np.int64]  # [plies, max_legal] which to try first; −1 once tried
    frames: Any  # [plies] of FRAME
    line: npt.NDArray[np.int32]  # [plies, plies] the best continuation from each ply
    history: npt.NDArray[np.int64]  # [2, actions] by side to move: how often, and how deep, an action refuted
    roots: Any  # [max_legal] of ROOT
    root_lines: npt.NDArray[np.int32]  # [max_legal, plies] continuations after each root action, ended by −1
    control: npt.NDArray[np.int64]  # [4]: PLY, NODES, DEPTH, EVERY_ROOT_ACTION


def new_stack(plies: int, state_length: int, max_legal: int, action_count: int) -> Stack:
    """Room for `plies` open nodes: one more than the deepest search."""
    frames = np.zeros(plies, FRAME)
    frames["killer"] = frames["older_killer"] = -1
    return Stack(
        states=np.zeros((plies, state_length), np.uint64),
        actions=np.zeros((plies, max_legal), np.int32),
        ranks=np.zeros((plies, max_legal), np.int64),
        frames=frames,
        line=np.zeros((plies, plies), np.int32),
        history=np.zeros((2, action_count), np.int64),
        roots=np.zeros(max_legal, ROOT),
        root_lines=np.full((max_legal, plies), -1, np.int32),
        control=np.zeros(4, np.int64),
    )


STACK_TYPE: Any = numba.typeof(new_stack(1, 1, 1, 1))
TABLE_TYPE = types.Array(uint64, 2, "C")


# -- scores ------------------------------------------------------------------------------------------------------------
@compiled()
def final_score(outcome: int, ply: int) -> int:
    """The score of a finished game for the player whose move reached this ply."""
    return WIN - ply if outcome == 2 else ply - WIN if outcome == 3 else 0


@compiled()
def from_root(score: int, ply: int) -> int:
    """A score that counts plies from a node, as one that counts them from the root."""
    return score - ply if score >= PROVEN else score + ply if score <= -PROVEN else score


@compiled()
def from_node(score: int, ply: int) -> int:
    """The reverse of `from_root`."""
    return score + ply if score >= PROVEN else score - ply if score <= -PROVEN else score


# -- opening and closing nodes -----------------------------------------------------------------------------------------
@compiled()
def window(stack: Stack, ply: int, is_first: bool) -> tuple[int, int]:
    """The window for the action that is being searched at a ply, as its successor sees it."""
    alpha, beta = stack.frames[ply].alpha, stack.frames[ply].beta
    if is_first:
        return -beta, -alpha
    return -alpha - 1, -alpha


@compiled()
def answer_from_table(stack: Stack, word: np.uint64, ply: int, alpha: int, beta: int) -> bool:
    """Does the table settle the node at this ply? If so its score and completeness are set.

    Only what was searched exactly as deep as now is asked for is used, or what no deeper search can change.
    """
    kind, depth, left = kind_of(word), depth_of(word), stack.control[DEPTH] - ply
    if kind == 0 or not (depth == left or (is_complete(word) and depth < left)):
        return False
    score = from_root(score_of(word), ply)
    if kind == EXACT or (kind == LOWER and score >= beta) or (kind == UPPER and score <= alpha):
        stack.frames[ply].best = score
        stack.frames[ply].complete = is_complete(word)
        stack.frames[ply].line_length = 0
        return True
    return False


@compiled()
def rank_actions(apply: ApplyRule, evaluate: Heuristic, stack: Stack, ply: int, first_choice: int) -> None:
    """Which actions to try first; `first_choice` comes from the table, or is −1.

    Where much is to be searched below, it pays to look at each successor; elsewhere the history has to do.
    """
    side = signed(stack.states[ply, 0] >> np.uint64(2) & np.uint64(1))
    looks_ahead = stack.control[DEPTH] - ply >= LOOK_AHEAD
    for choice in range(stack.frames[ply].legal_count):
        action = stack.actions[ply, choice]
        if choice == first_choice:
            rank = HASH_RANK
        elif looks_ahead:
            outcome = apply(stack.states[ply], signed(action), stack.states[ply + 1])
            score = evaluate(stack.states[ply + 1]) if outcome == 0 else -final_score(outcome, 0)
            rank = HASH_RANK // 2 - score
        elif action == stack.frames[ply].killer or action == stack.frames[ply].older_killer:
            rank = KILLER_RANK
        else:
            rank = stack.history[side, action]
        stack.ranks[ply, choice] = rank


@compiled()
def open_node(
    legal: LegalRule, apply: ApplyRule, evaluate: Heuristic, stack: Stack, table: Table, ply: int, alpha: int, beta: int
) -> bool:
    """Begin with the state at a ply; False if the table already knows the answer."""
    key = hash_state(stack.states[ply])
    word = look_up(table, key)
    if answer_from_table(stack, word, ply, alpha, beta):
        return False
    stack.frames[ply].key = key
    stack.frames[ply].legal_count = legal(stack.states[ply], stack.actions[ply])
    rank_actions(apply, evaluate, stack, ply, choice_of(word) if kind_of(word) != 0 else -1)
    stack.frames[ply].tried = 0
    stack.frames[ply].lower, stack.frames[ply].alpha, stack.frames[ply].beta = alpha, alpha, beta
    stack.frames[ply].best = -INFINITE
    stack.frames[ply].complete = True
    stack.frames[ply].line_length = 0
    return True


@compiled()
def close_node(stack: Stack, table: Table, ply: int) -> None:
    """Write a finished node into the table."""
    best = stack.frames[ply].best
    kind = LOWER if best >= stack.frames[ply].beta else UPPER if best <= stack.frames[ply].lower else EXACT
    depth = stack.control[DEPTH] - ply
    store(
        table,
        stack.frames[ply].key,
        from_node(best, ply),
        stack.frames[ply].best_choice,
        depth,
        kind,
        stack.frames[ply].complete,
    )


@compiled()
def next_choice(stack: Stack, ply: int) -> int:
    """The action of the highest rank that has not been tried, the first of equals."""
    best, highest = 0, -1
    for choice in range(stack.frames[ply].legal_count):
        if stack.ranks[ply, choice] > highest:
            best, highest = choice, stack.ranks[ply, choice]
    stack.ranks[ply, best] = -1
    return best


@compiled()
def remember_refutation(stack: Stack, ply: int, action: int) -> None:
    """An action cut its node off: try it sooner elsewhere."""
    if stack.frames[ply].killer != action:
        stack.frames[ply].older_killer = stack.frames[ply].killer
        stack.frames[ply].killer = action
    left = stack.control[DEPTH] - ply
    side = signed(stack.states[ply, 0] >> np.uint64(2) & np.uint64(1))
    stack.history[side, action] += left * left


@compiled()
def take_score(stack: Stack, ply: int, score: int, complete: bool) -> None:
    """The action that is being searched at a ply has this score for the side to move there.

    stack.frames[ply + 1].best need not be set, but the line at ply + 1 must be (of length 0 for a leaf).
    """
    choice = stack.frames[ply].choice
    stack.frames[ply].tried += 1
    if ply == 0:
        root = stack.roots[choice]
        root.score, root.complete, root.done = score, complete, True
        length = stack.frames[1].line_length
        stack.root_lines[choice, :length] = stack.line[1, :length]
        stack.root_lines[choice, length:] = -1
    if score > stack.frames[ply].best:
        stack.frames[ply].best = score
        stack.frames[ply].best_choice = choice
        length = stack.frames[ply + 1].line_length
        stack.line[ply, 0] = stack.actions[ply, choice]
        stack.line[ply, 1 : 1 + length] = stack.line[ply + 1, :length]
        stack.frames[ply].line_length = 1 + length
        if ply > 0 or stack.control[EVERY_ROOT_ACTION] == 0:
            stack.frames[ply].alpha = max(stack.frames[ply].alpha, score)
    if score >= stack.frames[ply].beta:  # one action is enough for the claim
        stack.frames[ply].complete = complete
        remember_refutation(stack, ply, signed(stack.actions[ply, choice]))
    else:
        stack.frames[ply].complete &= complete


# -- the search --------------------------------------------------------------------------------------------------------
@compiled()
def search_action(legal: LegalRule, apply: ApplyRule, evaluate: Heuristic, stack: Stack, table: Table, ply: int) -> bool:
    """Try the next action of the node at a ply; True if its successor has been opened and must be searched first."""
    choice = next_choice(stack, ply)
    stack.frames[ply].choice = choice
    below = ply + 1
    outcome = apply(stack.states[ply], signed(stack.actions[ply, choice]), stack.states[below])
    stack.control[NODES] += 1
    stack.frames[below].line_length = 0
    if outcome != 0:
        take_score(stack, ply, final_score(outcome, below), True)
        return False
    if below == stack.control[DEPTH]:
        score = evaluate(stack.states[below])
        take_score(stack, ply, -max(-HIGHEST, min(HIGHEST, score)), False)
        return False
    is_first = stack.frames[ply].tried == 0 or (ply == 0 and stack.control[EVERY_ROOT_ACTION] != 0)
    alpha, beta = window(stack, ply, is_first)
    if open_node(legal, apply, evaluate, stack, table, below, alpha, beta):
        return True
    take_score(stack, ply, -stack.frames[below].best, stack.frames[below].complete)
    return False


@compiled()
def return_to_parent(legal: LegalRule, apply: ApplyRule, evaluate: Heuristic, stack: Stack, table: Table, ply: int) -> bool:
    """The node below a ply is finished; False if the ply must search it again, with the whole window."""
    below = ply + 1
    score = -stack.frames[below].best
    was_narrow = stack.frames[below].beta - stack.frames[below].lower == 1
    if (
        was_narrow
        and stack.frames[ply].alpha < score < stack.frames[ply].beta
        and stack.frames[ply].beta - stack.frames[ply].alpha > 1
    ):
        if open_node(legal, apply, evaluate, stack, table, below, -stack.frames[ply].beta, -stack.frames[ply].alpha):
            return False
        score = -stack.frames[below].best
    take_score(stack, ply, score, stack.frames[below].complete)
    return True


@compiled(boolean(LEGAL_RULE, APPLY_RULE, HEURISTIC_RULE, STACK_TYPE, TABLE_TYPE, int64))
def go_on(legal: LegalRule, apply: ApplyRule, evaluate: Heuristic, stack: Stack, table: Table, nodes: int) -> bool:
    """Search up to this many nodes further; True once the root is finished."""
    ply = stack.control[PLY]
    last = stack.control[NODES] + nodes
    while stack.control[NODES] < last:
        if stack.frames[ply].tried < stack.frames[ply].legal_count and stack.frames[ply].best < stack.frames[ply].beta:
            if search_action(legal, apply, evaluate, stack, table, ply):
                ply += 1
            continue
        if ply == 0:
            return True
        close_node(stack, table, ply)
        ply -= 1
        if not return_to_parent(legal, apply, evaluate, stack, table, ply):
            ply += 1
    stack.control[PLY] = ply
    return False


def begin(stack: Stack, state: State, actions: Actions, depth: int, every_root_action: bool) -> None:
    """Make ready to search a state this deep, its legal actions tried in the order given."""
    count = len(actions)
    stack.states[0] = state
    stack.actions[0, :count] = actions
    stack.ranks[0, :count] = np.arange(count, 0, -1)
    root = stack.frames[0]
    root["legal_count"], root["tried"], root["line_length"] = count, 0, 0
    root["lower"] = root["alpha"] = root["best"] = -INFINITE
    root["beta"], root["complete"] = INFINITE, True
    stack.roots["done"] = False
    stack.control[:] = 0, stack.control[NODES], depth, every_root_action
