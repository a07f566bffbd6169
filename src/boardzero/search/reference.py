"""The same search as the compiled forest, one tree at a time, in plain Python written to be read.

Tests hold the two to identical trees and moves. Every value, prior and bound of an edge is for the player who chooses it, those
of a node are for the player to move there.

lessons/5_mcts.py explains this.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from boardzero.games.counting import hash_state
from boardzero.games.randomness import draw_uniform, new_stream
from boardzero.games.rules import Game, Outcome, State
from boardzero.search.forest import Evaluator
from boardzero.search.reference_records import (
    Edge,
    Leaf,
    Node,
    clamp,
    descendants,
    float32,
    sum_in_order,
    take_back_pending,
    worthwhile_edges,
)
from boardzero.search.sampling import draw_gamma, draw_gumbel
from boardzero.settings.search import SearchSettings

RESULTS = {Outcome.DRAW: 0, Outcome.MOVER_WON: 1, Outcome.MOVER_LOST: -1}  # for the player who moved last


class ReferenceTree:
    """One tree of the forest."""

    def __init__(
        self, game: Game, settings: SearchSettings, nodes: int, edges: int, cache: int = 0, seed: int = 0, index: int = 0
    ) -> None:
        self.game = game
        self.settings = settings.scaled()
        self.node_limit, self.edge_limit = nodes, edges
        self.stream = new_stream(seed, index)
        self.cache_slots = max(2, 1 << (cache - 1).bit_length()) if cache else 0
        self.cache: dict[int, tuple[bytes, float, list[float]]] = {}
        self.set_root(game.initial_state())

    def set_root(self, state: State) -> None:
        self.nodes: list[Node] = []
        self.full = self.prepared = self.noisy = False
        self.simulations = self.started = 0
        self.root = self.new_node(state, self.game.legal_actions(state))

    # -- searching -----------------------------------------------------------------------------------------------------
    def search(self, evaluate: Evaluator, simulations: int, noisy: bool = False) -> None:
        self.begin(simulations, noisy)
        while leaves := self.collect_leaves():
            waiting = [leaf for leaf in leaves if leaf.known is None]
            if waiting:
                logits, values = evaluate(np.stack([self.game.encoded(leaf.state) for leaf in waiting]))
                rows = {id(leaf): row for row, leaf in enumerate(waiting)}
            for leaf in leaves:
                if leaf.known is None:
                    row = rows[id(leaf)]
                    self.take_in(leaf, float(values[row]), self.priors(leaf.node, logits[row]))
                else:
                    self.take_in(leaf, *leaf.known)

    def begin(self, simulations: int, noisy: bool) -> None:
        self.simulations, self.started = simulations, 0
        self.prepared = self.full = False
        gumbel = self.settings.root == "gumbel"
        self.noisy = noisy and not gumbel
        edges = self.root.edges
        if simulations <= 0 or not edges:
            return
        if self.noisy:
            draws = [draw_gamma(self.stream, self.settings.noise_alpha or 10.0 / len(edges)) for _ in edges]
            total = sum_in_order(draws)
            for edge, draw in zip(edges, draws, strict=True):
                edge.noise = float32(draw / total if total > 0 else 1.0 / len(edges))
        if gumbel:
            for edge in edges:
                edge.gumbel = draw_gumbel(self.stream) if noisy else 0.0

    def collect_leaves(self) -> list[Leaf]:
        """The leaves of the next round; none when the search is complete."""
        if not self.root.ready:
            return [self.await_evaluation(self.root, self.root.state, [])]
        if not self.prepared:
            self.prepare_root()
        leaves: list[Leaf] = []
        while len(leaves) < self.settings.leaves and self.started < self.simulations and not self.root.proven:
            ending = self.descend()
            if ending == "collision":
                break
            self.started += 1
            if isinstance(ending, Leaf):
                leaves.append(ending)
        return leaves

    def prepare_root(self) -> None:
        for edge in self.root.edges:
            edge.logit = math.log(max(edge.prior, 1e-12))
            edge.visits_before = edge.visits
        self.prepared = True

    def descend(self) -> Leaf | str:
        """One simulation: a leaf that awaits its evaluation, or `known`, or `collision` with a leaf that does."""
        node, path = self.root, list[Edge]()
        while True:
            chosen = self.winning_edge(node) or self.choose_edge(node)
            if chosen is None:  # the node was cut, and none of its moves can be better than what it is sure of
                if node.pending > 0:
                    take_back_pending(path)
                    return "collision"
                return self.await_evaluation(node if self.widen(node) else None, node.state, path)
            edge = chosen
            path.append(edge)
            node.pending += 1
            edge.pending += 1
            if self.settings.exact and edge.lower == edge.upper:
                return self.count_known(path, edge.child, edge.lower)
            if edge.child is None:
                state = self.game.next_state(node.state, edge.action)
                outcome = self.game.outcome(state)
                if outcome is not Outcome.GOING_ON:
                    return self.count_known(path, None, RESULTS[outcome])
                known_node = self.find_node(state) if self.settings.transpositions else None
                if known_node is None:
                    if self.settings.look_ahead and self.winning_actions(state):
                        return self.count_known(path, None, -1)
                    fresh = self.grow(state)
                    if fresh is not None:
                        self.link(edge, fresh)
                    return self.await_evaluation(fresh, state, path)
                self.link(edge, known_node)
            child = edge.child
            assert child is not None
            if not child.ready:
                take_back_pending(path)
                return "collision"
            if self.settings.exact and child.proven:
                return self.count_known(path, child, -child.lower)
            node = child

    # -- selection -----------------------------------------------------------------------------------------------------
    def choose_edge(self, node: Node) -> Edge | None:
        if node is self.root and self.settings.root == "gumbel":
            return self.best_gumbel_edge(node)
        total = node.visits + node.pending
        factor = self.exploration(total) * math.sqrt(float(total))
        unvisited = self.first_play(node)
        best: Edge | None = None
        best_score = -math.inf
        for edge in worthwhile_edges(node):
            count = edge.visits + edge.pending
            value = unvisited
            if count > 0:
                value = (edge.value_sum - self.settings.virtual_loss * edge.pending) / count
            prior = self.noisy_prior(edge) if node is self.root else edge.prior
            score = clamp(value, edge.lower, edge.upper) + factor * prior / (1.0 + count)
            if node is self.root and count > 0 and count * count < self.settings.forced_playouts * prior * (total - 1):
                score = math.inf
            if score > best_score:
                best, best_score = edge, score
        return best

    def best_gumbel_edge(self, node: Node) -> Edge:
        considered = min(self.settings.considered, len(node.edges))
        due = halving_schedule(considered, self.simulations)[self.started]
        unvisited, weight = self.mixed_value(node), self.value_weight(node)

        def rank(edge: Edge) -> tuple[bool, float]:
            is_due = edge.visits + edge.pending - edge.visits_before == due
            return is_due, edge.gumbel + edge.logit + weight * (0.5 + 0.5 * edge.value(unvisited))

        return max(worthwhile_edges(node), key=rank)

    def exploration(self, total: int) -> float:
        base = self.settings.exploration_base
        return self.settings.exploration + (math.log((1.0 + total + base) / base) if base > 0 else 0.0)

    def first_play(self, node: Node) -> float:
        if self.settings.first_play == "value":
            return self.settings.first_play_value
        visited = sum_in_order([edge.prior for edge in node.edges if edge.visits + edge.pending > 0])
        return node.value - self.settings.first_play_value * math.sqrt(visited)

    def noisy_prior(self, edge: Edge) -> float:
        fraction = self.settings.noise_fraction
        return (1.0 - fraction) * edge.prior + fraction * edge.noise if self.noisy else edge.prior

    def mixed_value(self, node: Node) -> float:
        visited = [edge for edge in node.edges if edge.visits > 0]
        visits = sum(edge.visits for edge in visited)
        mass = sum_in_order([edge.prior for edge in visited])
        evaluation = clamp(node.evaluation, node.lower, node.upper)
        if mass <= 0.0:
            return evaluation
        weighted = sum_in_order([edge.prior * edge.value() for edge in visited])
        return (evaluation + visits * weighted / mass) / (1.0 + visits)

    def value_weight(self, node: Node) -> float:
        most = max(edge.visits for edge in node.edges)
        return (self.settings.gumbel_visits + most) * self.settings.gumbel_scale

    # -- growth --------------------------------------------------------------------------------------------------------
    def new_node(self, state: State, actions: list[int]) -> Node:
        node = Node(state)
        node.edges = [Edge(node, action) for action in actions]
        if not node.edges:  # the game is over: nothing to evaluate
            node.lower = node.upper = -RESULTS[self.game.outcome(state)]
            node.ready = True
        self.nodes.append(node)
        return node

    def grow(self, state: State) -> Node | None:
        actions = self.game.legal_actions(state)
        kept = actions[: self.settings.widest or None]  # which they are its evaluation will tell
        if not self.has_room(len(kept)):
            return None
        node = self.new_node(state, kept)
        node.cut = len(kept) < len(actions)
        return node

    def has_room(self, edges: int, as_root: bool = False) -> bool:
        """For one more node; where nodes are cut, the last room is for a root with all its actions."""
        nodes, edges = len(self.nodes) + 1, sum(len(node.edges) for node in self.nodes) + edges
        if self.settings.widest and not as_root:
            nodes, edges = nodes + 1, edges + self.game.max_legal
        self.full = self.full or nodes > self.node_limit or edges > self.edge_limit
        return nodes <= self.node_limit and edges <= self.edge_limit

    def widen(self, node: Node, as_root: bool = False) -> bool:
        """Give a cut node all its edges, to be evaluated again. It moves to a new place; the old one is not free at once."""
        actions = self.game.legal_actions(node.state)
        if not self.has_room(len(actions), as_root):
            return False
        self.nodes[self.nodes.index(node)] = replace(node, edges=[replace(edge) for edge in node.edges])
        self.nodes.append(node)
        known = {edge.action: edge for edge in node.edges}
        node.edges = [known.get(action) or Edge(node, action) for action in actions]
        node.cut = node.looked_through = node.ready = False
        return True

    def find_node(self, state: State) -> Node | None:
        """The newest, since that of a node which was widened is still there as it was."""
        return next((node for node in reversed(self.nodes) if np.array_equal(node.state, state)), None)

    def link(self, edge: Edge, child: Node) -> None:
        edge.child = child
        child.parents.insert(0, edge)

    def priors(self, node: Node | None, logits: np.ndarray[tuple[int], np.dtype[np.float32]]) -> list[float]:
        if node is None:
            return []
        actions = self.game.legal_actions(node.state) if node.cut else [edge.action for edge in node.edges]
        legal = [float(logits[action]) for action in actions]
        powers = [math.exp(logit - max(legal)) for logit in legal]
        total = sum_in_order(powers)
        return [float32(power / total) for power in powers]

    def set_priors(self, node: Node, priors: list[float]) -> None:
        """Of all legal actions; a cut node now gets the edges of the likeliest."""
        if not node.cut:
            for edge, prior in zip(node.edges, priors, strict=True):
                edge.prior = prior
            return
        prior_of = dict(zip(self.game.legal_actions(node.state), priors, strict=True))
        ranked = sorted(prior_of, key=lambda action: (-prior_of[action], action))
        kept = sorted(ranked[: self.settings.widest])
        total = sum_in_order([prior_of[action] for action in kept])
        node.edges = [Edge(node, action, prior=float32(prior_of[action] / total)) for action in kept]

    def winning_actions(self, state: State) -> list[int]:
        """Those that end the game in favour of the player to move."""
        actions = self.game.legal_actions(state)
        return [action for action in actions if self.game.outcome(self.game.next_state(state, action)) is Outcome.MOVER_WON]

    def winning_edge(self, node: Node) -> Edge | None:
        """A move that wins at once and is to be tried before all others; with look_ahead only the root can have one."""
        if not self.settings.look_ahead:
            return self.keep_winning_move(node)
        if node is not self.root or self.started > 0:
            return None
        winning = self.winning_actions(node.state)
        return next((edge for edge in node.edges if edge.action in winning), None)

    def keep_winning_move(self, node: Node) -> Edge | None:
        """A move that wins at once and was cut, now in the place of the least likely; looked for once, before all others."""
        if not node.cut or node.looked_through:
            return None
        node.looked_through = True
        kept = {edge.action for edge in node.edges}
        for action in self.winning_actions(node.state):
            if action not in kept:
                least = min(node.edges, key=lambda edge: (edge.prior, -edge.action))
                least.action = action
                node.edges.sort(key=lambda edge: edge.action)
                return least
        return None

    def await_evaluation(self, node: Node | None, state: State, path: list[Edge]) -> Leaf:
        known = None
        if self.cache_slots:
            key, value, priors = self.cache.get(self.cache_slot(state), (b"", 0.0, list[float]()))
            if key == state.tobytes():
                known = (value, priors)
        return Leaf(node, state, path, known)

    def cache_slot(self, state: State) -> int:
        return int(hash_state(state)) & (self.cache_slots - 1)

    # -- results -------------------------------------------------------------------------------------------------------
    def take_in(self, leaf: Leaf, value: float, priors: list[float]) -> None:
        """An evaluation has come."""
        node, value = leaf.node, float32(value)
        if node is not None:
            self.set_priors(node, priors)
            node.evaluation, node.ready = value, True
            if node.visits == 0:  # a node that was widened has counted it before
                node.value_sum, node.visits = value, 1
            if self.cache_slots and leaf.known is None:
                self.cache[self.cache_slot(leaf.state)] = (leaf.state.tobytes(), value, priors)
        if leaf.path:
            self.back_up(leaf.path, node, -value, -1, 1)

    def count_known(self, path: list[Edge], child: Node | None, result: int) -> str:
        lower, upper = (result, result) if self.settings.exact else (-1, 1)
        self.back_up(path, child, float(result), lower, upper)
        return "known"

    def back_up(self, path: list[Edge], leaf: Node | None, leaf_value: float, lower: int, upper: int) -> None:
        """Count a simulation; value and bounds are those of its last edge."""
        value = leaf_value
        narrower = self.settings.exact
        for edge in reversed(path):
            node = edge.owner
            if narrower:
                narrower = lower > edge.lower or upper < edge.upper
                edge.lower, edge.upper = max(edge.lower, lower), min(edge.upper, upper)
            value = clamp(value, edge.lower, edge.upper)
            edge.visits += 1
            edge.pending -= 1
            edge.value_sum += value
            if narrower:
                sure = max(other.lower for other in node.edges)
                possible = 1 if node.cut else max(other.upper for other in node.edges)
                narrower = sure > node.lower or possible < node.upper
                node.lower, node.upper = max(node.lower, sure), min(node.upper, possible)
            value = clamp(value, node.lower, node.upper)
            node.visits += 1
            node.pending -= 1
            node.value_sum += value
            value, lower, upper = -value, -node.upper, -node.lower
        if self.settings.update_all_parents:
            self.back_up_other_parents(path, leaf, leaf_value)

    def back_up_other_parents(self, path: list[Edge], leaf: Node | None, leaf_value: float) -> None:
        """Count the simulation, once each, on all other edges that lead to its leaf."""
        chooser = self.game.turn(path[-1].owner.state)
        queue = [leaf] if leaf is not None else []
        queue += [edge.owner for edge in reversed(path)]
        for node in queue:  # grows while it is gone through
            for edge in node.parents:
                parent = edge.owner
                if edge not in path:
                    value = leaf_value if self.game.turn(parent.state) == chooser else -leaf_value
                    edge.visits += 1
                    edge.value_sum += value
                    parent.visits += 1
                    parent.value_sum += value
                if parent not in queue:
                    queue.append(parent)

    # -- decisions -----------------------------------------------------------------------------------------------------
    def choose(self, temperature: float = 0.0, softmax_beta: float = 0.0) -> int:
        """The move to play."""
        allowed = self.allowed_edges()
        if self.settings.root == "gumbel" and self.prepared:
            unvisited, weight = self.mixed_value(self.root), self.value_weight(self.root)
            return max(
                allowed,
                key=lambda edge: (
                    edge.visits - edge.visits_before,
                    edge.gumbel + edge.logit + weight * (0.5 + 0.5 * edge.value(unvisited)),
                ),
            ).action
        if temperature <= 0:
            return self.most_visited().action
        weights = self.visit_weights()
        highest = max(weights)
        if softmax_beta > 0:
            weights = [math.exp(softmax_beta * (weight - highest)) if weight > 0 else 0.0 for weight in weights]
        else:
            weights = [(weight / highest) ** (1.0 / temperature) if weight > 0 else 0.0 for weight in weights]
        left = draw_uniform(self.stream) * sum_in_order(weights)
        chosen = 0
        for index, weight in enumerate(weights):
            if weight > 0:
                chosen, left = index, left - weight
                if left < 0:
                    break
        return self.root.edges[chosen].action

    def value(self) -> float:
        """The expected result at the root: the mean of all simulations or, with halving, of the moves' values by its policy."""
        if not (self.settings.root == "gumbel" and self.prepared):
            return self.root.value
        weights, unvisited = self.completed_weights(), self.mixed_value(self.root)
        weighted = [weight * edge.value(unvisited) for edge, weight in zip(self.root.edges, weights, strict=True)]
        return clamp(sum_in_order(weighted) / sum_in_order(weights), self.root.lower, self.root.upper)

    def completed_weights(self) -> list[float]:
        """For each root edge its weight in the improved policy of Gumbel search."""
        unvisited, weight = self.mixed_value(self.root), self.value_weight(self.root)
        scores = {id(edge): edge.logit + weight * (0.5 + 0.5 * edge.value(unvisited)) for edge in self.allowed_edges()}
        highest = max(scores.values())
        return [math.exp(scores[id(e)] - highest) if id(e) in scores else 0.0 for e in self.root.edges]

    def policy(self) -> np.ndarray[tuple[int], np.dtype[np.float32]]:
        """[actions]: what a network should learn from the search."""
        halving = self.settings.root == "gumbel" and self.prepared
        weights = self.completed_weights() if halving else self.visit_weights()
        policy = np.zeros(self.game.action_count, np.float32)
        for edge, weight in zip(self.root.edges, weights, strict=True):
            policy[edge.action] = weight / sum_in_order(weights)
        return policy

    def allowed_edges(self) -> list[Edge]:
        """The moves that are as good as the best that is proven, or promise more.

        Where nothing is sure, open moves go before lost ones, once a reply has been tried against one of them.
        """
        edges = self.root.edges
        sure = max(edge.lower for edge in edges)
        if sure > -1:
            return [edge for edge in edges if edge.lower == sure or (edge.upper > sure and edge.value(-1.0) > sure)]
        open_edges = [edge for edge in edges if edge.upper > -1]
        return open_edges if any(edge.visits >= 2 for edge in open_edges) else edges

    def most_visited(self) -> Edge:
        return max(self.allowed_edges(), key=lambda edge: (edge.visits, edge.value(), edge.prior))

    def visit_weights(self) -> list[float]:
        """For each root edge its visits, without those that were forced; its prior where nothing was visited."""
        allowed, best = self.allowed_edges(), self.most_visited()
        weights = [float(self.unforced_visits(edge, best)) if edge in allowed else 0.0 for edge in self.root.edges]
        if not any(weights):
            weights = [edge.prior if edge in allowed else 0.0 for edge in self.root.edges]
        return weights

    def unforced_visits(self, edge: Edge, best: Edge) -> int:
        if not self.settings.forced_playouts or edge is best or edge.visits == 0:
            return edge.visits
        total = self.root.visits
        factor = self.exploration(total) * math.sqrt(float(total))
        best_score = best.value() + factor * self.noisy_prior(best) / (1.0 + best.visits)
        prior = self.noisy_prior(edge)
        forced = int(math.sqrt(self.settings.forced_playouts * prior * (total - 1)))
        kept = edge.visits
        while kept > 0 and edge.visits - kept < forced and edge.value() + factor * prior / kept < best_score:
            kept -= 1
        return 0 if kept == 1 and edge.visits > 1 else kept

    # -- the next move -------------------------------------------------------------------------------------------------
    def advance(self, action: int) -> None:
        """Play a move and keep the subtree that it leads to."""
        edge = next(edge for edge in self.root.edges if edge.action == action)
        if edge.child is None or (edge.child.cut and not self.widen(edge.child, as_root=True)):
            self.set_root(self.game.next_state(self.root.state, action))
            return
        self.root = edge.child
        reachable = {id(node) for node in descendants(self.root)}
        self.nodes = [node for node in self.nodes if id(node) in reachable]
        self.simulations = self.started = 0
        for node in self.nodes:
            node.parents = []
        for node in self.nodes:
            for edge in node.edges:
                if edge.child is not None:
                    edge.child.parents.insert(0, edge)


def halving_schedule(considered: int, simulations: int) -> list[int]:
    """Sequential halving: for each simulation, how many visits the edge has that is due."""
    if considered <= 1:
        return list(range(simulations))
    rounds = math.ceil(math.log2(considered))
    schedule: list[int] = []
    visits = 0
    while len(schedule) < simulations:
        extra = max(1, simulations // (rounds * considered))
        for more in range(extra):
            schedule += [visits + more] * considered
        visits += extra
        considered = max(2, considered // 2)
    return schedule[:simulations]
