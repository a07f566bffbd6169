"""Records of random games, as self-play would leave them."""

import numpy as np
import numpy.typing as npt

from boardzero.games.catalogue import find_game
from boardzero.games.rules import Game, Outcome
from boardzero.replay.columns import GameColumns
from boardzero.replay.record import SearchKind, SelfPlayGame, SparsePolicies

FIRST_PLAYER_RESULT = {0: 1, 1: -1, None: 0}  # by the winner


def random_record(
    game: Game, number: int, generation: int = 0, learned_share: float = 1.0, resign_after: int | None = None
) -> SelfPlayGame:
    """A game of random moves and random policies; the same number gives the same record."""
    rng = np.random.default_rng(number)
    start = game.initial_state(number)
    state = start
    actions: list[int] = []
    policies: list[npt.NDArray[np.float32]] = []
    learned: list[bool] = []
    while game.outcome(state) is Outcome.GOING_ON and (resign_after is None or len(actions) < resign_after):
        legal = game.legal_actions(state)
        policy = np.zeros(game.action_count, np.float32)
        policy[legal] = rng.dirichlet(np.full(len(legal), 0.5))
        policies.append(policy)
        learned.append(bool(rng.random() < learned_share))
        actions.append(int(rng.choice(legal)))
        state = game.next_state(state, actions[-1])
    resigned = game.outcome(state) is Outcome.GOING_ON
    flags = np.array(learned)
    return SelfPlayGame(
        game=game.specification,
        start=start,
        actions=np.array(actions, np.int32),
        policies=SparsePolicies.from_dense(np.stack(policies), flags),
        values=np.where(flags, rng.uniform(-1, 1, len(flags)), np.nan).astype(np.float32),
        learned=flags,
        kinds=np.where(flags, SearchKind.FULL, SearchKind.FAST).astype(np.uint8),
        result=1 if resigned else FIRST_PLAYER_RESULT[game.winner(state)],
        resigned=resigned,
        first_generation=max(generation - 1, 0),
        generation=generation,
        seed=7,
        number=number,
    )


def random_records(specification: str, count: int, first: int = 0, **options: float) -> list[SelfPlayGame]:
    game = find_game(specification)
    return [random_record(game, number, **options) for number in range(first, first + count)]  # type: ignore[arg-type]


def same_games(left: GameColumns | None, right: GameColumns | None) -> bool:
    """Are two rows of games equal in every bit?"""
    if left is None or right is None:
        return left is right
    tables = [games.to_table().drop_columns("values") for games in (left, right)]
    return bool(tables[0].equals(tables[1])) and left.values.tobytes() == right.values.tobytes()  # NaN equals NaN here
