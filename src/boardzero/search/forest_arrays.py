"""The forest's memory: records in flat arrays, the edges of a node next to each other.

Indices of nodes and edges count within one tree. Values, priors and bounds of an edge are for the player who chooses it, those
of a node for the player to move there; bounds are −1, 0 or +1 and enclose the true result.
"""

from typing import NamedTuple

import numba
import numpy as np
import numpy.typing as npt
from numba import float32, float64, int32, int64, types, uint64

from boardzero.games.rules import Game
from boardzero.settings.search import SearchSettings

NONE = -1
WHOLE, CUT, LOOKED_THROUGH = 0, 1, 2  # nodes; those looked through have no winning move without an edge
EMPTY_WORD = np.uint64(2**64 - 1)

NODE = np.dtype(
    [
        ("value_sum", "f8"),  # over its own evaluation and all simulations through it
        ("first_edge", "i4"),
        ("edge_count", "i4"),  # legal actions, or the likeliest of them, in increasing order
        ("visits", "i4"),  # 1 for its own evaluation + simulations that went on through its edges
        ("evaluation", "f4"),  # by the network alone
        ("first_parent", "i4"),  # with transpositions: the newest edge that leads here
        ("queued", "i4"),  # scratch: a place in a queue of nodes
        ("pending", "i2"),  # simulations on their way through it
        ("lower", "i1"),
        ("upper", "i1"),
        ("ready", "i1"),  # 0 while its evaluation is awaited
        ("cut", "i1"),  # WHOLE, or not all legal actions have edges: CUT, then LOOKED_THROUGH
        ("marked", "i1"),  # scratch
    ],
    align=True,
)
EDGE = np.dtype(
    [
        ("value_sum", "f8"),
        ("prior", "f4"),
        ("action", "i4"),
        ("child", "i4"),  # node, or NONE: not yet visited, or the result was known without one
        ("visits", "i4"),
        ("next_parent", "i4"),  # with transpositions: the next edge that leads to the same child
        ("pending", "i2"),
        ("lower", "i1"),
        ("upper", "i1"),
    ],
    align=True,
)
ROOT_EDGE = np.dtype(
    [
        ("gumbel", "f8"),  # Gumbel noise
        ("logit", "f8"),  # logarithm of the prior
        ("noise", "f4"),  # Dirichlet noise
        ("visits_before", "i4"),  # when the search began
        ("weight", "f8"),  # scratch: a share before it is normalised
    ],
    align=True,
)
TREE = np.dtype(
    [
        ("root", "i4"),
        ("nodes", "i4"),  # in use
        ("edges", "i4"),
        ("simulations", "i4"),  # asked for in this search
        ("started", "i4"),  # of these
        ("leaves", "i4"),  # in the round that waits for evaluations
        ("noisy", "i1"),  # noise on the root's priors in this search
        ("prepared", "i1"),  # Gumbel: logits and visits of the root are noted
        ("full", "i1"),  # it could not grow any more
    ],
    align=True,
)
LEAF = np.dtype([("node", "i4"), ("depth", "i4"), ("row", "i4"), ("value", "f4")], align=True)  # row in the batch, or NONE
STEP = np.dtype([("node", "i4"), ("edge", "i4")], align=True)  # of a path: a node, and the edge that was taken there


class Arrays(NamedTuple):
    """Everything that the compiled search works on. T trees, C nodes and E edges a tree, K leaves a round."""

    trees: npt.NDArray[np.void]  # [T]
    nodes: npt.NDArray[np.void]  # [T, C]
    edges: npt.NDArray[np.void]  # [T, E]
    states: npt.NDArray[np.uint64]  # [T, C, words]
    streams: npt.NDArray[np.uint64]  # [T, 1], one random stream a tree
    root_edges: npt.NDArray[np.void]  # [T, legal]
    leaves: npt.NDArray[np.void]  # [T, K]
    leaf_states: npt.NDArray[np.uint64]  # [T, K, words]
    paths: npt.NDArray[np.void]  # [T, K, depth]
    planes: npt.NDArray[np.float32]  # [T · K, planes, rows, columns], to be evaluated
    table: npt.NDArray[np.int32]  # [T, slots] node by hash of its state, with transpositions
    cache_states: npt.NDArray[np.uint64]  # [slots, words], all ones where empty
    cache_values: npt.NDArray[np.float32]  # [slots, 1 + legal]: the value, then the priors
    actions: npt.NDArray[np.int32]  # [legal], scratch
    priors: npt.NDArray[np.float64]  # [legal], scratch: of these actions
    highest: npt.NDArray[np.float64]  # [widest], scratch: the highest of these priors
    next_state: npt.NDArray[np.uint64]  # [words], scratch
    counters: npt.NDArray[np.int64]  # [4]: simulations, evaluations, cache hits, results known without evaluation


