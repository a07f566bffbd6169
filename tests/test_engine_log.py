"""Games of engines in the game log: what a session reports, what becomes of it, and the real processes."""

import io
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from engine_helpers import Talk, ThinkingThread
from storage_helpers import games_in, random_position

from boardzero.cli.main import main
from boardzero.engines.game_reports import GameReport, write_reports
from boardzero.engines.gomocup import GomocupSession
from boardzero.engines.gtp import GtpSession
from boardzero.engines.nboard import NBoardSession
from boardzero.engines.reported_games import NOT_TOLD, record_of_report
from boardzero.games.catalogue import find_game
from boardzero.games.position import Position
from boardzero.storage.entries import StoredGame
from boardzero.storage.places import DATABASE_VARIABLE

ROW = [(x, 0) for x in range(5)]  # a five of ours in the first row
BELOW = [(x, 1) for x in range(5)]


def stones(own: list[tuple[int, int]], others: list[tuple[int, int]]) -> GameReport:
    """We begin, and the sides alternate."""
    pairs = zip(own, [*others, None], strict=False)
    listed = [(*point, mine) for pair in pairs for point, mine in zip(pair, (True, False), strict=True) if point is not None]
    return {"size": 5, "rule": "freestyle", "stones": listed}


# -- what becomes of a report ------------------------------------------------------------------------------------------
def test_a_game_that_we_have_won_is_a_record_with_both_sides_named() -> None:
    record = record_of_report(stones(ROW, BELOW[:4]), "mcts")
    assert record is not None and record.game == "gomoku:size=5" and record.plies == 9
    assert (record.players, record.result, record.reason) == (("mcts", "opponent"), "first", "rules")


def test_a_winning_move_that_the_manager_did_not_tell_is_taken_to_have_been_made() -> None:
    record = record_of_report(stones([*ROW[:4], (4, 4)], BELOW[:4]), "mcts")  # the opponent is to move, and has four
    assert record is not None and record.plies == 9
    assert (record.result, record.reason, record.remark) == ("second", "stopped", NOT_TOLD)


def test_a_game_that_nobody_could_end_is_unfinished() -> None:
    record = record_of_report(stones(ROW[:3], BELOW[:2]), "mcts")
    assert record is not None and (record.result, record.reason, record.remark) == ("unfinished", "stopped", "")


def test_our_own_win_is_not_taken_to_have_been_made() -> None:
    record = record_of_report(stones(ROW[:4], BELOW[:4]), "mcts")
    assert record is not None and record.result == "unfinished"


def test_stones_that_were_set_up_are_the_start() -> None:
    listed = [(0, 0, False), (1, 0, False), (0, 1, True), (1, 1, True), (2, 0, False), (2, 1, True)]
    record = record_of_report({"size": 7, "rule": "standard", "stones": listed}, "mcts")
    assert record is not None and record.game == "gomoku:size=7,rule=standard"
    assert record.plies == 3 and record.players == (
        "opponent",
        "mcts",
    )  # four stones do not alternate: the first three are given
    assert Position(find_game(record.game), record.moves, board=record.start).board.startswith("XXX..../OOO....")


@pytest.mark.parametrize("listed", [[], [(0, 0, True), (1, 0, True), (2, 0, True)]])
def test_what_is_no_game_is_not_recorded(listed: list[Any]) -> None:
    assert record_of_report({"size": 7, "rule": "freestyle", "stones": listed}, "mcts") is None


@pytest.mark.parametrize("seed", range(5))
def test_positions_come_back_as_they_were_played(seed: int) -> None:
    position = random_position("othello", seed)
    report = {"game": "othello", "start": Position(position.game).board, "moves": position.moves, "own": [1]}
    record = record_of_report(json.loads(json.dumps(report)), "minimax")
    assert record is not None and record.moves == position.moves and record.players == ("opponent", "minimax")
    assert record.winner == position.winner and record.reason == "rules"


# -- what sessions report ----------------------------------------------------------------------------------------------
def gomocup(reports: list[GameReport]) -> Talk:
    return Talk(lambda answer: GomocupSession(answer, ThinkingThread("random"), 0.2, reports.append))


def gtp(reports: list[GameReport], game: str = "tictactoe") -> Talk:
    return Talk(lambda answer: GtpSession(answer, ThinkingThread("random"), find_game(game), 0.2, reports.append))


def nboard(reports: list[GameReport]) -> Talk:
    return Talk(lambda answer: NBoardSession(answer, ThinkingThread("random"), 0.2, reports.append))


def test_a_brain_reports_a_game_when_the_next_begins_and_at_the_end() -> None:
    reports: list[GameReport] = []
    talk = gomocup(reports)
    talk.say("START 7", "BEGIN", "RESTART")
    assert [len(report["stones"]) for report in reports] == [1]
    move = (0, 0) if talk.last("TURN 3,3") != "0,0" else (6, 6)
    talk.say("TURN {},{}".format(*move))
    talk.session.close()
    assert len(reports) == 2 and [own for _, _, own in reports[1]["stones"]] == [False, True, False, True]


def test_a_board_that_is_told_again_with_a_move_more_is_the_same_game() -> None:
    reports: list[GameReport] = []
    talk = gomocup(reports)
    answer = talk.last("START 7", "BOARD", "3,3,2", "DONE")
    other = "0,0" if answer != "0,0" else "6,6"
    talk.say("BOARD", "3,3,2", f"{answer},1", f"{other},2", "DONE")
    assert reports == []
    talk.say("BOARD", "1,1,2", "DONE")
    assert [len(report["stones"]) for report in reports] == [4]


