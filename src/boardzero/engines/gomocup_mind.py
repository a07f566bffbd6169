"""What thinks for a brain of Gomocup, in its own process: it turns the manager's board into a position and asks the player."""

import time
from collections.abc import Callable
from typing import Any

from boardzero.engines.brains import new_brain
from boardzero.errors import BadInput
from boardzero.games.catalogue import find_game
from boardzero.games.position import Position
from boardzero.players.forest_player import ForestPlayer
from boardzero.players.player import Player
from boardzero.protocols.gomocup import Board, Point

READY_SECONDS = 0.01  # of the first search, which loads what is compiled
FIRST_SHARE = 0.3  # of the time, after which a first thought is told: on busy cores the last may come too late
OPENING_SECONDS = 0.2  # to judge one opening


class GomocupMind:
    """Every method but `interrupt` is a task. `until` is a moment (time.perf_counter), `memory` in bytes (0: any)."""

    def __init__(self, specification: str | None = None) -> None:
        self._specification = specification
        self._player: Player | None = None
        self._made_for: tuple[str, int] | None = None
        self._size = 0
        self._hurried = False
        self.tell: Callable[[Any], None] = lambda thought: None

    def interrupt(self) -> None:
        self._hurried = True
        if self._player is not None:
            self._player.interrupt()

    def get_ready(self, size: int, exact: bool, memory: int) -> None:
        """Load the player for this board and all that it needs."""
        middle = Point(size // 2, size // 2)
        self.choose(Board(size, {middle: False}), exact, memory, time.perf_counter() + READY_SECONDS)

    def choose(self, board: Board, exact: bool, memory: int, until: float) -> Point | None:
        """The player's move; None on a board that the rules do not know."""
        position = position_of(board, exact)
        if position is None or position.over:
            return None
        player = self._player_for(position, memory)
        self._hurried = False
        if isinstance(player, ForestPlayer) and player.simulations is None:  # its next search goes on with the tree of the last
            first = player.choose(position, FIRST_SHARE * max(0.0, until - time.perf_counter()))
            if self._hurried:
                return _point(first, board.size)
            self.tell(_point(first, board.size))
        return _point(player.choose(position, max(0.0, until - time.perf_counter())), board.size)

    def judge(self, board: Board, exact: bool, memory: int, until: float) -> tuple[float, Point] | None:
        """What the position is worth for us, who are to move, from −1 to +1, and the best move; None if it cannot be said."""
        position = position_of(board, exact)
        if position is None or position.over:
            return None
        player = self._player_for(position, memory)
        analysis = player.analyse(position, max(0.0, until - time.perf_counter()))
        return analysis.value or 0.0, _point(analysis.action, board.size)

    def most_balanced(self, openings: list[list[Point]], size: int, exact: bool, memory: int, until: float) -> list[Point]:
        """Of openings of three stones (black, white, black) the one after which neither side is better."""
        best, least = openings[0], 2.0
        for opening in openings:
            if time.perf_counter() >= until:
                break
            board = Board(size, {point: ply % 2 == 1 for ply, point in enumerate(opening)})  # as white sees it
            judged = self.judge(board, exact, memory, min(until, time.perf_counter() + OPENING_SECONDS))
            if judged is not None and abs(judged[0]) < least:
                best, least = opening, abs(judged[0])
                self.tell(best)
        return best

    def opinion(self, point: Point) -> str:
        """What the last search thought of a move, for people; empty where it did not look at it."""
        if not isinstance(self._player, ForestPlayer) or max(point) >= self._size or min(point) < 0:
            return ""
        action = point.y * self._size + point.x
        edges = {edge.action: edge for edge in self._player.forest.root_edges(0)}
        edge = edges.get(action)
        return f"{point}: expected result {edge.value:+.2f}, {edge.visits} simulations" if edge and edge.visits else ""

    def _player_for(self, position: Position, memory: int) -> Player:
        wanted = (position.game.specification, memory)
        if self._player is None or self._made_for != wanted:
            if self._player is not None:
                self._player.close()
                self._player = None
            self._player = new_brain(self._specification, position.game, memory)
            self._made_for, self._size = wanted, position.game.rows
        return self._player


def position_of(board: Board, exact: bool) -> Position | None:
    """The manager's board as a position with us to move; None where stones do not alternate, or a five is on it already.

    The order of the stones is kept where it can be, so that the search goes on with the tree that it has.
    """
    game = find_game(f"gomoku:size={board.size},rule={'standard' if exact else 'freestyle'}")
    own = sum(board.stones.values())
    others = len(board.stones) - own
    if others - own not in (0, 1):
        return None
    we_begin = others == own
    try:
        if all(mine == (we_begin == (ply % 2 == 0)) for ply, mine in enumerate(board.stones.values())):
            position = Position(game)
            for point in board.stones:
                position.play(point.y * board.size + point.x)
            return position
        letters = {True: "XO"[not we_begin], False: "OX"[not we_begin]}
        points = ([Point(x, y) for x in range(board.size)] for y in range(board.size))
        rows = ("".join(letters[board.stones[p]] if p in board.stones else "." for p in row) for row in points)
        return Position(game, board=f"{'/'.join(rows)} {letters[True]}")
    except BadInput:
        return None


def _point(action: int, size: int) -> Point:
    return Point(action % size, action // size)
