#!/usr/bin/env python3
"""Gomoku programs of others as brains of Gomocup: this speaks the protocol, and they choose the moves.

    boardzero match gomoku:size=15 alphazero:seconds=5 "engine:gomocup,seconds=5:python tools/gomoku_rivals.py pela"

None of them is a part of boardzero. Each is installed once, into the folder runs/rivals (or the one that the environment
variable BOARDZERO_RIVALS names):

pela    Pela 7.7 of Petr Lastovicka, who wrote Gomocup's protocol: C++, alpha-beta over threats, as long as it is told.
            git clone https://github.com/plastovicka/Piskvork runs/rivals/piskvork
            sh tools/brains/build.sh runs/rivals/piskvork/source/pbrain runs/rivals/pbrain-pela
bovo    Bovo of KDE, whose search is Gabor Pelladi's: C++, alpha-beta over patterns, as long as it is told.
            (cd runs/rivals && apt-get source bovo)
            sh tools/brains/build.sh runs/rivals/bovo-*/ai/gabor runs/rivals/pbrain-bovo tools/brains/bovo.cpp
gomoku  gomoku 0.1.0 of Allen Zhang, from PyPI: threat-space search, 15×15 only, mostly below a second, whatever it is told.
            pip install --target runs/rivals/python gmpy2 flask-socketio
            pip install --target runs/rivals/python --no-deps gomoku==0.1.0
emacs   M-x gomoku of Philippe Schnoebelen, in every Emacs: it scores cells and does not look ahead; a move takes no time.
            apt-get install emacs-nox
"""

import argparse
import importlib
import os
import shutil
import subprocess
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any, NamedTuple

RIVALS = Path(os.environ.get("BOARDZERO_RIVALS") or Path(__file__).resolve().parent.parent / "runs" / "rivals")
OWN, OTHER = 1, 2  # whose stones are, in the lines of BOARD


class Missing(Exception):
    """The program is not installed."""


class Stone(NamedTuple):
    """Of whom, seen by the rival: OWN or OTHER."""

    x: int
    y: int
    whose: int


class Rival(ABC):
    """A program that chooses moves."""

    sizes: range  # of boards that it plays on

    @abstractmethod
    def new_game(self, size: int) -> None:
        """Forget the last one."""

    @abstractmethod
    def choose(self, stones: list[Stone]) -> tuple[int, int]:
        """x and y of its move; the stones are in the order in which they were played."""

    @abstractmethod
    def close(self) -> None:
        """End what it has started."""


class ThreatSpace(Rival):
    """The package `gomoku`. It keeps what it has found for ever, which is forgotten here after every game."""

    sizes = range(15, 16)

    def __init__(self) -> None:
        sys.path.insert(0, str(RIVALS / "python"))
        try:
            self._board = importlib.import_module("gomoku.board").Board
            self._player = importlib.import_module("gomoku.player.threat_space")
            self._search = importlib.import_module("gomoku.threat.threat_search")
        except ImportError as error:
            raise Missing(f"The package gomoku, or what it needs, is not installed ({error})") from None
        vars(self._player)["VERBOSE"] = 0
        self.new_game(15)

    def new_game(self, size: int) -> None:
        self._mind = self._player.ThreatSpace()
        for name in ("cached_threes", "cached_fours", "cached_fives", "cached_straight_fours"):
            getattr(self._search, name).clear()

    def choose(self, stones: list[Stone]) -> tuple[int, int]:
        bits = {whose: sum(1 << (15 * y + x) for x, y, one in stones if one == whose) for whose in (OWN, OTHER)}
        first, second = (OWN, OTHER) if len(stones) % 2 == 0 else (OTHER, OWN)
        board = self._board(bits[first], bits[second], len(stones))
        move = self._ask(board)
        if not board.is_valid_index(move):  # it plays on a line that it saw earlier, though the cell has been taken
            self._mind.winning_line = []
            move = self._ask(board)
        return move % 15, move // 15

    def close(self) -> None:
        """It runs in this process."""

    def _ask(self, board: Any) -> int:
        with redirect_stdout(None):
            move = self._mind.make_move(board)
        return int(move) if not isinstance(move, tuple) else 15 * move[0] + move[1]


class Emacs(Rival):
    """A batch Emacs that is told the whole board before every move: (SIZE (X Y VALUE) ...), counted from 1; 6 is its own."""

    sizes = range(5, 33)
    PROGRAM = """(progn
      (require 'gomoku)
      (fset 'gomoku-plot-square #'ignore)
      (fset 'gomoku-init-display #'ignore)
      (random t)
      (condition-case nil
        (while t
          (let ((told (read (read-from-minibuffer ""))) square)
            (gomoku-start-game (car told) (car told))
            (dolist (stone (cdr told))
              (gomoku-play-move (gomoku-xy-to-index (nth 0 stone) (nth 1 stone)) (nth 2 stone)))
            (setq square (gomoku-strongest-square))
            (send-string-to-terminal
              (format "%d %d\\n" (gomoku-index-to-x square) (gomoku-index-to-y square)))))
        (end-of-file nil)))"""

    def __init__(self) -> None:
        if shutil.which("emacs") is None:
            raise Missing("There is no program 'emacs'")
        command = ["emacs", "-Q", "--batch", "--eval", self.PROGRAM]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
        self._size = 0

    def new_game(self, size: int) -> None:
        self._size = size

    def choose(self, stones: list[Stone]) -> tuple[int, int]:
        assert self._process.stdin and self._process.stdout
        told = " ".join(f"({x + 1} {y + 1} {6 if whose == OWN else 1})" for x, y, whose in stones)
        self._process.stdin.write(f"({self._size} {told})\n")
        x, y = self._process.stdout.readline().split()
        return int(x) - 1, int(y) - 1

    def close(self) -> None:
        self._process.kill()