def test_a_gtp_engine_reports_each_game_once() -> None:
    reports: list[GameReport] = []
    talk = gtp(reports)
    talk.say("play black b2", "genmove white", "undo", "genmove white", "clear_board")
    assert [(report["own"], len(report["moves"].split())) for report in reports] == [([1], 2)]
    while not talk.session.position.over:  # type: ignore[attr-defined]
        talk.say("genmove black", "genmove white")
    assert len(reports) == 2 and reports[1]["own"] == [0, 1]
    talk.say("final_score", "boardsize 3", "clear_board")
    talk.session.close()
    assert len(reports) == 2


def test_games_that_a_gtp_engine_does_not_move_in_are_not_reported() -> None:
    reports: list[GameReport] = []
    talk = gtp(reports)
    talk.say("play black b2", "reg_genmove white", "play white a1", "clear_board", "quit")
    talk.session.close()
    assert reports == []


def test_nboards_games_are_told_apart_and_the_last_answer_counts() -> None:
    reports: list[GameReport] = []
    talk = nboard(reports)
    begun = "(;GM[Othello]PC[NBoard]TY[8]BO[8 ---------------------------O*------*O--------------------------- *]{};)"
    talk.say(f"set game {begun.format('')}", "move F5", "go")
    talk.say(f"set game {begun.format('B[F5]')}")
    assert reports == []
    talk.say("go", f"set game {begun.format('')}")
    assert [report["own"] for report in reports] == [[1]]
    assert reports[0]["moves"].split()[0] == "f5" and len(reports[0]["moves"].split()) == 2
    talk.say("move D3", "hint 1")
    talk.session.close()
    assert len(reports) == 1


# -- the writer --------------------------------------------------------------------------------------------------------
def written(database: str, *reports: GameReport, player: str | None = "mcts") -> None:
    header = {"database": database, "protocol": "gomocup", "player": player}
    lines = [json.dumps(content).encode() for content in (header, *reports)]
    write_reports(io.BytesIO(b"\n".join(lines) + b'\n{"size": 5, "sto'))  # the last line is torn


def test_the_writer_enters_games_with_players_result_and_source(tmp_path: Path) -> None:
    database = str(tmp_path / "games.sqlite")
    earlier = {**stones(ROW[:3], BELOW[:2]), "ended": "2031-01-31T12:00:00Z"}
    written(database, stones(ROW, BELOW[:4]), earlier, player=None)
    games = games_in(database)
    assert {(game.record.players, game.source) for game in games} == {(("boardzero", "opponent"), "engine:gomocup")}
    assert sorted(game.record.result for game in games) == ["first", "unfinished"]
    assert [game.record.ended for game in games if game.record.result == "unfinished"] == ["2031-01-31T12:00:00Z"]


@pytest.mark.parametrize("database", ["postgresql://me@127.0.0.1:1/games", "postgresql://me@nowhere.invalid/games"])
def test_games_are_kept_for_a_database_that_is_down(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], database: str
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    written(database, stones(ROW, BELOW[:4]))
    (kept,) = tmp_path.rglob("rows.jsonl")
    assert json.loads(kept.read_text())["values"]["result"] == "first"
    assert "does not answer" in capsys.readouterr().err


def test_nothing_is_loaded_for_the_log_before_a_game_is_over() -> None:
    script = "import io, sys; from boardzero.engines.game_reports import write_reports; write_reports(io.BytesIO(b'{}\\n'));"
    script += "print([name for name in ('numpy', 'numba', 'sqlalchemy') if name in sys.modules])"
    assert subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout == "[]\n"


# -- the whole ---------------------------------------------------------------------------------------------------------
def wait_for_games(database: str, count: int) -> list[StoredGame]:
    until = time.monotonic() + 180
    while len(games := games_in(database)) < count and time.monotonic() < until:
        time.sleep(0.2)
    return games


@pytest.mark.parametrize(
    ("protocol", "lines", "moves"),
    [
        ("gomocup", ["INFO timeout_turn 300", "START 5", "BEGIN"], 1),
        ("gtp", ["set_game tictactoe", "play b b2", "genmove w", "quit"], 2),
        ("nboard", ["nboard 2", "set depth 1", "move F5", "go"], 2),
    ],
)
def test_an_engine_that_ends_at_once_leaves_its_game_in_the_log(
    tmp_path: Path, protocol: str, lines: list[str], moves: int
) -> None:
    database = str(tmp_path / "games.sqlite")
    words = ["engine", protocol, "--player", "random", "--seconds", "0.2", "--database", database]
    command = [sys.executable, "-c", "from boardzero.cli.main import main; main()", *words]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdin is not None and process.stdout is not None
    if protocol != "gtp":  # the other two answer nothing more once they are told to end
        process.stdin.write("\n".join(lines) + "\n")
        process.stdin.flush()
        while not process.stdout.readline().startswith(("===", "2,2")):
            pass
        lines = ["quit" if protocol == "nboard" else "END"]
    process.communicate("\n".join(lines) + "\n", timeout=180)
    (game,) = wait_for_games(database, 1)
    assert game.source == f"engine:{protocol}" and game.record.plies == moves
    assert set(game.record.players) == {"random", "opponent"} and game.record.result == "unfinished"


@pytest.mark.parametrize("protocol", ["gomocup", "gtp", "nboard"])
@pytest.mark.parametrize("named", [True, False])
def test_a_log_that_cannot_be_is_refused_before_the_conversation(
    protocol: str, named: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(DATABASE_VARIABLE, "mysql://somewhere/games")
    words = ["--database", os.environ[DATABASE_VARIABLE]] if named else ["--log"]
    monkeypatch.setattr(sys, "argv", ["boardzero", "engine", protocol, *words])
    with pytest.raises(SystemExit) as ended:
        main()
    told = capsys.readouterr().err
    assert ended.value.code == 2 and "mysql" in told and told.count("\n") == 1
