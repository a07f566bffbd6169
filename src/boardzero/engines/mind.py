"""What thinks for every engine, in its own process: it asks the player about the positions that it is told."""

import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from boardzero.engines.brains import new_brain, with_memory
from boardzero.engines.told_position import ToldPosition
from boardzero.errors import BadInput
from boardzero.games.catalogue import find_game
from boardzero.games.compiling import compiling_alone
from boardzero.games.position import Position
from boardzero.games.rules import Game
from boardzero.players.forest_player import ForestPlayer
from boardzero.players.player import Analysis, Player

READY_SECONDS = 0.01  # of the first search, which loads what is compiled
FIRST_SHARES = 0.05, 0.3  # of the time that is left, after which thoughts are told: on busy cores the last may come too late
JUDGING_SECONDS = 0.2  # for one position of several


class PlayerMind:
    """Every method but `interrupt` is a task.

    until: a moment (time.perf_counter); memory: bytes that this process may take (0: any number).
    """

    def __init__(self, specification: str | None = None) -> None:
        """specification: the player that thinks (None: the strongest for each game)."""
        self._specification = specification
        self._player: Player | None = None
        self._made_for: tuple[str, int] | None = None
        self._hurried = False
        self.tell: Callable[[Any], None] = lambda thought: None

    def interrupt(self) -> None:
        self._hurried = True
        if self._player is not None:
            self._player.interrupt()

    def get_ready(self, told: ToldPosition, memory: int) -> None:
        """Load the player for this game and all that it needs."""
        with compiling_alone():
            self.choose(told, memory, time.perf_counter() + READY_SECONDS)

    def choose(self, told: ToldPosition, memory: int, until: float) -> int | None:
        """The player's move; None where there is none, by the rules."""
        position = position_of(told)
        if position is None:
            return None
        player = self._player_for(position.game, memory)
        self._hurried = False
        if isinstance(player, ForestPlayer) and player.simulations is None:  # its next search goes on with the tree of the last
            for share in FIRST_SHARES:
                thought = player.choose(position, share * max(0.0, until - time.perf_counter()))
                if self._hurried:
                    return thought
                self.tell(thought)
        return player.choose(position, max(0.0, until - time.perf_counter()))

    def analyse(self, told: ToldPosition, memory: int, until: float) -> Analysis | None:
        """What the player thinks of each move; None where there is none, by the rules."""
        position = position_of(told)
        if position is None:
            return None
        return self._player_for(position.game, memory).analyse(position, max(0.0, until - time.perf_counter()))

    def judge(self, told: ToldPosition, memory: int, until: float) -> tuple[float, int] | None:
        """What the position is worth for the side to move, from −1 to +1, and the best move; None if it cannot be said."""
        analysis = self.analyse(told, memory, until)
        return None if analysis is None else (analysis.value or 0.0, analysis.action)

    def most_even(self, positions: Sequence[ToldPosition], memory: int, until: float) -> int:
        """Which of these positions is the one in which neither side is better, counted from 0."""
        best, least = 0, 2.0
        for index, told in enumerate(positions):
            if time.perf_counter() >= until:
                break
            judged = self.judge(told, memory, min(until, time.perf_counter() + JUDGING_SECONDS))
            if judged is not None and abs(judged[0]) < least:
                best, least = index, abs(judged[0])
                self.tell(best)
        return best

    def tree(self) -> "TreeReport | None":
        """What the tree holds and has cost; None where the player has none."""
        return tree_of(self._player) if isinstance(self._player, ForestPlayer) else None

    def _player_for(self, game: Game, memory: int) -> Player:
        if self._player is not None and self._made_for == (game.specification, memory):
            return self._player
        before, self._player = self._player, None
        if before is not None and self._made_for is not None and self._made_for[0] == game.specification:
            player = with_memory(before, self._specification, memory)
        else:
            if before is not None:
                before.close()
                before = None  # its tree is gone before it is asked how much memory there is for the next
            player = new_brain(self._specification, game, memory)
        self._player, self._made_for = player, (game.specification, memory)
        return player


class TreeReport(NamedTuple):
    """What a tree has cost since its player was made, and holds now."""

    simulations: int
    evaluations: int
    nodes: int
    is_full: bool


def tree_of(player: ForestPlayer) -> TreeReport:
    counts, nodes = player.forest.counts(), int(player.forest.arrays.trees[0]["nodes"])
    return TreeReport(counts.simulations, counts.evaluations, nodes, bool(player.forest.is_full(0)))


def position_of(told: ToldPosition) -> Position | None:
    """None where the rules do not know such a position, or the game is over."""
    game = find_game(told.game)
    try:
        position = Position(game, board=told.start)
        for action in told.actions:
            position.play(action)
    except BadInput:
        return None
    return None if position.over else position
