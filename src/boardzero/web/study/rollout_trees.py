"""Trees of random games, node by node: how Monte-Carlo search decides where no network is."""

import math

from boardzero.errors import BadInput
from boardzero.games.position import Position
from boardzero.search.rollout_tree import NO_CHILDREN, ROOT, UNPROVEN, Tree
from boardzero.web.study.models import Exact, TreeChild, TreeNode

EXPLORATION = 1.4  # of the mcts player


def describe_rollout_node(root: Position, tree: Tree, path: list[int]) -> TreeNode:
    """The node that actions from the root lead to. Results in the tree are for whoever moved into a node."""
    nodes, position, node = tree.nodes, root.copy(), ROOT
    for depth, action in enumerate(path):
        found = [child for child in _children(tree, node) if nodes["action"][child] == action]
        if not found:
            raise BadInput(f"The tree does not reach action {action} after {path[:depth]}.")
        position.play(action)
        node = found[0]
    children = [_child(position, tree, node, child) for child in _children(tree, node)]
    children.sort(key=lambda child: -child.visits)
    own, game = _value(tree, node), position.game
    value = 0.0 if own is None else -own
    return TreeNode(
        path=path,
        moves=[game.action_to_text(action) for action in path],
        visits=int(nodes["visits"][node]),
        value=value,
        win_probability=(value + 1) / 2,
        exact=_exact(-int(nodes["proven"][node])) if nodes["proven"][node] != UNPROVEN else None,
        turn=position.turn,
        terminal=position.over,
        children=children,
    )


def _child(position: Position, tree: Tree, node: int, child: int) -> TreeChild:
    nodes, value = tree.nodes, _value(tree, child)
    visits, proven = int(nodes["visits"][child]), int(nodes["proven"][child])
    all_visits = max(1, int(nodes["visits"][node]))
    score = None
    if visits and value is not None and proven == UNPROVEN:
        score = value + EXPLORATION * math.sqrt(math.log(all_visits) / visits)
    action = int(nodes["action"][child])
    return TreeChild(
        action=action,
        move=position.game.action_to_text(action),
        visits=visits,
        share=visits / all_visits,
        value=value,
        win_probability=None if value is None else (value + 1) / 2,
        prior=None,
        exact=None if proven == UNPROVEN else _exact(proven),
        score=score,
        expandable=bool(nodes["first_child"][child] != NO_CHILDREN),
    )


def _children(tree: Tree, node: int) -> range:
    first = int(tree.nodes["first_child"][node])
    return range(first, first + int(tree.nodes["child_count"][node]))


def _value(tree: Tree, node: int) -> float | None:
    """For whoever moved into the node; None if it was never tried."""
    proven, visits = int(tree.nodes["proven"][node]), int(tree.nodes["visits"][node])
    if proven != UNPROVEN:
        return float(proven)
    return float(tree.nodes["total"][node]) / visits if visits else None


def _exact(result: int) -> Exact:
    return 1 if result > 0 else -1 if result < 0 else 0
