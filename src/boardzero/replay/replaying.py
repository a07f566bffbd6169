"""Playing recorded games again: every state that is to be learned from, and a check that the record keeps the rules."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from boardzero.errors import BadInput
from boardzero.games.bits import signed
from boardzero.games.compiled import compiled
from boardzero.games.function_pointers import Addresses, apply_function, legal_function, rule_addresses
from boardzero.games.rules import DRAW, GOING_ON, MOVER_WON, TURN_SHIFT, Actions, Game, LegalRule, State
from boardzero.games.wrapped import raise_kept_error
from boardzero.replay.columns import GameColumns

ONE = np.uint64(1)
ALL_RIGHT = -1


class Replayed(NamedTuple):
    """What games were found to be."""

    states: npt.NDArray[np.uint64]  # [positions, words]  those that are to be learned from
    results: npt.NDArray[np.float32]  # [positions]  z, for the side to move
    last_states: npt.NDArray[np.uint64]  # [games, words]  after the last action of each


def replay_games(game: Game, games: GameColumns) -> Replayed:
    """Every state that is to be learned from, its result, and where each game ended.

    A record that breaks the rules is refused (BadInput): an illegal action, a policy for one, a result that is not so.
    """
    if games.game != game.specification:
        raise BadInput(f"These are records of '{games.game}', not of '{game.specification}'.")
    if games.starts.shape[1] != game.state_length:
        raise BadInput(f"A state of '{game.specification}' has {game.state_length} words, not {games.starts.shape[1]}.")
    positions = int(np.count_nonzero(games.learned))
    states = np.empty((positions, game.state_length), np.uint64)
    results = np.empty(positions, np.float32)
    last_states = np.empty((len(games), game.state_length), np.uint64)
    wrong = _replay(
        rule_addresses(game),
        np.empty(game.max_legal, np.int32),
        games.starts,
        games.ply_offsets,
        games.actions,
        games.learned,
        games.results,
        games.resigned,
        games.policies.offsets,
        games.policies.actions,
        states,
        results,
        last_states,
    )
    raise_kept_error(game)
    if wrong != ALL_RIGHT:
        raise BadInput(
            f"The record of game {games.numbers[wrong]} (seed {games.seeds[wrong]}) breaks the rules of {game.title}."
        )
    return Replayed(states, results, last_states)


@compiled()
def _replay(
    addresses: Addresses,
    legal_actions: Actions,
    starts: npt.NDArray[np.uint64],
    ply_offsets: npt.NDArray[np.int64],
    actions: Actions,
    learned: npt.NDArray[np.bool_],
    results: npt.NDArray[np.int8],
    resigned: npt.NDArray[np.bool_],
    policy_offsets: npt.NDArray[np.int64],
    policy_actions: Actions,
    states: npt.NDArray[np.uint64],
    position_results: npt.NDArray[np.float32],
    last_states: npt.NDArray[np.uint64],
) -> int:
    """Fill states, results and last states; the index of the first game whose record breaks the rules, or ALL_RIGHT."""
    legal = legal_function(addresses[0], addresses[1])
    apply = apply_function(addresses[2], addresses[3])
    state, successor = np.empty(starts.shape[1], np.uint64), np.empty(starts.shape[1], np.uint64)
    position = 0
    for game in range(len(starts)):
        state[:] = starts[game]
        outcome = 0
        for ply in range(ply_offsets[game], ply_offsets[game + 1]):
            policy = policy_actions[policy_offsets[ply] : policy_offsets[ply + 1]]
            if not _are_legal(legal, state, legal_actions, actions[ply], policy):  # also where the game is over already
                return game
            if learned[ply]:
                states[position] = state
                position_results[position] = results[game] if _turn(state) == 0 else -results[game]
                position += 1
            outcome = apply(state, signed(actions[ply]), successor)
            state, successor = successor, state
        last_states[game] = state
        if not resigned[game] and results[game] != _result(state, outcome):
            return game
    return ALL_RIGHT


@compiled()
def _are_legal(legal: LegalRule, state: State, legal_actions: Actions, action: int, policy: Actions) -> bool:
    """Is the action legal, and are all those of the policy, which are increasing as the legal ones are?"""
    count = legal(state, legal_actions)
    found, matched = False, 0
    for index in range(count):
        found |= legal_actions[index] == action
        if matched < len(policy) and legal_actions[index] == policy[matched]:
            matched += 1
    return found and matched == len(policy)


@compiled()
def _turn(state: State) -> int:
    return signed(state[0] >> TURN_SHIFT & ONE)


@compiled()
def _result(state: State, outcome: int) -> int:
    """The result for the first player; 2, which no record has, if the game is not over."""
    if outcome == signed(GOING_ON):
        return 2
    if outcome == signed(DRAW):
        return 0
    mover_result = 1 if outcome == signed(MOVER_WON) else -1
    return mover_result if _turn(state) == 1 else -mover_result  # the mover was the one whose turn it now is not
