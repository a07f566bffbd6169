"""Players that search one tree with an evaluator: what the line heuristic and networks have in common."""

import math
import time

import numpy as np
import numpy.typing as npt

from boardzero.games.position import Position
from boardzero.games.rules import Game, Planes, State
from boardzero.players.parameters import ForestParameters
from boardzero.players.player import Analysis, MoveOpinion, Player
from boardzero.search.forest import Evaluator, Forest, RootEdge
from boardzero.settings.search import MoveSettings, SearchSettings

MOST_SIMULATIONS = 2**31 - 1
NODE_BYTES, EDGE_BYTES = 40, 32
LONGEST_LINE = 12


class ForestPlayer(Player):
    """Searches with an evaluator, and keeps the part of its tree that the game runs into."""

    default_simulations = 1000
    parameters: ForestParameters

    def __init__(
        self,
        game: Game,
        parameters: ForestParameters,
        seed: int,
        evaluate: Evaluator,
        settings: SearchSettings,
        cache: int = 0,
    ) -> None:
        super().__init__(game, parameters, seed)
        self.evaluate = evaluate
        self.moves = MoveSettings(temperature=parameters.temperature, late_temperature=parameters.temperature)
        self.simulations = parameters.sims
        if self.simulations is None and parameters.seconds is None:
            self.simulations = self.default_simulations
        nodes, edges = self._room(settings.widest)
        self.forest = Forest(game, settings, nodes=nodes, edges=edges, cache=cache, seed=seed)
        self._start: State | None = None
        self._actions: list[int] = []
        self._hurried = False

    def start_game(self, seed: int) -> None:
        super().start_game(seed)
        self.forest.seed_tree(0, seed, 0)
        self._start = None

    def choose(self, position: Position, seconds: float | None = None) -> int:
        return self._search(position, self.seen(position.state), seconds)

    def _search(self, position: Position, seen: State, seconds: float | None) -> int:
        start = time.perf_counter()
        self._hurried = False
        self._move_root_to(position, seen)  # a large tree takes its time to move
        spent = time.perf_counter() - start
        limits = [limit - spent for limit in (self.parameters.seconds, seconds) if limit is not None]
        simulations = self.simulations or MOST_SIMULATIONS
        self.forest.search(self._evaluate, simulations, self.parameters.noise, seconds=min(limits, default=None))
        return int(self.forest.choose(self.moves.temperature_at(len(position.actions)))[0])

    def analyse(self, position: Position, seconds: float | None = None) -> Analysis:
        before = self.forest.counts()
        chosen = self._search(position, position.state, seconds)
        counts = self.forest.counts()
        edges = self.forest.root_edges(0)
        edges.sort(key=lambda edge: (edge.action != chosen, -edge.visits, -edge.prior))
        lower, upper = self.forest.root_bounds(0)
        remarks = [
            f"{counts.simulations - before.simulations} simulations, {counts.evaluations - before.evaluations} evaluations"
        ]
        if self.forest.is_full(0):
            remarks.append(f"the tree is full ({self.parameters.memory} MB) and stopped growing")
        return Analysis(
            moves=tuple(self._opinion(edge) for edge in edges),
            value=self.forest.root_value(0),
            exact=lower if lower == upper else None,
            remarks=tuple(remarks),
        )

    def seen(self, state: State) -> State:
        """The position as this player looks at it who is to move; analyses take it as it is."""
        return state

    def interrupt(self) -> None:
        self._hurried = True

    def _evaluate(self, planes: Planes) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
        if self._hurried:  # begin no further simulation; what has begun is still taken in
            self.forest.arrays.trees["simulations"] = self.forest.arrays.trees["started"]
        return self.evaluate(planes)

    def _move_root_to(self, position: Position, seen: State) -> None:
        """Follow the game where it goes on from the last position; otherwise begin anew."""
        start, played = self._start, self._actions
        self._start, self._actions = position.start, position.actions.copy()
        if start is not None and np.array_equal(start, position.start) and position.actions[: len(played)] == played:
            for action in position.actions[len(played) :]:
                self.forest.advance([action])
            if np.array_equal(self.forest.root_state(0), seen):
                return
        self.forest.set_root(0, seen)

    def _opinion(self, edge: RootEdge) -> MoveOpinion:
        return MoveOpinion(
            action=edge.action,
            value=edge.value if edge.visits else None,
            visits=edge.visits,
            prior=edge.prior,
            exact=edge.lower if edge.lower == edge.upper else None,
            line=self.forest.line(0, edge.action, LONGEST_LINE),
        )

    def _room(self, widest: int) -> tuple[int, int]:
        """Nodes and edges for the memory allowed; no more than the search can use, with the tree that is kept."""
        legal = self.game.max_legal
        width = min(widest or legal, legal)
        spare = 2 * legal if width < legal else 0  # edges of a root with all its moves, and of the next
        node_bytes = NODE_BYTES + 8 * self.game.state_length + EDGE_BYTES * width
        nodes = max(2, (self.parameters.memory * 1_000_000 - EDGE_BYTES * spare) // node_bytes)
        if self.simulations is not None and self.parameters.seconds is None:
            nodes = min(nodes, 8 * self.simulations + 8)
        return nodes, min(nodes * width + spare, math.ceil(self.parameters.memory * 1_000_000 / EDGE_BYTES))
