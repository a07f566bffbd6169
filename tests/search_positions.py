"""Positions from random games, and plain searches to hold the fast ones against."""

from collections.abc import Callable, Iterator

import numpy as np
from search_twins import HashEvaluator

from boardzero.games.catalogue import find_game
from boardzero.games.position import Position
from boardzero.games.randomness import draw_below, new_stream
from boardzero.games.rules import Game, Outcome, State
from boardzero.search.forest import Forest
from boardzero.settings.search import SearchSettings

WIN = 10_000_000  # a win in n plies scores WIN − n


def random_positions(game: Game, seed: int) -> Iterator[Position]:
    """Every position of one random game that is not over."""
    stream = new_stream(seed)
    position = Position(game, seed=seed)
    while not position.over:
        yield position.copy()
        legal = position.legal_actions()
        position.play(legal[draw_below(stream, len(legal))])


def position_at(game: Game, seed: int, ply: int) -> Position:
    """A position of one random game: this many plies in, or as near as the game's length allows."""
    positions = list(random_positions(game, seed))
    return positions[min(ply, len(positions) - 1)]


def winning_actions(game: Game, state: State) -> list[int]:
    """The actions that win at once."""
    return [a for a in game.legal_actions(state) if game.outcome(game.next_state(state, a)) is Outcome.MOVER_WON]


def safe_actions(game: Game, state: State) -> list[int]:
    """The actions after which the other side cannot win at once."""
    return [a for a in game.legal_actions(state) if not winning_actions(game, game.next_state(state, a))]


def true_value(position: Position) -> int:
    """By trying everything, for the side to move."""
    if position.over:
        return 0 if position.winner is None else -1
    values = []
    for action in position.legal_actions():
        position.play(action)
        values.append(-true_value(position))
        position.undo()
    return max(values)


def assert_proofs_are_true(settings: SearchSettings, seed: int, simulations: int) -> None:
    """From 40 positions of tic-tac-toe: bounds enclose the true value all the time, and meet in the end."""
    game = find_game("tictactoe")
    generator = np.random.default_rng(seed)
    forest = Forest(game, settings, nodes=8000)
    for _ in range(40):
        position = Position(game)
        for _ in range(4):
            position.play(int(generator.choice(position.legal_actions())))
        forest.set_root(0, position.state)
        value = true_value(position)
        for _ in range(10):
            forest.search(HashEvaluator(game, sharpness=8.0), simulations)
            lower, upper = forest.root_bounds(0)
            assert lower <= value <= upper
        forest.search(HashEvaluator(game), 5000)
        assert forest.root_bounds(0) == (value, value)


def positions_with_a_win(game: Game, count: int) -> list[Position]:
    """Positions in which some actions win at once and others do not."""
    found: list[Position] = []
    for seed in range(1000):
        for position in random_positions(game, seed):
            if 0 < len(winning_actions(game, position.state)) < len(position.legal_actions()):
                found.append(position)
                break
        if len(found) == count:
            break
    return found


def positions_with_a_threat(game: Game, count: int) -> list[Position]:
    """Positions in which nothing wins at once, some actions let the other side win at once, and some prevent it."""
    found: list[Position] = []
    for seed in range(1000):
        for position in reversed(list(random_positions(game, seed))):
            if winning_actions(game, position.state):
                continue
            if 0 < len(safe_actions(game, position.state)) < len(position.legal_actions()):
                found.append(position)
                break
        if len(found) == count:
            break
    return found


def plain_minimax(game: Game, state: State, depth: int, heuristic: Callable[[State], int], ply: int = 0) -> int:
    """The value of a state for the side to move: every line is followed to its end or to the horizon."""
    if depth == 0:
        return int(heuristic(state))
    best = -WIN
    for action in game.legal_actions(state):
        successor = game.next_state(state, action)
        match game.outcome(successor):
            case Outcome.GOING_ON:
                score = -plain_minimax(game, successor, depth - 1, heuristic, ply + 1)
            case Outcome.DRAW:
                score = 0
            case Outcome.MOVER_WON:
                score = WIN - ply - 1
            case Outcome.MOVER_LOST:
                score = ply + 1 - WIN
        best = max(best, score)
    return best


class Solver:
    """The exact result, −1, 0 or +1 for the side to move, by looking at everything."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.known: dict[bytes, int] = {}

    def result(self, state: State) -> int:
        key = np.asarray(state).tobytes()
        if key not in self.known:
            self.known[key] = max(self.after(state, action) for action in self.game.legal_actions(state))
        return self.known[key]

    def after(self, state: State, action: int) -> int:
        """The result of an action for the side that plays it."""
        successor = self.game.next_state(state, action)
        finished = {Outcome.DRAW: 0, Outcome.MOVER_WON: 1, Outcome.MOVER_LOST: -1}
        outcome = self.game.outcome(successor)
        return finished[outcome] if outcome in finished else -self.result(successor)
