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
from boardzero.search.heuristics import HEURISTIC_RULE, HIGHEST, Heuristic
from boardzero.search.transpositions import (
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

WIN = 10_000_000
PROVEN = WIN - 10_000  # a score this high is a proven win, however far away
INFINITE = WIN + 1

HASH_RANK, KILLER_RANK = 1 << 60, 1 << 59  # above every count of the history

# places in Stack.control
PLY, NODES, DEPTH, EVERY_ROOT_ACTION = 0, 1, 2, 3


class Stack(NamedTuple):
    """A search that can be interrupted: what is open at each ply (the first axis, unless said otherwise)."""

    states: npt.NDArray[np.uint64]  # [plies, state_length]
    actions: npt.NDArray[np.int32]  # [plies, max_legal] in the order of the rules, at the root as the caller ordered them
    ranks: npt.NDArray[np.int64]  # [plies, max_legal] which to try first; −1 once tried
    keys: npt.NDArray[np.uint64]  # hash of the state
    legal_count: npt.NDArray[np.int64]  # legal actions
    tried: npt.NDArray[np.int64]  # how many of them are done
    choice: npt.NDArray[np.int64]  # the one that is being searched
    lower: npt.NDArray[np.int64]  # the window when the node was opened …
    alpha: npt.NDArray[np.int64]  # … and as it is now
    beta: npt.NDArray[np.int64]
    best: npt.NDArray[np.int64]  # score of the best action so far
    best_choice: npt.NDArray[np.int64]
    complete: npt.NDArray[np.bool_]  # is the claim about the score complete?
    line: npt.NDArray[np.int32]  # [plies, plies] the best continuation from each ply
    line_length: npt.NDArray[np.int64]
    killers: npt.NDArray[np.int32]  # [plies, 2]
    history: npt.NDArray[np.int64]  # [2, actions] by side to move: how often, and how deep, an action refuted
    root_scores: npt.NDArray[np.int64]  # [max_legal] of the current depth; exact if every root action is asked for
    root_complete: npt.NDArray[np.bool_]  # [max_legal]
    root_done: npt.NDArray[np.bool_]  # [max_legal] has the current depth got its score yet?
    root_lines: npt.NDArray[np.int32]  # [max_legal, plies] continuations after each root action, ended by −1
    control: npt.NDArray[np.int64]  # [4]: PLY, NODES, DEPTH, EVERY_ROOT_ACTION


def new_stack(plies: int, state_length: int, max_legal: int, action_count: int) -> Stack:
    """Room for `plies` open nodes: one more than the deepest search."""
    words = {name: np.zeros(plies, np.int64) for name in ("legal_count", "tried", "choice", "lower", "alpha", "beta", "best")}
    return Stack(
        states=np.zeros((plies, state_length), np.uint64),
        actions=np.zeros((plies, max_legal), np.int32),
        ranks=np.zeros((plies, max_legal), np.int64),
        keys=np.zeros(plies, np.uint64),
        **words,
        best_choice=np.zeros(plies, np.int64),
        complete=np.zeros(plies, np.bool_),
        line=np.zeros((plies, plies), np.int32),
        line_length=np.zeros(plies, np.int64),
        killers=np.full((plies, 2), -1, np.int32),
        history=np.zeros((2, action_count), np.int64),
        root_scores=np.zeros(max_legal, np.int64),
        root_complete=np.zeros(max_legal, np.bool_),
        root_done=np.zeros(max_legal, np.bool_),
        root_lines=np.full((max_legal, plies), -1, np.int32),
        control=np.zeros(4, np.int64),
    )


STACK_TYPE: Any = numba.typeof(new_stack(1, 1, 1, 1))  # type: ignore[no-untyped-call]
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
    alpha, beta = stack.alpha[ply], stack.beta[ply]
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
        stack.best[ply] = score
        stack.complete[ply] = is_complete(word)
        stack.line_length[ply] = 0
        return True
    return False


@compiled()
def rank_actions(stack: Stack, ply: int, first_choice: int) -> None:
    """Which actions to try first; `first_choice` comes from the table, or is −1."""
    side = signed(stack.states[ply, 0] >> np.uint64(2) & np.uint64(1))
    for choice in range(stack.legal_count[ply]):
        action = stack.actions[ply, choice]
        rank = stack.history[side, action]
        if choice == first_choice:
            rank = HASH_RANK
        elif action == stack.killers[ply, 0] or action == stack.killers[ply, 1]:
            rank = KILLER_RANK
        stack.ranks[ply, choice] = rank


@compiled()
def open_node(legal: LegalRule, stack: Stack, table: Table, ply: int, alpha: int, beta: int) -> bool:
    """Begin with the state at a ply; False if the table already knows the answer."""
    key = hash_state(stack.states[ply])
    word = look_up(table, key)
    if answer_from_table(stack, word, ply, alpha, beta):
        return False
    stack.keys[ply] = key
    stack.legal_count[ply] = legal(stack.states[ply], stack.actions[ply])
    rank_actions(stack, ply, choice_of(word) if kind_of(word) != 0 else -1)
    stack.tried[ply] = 0
    stack.lower[ply], stack.alpha[ply], stack.beta[ply] = alpha, alpha, beta
    stack.best[ply] = -INFINITE
    stack.complete[ply] = True
    stack.line_length[ply] = 0
    return True


@compiled()
def close_node(stack: Stack, table: Table, ply: int) -> None:
    """Write a finished node into the table."""
    best = stack.best[ply]
    kind = LOWER if best >= stack.beta[ply] else UPPER if best <= stack.lower[ply] else EXACT
    depth = stack.control[DEPTH] - ply
    store(table, stack.keys[ply], from_node(best, ply), stack.best_choice[ply], depth, kind, stack.complete[ply])


@compiled()
def next_choice(stack: Stack, ply: int) -> int:
    """The action of the highest rank that has not been tried, the first of equals."""
    best, highest = 0, -1
    for choice in range(stack.legal_count[ply]):
        if stack.ranks[ply, choice] > highest:
            best, highest = choice, stack.ranks[ply, choice]
    stack.ranks[ply, best] = -1
    return best


@compiled()
def remember_refutation(stack: Stack, ply: int, action: int) -> None:
    """An action cut its node off: try it sooner elsewhere."""
    if stack.killers[ply, 0] != action:
        stack.killers[ply, 1] = stack.killers[ply, 0]
        stack.killers[ply, 0] = action
    left = stack.control[DEPTH] - ply
    side = signed(stack.states[ply, 0] >> np.uint64(2) & np.uint64(1))
    stack.history[side, action] += left * left


@compiled()
def take_score(stack: Stack, ply: int, score: int, complete: bool) -> None:
    """The action that is being searched at a ply has this score for the side to move there.

    stack.best[ply + 1] need not be set, but the line at ply + 1 must be (of length 0 for a leaf).
    """
    choice = stack.choice[ply]
    stack.tried[ply] += 1
    if ply == 0:
        stack.root_scores[choice] = score
        stack.root_complete[choice] = complete
        stack.root_done[choice] = True
        length = stack.line_length[1]
        stack.root_lines[choice, :length] = stack.line[1, :length]
        stack.root_lines[choice, length:] = -1
    if score > stack.best[ply]:
        stack.best[ply] = score
        stack.best_choice[ply] = choice
        length = stack.line_length[ply + 1]
        stack.line[ply, 0] = stack.actions[ply, choice]
        stack.line[ply, 1 : 1 + length] = stack.line[ply + 1, :length]
        stack.line_length[ply] = 1 + length
        if ply > 0 or stack.control[EVERY_ROOT_ACTION] == 0:
            stack.alpha[ply] = max(stack.alpha[ply], score)
    if score >= stack.beta[ply]:  # one action is enough for the claim
        stack.complete[ply] = complete
        remember_refutation(stack, ply, signed(stack.actions[ply, choice]))
    else:
        stack.complete[ply] &= complete


# -- the search --------------------------------------------------------------------------------------------------------
@compiled()
def search_action(legal: LegalRule, apply: ApplyRule, evaluate: Heuristic, stack: Stack, table: Table, ply: int) -> bool:
    """Try the next action of the node at a ply; True if its successor has been opened and must be searched first."""
    choice = next_choice(stack, ply)
    stack.choice[ply] = choice
    below = ply + 1
    outcome = apply(stack.states[ply], signed(stack.actions[ply, choice]), stack.states[below])
    stack.control[NODES] += 1
    stack.line_length[below] = 0
    if outcome != 0:
        take_score(stack, ply, final_score(outcome, below), True)
        return False
    if below == stack.control[DEPTH]:
        score = evaluate(stack.states[below])
        take_score(stack, ply, -max(-HIGHEST, min(HIGHEST, score)), False)
        return False
    is_first = stack.tried[ply] == 0 or (ply == 0 and stack.control[EVERY_ROOT_ACTION] != 0)
    alpha, beta = window(stack, ply, is_first)
    if open_node(legal, stack, table, below, alpha, beta):
        return True
    take_score(stack, ply, -stack.best[below], stack.complete[below])
    return False


@compiled()
def return_to_parent(legal: LegalRule, stack: Stack, table: Table, ply: int) -> bool:
    """The node below a ply is finished; False if the ply must search it again, with the whole window."""
    below = ply + 1
    score = -stack.best[below]
    was_narrow = stack.beta[below] - stack.lower[below] == 1
    if was_narrow and stack.alpha[ply] < score < stack.beta[ply] and stack.beta[ply] - stack.alpha[ply] > 1:
        if open_node(legal, stack, table, below, -stack.beta[ply], -stack.alpha[ply]):
            return False
        score = -stack.best[below]
    take_score(stack, ply, score, stack.complete[below])
    return True


@compiled(boolean(LEGAL_RULE, APPLY_RULE, HEURISTIC_RULE, STACK_TYPE, TABLE_TYPE, int64))
def go_on(legal: LegalRule, apply: ApplyRule, evaluate: Heuristic, stack: Stack, table: Table, nodes: int) -> bool:
    """Search up to this many nodes further; True once the root is finished."""
    ply = stack.control[PLY]
    last = stack.control[NODES] + nodes
    while stack.control[NODES] < last:
        if stack.tried[ply] < stack.legal_count[ply] and stack.best[ply] < stack.beta[ply]:
            if search_action(legal, apply, evaluate, stack, table, ply):
                ply += 1
            continue
        if ply == 0:
            return True
        close_node(stack, table, ply)
        ply -= 1
        if not return_to_parent(legal, stack, table, ply):
            ply += 1
    stack.control[PLY] = ply
    return False


def begin(stack: Stack, state: State, actions: Actions, depth: int, every_root_action: bool) -> None:
    """Make ready to search a state this deep, its legal actions tried in the order given."""
    count = len(actions)
    stack.states[0] = state
    stack.actions[0, :count] = actions
    stack.ranks[0, :count] = np.arange(count, 0, -1)
    stack.legal_count[0], stack.tried[0] = count, 0
    stack.lower[0] = stack.alpha[0] = -INFINITE
    stack.beta[0] = INFINITE
    stack.best[0] = -INFINITE
    stack.complete[0] = True
    stack.line_length[0] = 0
    stack.root_done[:] = False
    stack.control[:] = 0, stack.control[NODES], depth, every_root_action