class Options(NamedTuple):
    """SearchSettings as compiled code reads them."""

    gumbel: bool
    exploration: float
    exploration_base: float
    first_play_reduced: bool
    first_play_value: float
    noise_fraction: float
    noise_alpha: float
    forced_playouts: float
    considered: int
    gumbel_visits: float
    gumbel_scale: float
    leaves: int
    widest: int
    virtual_loss: float
    exact: bool
    look_ahead: bool
    transpositions: bool
    update_all_parents: bool


SIMULATIONS, EVALUATIONS, CACHE_HITS, KNOWN_RESULTS = range(4)

_node, _edge, _root_edge, _tree, _leaf, _step = map(numba.from_dtype, (NODE, EDGE, ROOT_EDGE, TREE, LEAF, STEP))


def _c(kind: types.Type, dimensions: int) -> types.Array:
    return types.Array(kind, dimensions, "C")


ARRAYS = types.NamedTuple(
    (
        _c(_tree, 1),
        _c(_node, 2),
        _c(_edge, 2),
        _c(uint64, 3),
        _c(uint64, 2),
        _c(_root_edge, 2),
        _c(_leaf, 2),
        _c(uint64, 3),
        _c(_step, 3),
        _c(float32, 4),
        _c(int32, 2),
        _c(uint64, 2),
        _c(float32, 2),
        _c(int32, 1),
        _c(float64, 1),
        _c(float64, 1),
        _c(uint64, 1),
        _c(int64, 1),
    ),
    Arrays,
)
_COMPILED = {bool: types.boolean, int: int64, float: float64}
OPTIONS = types.NamedTuple(tuple(_COMPILED[kind] for kind in Options.__annotations__.values()), Options)


def options_from(settings: SearchSettings) -> Options:
    return Options(
        gumbel=settings.root == "gumbel",
        exploration=float(settings.exploration),
        exploration_base=float(settings.exploration_base),
        first_play_reduced=settings.first_play == "reduction",
        first_play_value=float(settings.first_play_value),
        noise_fraction=float(settings.noise_fraction),
        noise_alpha=float(settings.noise_alpha),
        forced_playouts=float(settings.forced_playouts),
        considered=settings.considered,
        gumbel_visits=float(settings.gumbel_visits),
        gumbel_scale=float(settings.gumbel_scale),
        leaves=settings.leaves,
        widest=settings.widest,
        virtual_loss=float(settings.virtual_loss),
        exact=settings.exact,
        look_ahead=settings.look_ahead,
        transpositions=settings.transpositions,
        update_all_parents=settings.update_all_parents,
    )


def new_arrays(game: Game, options: Options, trees: int, nodes: int, edges: int, cache: int) -> Arrays:
    """Empty memory for this many trees, nodes and edges a tree, and positions in the evaluation cache."""
    words, legal, rounds = game.state_length, game.max_legal, (trees, options.leaves)
    return Arrays(
        trees=np.zeros(trees, TREE),
        nodes=np.zeros((trees, nodes), NODE),
        edges=np.zeros((trees, edges), EDGE),
        states=np.zeros((trees, nodes, words), np.uint64),
        streams=np.zeros((trees, 1), np.uint64),
        root_edges=np.zeros((trees, legal), ROOT_EDGE),
        leaves=np.zeros(rounds, LEAF),
        leaf_states=np.zeros((*rounds, words), np.uint64),
        paths=np.zeros((*rounds, game.max_plies + 1), STEP),
        planes=np.zeros((trees * options.leaves, len(game.planes), game.rows, game.columns), np.float32),
        table=np.full((trees, _table_slots(nodes) if options.transpositions else 1), NONE, np.int32),
        cache_states=np.full((max(cache, 1), words), EMPTY_WORD, np.uint64),
        cache_values=np.zeros((max(cache, 1), 1 + legal), np.float32),
        actions=np.zeros(legal, np.int32),
        priors=np.zeros(legal, np.float64),
        highest=np.zeros(max(options.widest, 1), np.float64),
        next_state=np.zeros(words, np.uint64),
        counters=np.zeros(4, np.int64),
    )


def _table_slots(nodes: int) -> int:
    """A power of two, at least twice the number of nodes."""
    return 1 << (2 * nodes - 1).bit_length()
