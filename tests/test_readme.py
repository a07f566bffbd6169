"""What the README shows works as shown."""

import os
import re
import shlex
import subprocess
from pathlib import Path

import pytest
from test_command_line import boardzero

from boardzero.storage.database import Database

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL)


def test_python_examples_run() -> None:
    code = "\n".join(blocks("python"))
    assert "boardzero" in code
    exec(compile(code, "README.md", "exec"), {})


COMMANDS = [
    line.split("#")[0].strip()
    for block in blocks("sh")
    for line in block.splitlines()
    if line.startswith("boardzero ") and not line.startswith(("boardzero bench", "boardzero serve"))  # tested by themselves
]
RUN = "runs/first"
LOG = "log.sqlite"
SHORTER = {  # by the command: no long training, no games to the end
    "train": {"--minutes": "0.05"},
    "match": {"--games": "2", "--seconds-per-move": "5"},
    "tournament": {"--games": "2", "--seconds-per-move": "5"},
    "rate": {"--games": "4", "--sims": "4", "--networks": "2"},
}
TYPED = {"play": "quit\n", "engine": "ABOUT\nEND\n"}  # by a person or a program


@pytest.fixture(scope="module")
def run_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the command that trains leaves, and beside it a log."""
    command = next(command for command in COMMANDS if RUN in command and " train " in command)
    folder = tmp_path_factory.mktemp("readme") / "run"
    Database(str(folder.parent / LOG)).prepare()
    assert run_shortened(command, folder).returncode == 0
    return folder


def run_shortened(command: str, folder: Path) -> "subprocess.CompletedProcess[str]":
    words = [str(folder) if word == RUN else word for word in shlex.split(command)[1:]]
    for option, value in SHORTER.get(words[0], {}).items() if "list" not in words else ():
        if option in words:
            words[words.index(option) + 1] = value
        else:
            words += [option, value]
    database = str(folder.parent / LOG)
    return boardzero(*words, input=TYPED.get(words[0], ""), env={**os.environ, "BOARDZERO_DATABASE": database})


@pytest.mark.parametrize("command", [command for command in COMMANDS if f"--run {RUN}" not in command])
def test_commands_are_understood(command: str, run_folder: Path) -> None:
    """Each command, shortened; the one that trains has made the run that others speak of."""
    run = run_shortened(command, run_folder)
    assert run.returncode == 0, run.stderr
    assert run.stdout
