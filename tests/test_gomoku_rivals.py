"""The tool that lets Gomoku programs of others play as brains of Gomocup."""

import importlib.util
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from tool_loading import TOOLS, load_tool

from boardzero.arena.game import play_game
from boardzero.games.catalogue import find_game
from boardzero.games.position import Position
from boardzero.players.catalogue import find_player

PROGRAM = TOOLS / "gomoku_rivals.py"
MEASURED = """
[[measure]]
name = "rival"
game = "gomoku:size=15"
player = "heuristic:sims=10"
opponent = "engine:gomocup:'{python}' '{program}' {rival}"
games = 2
minutes = 1
"""


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    return load_tool("gomoku_rivals")


class Rival:
    """Plays the first free cell of the first row, and remembers what it was told."""

    sizes = range(10, 16)

    def __init__(self) -> None:
        self.begun: list[int] = []
        self.told: list[list[tuple[int, int, int]]] = []
        self.closed = False

    def new_game(self, size: int) -> None:
        self.begun.append(size)

    def choose(self, stones: list[Any]) -> tuple[int, int]:
        self.told.append([tuple(stone) for stone in stones])
        return next((x, 0) for x in range(10) if not any((one.x, one.y) == (x, 0) for one in stones))

    def close(self) -> None:
        self.closed = True


class Talk:
    def __init__(self, tool: ModuleType) -> None:
        self.rival, self.answers = Rival(), list[str]()
        self.conversation = tool.Conversation("first", self.rival, self.answers.append)

    def say(self, *lines: str) -> list[str]:
        """What these lines are answered with."""
        before = len(self.answers)
        for line in lines:
            assert self.conversation.take(line + "\r\n")
        return self.answers[before:]


def test_a_game_goes_on_by_turns(tool: ModuleType) -> None:
    talk = Talk(tool)
    assert talk.say("START 15", "INFO timeout_turn 5000", "INFO rule 0", "BEGIN") == ["OK", "0,0"]
    assert talk.say("TURN 1,0", "turn 7,7") == ["2,0", "3,0"]
    assert talk.rival.told[-1] == [(0, 0, 1), (1, 0, 2), (2, 0, 1), (7, 7, 2)]
    assert talk.say("TAKEBACK 3,0", "TAKEBACK 7,7", "TURN 3,0") == ["OK", "OK", "4,0"]
    assert talk.rival.told[-1] == [(0, 0, 1), (1, 0, 2), (2, 0, 1), (3, 0, 2)]
    assert talk.say("RESTART", "BEGIN") == ["OK", "0,0"] and talk.rival.begun == [15, 15]


def test_a_whole_board_is_told_in_its_order(tool: ModuleType) -> None:
    talk = Talk(tool)
    assert talk.say("START 12", "TURN 5,5", "RESTART", "BOARD", "3,4,2", "0,0,1", "4,4,2", "DONE") == ["OK", "0,0", "OK", "1,0"]
    assert talk.rival.told[-1] == [(3, 4, 2), (0, 0, 1), (4, 4, 2)]


@pytest.mark.parametrize(
    ("lines", "answer"),
    [
        (["START 20"], "ERROR first plays on square boards of 10 to 15 cells a side"),
        (["RECTSTART 15,12"], "ERROR first plays on square boards of 10 to 15 cells a side"),
        (["START fifteen"], "ERROR first plays on square boards of 10 to 15 cells a side"),
        (["BEGIN"], "ERROR no game has been started"),
        (["START 15", "TURN 15,3"], "ERROR '15,3' is no free cell of the board"),
        (["START 15", "TURN here"], "ERROR 'here' is no free cell of the board"),
        (["START 15", "BEGIN", "TURN 0,0"], "ERROR '0,0' is no free cell of the board"),
        (["START 15", "BEGIN", "TAKEBACK 1,0"], "ERROR there is no stone at '1,0'"),
        (["START 15", "BOARD", "3,3,3"], "ERROR '3,3,3' is no stone of the board"),
        (["START 15", "SWAP2BOARD"], "UNKNOWN command"),
        (["START 15", "INFO rule 1"], "MESSAGE first plays free-style: five or more stones in a row win"),
        (["ABOUT"], 'name="first"'),
    ],
)
def test_what_it_cannot_do_is_said(tool: ModuleType, lines: list[str], answer: str) -> None:
    assert Talk(tool).say(*lines)[-1] == answer


def test_the_rival_is_ended_with_the_conversation(tool: ModuleType) -> None:
    talk = Talk(tool)
    tool.hold(talk.conversation, ["START 15\n", "END\n", "BEGIN\n"])
    assert talk.answers == ["OK"] and talk.rival.closed


@pytest.mark.parametrize("name", ["pela", "bovo", "gomoku", "emacs"])
def test_who_is_not_installed_is_told_in_one_sentence(name: str, tmp_path: Path) -> None:
    nowhere = {"BOARDZERO_RIVALS": str(tmp_path), "PATH": str(tmp_path)}
    ended = subprocess.run([sys.executable, PROGRAM, name], capture_output=True, text=True, env=nowhere, check=False)
    assert ended.returncode == 2 and ended.stdout == "" and ended.stderr.count("\n") == 1
    assert "is installed" in ended.stderr and f"--help' says how {name}" in ended.stderr


