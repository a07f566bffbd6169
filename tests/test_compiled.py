"""Compiled rules and the same rules interpreted agree: the unsigned arithmetic holds in both worlds."""

import json
import os
import subprocess
import sys

import pytest

from boardzero.games.catalogue import find_game
from boardzero.games.counting import play_random_games

GAMES = ["tictactoe", "connect4", "connect4:rows=9,columns=9", "othello:size=6", "gomoku:size=7", "latrunculi:size=4"]

CODE = """
import json, sys
import numpy as np
from boardzero.games.catalogue import find_game
from boardzero.games.counting import play_random_games
np.seterr(over="ignore")
print(json.dumps([vars(play_random_games(find_game(name), 5, seed=11)) for name in sys.argv[1:]]))
"""


@pytest.fixture(scope="module")
def interpreted() -> dict[str, dict[str, int]]:
    """The same random games, played in a process in which nothing is compiled."""
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    run = subprocess.run([sys.executable, "-c", CODE, *GAMES], env=environment, capture_output=True, text=True, check=True)
    return dict(zip(GAMES, json.loads(run.stdout), strict=True))


@pytest.mark.parametrize("name", GAMES)
def test_compiled_and_interpreted_rules_play_the_same_games(name: str, interpreted: dict[str, dict[str, int]]) -> None:
    assert vars(play_random_games(find_game(name), 5, seed=11)) == interpreted[name]
