"""A deterministic evaluator and comparisons, to hold the compiled forest and its plain twin to the same trees."""

import numpy as np
import numpy.typing as npt

from boardzero.games.rules import Game
from boardzero.search.forest import Forest
from boardzero.search.reference import ReferenceTree


class HashEvaluator:
    """Logits and values that depend on each position alone, as if at random."""

    def __init__(self, game: Game, sharpness: float = 2.0) -> None:
        self.actions = game.action_count
        self.sharpness = sharpness
        generator = np.random.default_rng(7)
        cells = len(game.planes) * game.rows * game.columns
        self.mixing = generator.integers(1, 2**31, size=cells, dtype=np.int64)
        self.salts = generator.integers(1, 2**31, size=self.actions + 1, dtype=np.int64)

    def __call__(self, planes: npt.NDArray[np.float32]) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
        flat = np.round(planes.reshape(len(planes), -1) * 1000).astype(np.int64)
        keys = (flat * self.mixing).sum(axis=1)
        noise = ((keys[:, None] * self.salts) ^ (keys[:, None] >> 13)) % 100_003 / 100_003 * 2 - 1
        return (self.sharpness * noise[:, 1:]).astype(np.float32), (0.8 * noise[:, 0]).astype(np.float32)


def tree_of_forest(forest: Forest, tree: int) -> list[tuple[object, ...]]:
    """Every node's numbers, in the order in which nodes were made."""
    record = forest.arrays.trees[tree]
    dump = []
    for index in range(int(record["nodes"])):
        node = forest.arrays.nodes[tree, index]
        edges = forest.arrays.edges[tree, int(node["first_edge"]) : int(node["first_edge"] + node["edge_count"])]
        dump.append(
            (
                forest.arrays.states[tree, index].tobytes(),
                *(node[name].item() for name in ("visits", "pending", "value_sum", "lower", "upper", "ready", "cut")),
                [
                    tuple(edge[name].item() for name in ("action", "visits", "pending", "value_sum", "prior", "lower", "upper"))
                    for edge in edges
                ],
            )
        )
    return dump


def tree_of_reference(tree: ReferenceTree) -> list[tuple[object, ...]]:
    return [
        (
            node.state.tobytes(),
            node.visits,
            node.pending,
            node.value_sum,
            node.lower,
            node.upper,
            int(node.ready),
            int(node.cut) + int(node.looked_through),
            [(e.action, e.visits, e.pending, e.value_sum, e.prior, e.lower, e.upper) for e in node.edges],
        )
        for node in tree.nodes
    ]
