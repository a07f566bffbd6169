"""What the README shows works as shown."""

import re
import shlex
from pathlib import Path

import pytest
from test_command_line import boardzero

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
    if line.startswith("boardzero ") and "bench" not in line
]


@pytest.mark.parametrize("command", COMMANDS)
def test_commands_are_understood(command: str, tmp_path: Path) -> None:
    """Each command, shortened: no games to the end, no person at the prompt, no long training."""
    words = shlex.split(command)[1:]
    if words[0] == "train":
        words[words.index("--minutes") + 1] = "0.05"
        words[words.index("--run") + 1] = str(tmp_path / "run")
    if words[0] in ("match", "tournament"):
        words[words.index("--games") + 1] = "2"
        words += ["--seconds-per-move", "5"]
    run = boardzero(*words, input="quit\n" if words[0] == "play" else "")
    assert run.returncode == 0, run.stderr
    assert run.stdout
