"""Short openings, so that a match between players who always answer the same is more than one game.

The first opening is the bare start. Then come positions after two random moves, no two of them the same or turned or mirrored
into each other; when no more of these are found, positions after four moves, and so on. Left out are positions where the
side to move can win at once, or cannot keep the other side from doing so. In a game whose starts vary each opening is a
start.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count

import numpy as np

from boardzero.arena.game import derived_seed
from boardzero.games.position import Position
from boardzero.games.rules import Game, State

LONGEST = 12  # plies, and never more than half of the longest game
PATIENCE = 200  # draws in a row that bring nothing new, before openings get longer, or end


@dataclass(frozen=True)
class Opening:
    """A start, and moves that are made before the players begin."""

    actions: tuple[int, ...] = ()
    seed: int | None = None  # of the start, in games whose starts vary

    def position(self, game: Game) -> Position:
        position = Position(game, seed=self.seed)
        for action in self.actions:
            position.play(action)
        return position


class Openings:
    """The openings that follow from a seed, found as they are asked for; they begin again where the game has no more."""

    def __init__(self, game: Game, seed: int) -> None:
        self._found: list[Opening] = []
        self._more = _different(game, _starts(game, seed) if game.varied_start else _random_moves(game, seed))

    def __getitem__(self, number: int) -> Opening:
        while len(self._found) <= number and (opening := next(self._more, None)) is not None:
            self._found.append(opening)
        return self._found[number % len(self._found)]

    def different(self, count: int) -> int:
        """How many of the first so many, asked for before, are different."""
        return min(count, len(self._found))


def _starts(game: Game, seed: int) -> Iterator[Iterator[Opening]]:
    yield (Opening(seed=derived_seed(seed, number)) for number in count())


def _random_moves(game: Game, seed: int) -> Iterator[Iterator[Opening]]:
    """Draws of each length, endless but for the bare start."""
    draw = np.random.default_rng(seed)

    def after(plies: int) -> Opening:
        position = Position(game)
        while len(position.actions) < plies and not position.over:
            position.play(int(draw.choice(position.legal_actions())))
        return Opening(tuple(position.actions))

    yield iter([Opening()])
    for plies in range(2, min(LONGEST, game.max_plies // 2) + 1, 2):
        yield (after(plies) for _ in count())


def _different(game: Game, draws: Iterator[Iterator[Opening]]) -> Iterator[Opening]:
    """What is open and was not found before; or the very first draw, where nothing is open, so that there is one."""
    seen: set[bytes] = set()
    first: Opening | None = None
    for endless in draws:
        vain = 0
        for opening in endless:
            first = first or opening
            position = opening.position(game)
            key = _key(game, position.state)
            if key not in seen and is_open(position):
                seen.add(key)
                vain = 0
                yield opening
            else:
                vain += 1
            if vain == PATIENCE:
                break
    if not seen and first is not None:
        yield first


def is_open(position: Position) -> bool:
    """Is the game neither over, nor won by the next move, nor lost by the move after it whatever is played?"""
    if position.over or _wins_at_once(position.game, position.state):
        return False
    for action in position.legal_actions():
        after = position.copy()
        after.play(action)
        lost = after.winner == 1 - position.turn if after.over else _wins_at_once(after.game, after.state)
        if not lost:
            return True
    return False


def _wins_at_once(game: Game, state: State) -> bool:
    turn = game.turn(state)
    return any(game.winner(game.next_state(state, action)) == turn for action in game.legal_actions(state))


def _key(game: Game, state: State) -> bytes:
    """The same for a position and all that it can be turned or mirrored into."""
    others = (game.transformed(state, symmetry) for symmetry in game.symmetries[1:])
    return min(form.tobytes() for form in (state, *others))
