"""Self-play with evaluators that need no network."""

from collections.abc import Callable

import numpy as np

from boardzero.games.catalogue import find_game
from boardzero.games.rules import Game, Planes
from boardzero.replay.record import SelfPlayGame
from boardzero.search.forest import Evaluator
from boardzero.selfplay.worker import SelfPlayWorker
from boardzero.settings.search import MoveSettings, PlayoutCap, SearchSettings
from boardzero.settings.selfplay import SelfPlaySettings

QUICK = SelfPlaySettings(
    games=8,
    cap=PlayoutCap(full_probability=0.5, full_simulations=16, fast_simulations=6),
    moves=MoveSettings(temperature=1, temperature_plies=6),
    cache=1 << 10,
)


def opinionated(game: Game, seed: int = 0) -> Evaluator:
    """An evaluator with fixed opinions: what it says of a position depends on nothing else."""
    rng = np.random.default_rng(seed)
    cells = len(game.planes) * game.rows * game.columns
    policy_weights = rng.normal(size=(min(game.action_count, 25), cells)).astype(np.float32)
    value_weights = rng.normal(size=cells).astype(np.float32) / np.float32(cells**0.5)

    def evaluate(planes: Planes) -> tuple[Planes, Planes]:
        flat = planes.reshape(len(planes), -1)
        logits = np.stack([(flat * weights).sum(1) for weights in policy_weights], axis=1)
        repeats = -(-game.action_count // len(policy_weights))  # where there are many actions, some share an opinion
        return np.tile(logits, repeats)[:, : game.action_count], np.tanh((flat * value_weights).sum(1))

    return evaluate


def constant(game: Game, value: float) -> Evaluator:
    """Every move is as good as any other, and the side to move always expects the same."""
    return lambda planes: (
        np.zeros((len(planes), game.action_count), np.float32),
        np.full(len(planes), value, np.float32),
    )


def play(
    worker: SelfPlayWorker, evaluate: Evaluator, enough: Callable[[list[SelfPlayGame]], bool], generation: int = 0
) -> list[SelfPlayGame]:
    """The games that a worker finishes until there are enough."""
    games: list[SelfPlayGame] = []
    worker.run(evaluate, generation, games.append, lambda: enough(games))
    return games


def first_games(specification: str, settings: SelfPlaySettings, count: int, **search: object) -> list[SelfPlayGame]:
    """The games with the numbers 0 … count − 1, in this order."""
    game = find_game(specification)
    worker = SelfPlayWorker(game, settings, SearchSettings.model_validate(search), seed=5)
    games = play(worker, opinionated(game), lambda done: sum(one.number < count for one in done) == count)
    return sorted((one for one in games if one.number < count), key=lambda one: one.number)
