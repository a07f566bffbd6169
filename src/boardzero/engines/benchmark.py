"""How soon an engine answers when it is started, and how much of its time the search has in a game."""

import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from tempfile import TemporaryDirectory
from typing import NamedTuple

from boardzero.engines.brains import new_brain
from boardzero.engines.gomocup import GomocupSession
from boardzero.engines.gomocup_thinking import told_board
from boardzero.engines.mind import PlayerMind, TreeReport, position_of, tree_of
from boardzero.engines.plain_moves import plain_move
from boardzero.engines.thinking_process import ThinkingProcess
from boardzero.engines.told_position import ToldPosition
from boardzero.errors import BadInput
from boardzero.games.catalogue import find_game
from boardzero.games.position import Position
from boardzero.players.forest_player import ForestPlayer
from boardzero.protocols.gomocup import Board, Point

CACHE_VARIABLE = "NUMBA_CACHE_DIR"
ENDING_SECONDS = 10.0  # that an engine has to end when it is told to
LONGEST_SECONDS = 600.0  # that an engine may need for its first move, with everything to compile


class Greeting(NamedTuple):
    """What is said to an engine, and what it answers."""

    first: str
    answer: str  # a pattern, as the next
    asking: Sequence[str]  # for a move within so many seconds
    move: str
    farewell: str = "quit"


GREETINGS = {
    "gomocup": Greeting("START 13", "OK", ("INFO timeout_turn {milliseconds}", "TURN 6,6"), r"\d+,\d+", "END"),
    "gtp": Greeting("name", "= boardzero", ("time_settings 0 {seconds} 1", "genmove b"), r"= [A-H][1-8]"),
    "nboard": Greeting("ping 1", "pong 1", ("go",), "=== "),
}


@dataclass(frozen=True)
class FirstAnswer:
    """Seconds from the start of an engine to its first answer and from the question to its first move."""

    protocol: str
    is_cold: bool  # nothing has been compiled before
    answer: float
    move: float


def measure_first_answers(seconds: float, cold: bool = True) -> list[FirstAnswer]:
    """Every protocol, with an empty cache of compiled code each, and with one that is full; a move has so many seconds."""
    found = []
    for game in ("gomoku:size=13", "othello"):
        PlayerMind().get_ready(ToldPosition(game), 0)  # fills the cache
    for protocol in GREETINGS:
        if cold:
            with TemporaryDirectory(ignore_cleanup_errors=True) as folder:
                found.append(_first_answer(protocol, seconds, {CACHE_VARIABLE: folder}, is_cold=True))
        found.append(_first_answer(protocol, seconds, {}, is_cold=False))
    return found


def _first_answer(protocol: str, seconds: float, environment: dict[str, str], is_cold: bool) -> FirstAnswer:
    whole = max(1, round(seconds))
    words = [sys.executable, "-c", "from boardzero.cli.main import main; main()", "engine", protocol, "--seconds", str(whole)]
    begun = time.perf_counter()
    process = subprocess.Popen(
        words, env={**os.environ, **environment}, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
    )
    watchdog = threading.Timer(LONGEST_SECONDS, process.kill)
    watchdog.start()
    greeting = GREETINGS[protocol]
    try:
        answered = _ask(process, [greeting.first], greeting.answer)
        if not is_cold:
            time.sleep(1.0)  # managers take their time, too, between the start and the first move
        asking = [line.format(seconds=whole, milliseconds=1000 * whole) for line in greeting.asking]
        asked = time.perf_counter()
        moved = _ask(process, asking, greeting.move)
        return FirstAnswer(protocol, is_cold, answered - begun, moved - asked)
    finally:
        watchdog.cancel()
        _end(process, greeting.farewell)


def _end(process: "subprocess.Popen[str]", farewell: str) -> None:
    """Politely, so that it ends the process that thinks for it; by force if it must be."""
    with suppress(subprocess.TimeoutExpired):
        process.communicate(f"{farewell}\n", timeout=ENDING_SECONDS)
    process.kill()
    process.wait()


