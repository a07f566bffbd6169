"""`boardzero engine`: standard streams, the socket, the relay, and the process that thinks."""

import os
import re
import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest
from engine_helpers import ENGINE, on_linux, wait_until

from boardzero.cli.main import main
from boardzero.engines.gomocup import GomocupSession
from boardzero.engines.thinking_process import ThinkingProcess
from boardzero.players.catalogue import player_class
from boardzero.players.engine import DIALOGUES
from boardzero.players.engine_name import PROTOCOLS, EngineParameters
from boardzero.players.parameters import DEEPEST_LOOK, USUAL_NODES
from boardzero.players.specifications import MACHINES, PARAMETERS
from boardzero.search.alphabeta_table import DEEPEST
from boardzero.search.rollouts import DEFAULT_CAPACITY
from boardzero.settings.specification import Parameters

TOOLS = Path(__file__).parents[1] / "tools"


# -- the command, the socket and the relay -----------------------------------------------------------------------------


def boardzero(*arguments: str) -> "subprocess.Popen[str]":
    pipe = subprocess.PIPE
    return subprocess.Popen([*ENGINE, *arguments], stdin=pipe, stdout=pipe, stderr=pipe, text=True)


def test_the_brain_answers_over_standard_streams_and_ends_at_end() -> None:
    process = boardzero("gomocup", "--player", "heuristic")
    assert process.stdin and process.stdout
    begun = time.perf_counter()
    process.stdin.write("START 15\r\nINFO timeout_turn 900\r\nBEGIN\r\n")
    process.stdin.flush()
    assert process.stdout.readline() == "OK\n" and process.stdout.readline() == "7,7\n"
    assert time.perf_counter() - begun < 60
    process.stdin.write("INFO timeout_turn 600000\r\nTURN 8,8\r\nEND\r\n")
    process.stdin.flush()
    assert process.wait(60) == 0


def test_bad_options_are_refused_with_one_sentence() -> None:
    for arguments in (("gomocup", "--player", "nobody"), ("gtp", "--game", "chess"), ("gomocup", "--listen", "99999")):
        process = boardzero(*arguments)
        output, complaint = process.communicate()
        assert process.returncode == 2 and output == "" and complaint.count("\n") == 1, complaint


