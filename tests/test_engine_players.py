"""Other programs as players: their names, and what happens when they crash, stay silent, are slow or cheat."""

import json
import os
import re
import shlex
import subprocess
import sys
import time
from itertools import pairwise
from pathlib import Path

import pytest
from brain_program import brain_program
from engine_helpers import ENGINE, on_linux, wait_until

from boardzero.arena.clock import Clock
from boardzero.arena.game import play_game
from boardzero.arena.match import Match, MatchResult, MatchSettings
from boardzero.cli.main import app
from boardzero.errors import BadInput
from boardzero.games.catalogue import find_game
from boardzero.games.position import Position
from boardzero.players import engine_lines
from boardzero.players.catalogue import find_player
from boardzero.players.engine import EnginePlayer
from boardzero.players.engine_process import EngineFault, EngineSilence, ProcessTransport

GOMOKU = find_game("gomoku:size=7")


def match_with(command: str, settings: str = ",patience=60", games: int = 4, clock: Clock | None = None) -> MatchResult:
    players = (find_player(f"engine:gomocup{settings}:{command}", GOMOKU), find_player("random", GOMOKU))
    try:
        return Match(players, MatchSettings(games=games, clock=clock or Clock())).play()
    finally:
        players[0].close()


# -- names -------------------------------------------------------------------------------------------------------------
def test_the_command_is_all_that_stands_behind_the_second_colon(tmp_path: Path) -> None:
    command = brain_program(tmp_path)
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
    result = match_with(brain_program(tmp_path))
    assert result.faults == [] and result.total.games == 4


SUGGESTS = "print(f'SUGGEST {x},{y}', flush=True); said = sys.stdin.readline().split(); assert said[0] == 'PLAY'"


def test_a_move_that_is_only_suggested_is_made_when_it_is_confirmed(tmp_path: Path) -> None:
    result = match_with(brain_program(tmp_path, f"{SUGGESTS}; x, y = map(int, said[1].split(','))"))
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
    result = match_with(brain_program(tmp_path, answer), games=2)
    assert len(result.faults) == 2 and all(sentence in fault for fault in result.faults), result.faults


