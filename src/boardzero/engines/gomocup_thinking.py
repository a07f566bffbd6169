"""The thread that thinks for a brain of Gomocup: it turns the manager's board into a position and asks the player.

Whatever is compiled is imported in that thread, when it is first needed.
"""

from __future__ import annotations

import random
import time
from typing import TYPE_CHECKING

from boardzero.engines.timing import Thinking
from boardzero.engines.worker import NoAnswer, Worker
from boardzero.protocols.gomocup import Board, Point

if TYPE_CHECKING:
    from boardzero.games.position import Position
    from boardzero.players.player import Player

READY_SECONDS = 0.01  # of the first search, which loads what is compiled
LOADING_SECONDS = 0.4  # that START may take, so that a player which is compiled already is ready for the first move
OPENING_SECONDS = 0.2  # to judge one opening
OPENINGS = 24  # that are tried
EVALUATION_SECONDS = 0.3  # to say what was thought of a move


class GomocupThinker:
    """Every method but those of the thinking thread returns by its deadline, or raises NoAnswer."""

    def __init__(self, specification: str | None) -> None:
        self._specification = specification
        self._worker = Worker()
        self._player: Player | None = None
        self._made_for: tuple[str, int] | None = None
        self._size = 0

    # -- asked by the session ------------------------------------------------------------------------------------------
    @property
    def is_ready(self) -> bool:
        """Has the player been loaded?"""
        return self._player is not None

    def prepare(self, size: int, exact: bool, memory: int) -> None:
        """Get the player ready for this board; the first time, wait a little for it: no clock runs yet."""
        patience = LOADING_SECONDS if self._player is None else 0.0
        self._worker.begin(lambda: self._get_ready(size, exact, memory), patience)

    def choose(self, board: Board, exact: bool, memory: int, times: Thinking) -> Point | None:
        """The player's move; None on a board that the rules do not know."""
        return self._worker.ask(lambda: self._choose(board, exact, memory, times.soft), times.hard)

    def judge(self, board: Board, exact: bool, memory: int, times: Thinking) -> tuple[float, Point | None]:
        """What the position is worth for us, who are to move, from −1 to +1, and the best move."""
        return self._worker.ask(lambda: self._judge(board, exact, memory, times.soft), times.hard)

    def balanced_opening(self, size: int, exact: bool, memory: int, times: Thinking) -> list[Point]:
        """Three stones (black, white, black) after which neither side is better; any three where there is no time to judge."""
        openings = _openings(size)
        try:
            return self._worker.ask(lambda: self._most_balanced(openings, size, exact, memory, times.soft), times.hard)
        except Exception:
            return openings[0]

    def opinion(self, point: Point) -> str:
        """What the last search thought of a move, for people; empty where it did not look at it."""
        try:
            return self._worker.ask(lambda: self._opinion(point), time.perf_counter() + EVALUATION_SECONDS)
        except Exception:
            return ""

    def hurry(self) -> None:
        """Let the search end now, with its best move."""
        if self._player is not None:
            self._player.interrupt()

    def dismiss(self) -> None:
        """Nobody waits any longer."""
        self._worker.dismiss()

    def close(self) -> None:
        self._worker.close()

    # -- in the thinking thread ----------------------------------------------------------------------------------------
    def _get_ready(self, size: int, exact: bool, memory: int) -> None:
        middle = Point(size // 2, size // 2)
        self._choose(Board(size, {middle: False}), exact, memory, time.perf_counter() + READY_SECONDS)

    def _choose(self, board: Board, exact: bool, memory: int, until: float) -> Point | None:
        position = position_of(board, exact)
        if position is None or position.over:
            return None
        player = self._player_for(position, memory)
        return _point(player.choose(position, max(0.0, until - time.perf_counter())), board.size)

    def _judge(self, board: Board, exact: bool, memory: int, until: float) -> tuple[float, Point | None]:
        position = position_of(board, exact)
        if position is None or position.over:
            raise NoAnswer
        player = self._player_for(position, memory)
        analysis = player.analyse(position, max(0.0, until - time.perf_counter()))
        return analysis.value or 0.0, _point(analysis.action, board.size)

    def _most_balanced(self, openings: list[list[Point]], size: int, exact: bool, memory: int, until: float) -> list[Point]:
        best, least = openings[0], 2.0
        for opening in openings:
            if time.perf_counter() >= until:
                break
            board = Board(size, {point: ply % 2 == 1 for ply, point in enumerate(opening)})  # as white sees it
            value, _ = self._judge(board, exact, memory, min(until, time.perf_counter() + OPENING_SECONDS))
            if abs(value) < least:
                best, least = opening, abs(value)
        return best

    def _opinion(self, point: Point) -> str:
        from boardzero.players.forest_player import ForestPlayer

        if not isinstance(self._player, ForestPlayer) or max(point) >= self._size or min(point) < 0:
            return ""
        action = point.y * self._size + point.x
        edges = {edge.action: edge for edge in self._player.forest.root_edges(0)}
        edge = edges.get(action)
        return f"{point}: expected result {edge.value:+.2f}, {edge.visits} simulations" if edge and edge.visits else ""

    def _player_for(self, position: Position, memory: int) -> Player:
        from boardzero.engines.brains import new_brain

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
    from boardzero.errors import BadInput
    from boardzero.games.catalogue import find_game
    from boardzero.games.position import Position

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


def _openings(size: int) -> list[list[Point]]:
    """Three stones near one another and near an edge, where the first mover's advantage is small; always the same ones."""
    draw = random.Random(size)
    openings: list[list[Point]] = []
    while len(openings) < OPENINGS:
        first = Point(draw.randrange(size), draw.randrange(min(3, size)))
        near = [Point(first.x + draw.randint(-3, 3), first.y + draw.randint(-3, 3)) for _ in range(2)]
        stones = [first, *near]
        if len(set(stones)) == 3 and all(0 <= point.x < size and 0 <= point.y < size for point in stones):
            openings.append(stones)
    return openings