class Conversation:
    """The side of the protocol that a manager sees, one line after the other."""

    def __init__(self, name: str, rival: Rival, answer: Callable[[str], object]) -> None:
        self.name, self.rival, self.answer = name, rival, answer
        self.size = 0  # no game yet
        self.stones: list[Stone] = []
        self._is_told_a_board = False  # between BOARD and DONE

    def take(self, line: str) -> bool:
        """Answer a line; False when the conversation is over."""
        word, _, rest = line.strip().partition(" ")
        word = word.upper()
        try:
            if self._is_told_a_board:
                self._take_stone(line.strip())
            elif word == "END":
                return False
            elif word == "ABOUT":
                self.answer(f'name="{self.name}"')
            elif word in ("START", "RECTSTART"):
                self._start(rest)
            elif word in ("RESTART", "BEGIN", "TURN", "BOARD", "TAKEBACK"):
                self._play(word, rest)
            elif word == "INFO":
                self._take_rule(rest)
            elif word:
                self.answer("UNKNOWN command")
        except ValueError as error:
            self.answer(f"ERROR {error}")
        return True

    def _start(self, rest: str) -> None:
        sides, sizes = {side.strip() for side in rest.split(",")}, self.rival.sizes
        if len(sides) != 1 or not sides <= {str(size) for size in sizes}:
            allowed = f"{sizes[0]} to {sizes[-1]}" if len(sizes) > 1 else f"{sizes[0]}"
            raise ValueError(f"{self.name} plays on square boards of {allowed} cells a side")
        self.size = int(sides.pop())
        self._begin()

    def _begin(self) -> None:
        self.stones = []
        self.rival.new_game(self.size)
        self.answer("OK")

    def _play(self, word: str, rest: str) -> None:
        if not self.size:
            raise ValueError("no game has been started")
        if word == "RESTART":
            self._begin()
        elif word == "BEGIN":
            self._move()
        elif word == "TURN":
            self.stones.append(self._stone(rest, OTHER))
            self._move()
        elif word == "BOARD":
            self.stones, self._is_told_a_board = [], True
        else:
            left = [stone for stone in self.stones if f"{stone.x},{stone.y}" != rest]
            if len(left) == len(self.stones):
                raise ValueError(f"there is no stone at '{rest}'")
            self.stones = left
            self.answer("OK")

    def _take_stone(self, line: str) -> None:
        """A line of BOARD; DONE ends it, and the rival is to move."""
        if line.upper() == "DONE":
            self._is_told_a_board = False
            self._move()
            return
        point, _, whose = line.rpartition(",")
        if whose not in ("1", "2"):
            raise ValueError(f"'{line}' is no stone of the board")
        self.stones.append(self._stone(point, int(whose)))

    def _take_rule(self, rest: str) -> None:
        key, _, value = rest.partition(" ")
        if key == "rule" and value != "0":
            self.answer(f"MESSAGE {self.name} plays free-style: five or more stones in a row win")

    def _move(self) -> None:
        x, y = self.rival.choose(self.stones)
        self.stones.append(Stone(x, y, OWN))
        self.answer(f"{x},{y}")

    def _stone(self, point: str, whose: int) -> Stone:
        taken = {(stone.x, stone.y) for stone in self.stones}
        cells = ((x, y) for x in range(self.size) for y in range(self.size) if (x, y) not in taken)
        for x, y in cells:
            if f"{x},{y}" == point.replace(" ", ""):
                return Stone(x, y, whose)
        raise ValueError(f"'{point}' is no free cell of the board")


def hold(conversation: Conversation, lines: Iterable[str]) -> None:
    try:
        for line in lines:
            if not conversation.take(line):
                break
    finally:
        conversation.rival.close()


def run_brain(name: str) -> int:
    """One that speaks the protocol itself takes over input and output."""
    program = RIVALS / f"pbrain-{name}"
    if not program.is_file():
        raise Missing(f"There is no program '{program}'")
    return subprocess.call([program])


BRAINS = ("pela", "bovo")
PROGRAMS: dict[str, Callable[[], Rival]] = {"gomoku": ThreatSpace, "emacs": Emacs}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", choices=[*BRAINS, *PROGRAMS], help="who chooses the moves")
    name = parser.parse_args().program
    try:
        if name in BRAINS:
            sys.exit(run_brain(name))
        rival = PROGRAMS[name]()
    except Missing as error:
        print(f"{error}; 'python {sys.argv[0]} --help' says how {name} is installed.", file=sys.stderr)
        sys.exit(2)
    output = sys.stdout
    hold(Conversation(name, rival, lambda text: print(text, file=output, flush=True)), sys.stdin)


if __name__ == "__main__":
    main()
