"""How fast random games are played: compiled, and by the very same functions interpreted in plain Python."""

import json
import os
import subprocess
import sys
import time
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from boardzero.games.catalogue import find_game
from boardzero.games.counting import play_random_games
from boardzero.games.rules import Game

STANDARD_GAMES = ("tictactoe", "connect4", "othello", "gomoku", "latrunculi:start=rows")


@dataclass(frozen=True)
class Speed:
    """Random play of one game on one core."""

    game: str
    games_per_second: float
    moves_per_second: float
    interpreted_moves_per_second: float

    @property
    def ratio(self) -> float:
        """How many times faster compiled play is."""
        return self.moves_per_second / self.interpreted_moves_per_second

    def as_dict(self) -> dict[str, Any]:
        return {**asdict(self), "ratio": self.ratio}


def compare_speeds(game: Game, seconds: float) -> Speed:
    """Play compiled, then interpreted, for about this long each."""
    play_random_games(game, 1)
    games, moves = measure(game, seconds)
    _, interpreted_moves = _measure_interpreted(game, seconds)
    return Speed(game.specification, games, moves, interpreted_moves)


def measure(game: Game, seconds: float) -> tuple[float, float]:
    """Games and moves a second, from batches of games that grow until one takes long enough."""
    count = 1
    while True:
        start = time.perf_counter()
        played = play_random_games(game, count, seed=count)
        elapsed = time.perf_counter() - start
        if elapsed >= seconds / 2:
            return played.games / elapsed, played.moves / elapsed
        count = max(count + 1, min(20 * count, int(0.75 * count * seconds / max(elapsed, 1e-6))))


def _measure_interpreted(game: Game, seconds: float) -> tuple[float, float]:
    """The same measurement in a process of its own, in which Numba compiles nothing."""
    command = [sys.executable, "-m", __name__, game.specification, str(seconds)]
    run = subprocess.run(command, env={**os.environ, "NUMBA_DISABLE_JIT": "1"}, capture_output=True, text=True, check=True)
    games, moves = json.loads(run.stdout)
    return games, moves


if __name__ == "__main__":
    np.seterr(over="ignore")  # unsigned arithmetic wraps, as in compiled code
    print(json.dumps(measure(find_game(sys.argv[1]), float(sys.argv[2]))))
