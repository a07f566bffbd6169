"""Search trees that people look into: the tree of one search, taken out of the forest, node by node."""

import math
import secrets
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
import numpy.typing as npt

from boardzero.errors import BadInput
from boardzero.games.position import Position
from boardzero.players.mcts import RolloutPlayer
from boardzero.players.player import Player
from boardzero.search.forest_arrays import NONE
from boardzero.search.rollout_tree import Tree
from boardzero.settings.search import SearchSettings
from boardzero.web.describing.position import find_position
from boardzero.web.players import PlayerChoice
from boardzero.web.study.analysis import Analyst, refuse_over
from boardzero.web.study.models import Exact, NewTree, TreeChild, TreeNode, TreeReport
from boardzero.web.study.rollout_trees import describe_rollout_node
from boardzero.web.thinking.jobs import TreeCopy
from boardzero.web.thinking.pool import SHARED
from boardzero.web.thinking.thinker import search_settings

MOST_TREES = 64
TREE_SECONDS = 30.0
MOST_NODES = 200_000  # of a tree of random games: 6 MB
LONGEST_PATH = 500


@dataclass(frozen=True)
class KeptTree:
    position: Position
    tree: TreeCopy
    settings: SearchSettings


Describe = Callable[[list[int]], TreeNode]  # the node of a tree that actions from its root lead to


class Trees:
    """The trees that were asked for last."""

    def __init__(self, analyst: Analyst) -> None:
        self.analyst = analyst
        self._kept: OrderedDict[str, Describe] = OrderedDict()

    async def make(self, wish: NewTree) -> TreeReport:
        position = find_position(wish.game, wish.moves, wish.start)
        refuse_over(position)
        choice = self.analyst.choice_for(position, wish.player)
        if choice.name in SHARED:
            describe, simulations = await self._search(position, choice, wish.simulations)
        elif choice.name == "mcts":
            describe, simulations = await self._roll_out(position, choice, wish.simulations)
        else:
            raise BadInput(f"'{choice.name}' keeps no tree to look at; choose {', '.join(SHARED)} or mcts.")
        identity = secrets.token_urlsafe(9)
        self._kept[identity] = describe
        if len(self._kept) > MOST_TREES:
            self._kept.popitem(last=False)
        return TreeReport(id=identity, simulations=simulations, root=describe([]))

    async def _search(self, position: Position, choice: PlayerChoice, simulations: int) -> tuple[Describe, int]:
        pool = self.analyst.pool
        job = pool.job_for(choice, position.game, position.state, simulations, TREE_SECONDS)
        job.temperature, job.wants_tree = 0.0, True
        settings = search_settings(job.key).scaled()
        report = await pool.submit(job)
        assert report.tree is not None
        return partial(describe_node, KeptTree(position, report.tree, settings)), report.simulations

    async def _roll_out(self, position: Position, choice: PlayerChoice, simulations: int) -> tuple[Describe, int]:
        def grow(player: Player) -> tuple[Tree, int]:
            assert isinstance(player, RolloutPlayer)
            tree, done = player.grow(position, simulations, TREE_SECONDS, MOST_NODES)
            return Tree(tree.nodes[: int(tree.used[0])].copy(), tree.used), done

        tree, done = await self.analyst.pool.run_alone(choice, position.game, grow)
        return partial(describe_rollout_node, position, tree), done

    def find(self, identity: str, path: list[int]) -> TreeNode:
        """KeyError if the tree was forgotten."""
        describe = self._kept[identity]
        self._kept.move_to_end(identity)
        if len(path) > LONGEST_PATH:
            raise BadInput(f"A path has at most {LONGEST_PATH} actions.")
        return describe(path)


def describe_node(kept: KeptTree, path: list[int]) -> TreeNode:
    """The node that actions from the root lead to."""
    tree, position = kept.tree, kept.position.copy()
    node = tree.root
    for action in path:
        edges = _edges(tree, node)
        found = edges[edges["action"] == action]
        if len(found) == 0 or found[0]["child"] == NONE:
            raise BadInput(f"The tree does not reach action {action} after {path[: path.index(action)]}.")
        position.play(action)
        node = int(found[0]["child"])
    record, edges, game = tree.nodes[node], _edges(tree, node), position.game
    value = _mean(record)
    total = max(1, int(edges["visits"].sum()))
    scores = _scores(record, edges, kept.settings)
    children = [
        TreeChild(
            action=int(edge["action"]),
            move=game.action_to_text(int(edge["action"])),
            visits=int(edge["visits"]),
            share=int(edge["visits"]) / total,
            value=_mean(edge) if edge["visits"] else None,
            win_probability=(_mean(edge) + 1) / 2 if edge["visits"] else None,
            prior=float(edge["prior"]),
            exact=_proven(edge),
            score=score,
            expandable=bool(edge["child"] != NONE),
        )
        for edge, score in zip(edges, scores, strict=True)
    ]
    children.sort(key=lambda child: (-child.visits, -(child.prior or 0.0)))
    moves = [game.action_to_text(action) for action in path]
    return TreeNode(
        path=path,
        moves=moves,
        visits=int(record["visits"]),
        value=value,
        win_probability=(value + 1) / 2,
        exact=_proven(record),
        turn=position.turn,
        terminal=position.over,
        children=children,
    )


def _edges(tree: TreeCopy, node: int) -> npt.NDArray[np.void]:
    first, count = int(tree.nodes[node]["first_edge"]), int(tree.nodes[node]["edge_count"])
    return tree.edges[first : first + count]


def _scores(node: np.void, edges: npt.NDArray[np.void], settings: SearchSettings) -> list[float | None]:
    """value + c · prior · √N / (1 + n) of each edge, as PUCT compares them when nothing is under way."""
    factor = settings.exploration * math.sqrt(float(node["visits"]))
    unvisited = settings.first_play_value
    if settings.first_play == "reduction":
        seen = float(edges["prior"][edges["visits"] > 0].sum())
        unvisited = _mean(node) - settings.first_play_value * math.sqrt(seen)
    scores: list[float | None] = []
    for edge in edges:
        if edge["upper"] <= node["lower"]:
            scores.append(None)
            continue
        value = _mean(edge) if edge["visits"] else min(max(unvisited, float(edge["lower"])), float(edge["upper"]))
        scores.append(value + factor * float(edge["prior"]) / (1.0 + int(edge["visits"])))
    return scores


def _mean(record: np.void) -> float:
    """The mean result of a node or edge, within its bounds."""
    mean = float(record["value_sum"]) / max(int(record["visits"]), 1)
    return min(max(mean, float(record["lower"])), float(record["upper"]))


def _proven(record: np.void) -> Exact | None:
    if record["lower"] != record["upper"]:
        return None
    return (1, 0, -1)[1 - int(record["lower"])]
