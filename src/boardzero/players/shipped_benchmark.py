"""How soon a shipped network has made its first move, in a process that has nothing loaded yet."""

import subprocess
import sys
import time
from dataclasses import dataclass

from boardzero.errors import BadInput
from boardzero.network.header import ONNX_SUFFIX, SUFFIX, read_header
from boardzero.network.shipped import FOLDER

SIMULATIONS = 100
FIRST_MOVE = """
import sys, time
begun = time.perf_counter()
from boardzero.games.catalogue import find_game
from boardzero.games.position import Position
from boardzero.players.catalogue import find_player
game = find_game(sys.argv[1])
position = Position(game)
move = find_player(sys.argv[2], game).choose(position)
print(time.perf_counter() - begun, game.action_to_text(move))
"""


@dataclass(frozen=True)
class FirstMove:
    """Of one shipped network."""

    network: str  # the name of its files
    game: str
    bytes: int  # of weights and ONNX file together
    seconds: float  # from the first import of boardzero to the move
    process_seconds: float  # from the start of Python to its end
    move: str


def shipped_names() -> list[str]:
    return sorted(path.stem for path in FOLDER.glob(f"*{SUFFIX}"))


def measure_first_move(name: str) -> FirstMove:
    """The second of two tries: the first may have to compile."""
    weights = FOLDER / f"{name}{SUFFIX}"
    game = read_header(weights).game
    size = sum(weights.with_suffix(suffix).stat().st_size for suffix in (SUFFIX, ONNX_SUFFIX))
    command = [sys.executable, "-c", FIRST_MOVE, game, f"alphazero:sims={SIMULATIONS},network={weights}"]
    for _ in range(2):
        begun = time.perf_counter()
        answer = subprocess.run(command, capture_output=True, text=True)
        process_seconds = time.perf_counter() - begun
        if answer.returncode:
            raise BadInput(f"The shipped network '{name}' cannot play {game}: {answer.stderr.strip().splitlines()[-1]}")
    seconds, move = answer.stdout.split()
    return FirstMove(name, game, size, float(seconds), process_seconds, move)