def test_who_is_not_installed_is_left_out_of_what_is_measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("BOARDZERO_RIVALS", str(tmp_path))
    players = tmp_path / "players.toml"
    players.write_text(MEASURED.format(python=sys.executable, program=PROGRAM, rival="pela"), encoding="utf-8")
    load_tool("measure_players").main(["--players", str(players), "--out", str(tmp_path / "out"), "--parallel", "1"])
    said = capsys.readouterr()
    assert "rival: left out. The engine ended with code 2 (There is no program" in said.err and "| rival" not in said.out


def installed(tool: ModuleType, name: str) -> bool:
    if name == "gomoku":
        return importlib.util.find_spec("gomoku") is not None or (tool.RIVALS / "python" / "gomoku").is_dir()
    return shutil.which("emacs") is not None if name == "emacs" else (tool.RIVALS / f"pbrain-{name}").is_file()


@pytest.mark.parametrize("name", ["pela", "bovo", "gomoku", "emacs"])
def test_a_rival_plays_a_whole_game_without_a_fault(tool: ModuleType, name: str) -> None:
    if not installed(tool, name):
        pytest.skip(f"{name} is not installed; 'python tools/gomoku_rivals.py --help' says how")
    game = find_game("gomoku:size=15")
    rival = find_player(f"engine:gomocup,seconds=0.2,patience=60:'{sys.executable}' '{PROGRAM}' {name}", game)
    other = find_player("heuristic:sims=20", game)
    try:
        record = play_game((rival, other), Position(game))
    finally:
        rival.close()
    assert record.remark == "" and record.plies >= 9


# -- brains that are built from their sources ----------------------------------------------------------------------------
BRAIN = """
#include <windows.h>
#include "..\\skelet\\pisqpipe.h"
const char *infotext = "name=\\"first\\"";
static int stones[400];
void brain_init() { memset(stones, 0, sizeof stones); pipeOut(width > 12 ? "ERROR too large" : "OK"); }
void brain_restart() { brain_init(); }
void brain_my(int x, int y) { stones[y * 20 + x] = 1; }
void brain_opponents(int x, int y) { stones[y * 20 + x] = 2; }
void brain_block(int x, int y) { stones[y * 20 + x] = 3; }
int brain_takeback(int x, int y) { int had = stones[y * 20 + x]; stones[y * 20 + x] = 0; return had ? 0 : 2; }
void brain_end() {}
void brain_turn() {
    int x = 0;
    while (stones[x]) x++;
    pipeOut("DEBUG %d ms, rule %d%d", min(info_timeout_turn, info_time_left / 7), info_exact5, info_renju);
    if (GetTickCount() - start_time < 60000 && !terminateAI) do_mymove(x, 0);
}
"""


@pytest.fixture(scope="module")
def brain(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built from a source as brains for Windows are written."""
    if shutil.which("g++") is None:
        pytest.skip("there is no g++ to build a brain with")
    folder = tmp_path_factory.mktemp("brain")
    (folder / "first.cpp").write_text(BRAIN)
    (folder / "pisqpipe.cpp").write_text("#error of Windows alone")
    program = folder / "built" / "pbrain-first"
    subprocess.run(["sh", TOOLS / "brains" / "build.sh", folder, program], check=True)
    return program


def answers(program: Path, *lines: str) -> list[str]:
    said = subprocess.run([program], input="\n".join([*lines, ""]), capture_output=True, text=True, check=True, timeout=60)
    return said.stdout.splitlines()


def test_a_brain_for_windows_speaks_the_protocol_here(brain: Path) -> None:
    assert answers(brain, "BEGIN", "ABOUT", "START 20", "START 4", "NONSENSE") == [
        "ERROR no game has been started", 'name="first"', "ERROR too large", "ERROR the board is too small", "UNKNOWN command",
    ]  # fmt: skip
    assert answers(brain, "start 12\r", "INFO timeout_turn 700", "INFO rule 1", "BEGIN", "TURN 1,0", "END", "BEGIN") == [
        "OK", "DEBUG 700 ms, rule 10", "0,0", "DEBUG 700 ms, rule 10", "2,0",
    ]  # fmt: skip
    assert answers(brain, "START 12", "INFO time_left 70", "BOARD", "0,0,2", "12,0,1", "1,0,1", "2,0,3", "DONE") == [
        "OK", "ERROR this is no stone of the board", "DEBUG 10 ms, rule 00", "3,0",
    ]  # fmt: skip
    assert answers(brain, "START 12", "PLAY 4,4", "TAKEBACK 4,4", "TAKEBACK 4,4", "TURN 12,1", "RESTART") == [
        "OK", "4,4", "OK", "UNKNOWN this stone cannot be taken back", "ERROR this is no cell of the board", "OK",
    ]  # fmt: skip


def test_a_brain_plays_whole_games_without_a_fault(brain: Path) -> None:
    game = find_game("gomoku:size=12")
    rival, other = find_player(f"engine:gomocup,patience=60:'{brain}'", game), find_player("random", game)
    try:
        records = [play_game((rival, other), Position(game), seed=seed) for seed in range(3)]
    finally:
        rival.close()
    assert [record.remark for record in records] == ["", "", ""]


def test_a_folder_that_is_not_there_is_refused_in_one_sentence(tmp_path: Path) -> None:
    command = ["sh", *map(str, (TOOLS / "brains" / "build.sh", tmp_path / "none", tmp_path / "brain"))]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode == 2 and ended.stderr == f"There is no folder '{tmp_path / 'none'}' with the sources of a brain.\n"
