"""Counting what the rules allow: move sequences (perft), different positions, and random games."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from numba import int64, types, uint64

from boardzero.games.bits import signed
from boardzero.games.compiled import compiled
from boardzero.games.randomness import Stream, draw_below, new_stream
from boardzero.games.rules import APPLY_RULE, GOING_ON, LEGAL_RULE, OUTCOME_MASK, ApplyRule, Game, LegalRule, State

HASH_FACTOR = np.uint64(0x9E3779B97F4A7C15)
HASH_SHIFT = np.uint64(29)


def count_sequences(game: Game, depth: int, state: State | None = None) -> int:
    """Move sequences of exactly this length; a game that ends sooner counts nowhere."""
    if depth == 0:
        return 1
    start = game.initial_state() if state is None else state
    return int(_count_sequences(game.legal, game.apply, start, depth, game.max_legal))


def count_positions(game: Game, depth: int) -> list[int]:
    """Different positions after 0, 1, …, depth plies; finished ones count at the ply they were reached."""
    layer = game.initial_state().reshape(1, -1)
    counts = [1]
    for _ in range(depth):
        layer = _next_layer(game.legal, game.apply, layer, game.max_legal)
        counts.append(len(layer))
    return counts


@dataclass(frozen=True)
class RandomGames:
    """What a row of random games came to."""

    games: int
    moves: int
    first_player_wins: int
    second_player_wins: int
    draws: int


def play_random_games(game: Game, count: int, seed: int = 0) -> RandomGames:
    """Games in which every move is drawn evenly from the legal ones."""
    tally = np.zeros(3, np.int64)  # draws, first player's wins, second player's wins
    stream = new_stream(seed)
    moves = _play_random_games(game.legal, game.apply, game.initial_state(), game.max_legal, count, stream, tally)
    return RandomGames(count, int(moves), int(tally[1]), int(tally[2]), int(tally[0]))


@compiled(int64(LEGAL_RULE, APPLY_RULE, uint64[::1], int64, int64))
def _count_sequences(legal: LegalRule, apply: ApplyRule, start: State, depth: int, max_legal: int) -> int:
    states = np.empty((depth + 1, len(start)), np.uint64)
    actions = np.empty((depth, max_legal), np.int32)
    counts = np.zeros(depth, np.int64)
    tried = np.zeros(depth, np.int64)
    states[0] = start
    counts[0] = legal(states[0], actions[0])
    total, ply = 0, 0
    while ply >= 0:
        if ply == depth - 1:  # every legal action completes one sequence
            total += counts[ply]
            ply -= 1
        elif tried[ply] == counts[ply]:
            ply -= 1
        else:
            apply(states[ply], signed(actions[ply, tried[ply]]), states[ply + 1])
            tried[ply] += 1
            ply += 1
            tried[ply] = 0
            counts[ply] = legal(states[ply], actions[ply])
    return total


@compiled(uint64(uint64[::1]))
def hash_state(state: State) -> np.uint64:
    """A well-mixed key of a state."""
    key = HASH_FACTOR
    for word in state:
        key = (key ^ word) * HASH_FACTOR
        key ^= key >> HASH_SHIFT
    return key


@compiled(types.Array(uint64, 2, "C")(LEGAL_RULE, APPLY_RULE, types.Array(uint64, 2, "C"), int64))
def _next_layer(legal: LegalRule, apply: ApplyRule, layer: npt.NDArray[np.uint64], max_legal: int) -> npt.NDArray[np.uint64]:
    """The different successors of all states of a layer, found with an open-addressed table."""
    length = layer.shape[1]
    actions = np.empty(max_legal, np.int32)
    found = np.empty((max(1024, 2 * len(layer)), length), np.uint64)
    table = np.full(4096, -1, np.int64)  # index into found, or −1
    successor = np.empty(length, np.uint64)
    count = 0
    for index in range(len(layer)):
        if layer[index, 0] & OUTCOME_MASK != GOING_ON:
            continue
        for choice in range(legal(layer[index], actions)):
            apply(layer[index], signed(actions[choice]), successor)
            slot = signed(hash_state(successor) & np.uint64(len(table) - 1))
            while table[slot] >= 0 and not np.array_equal(found[table[slot]], successor):
                slot = (slot + 1) & (len(table) - 1)
            if table[slot] >= 0:
                continue
            if count == len(found):
                larger = np.empty((2 * count, length), np.uint64)
                larger[:count] = found
                found = larger
            found[count] = successor
            table[slot] = count
            count += 1
            if 2 * count > len(table):
                table = np.full(2 * len(table), -1, np.int64)
                for entry in range(count):
                    slot = signed(hash_state(found[entry]) & np.uint64(len(table) - 1))
                    while table[slot] >= 0:
                        slot = (slot + 1) & (len(table) - 1)
                    table[slot] = entry
    return found[:count].copy()


@compiled(int64(LEGAL_RULE, APPLY_RULE, uint64[::1], int64, int64, uint64[::1], int64[::1]))
def _play_random_games(
    legal: LegalRule,
    apply: ApplyRule,
    start: State,
    max_legal: int,
    games: int,
    stream: Stream,
    tally: npt.NDArray[np.int64],
) -> int:
    actions = np.empty(max_legal, np.int32)
    state, successor = start.copy(), start.copy()
    moves = 0
    for _ in range(games):
        state[:] = start
        outcome = 0
        while outcome == 0:
            count = legal(state, actions)
            outcome = apply(state, signed(actions[draw_below(stream, count)]), successor)
            state, successor = successor, state
            moves += 1
        mover = 1 - signed(state[0] >> np.uint64(2) & np.uint64(1))
        if outcome == 1:
            tally[0] += 1
        elif outcome == 2:
            tally[1 + mover] += 1
        else:
            tally[2 - mover] += 1
    return moves