def test_a_brain_is_told_the_time_that_is_really_left_before_every_move(tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    command = brain_program(tmp_path, "time.sleep(0.05)", f"print(line.strip(), file=open({str(notes)!r}, 'a'))")
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
    result = match_with(brain_program(tmp_path, fault))
    assert result.total.games == 4 and result.total.losses == 4
    assert all(record.reason == reason and sentence in record.remark for record in result.records), result.faults


def test_a_silent_engine_loses_on_time_and_plays_again(tmp_path: Path) -> None:
    begun = time.perf_counter()
    result = match_with(brain_program(tmp_path, "turns > 1 and time.sleep(600)"), ",seconds=0.1,patience=0.3", games=2)
    assert [record.reason for record in result.records] == ["time", "time"]
    assert all("gave no answer within" in fault for fault in result.faults)
    assert time.perf_counter() - begun < 120


def test_an_engine_that_talks_without_end_and_never_moves_loses_its_games(tmp_path: Path) -> None:
    chatter = "while turns > 1: print('MESSAGE still thinking', flush=True)"
    begun = time.perf_counter()
    result = match_with(brain_program(tmp_path, chatter), ",seconds=0.1,patience=1", games=2)
    assert result.total.losses == 2 and time.perf_counter() - begun < 120
    assert all(re.search("no answer within|lines that were no answer", fault) for fault in result.faults), result.faults


def test_more_lines_than_anybody_reads_are_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("boardzero.players.engine_process.MOST_UNREAD", 50)
    transport = ProcessTransport(shlex.join([sys.executable, "-c", "while True: print('MESSAGE')"]))
    try:
        assert wait_until(lambda: transport._lines.qsize() == 52)  # one more, and that it is not listened to any longer
        transport.forget()
        with pytest.raises(EngineFault, match="said more than 50 lines"):
            transport.receive(60)
    finally:
        transport.close()


def test_a_line_that_came_in_time_is_an_answer_however_late_it_is_read() -> None:
    transport = ProcessTransport(shlex.join([sys.executable, "-c", "print('early', flush=True); input(); print('late')"]))
    try:
        assert wait_until(lambda: transport._lines.qsize() == 1)
        time.sleep(0.2)
        assert transport.receive(-0.1) == "early"
        transport.send("")
        assert wait_until(lambda: transport._lines.qsize() > 0)
        with pytest.raises(EngineSilence, match="no answer within 0 seconds"):
            transport.receive(-60)
    finally:
        transport.close()


def test_a_slow_engine_loses_on_the_clock(tmp_path: Path) -> None:
    result = match_with(brain_program(tmp_path, "turns > 1 and time.sleep(0.6)"), games=2, clock=Clock(per_move=0.4))
    assert [record.reason for record in result.records] == ["time", "time"]
    assert all("took" in fault and "had 0.4" in fault for fault in result.faults)


def test_an_engine_that_never_speaks_is_reported(tmp_path: Path) -> None:
    result = match_with("false", games=2)
    assert len(result.faults) == 2 and all("ended with code 1" in fault for fault in result.faults)


def test_no_program_is_left_behind(tmp_path: Path) -> None:
    note = tmp_path / "pid"
    command = brain_program(tmp_path, f"open({str(note)!r}, 'w').write(str(__import__('os').getpid()))")
    player = find_player(f"engine:gomocup:{command}", GOMOKU)
    player.choose(Position(GOMOKU))
    pid = int(note.read_text())
    os.kill(pid, 0)
    player.close()
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_engines_are_rated_and_their_faults_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    note = tmp_path / "pids"
    noted = f"print(os.getpid(), file=open({str(note)!r}, 'a'))"
    command = brain_program(tmp_path, "turns > 1 and sys.exit('out of stones')", begun=noted)
    names = ["random", f"engine:gomocup,patience=60:{command}"]
    words = ["--game", GOMOKU.specification, "--no-anchors", "--games", "4", "--file", str(tmp_path / "games.jsonl")]
    app(["rate", *names, *words, "--json"], standalone_mode=False)
    answer = json.loads(capsys.readouterr().out)
    assert {one["name"] for one in answer["players"]} == {names[0], names[1].replace("60", "60.0")}
    assert len(answer["faults"]) == answer["games"] >= 4 and all("out of stones" in fault for fault in answer["faults"])
    for pid in note.read_text().split():
        with pytest.raises(ProcessLookupError):
            os.kill(int(pid), 0)


@pytest.mark.parametrize("command", ["match", "tournament", "play"])
def test_engines_play_in_every_command(tmp_path: Path, capsys: pytest.CaptureFixture[str], command: str) -> None:
    name = f"engine:gomocup,patience=60:{brain_program(tmp_path)}"
    words = ["--first", name, "--second", "random"] if command == "play" else [name, "random", "--games", "2"]
    app([command, GOMOKU.specification, *words], standalone_mode=False)
    shown = " ".join(capsys.readouterr().out.split())
    assert "engine:gomocup" in shown and "fault" not in shown


# -- whose time it is --------------------------------------------------------------------------------------------------
class SlowStream:
    """Lines that come after so many seconds each."""

    def __init__(self, *seconds: float) -> None:
        self._seconds = iter(seconds)

    def readline(self, limit: int = -1) -> bytes:
        time.sleep(next(self._seconds))
        return b"line\n"


def test_a_line_came_when_its_reader_could_have_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the reader waited for a core before it began to sleep for a line does not count; if it did not sleep, it does."""
    waited = iter((1.0, 1.0, 1.3, 1.3, 1.3, 9.3, 9.4, 9.6, 10.6))  # at first; then before and after each line
    monkeypatch.setattr(engine_lines, "seconds_without_core", lambda: next(waited))
    lines = engine_lines.lines_with_moments(SlowStream(0.4, 0.1, 0.25, 0.0))
    for waiting in (0.3, 0.0, 0.1, 1.2):
        earliest, (_, moment), latest = time.perf_counter(), next(lines), time.perf_counter()
        assert earliest - 1e-6 <= moment + waiting <= latest + 1e-6


@on_linux
def test_the_system_tells_how_long_a_thread_waited_for_a_core() -> None:
    before = engine_lines.seconds_without_core()
    time.sleep(0.05)  # is no waiting for a core
    assert 0 <= before <= engine_lines.seconds_without_core()


def test_an_engine_is_not_charged_for_our_own_waiting(tmp_path: Path) -> None:
    """A clock of 3 s, and a manager that gets to read the first answer 3.5 s after it came."""
    player = find_player(f"engine:gomocup:{brain_program(tmp_path)}", GOMOKU)
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