def _ask(process: "subprocess.Popen[str]", lines: Sequence[str], pattern: str) -> float:
    """The moment at which a line came that begins so."""
    assert process.stdin and process.stdout
    for line in lines:
        process.stdin.write(f"{line}\n")
    while line := process.stdout.readline():
        if re.match(pattern, line):
            return time.perf_counter()
    raise BadInput(f"The engine gave no answer to '{lines[-1]}' within {LONGEST_SECONDS:g} seconds.")


@dataclass(frozen=True)
class GameSpeed:
    """One side of a game by an engine, beside one tree that is searched alone from the same positions for the same time."""

    game: str
    player: str
    leaves: int  # that are evaluated together, in both
    threads: int  # that evaluate, in both
    moves: int
    seconds: float  # of the limit of a move
    longest: float  # that a move took
    evaluations_per_second: float
    simulations_per_second: float
    alone_evaluations_per_second: float
    alone_simulations_per_second: float
    nodes: int  # of the engine's tree at the end
    is_full: bool  # was it full after any move?

    @property
    def ratio(self) -> float:
        return self.evaluations_per_second / self.alone_evaluations_per_second


def measure_game(size: int, seconds: float, moves: int, player: str | None = None) -> GameSpeed:
    """A brain of Gomocup plays so many moves against plain ones, at so many seconds a move."""
    game = find_game(f"gomoku:size={size}")
    alone = new_brain(player, game)
    if not isinstance(alone, ForestPlayer):
        raise BadInput(f"'{alone.name}' searches no tree whose evaluations could be counted; choose heuristic or alphazero.")
    process = ThinkingProcess(player)
    session = GomocupSession(lambda answer: None, process, seconds)
    taken, alone_taken, was_full = list[float](), 0.0, False
    try:
        session.take(f"INFO timeout_turn {round(1000 * seconds)}", time.perf_counter())
        session.take(f"START {size}", time.perf_counter())
        first: TreeReport = process.ask(None, "tree")  # when all that was begun before is done
        tree, alone_first = first, tree_of(alone)
        while len(taken) < moves and (next_one := _plain_reply(session)) is not None:
            point, position = next_one
            begun = time.perf_counter()
            session.take(f"TURN {point}", begun)
            taken.append(time.perf_counter() - begun)
            tree = process.ask(None, "tree")
            was_full |= tree.is_full
            alone.start_game(0)
            begun = time.perf_counter()
            alone.choose(position, taken[-1])
            alone_taken += time.perf_counter() - begun
    finally:
        session.close()
    spent, alone_tree = sum(taken), tree_of(alone)
    return GameSpeed(
        game=game.specification,
        player=alone.name,
        leaves=alone.forest.settings.leaves,
        threads=getattr(alone.parameters, "threads", 1),
        moves=len(taken),
        seconds=seconds,
        longest=max(taken),
        evaluations_per_second=(tree.evaluations - first.evaluations) / spent,
        simulations_per_second=(tree.simulations - first.simulations) / spent,
        alone_evaluations_per_second=(alone_tree.evaluations - alone_first.evaluations) / alone_taken,
        alone_simulations_per_second=(alone_tree.simulations - alone_first.simulations) / alone_taken,
        nodes=tree.nodes,
        is_full=was_full,
    )


def _plain_reply(session: GomocupSession) -> tuple[Point, Position] | None:
    """A plain move of the other side and the position after it, with the engine to move; None where the game is over."""
    board = session.board
    assert board is not None
    point = plain_move(Board(board.size, {stone: not own for stone, own in board.stones.items()}), exact=False)
    if point is None:
        return None
    told = told_board(Board(board.size, {**board.stones, point: False}), exact=False)
    position = None if told is None else position_of(told)
    return None if position is None else (point, position)
