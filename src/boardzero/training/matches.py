"""Matches of a network against others, all games at once: whoever is to move in several games searches them as one batch."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from boardzero.arena.game import SIDES, derived_seed
from boardzero.arena.openings import Opening, Openings
from boardzero.arena.scores import Tally, score_interval, tally_points
from boardzero.events.games import PlayedGame
from boardzero.games.odds import seen_by_who_must_win
from boardzero.games.position import Position
from boardzero.games.rules import Game
from boardzero.players.catalogue import find_player
from boardzero.players.player import Player
from boardzero.search.forest import Evaluator, Forest
from boardzero.settings.search import SearchSettings


class Side:
    """Somebody who plays many games at once."""

    def choose(self, games: Sequence[int], positions: Sequence[Position], plies: Sequence[int]) -> list[int]:
        """An action for each of these games, which have these numbers in the match; plies: since the opening."""
        raise NotImplementedError


@dataclass(frozen=True)
class NetworkSide(Side):
    """A network that searches every position afresh, by so many simulations and without noise."""

    game: Game
    evaluate: Evaluator
    simulations: int
    search: SearchSettings
    temperature: float = 0.0
    temperature_plies: int = 0
    seed: int = 0
    must_win: bool = False  # does it think that a draw would be lost?

    def choose(self, games: Sequence[int], positions: Sequence[Position], plies: Sequence[int]) -> list[int]:
        forest = Forest(self.game, self.search, trees=len(positions), nodes=self.simulations + 2)
        for tree, (number, position) in enumerate(zip(games, positions, strict=True)):
            forest.seed_tree(tree, derived_seed(self.seed, number), len(position.actions))
            forest.set_root(tree, seen_by_who_must_win(self.game, position.state) if self.must_win else position.state)
        forest.search(self.evaluate, self.simulations)
        temperatures = np.where(np.array(plies) < self.temperature_plies, self.temperature, 0.0)
        return [int(action) for action in forest.choose(temperatures)]


class PlayerSide(Side):
    """A player of the catalogue, one of its kind for each game."""

    def __init__(self, specification: str, game: Game, games: int, seed: int) -> None:
        self._players: list[Player] = []
        for number in range(games):
            player = find_player(specification, game)
            player.start_game(derived_seed(seed, number))
            self._players.append(player)

    def choose(self, games: Sequence[int], positions: Sequence[Position], plies: Sequence[int]) -> list[int]:
        return [self._players[number].choose(position) for number, position in zip(games, positions, strict=True)]


@dataclass(frozen=True)
class MatchScore:
    """What a side got from a match: its points (1, ½ or 0) in each game; it moved first in games 0, 2, 4, …"""

    points: tuple[float, ...]
    games: tuple[PlayedGame, ...] = ()

    @property
    def total(self) -> Tally:
        return tally_points(self.points)

    @property
    def by_colour(self) -> tuple[Tally, Tally]:
        """Moving first, moving second."""
        return tally_points(self.points[0::2]), tally_points(self.points[1::2])

    @property
    def interval(self) -> tuple[float, float]:
        """95 % of the score; the two games of an opening count as one observation."""
        return score_interval([self.points[first : first + 2] for first in range(0, len(self.points), 2)])

    @property
    def intervals_by_colour(self) -> tuple[tuple[float, float], tuple[float, float]]:
        """95 % of the scores moving first and moving second; each game counts as one observation."""
        first, second = ([(point,) for point in self.points[colour::2]] for colour in (0, 1))
        return score_interval(first), score_interval(second)


def play_match(
    game: Game, side: Side, other: Side, games: int, seed: int, openings: bool = True, check: Callable[[], None] | None = None
) -> MatchScore:
    """Play so many games (an odd number loses one) at once, each opening twice with colours swapped; for `side`.

    check is called before every move, and may raise to end the match.
    """
    chosen = Openings(game, seed) if openings or game.varied_start else None
    pairs = [chosen[number] if chosen else Opening() for number in range(games // 2)]
    positions = [opening.position(game) for opening in pairs for _ in range(2)]
    begun = [len(position.actions) for position in positions]
    while True:
        for mover, sides in ((side, (0, 1)), (other, (1, 0))):
            if check is not None:
                check()
            waiting = [n for n, position in enumerate(positions) if not position.over and position.turn == sides[n % 2]]
            if waiting:
                plies = [len(positions[n].actions) - begun[n] for n in waiting]
                actions = mover.choose(waiting, [positions[n] for n in waiting], plies)
                for number, action in zip(waiting, actions, strict=True):
                    positions[number].play(action)
        if all(position.over for position in positions):
            points = tuple(_points(position, number % 2) for number, position in enumerate(positions))
            return MatchScore(points, tuple(map(_played, positions, begun)))


def _points(position: Position, side: int) -> float:
    return 0.5 if position.winner is None else float(position.winner == side)


def _played(position: Position, opening: int) -> PlayedGame:
    result = "draw" if position.winner is None else SIDES[position.winner]
    start = position.game.board_to_text(position.start)
    return PlayedGame(start, position.moves, opening, len(position.actions), result)