@pytest.mark.parametrize("protocol", ["gomocup", "gtp", "nboard"])
def test_players_that_can_never_play_are_refused_at_once(
    protocol: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    for player, sentence in (
        ("heuristic:simz=5", "heuristic has no parameter 'simz' (did you mean 'sims'?)"),
        ("minimax:depth=0", "depth should be greater"),
        ("alphazero:network=/nowhere/net.onnx", "There is no network file '/nowhere/net.onnx'"),
        (f"alphazero:network={tmp_path}", "There is no network in"),
        ("engine:gtp:no-such-program", "There is no program 'no-such-program'"),
        ("human", "'human' cannot think for an engine"),
    ):
        monkeypatch.setattr(sys, "argv", ["boardzero", "engine", protocol, "--player", player])
        with pytest.raises(SystemExit) as ended:
            main()
        told = capsys.readouterr().err
        assert ended.value.code == 2 and sentence in told and told.count("\n") == 1, told


def test_players_are_checked_without_loading_what_plays() -> None:
    code = (
        "import sys; from boardzero.players.specifications import check_machine; check_machine('heuristic:sims=5');"
        "sys.exit(bool({'numpy', 'numba', 'onnxruntime', 'torch'} & sys.modules.keys()))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_the_parameters_that_are_checked_are_those_of_the_players() -> None:
    for name in MACHINES:
        if name != "engine":
            assert PARAMETERS.get(name, Parameters) is player_class(name).Parameters
    assert player_class("engine").Parameters is EngineParameters and set(DIALOGUES) == set(PROTOCOLS)
    assert DEEPEST_LOOK == DEEPEST and USUAL_NODES == DEFAULT_CAPACITY


@pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler")
@pytest.mark.skipif(os.name != "posix", reason="the native build is for Unix")
def test_the_relay_passes_lines_to_a_listening_brain(tmp_path: Path) -> None:
    relay = tmp_path / "pbrain-boardzero"
    source = TOOLS / "relay" / "pbrain-boardzero.c"
    subprocess.run(["cc", "-O2", "-Wall", "-Werror", "-o", relay, source, "-lpthread"], check=True)
    server = boardzero("gomocup", "--player", "heuristic", "--listen", "0")
    try:
        assert server.stdout
        port = server.stdout.readline().rsplit(":", 1)[1].strip(" .\n")
        (tmp_path / "pbrain-boardzero.port").write_text(f"{port}\n")  # beside the program, wherever that is started
        talking = [subprocess.Popen(relay, stdin=-1, stdout=-1, text=True, cwd="/") for _ in range(2)]
        for one in talking:  # two brains at once, as in a game of boardzero against itself
            assert one.stdin and one.stdout
            one.stdin.write("START 9\r\nBEGIN\r\n")
            one.stdin.flush()
            assert one.stdout.readline() == "OK\n" and one.stdout.readline() == "4,4\n"
        for one in talking:
            one.communicate("END\r\n", timeout=60)
            assert one.returncode == 0
    finally:
        server.kill()
        server.wait()


@pytest.mark.skipif(shutil.which("x86_64-w64-mingw32-gcc") is None, reason="mingw-w64 is not installed")
def test_the_relay_builds_for_windows(tmp_path: Path) -> None:
    source = TOOLS / "relay" / "pbrain-boardzero.c"
    target = tmp_path / "pbrain-boardzero.exe"
    subprocess.run(
        ["x86_64-w64-mingw32-gcc", "-O2", "-Wall", "-Werror", "-static", "-o", target, source, "-lws2_32"], check=True
    )
    assert target.read_bytes()[:2] == b"MZ"


@pytest.mark.skipif(os.name != "posix", reason="the script is for Unix")
def test_the_install_script_makes_a_brain_that_starts_anywhere(tmp_path: Path) -> None:
    folder = tmp_path / "two words"
    environment = {**os.environ, "PYTHON": sys.executable, "WARM": "no"}
    done = subprocess.run(
        ["sh", TOOLS / "install-pbrain.sh", folder], env=environment, cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert f"Installed {folder}/pbrain-boardzero." in done.stdout
    assert (folder / "pbrain-boardzero.exe").exists() == (shutil.which("x86_64-w64-mingw32-gcc") is not None)
    (tmp_path / "random.py").write_text("raise SystemExit('a file of the folder in which a manager starts brains')")
    brain_process = subprocess.Popen(folder / "pbrain-boardzero", stdin=-1, stdout=-1, text=True, cwd=tmp_path)
    assert brain_process.stdin and brain_process.stdout
    brain_process.stdin.write("ABOUT\n")
    brain_process.stdin.flush()
    assert brain_process.stdout.readline().startswith('name="boardzero"')
    brain_process.communicate("END\n", timeout=60)
    assert brain_process.returncode == 0
    without = subprocess.run(
        ["sh", TOOLS / "install-pbrain.sh", tmp_path / "none"],
        env={**environment, "PYTHON": shutil.which("false") or ""},
        capture_output=True,
        text=True,
        check=False,
    )
    assert without.returncode == 1 and "boardzero is not installed for" in without.stderr and not (tmp_path / "none").exists()


def test_a_port_in_use_is_refused() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        process = boardzero("gomocup", "--listen", str(taken.getsockname()[1]))
        _, complaint = process.communicate()
    assert process.returncode == 2 and "cannot be listened to" in complaint


# -- the process that thinks -------------------------------------------------------------------------------------------


def children(pid: int) -> list[int]:
    return [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def megabytes_of(pid: int) -> float:
    """What a process takes."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(re.search(r"VmRSS:\s+(\d+) kB", status)[1]) / 1000  # type: ignore[index]


def has_ended(pid: int) -> bool:
    """Gone, or only waiting for its new parent to notice."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except (FileNotFoundError, ProcessLookupError):
        return True


@on_linux
@pytest.mark.parametrize("protocol", ["gomocup", "gtp", "nboard"])
def test_thinking_is_done_in_a_session_of_its_own_which_ends_with_the_engine(protocol: str) -> None:
    process = boardzero(protocol)
    assert wait_until(lambda: children(process.pid) != [])
    (thinker,) = children(process.pid)
    assert wait_until(lambda: os.getsid(thinker) == thinker) and os.getsid(process.pid) != thinker
    assert not has_ended(thinker)
    process.kill()  # nothing can be said any more
    process.wait()
    assert wait_until(lambda: has_ended(thinker))


@on_linux
def test_both_processes_stay_within_the_memory_that_the_manager_allows() -> None:
    """350 MB, as at Gomocup: the tree would grow by far more than what is left of that in three moves of 1.5 s."""
    process = boardzero("gomocup", "--player", "heuristic")
    assert process.stdin and process.stdout
    process.stdin.write("START 15\nINFO max_memory 350000000\nINFO timeout_turn 1500\n")
    process.stdin.flush()
    assert process.stdout.readline() == "OK\n"
    moves = 0
    for point in ("0,0", "14,14", "0,14"):
        process.stdin.write(f"TURN {point}\n")
        process.stdin.flush()
        while not (line := process.stdout.readline()).strip().replace(",", "").isdecimal():
            assert line.startswith("DEBUG")
        moves += 1
    taken = sum(megabytes_of(pid) for pid in (process.pid, *children(process.pid)))
    process.communicate("END\n", timeout=60)
    assert moves == 3 and 50 < taken < 350


@pytest.mark.parametrize(
    ("protocol", "lines", "answer"),
    [
        ("gtp", "time_settings 0 600 1\ngenmove b\nquit\n", r"=\n\n= (D3|C4|F5|E6)\n\n=\n\n"),
        ("nboard", "go\nquit\n", r"status boardzero is thinking\n=== (D3|C4|F5|E6)/-?[\d.]+/[\d.]+\nstatus\n"),
    ],
    ids=["gtp", "nboard"],
)
def test_the_process_that_thinks_answers_for_othello(protocol: str, lines: str, answer: str) -> None:
    output, complaint = boardzero(protocol, "--player", "minimax:depth=2").communicate(lines, timeout=120)
    assert re.fullmatch(answer, output) and complaint == ""


def test_the_process_that_answers_gomocup_managers_needs_the_standard_library_alone() -> None:
    code = "import sys, boardzero.engines.gomocup; sys.exit(bool({'numpy', 'numba', 'pydantic'} & sys.modules.keys()))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_thinker_that_died_is_replaced() -> None:
    answers: list[str] = []
    process = ThinkingProcess("heuristic:sims=20")
    session = GomocupSession(answers.append, process, seconds=600)
    try:
        session.take("START 9", time.perf_counter())
        process._process.kill()
        assert wait_until(lambda: process._has_ended)
        session.take("TURN 4,4", time.perf_counter())
        assert answers[0] == "OK" and len(answers) == 2 and process.is_ready
    finally:
        session.close()
