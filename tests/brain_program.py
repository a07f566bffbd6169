"""A small Gomocup brain in a process of its own, for 7×7 cells."""

import sys
from pathlib import Path

NAME = "brain: one, two.py"  # colons, commas and spaces
BRAIN = """
import os, sys, time
board, turns = set(), 0
{begun}
for line in sys.stdin:
    word, _, rest = line.strip().partition(" ")
    {heard}
    if word in ("START", "RESTART"):
        board, turns = set(), 0
        print("OK", flush=True)
    elif word == "BOARD":
        for line in sys.stdin:
            if line.strip() == "DONE":
                break
            board.add(tuple(map(int, line.split(",")[:2])))
    elif word == "TURN":
        board.add(tuple(map(int, rest.split(","))))
    if word in ("TURN", "BOARD", "BEGIN"):
        turns += 1
        free = [(x, y) for y in range(7) for x in range(7) if (x, y) not in board]
        x, y = free[0]
        {fault}
        board.add((x, y))
        print(f"{{x}},{{y}}", flush=True)
    if word == "END":
        break
"""


def brain_program(folder: Path, fault: str = "pass", heard: str = "pass", begun: str = "pass") -> str:
    """The command of a program that plays the first free cell: statements for when it starts, hears a line, and moves."""
    path = folder / NAME
    path.write_text(BRAIN.format(fault=fault, heard=heard, begun=begun))
    return f"'{sys.executable}' '{path}'"
