"""Other programs as players: their names, and what happens when they crash, stay silent, are slow or cheat."""

import os
import re
import shlex
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest

from boardzero.arena.clock import Clock
from boardzero.arena.game import play_game
from boardzero.arena.match import Match, MatchResult, MatchSettings
from boardzero.cli.main import main
from boardzero.engines.gomocup import GomocupSession
from boardzero.engines.thinking_process import ThinkingProcess
from boardzero.errors import BadInput
from boardzero.games.catalogue import find_game
from boardzero.games.position import Position
from boardzero.players import engine_lines
from boardzero.players.catalogue import find_player, player_class
from boardzero.players.engine import DIALOGUES, EnginePlayer
from boardzero.players.engine_name import PROTOCOLS, EngineParameters
from boardzero.players.parameters import DEEPEST_LOOK, USUAL_NODES
from boardzero.players.specifications import MACHINES, PARAMETERS
from boardzero.search.alphabeta_table import DEEPEST
from boardzero.search.rollouts import DEFAULT_CAPACITY
from boardzero.settings.specification import Parameters

GOMOKU = find_game("gomoku:size=7")
TOOLS = Path(__file__).parents[1] / "tools"
BRAIN = """
import sys, time
board, turns = set(), 0
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


def brain(folder: Path, fault: str = "pass", heard: str = "pass") -> str:
    """A program that plays the first free cell, with a fault; what it hears may be noted."""
    path = folder / "brain: one, two.py"  # colons, commas and spaces
    path.write_text(BRAIN.format(fault=fault, heard=heard))
    return f"'{sys.executable}' '{path}'"


def match_with(command: str, settings: str = ",patience=60", games: int = 4, clock: Clock | None = None) -> MatchResult:
    players = (find_player(f"engine:gomocup{settings}:{command}", GOMOKU), find_player("random", GOMOKU))
    try:
        return Match(players, MatchSettings(games=games, clock=clock or Clock())).play()
    finally:
        players[0].close()


# -- names -------------------------------------------------------------------------------------------------------------
def test_the_command_is_all_that_stands_behind_the_second_colon(tmp_path: Path) -> None:
    command = brain(tmp_path)
    player = find_player(f"engine:gomocup,seconds=2,patience=3:{command}", GOMOKU)
    assert isinstance(player, EnginePlayer)
    assert (player.protocol, player.command, player.parameters.seconds) == ("gomocup", command, 2)
    assert player.specification == f"engine:gomocup,seconds=2.0,patience=3.0:{command}"
    assert find_player(player.specification, GOMOKU).specification == player.specification


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("engine", "lacks a command"),
        ("engine:gomocup", "lacks a command"),
        ("engine:gomocup:", "needs a command"),
        ("engine:uci:cat", "There is no protocol 'uci'"),
        ("engine:gomocup:no-such-program --fast", "There is no program 'no-such-program'"),
        ("engine:gomocup:'cat", "cannot be split into words"),
        ("engine:gomocup,depth=3:cat", "has no parameter 'depth'"),
        ("engine:gomocup,patience=0:cat", "patience"),
        ("engine:nboard:cat", "cannot play gomoku"),
    ],
)
def test_what_cannot_be_an_engine_is_refused_with_a_sentence(name: str, sentence: str) -> None:
    with pytest.raises(BadInput, match=sentence):
        find_player(name, GOMOKU)


# -- faults ------------------------------------------------------------------------------------------------------------
def test_a_sound_engine_plays_its_games(tmp_path: Path) -> None:
    result = match_with(brain(tmp_path))
    assert result.faults == [] and result.total.games == 4


SUGGESTS = "print(f'SUGGEST {x},{y}', flush=True); said = sys.stdin.readline().split(); assert said[0] == 'PLAY'"


def test_a_move_that_is_only_suggested_is_made_when_it_is_confirmed(tmp_path: Path) -> None:
    result = match_with(brain(tmp_path, f"{SUGGESTS}; x, y = map(int, said[1].split(','))"))
    assert result.faults == [] and result.total.games == 4


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        ("print('SUGGEST 99,99', flush=True); sys.stdin.readline(); continue", "played 99,99, which is not on the board"),
        ("print('SUGGEST something', flush=True); continue", "answered 'SUGGEST something'"),
        (f"{SUGGESTS}; print('SUGGEST 0,0', flush=True); continue", "answered 'SUGGEST 0,0' to 'PLAY"),
        (f"{SUGGESTS}; sys.exit(3)", "ended with code 3, asked 'PLAY"),
    ],
)
def test_suggestions_that_lead_to_no_move_are_faults(tmp_path: Path, answer: str, sentence: str) -> None:
    result = match_with(brain(tmp_path, answer), games=2)
    assert len(result.faults) == 2 and all(sentence in fault for fault in result.faults), result.faults


def test_a_brain_is_told_the_time_that_is_really_left_before_every_move(tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    command = brain(tmp_path, "time.sleep(0.05)", f"print(line.strip(), file=open({str(notes)!r}, 'a'))")
    match_with(command, games=2, clock=Clock(per_game=60))
    lines = [line for line in notes.read_text().splitlines() if line.split()[0] in ("INFO", "TURN", "BEGIN", "BOARD")]
    left = [int(line.split()[2]) for line in lines if line.startswith("INFO time_left")]
    assert left[0] == 2**31 - 1 and left.count(60_000) == 2  # before the clock is known, and when each of two games begins
    for before, line in pairwise(lines[lines.index("INFO timeout_match 60000") :]):
        assert line.startswith("INFO") or before.startswith("INFO time_left")
    game = left[1 : 1 + left[1:].index(60_000, 1)]
    assert len(game) > 3 and game == sorted(game, reverse=True) and game[0] - game[-1] > 50, game


@pytest.mark.parametrize(
    ("fault", "reason", "sentence"),
    [
        ("turns > 1 and sys.exit('out of stones')", "failure", "ended with code 1 (out of stones)"),
        ("x, y = min(board) if board else (x, y)", "illegal move", "which is illegal"),
        ("x, y = (99, 99) if turns > 1 else (x, y)", "failure", "which is not on the board"),
        (
            "if turns > 1: print('let me think', flush=True); print('ERROR I give up', flush=True); continue",
            "failure",
            "no move",
        ),
    ],
)
def test_faulty_engines_lose_their_games_and_the_match_goes_on(tmp_path: Path, fault: str, reason: str, sentence: str) -> None:
    result = match_with(brain(tmp_path, fault))
    assert result.total.games == 4 and result.total.losses == 4
    assert all(record.reason == reason and sentence in record.remark for record in result.records), result.faults


def test_a_silent_engine_loses_on_time_and_plays_again(tmp_path: Path) -> None:
    begun = time.perf_counter()
    result = match_with(brain(tmp_path, "turns > 1 and time.sleep(600)"), ",seconds=0.1,patience=0.3", games=2)
    assert [record.reason for record in result.records] == ["time", "time"]
    assert all("gave no answer within" in fault for fault in result.faults)
    assert time.perf_counter() - begun < 120


def test_a_slow_engine_loses_on_the_clock(tmp_path: Path) -> None:
    result = match_with(brain(tmp_path, "turns > 1 and time.sleep(0.6)"), games=2, clock=Clock(per_move=0.4))
    assert [record.reason for record in result.records] == ["time", "time"]
    assert all("took" in fault and "had 0.4" in fault for fault in result.faults)


def test_an_engine_that_never_speaks_is_reported(tmp_path: Path) -> None:
    result = match_with("false", games=2)
    assert len(result.faults) == 2 and all("ended with code 1" in fault for fault in result.faults)


def test_no_program_is_left_behind(tmp_path: Path) -> None:
    note = tmp_path / "pid"
    command = brain(tmp_path, f"open({str(note)!r}, 'w').write(str(__import__('os').getpid()))")
    player = find_player(f"engine:gomocup:{command}", GOMOKU)
    player.choose(Position(GOMOKU))
    pid = int(note.read_text())
    os.kill(pid, 0)
    player.close()
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


# -- the command, the socket and the relay -----------------------------------------------------------------------------
ENGINE = [sys.executable, "-c", "from boardzero.cli.main import main; main()", "engine"]


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
    brain_process = subprocess.Popen(folder / "pbrain-boardzero", stdin=-1, stdout=-1, text=True, cwd="/")
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
on_linux = pytest.mark.skipif(not Path("/proc/self/schedstat").exists(), reason="Linux tells of processes under /proc")


def children(pid: int) -> list[int]:
    return [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def wait_until(true: Callable[[], bool]) -> bool:
    deadline = time.perf_counter() + 60
    while not true() and time.perf_counter() < deadline:
        time.sleep(0.02)
    return true()


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


# -- whose time it is --------------------------------------------------------------------------------------------------
def test_a_line_came_when_its_reader_could_have_run(monkeypatch: pytest.MonkeyPatch) -> None:
    waited = iter((1.0, 1.3, 1.3))
    monkeypatch.setattr(engine_lines, "seconds_without_core", lambda: next(waited))
    moments = engine_lines.moments_of_arrival()
    for waiting in (0.3, 0.0):
        earliest, moment, latest = time.perf_counter(), next(moments), time.perf_counter()
        assert earliest - waiting - 1e-6 <= moment <= latest - waiting + 1e-6


@on_linux
def test_the_system_tells_how_long_a_thread_waited_for_a_core() -> None:
    before = engine_lines.seconds_without_core()
    time.sleep(0.05)  # is no waiting for a core
    assert 0 <= before <= engine_lines.seconds_without_core()


def test_an_engine_is_not_charged_for_our_own_waiting(tmp_path: Path) -> None:
    """A clock of 3 s, and a manager that gets to read the first answer 3.5 s after it came."""
    player = find_player(f"engine:gomocup:{brain(tmp_path)}", GOMOKU)
    choose = player.choose
    delays = iter((3.5,))

    def choose_late(position: Position, seconds: float | None = None) -> int:
        action = choose(position, seconds)
        time.sleep(next(delays, 0.0))
        return action

    player.choose = choose_late  # type: ignore[method-assign]
    position = Position(GOMOKU, "a1 b1 a2 b2 a3 b3 a4 g7")
    try:
        record = play_game((player, find_player("random", GOMOKU)), position, clock=Clock(per_move=3))
    finally:
        player.close()
    assert next(delays, None) is None and record.reason == "rules" and sum(record.seconds) < 3.5, record


# -- a tight clock -----------------------------------------------------------------------------------------------------
@pytest.mark.slow
def test_two_brains_on_busy_cores_never_lose_on_time() -> None:
    """100 games at half a second a move, while two more processes keep the cores busy."""
    game = find_game("gomoku:size=13")
    command = shlex.join([*ENGINE, "gomocup"])
    players = [find_player(f"engine:gomocup:{command}", game) for _ in range(2)]
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(2)]
    try:
        result = Match((players[0], players[1]), MatchSettings(games=100, clock=Clock(per_move=0.5))).play()
    finally:
        for process in busy:
            process.kill()
        for player in players:
            player.close()
    assert result.faults == [] and result.total.games == 100
