"""Many games at once: players who search with an evaluator search the positions of all their games as one batch.

Every game is, move for move, what it would be if it were played alone (`arena.game.play_game`).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from boardzero.arena.game import SIDES, derived_seed, play_game, record_of
from boardzero.events.games import GameRecord
from boardzero.games.position import Position
from boardzero.players.forest_player import EDGE_BYTES, NODE_BYTES, ForestPlayer
from boardzero.players.mcts import RolloutPlayer
from boardzero.players.minimax import MinimaxPlayer
from boardzero.players.perfect import PerfectPlayer
from boardzero.players.player import Player
from boardzero.players.random import RandomPlayer
from boardzero.search.forest import Forest

MOST_TOGETHER = 256  # games
MOST_BYTES = 1 << 30  # that the trees of one player may take
WITHOUT_MEMORY = (RandomPlayer, RolloutPlayer, MinimaxPlayer, PerfectPlayer)  # who need only the position and a seed to move


@dataclass
class PlannedGame:
    """A game to be played: who has the first and who the second side, from which position, and its seed."""

    players: tuple[Player, Player]
    position: Position
    seed: int
    opening: int = field(init=False)

    def __post_init__(self) -> None:
        self.opening = len(self.position.actions)


def play_together(games: Sequence[PlannedGame], on_game: Callable[[int, GameRecord], None]) -> None:
    """Play them all; each is reported, by its number, when it is over."""
    together = [number for number, game in enumerate(games) if all(map(_can_share, game.players))]
    alone = sorted(set(range(len(games))) - set(together))
    size = _most_together([games[number] for number in together])
    for first in range(0, len(together), size):
        _play_batch(games, together[first : first + size], on_game)
    for number in alone:
        game = games[number]
        on_game(number, play_game(game.players, game.position, seed=game.seed))


def _can_share(player: Player) -> bool:
    """Can this player play several games at the same time, and still each as if it were alone?"""
    if isinstance(player, ForestPlayer):
        return player.parameters.seconds is None
    return isinstance(player, WITHOUT_MEMORY) and getattr(player.parameters, "seconds", None) is None


def _most_together(games: Sequence[PlannedGame]) -> int:
    players = {id(player): player for game in games for player in game.players if isinstance(player, ForestPlayer)}
    largest = max((_tree_bytes(player) for player in players.values()), default=1)
    return max(1, min(MOST_TOGETHER, MOST_BYTES // largest))


def _tree_bytes(player: ForestPlayer) -> int:
    arrays = player.forest.arrays
    nodes, edges = arrays.nodes.shape[1], arrays.edges.shape[1]
    return int(nodes * (NODE_BYTES + 8 * player.game.state_length) + edges * EDGE_BYTES)


def _play_batch(games: Sequence[PlannedGame], numbers: Sequence[int], on_game: Callable[[int, GameRecord], None]) -> None:
    seats: dict[int, _Seats] = {}
    for number in numbers:
        for player in games[number].players:
            seats.setdefault(id(player), _Seats(player)).take(number)
    for seat in seats.values():
        seat.sit_down(games)
    going_on = [number for number in numbers if not _reported(games[number], number, on_game)]
    while going_on:
        waiting: dict[int, list[int]] = {}
        for number in going_on:
            waiting.setdefault(id(games[number].players[games[number].position.turn]), []).append(number)
        for key, asked in waiting.items():
            for number, action in zip(asked, seats[key].choose(games, asked), strict=True):
                games[number].position.play(action)
        going_on = [number for number in going_on if not _reported(games[number], number, on_game)]


def _reported(game: PlannedGame, number: int, on_game: Callable[[int, GameRecord], None]) -> bool:
    """Is the game over? Then it is reported. How long each side thought is not known: they shared their time."""
    if not game.position.over:
        return False
    winner = game.position.winner
    names = [player.specification for player in game.players]
    result = "draw" if winner is None else SIDES[winner]
    on_game(number, record_of(game.position, names, game.opening, (0.0, 0.0), result, "rules"))
    return True


class _Seats:
    """One player at all its games; who searches has a tree for each game (two, if it plays both sides)."""

    def __init__(self, player: Player) -> None:
        self.player = player
        self._numbers: list[int] = []

    def take(self, number: int) -> None:
        self._numbers.append(number)

    def sit_down(self, games: Sequence[PlannedGame]) -> None:
        self._lanes: dict[tuple[int, int], int] = {}  # game and side → tree
        for number in dict.fromkeys(self._numbers):
            for side, player in enumerate(games[number].players):
                if player is self.player:
                    self._lanes[number, side] = len(self._lanes)
        self._followed: dict[int, int] = {}  # tree → plies of its game that it has followed; none before its first search
        if isinstance(self.player, ForestPlayer):
            arrays = self.player.forest.arrays
            nodes, edges = arrays.nodes.shape[1], arrays.edges.shape[1]
            self._forest = Forest(self.player.game, self.player.forest.settings, len(self._lanes), nodes, edges)
            for (number, side), lane in self._lanes.items():
                self._forest.seed_tree(lane, derived_seed(games[number].seed, side), 0)

    def choose(self, games: Sequence[PlannedGame], numbers: Sequence[int]) -> list[int]:
        """A move in each of these games, in all of which the player is to move."""
        if isinstance(self.player, ForestPlayer):
            return self._search(self.player, games, numbers)
        actions = []
        for number in numbers:
            position = games[number].position
            self.player.start_game(derived_seed(games[number].seed, position.turn))
            actions.append(self.player.choose(position))
        return actions

    def _search(self, player: ForestPlayer, games: Sequence[PlannedGame], numbers: Sequence[int]) -> list[int]:
        forest, lanes = self._forest, []
        simulations = np.full(len(forest), -1, np.int32)
        temperatures = np.full(len(forest), -1.0)
        for number in numbers:
            position = games[number].position
            lane = self._lanes[number, position.turn]
            lanes.append(lane)
            simulations[lane] = player.simulations or 1
            temperatures[lane] = player.moves.temperature_at(len(position.actions))
        self._follow(player, games, numbers, lanes)
        forest.begin(simulations, player.parameters.noise)
        rows, wanted = forest.step(), set(lanes)
        while rows or not wanted <= set(forest.finished().tolist()):
            rows = forest.step(*forest.evaluated(player.evaluate, rows))
        actions = forest.choose(temperatures)
        return [int(actions[lane]) for lane in lanes]

    def _follow(self, player: ForestPlayer, games: Sequence[PlannedGame], numbers: Sequence[int], lanes: Sequence[int]) -> None:
        """Bring the trees to where their games stand, keeping what they know of it."""
        behind: dict[int, list[int]] = {}
        for number, lane in zip(numbers, lanes, strict=True):
            position = games[number].position
            if lane in self._followed:
                behind[lane] = position.actions[self._followed[lane] :]
            else:
                self._forest.set_root(lane, player.seen(position.state))
            self._followed[lane] = len(position.actions)
        for ply in range(max(map(len, behind.values()), default=0)):
            actions = np.full(len(self._forest), -1, np.int32)
            for lane, moves in behind.items():
                if ply < len(moves):
                    actions[lane] = moves[ply]
            self._forest.advance(actions)
