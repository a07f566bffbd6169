"""`play`, `match`, `tournament` and `analyse` as a user types them."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from boardzero.arena.saved_games import position_of, read_games
from boardzero.cli.main import main

COMMAND = str(Path(sys.executable).with_name("boardzero"))


def boardzero(*arguments: str, said: str = "") -> subprocess.CompletedProcess[str]:
    """Run the installed command; `said` is what the person types."""
    return subprocess.run([COMMAND, *arguments], input=said, capture_output=True, text=True, timeout=300, check=False)


# -- play --------------------------------------------------------------------------------------------------------------
def test_a_person_plays_with_hints_undo_saving_and_slips(tmp_path: Path) -> None:
    half, whole = tmp_path / "half.jsonl", tmp_path / "whole.jsonl"
    typed = ["help", "moves", "44", "9", "undo", "hint", "4", "undo", "save", "1", f"save {half}", "resign"]
    run = boardzero("play", "connect4", "--second", "random", "--seed", "5", "--save", str(whole), said="\n".join(typed) + "\n")
    assert run.returncode == 0 and run.stderr == ""
    assert "take back your last move" in run.stdout  # help
    assert "1 2 3 4 5 6 7" in run.stdout  # moves
    assert "'44' is not a move of Connect Four" in run.stdout
    assert "'9' is not a move of Connect Four" in run.stdout
    assert "There is no move of yours to take back." in run.stdout
    assert " best (expected result" in run.stdout  # hint
    assert "O (random) plays" in run.stdout
    assert "save FILE" in run.stdout
    assert "O (random) won: the other side resigned." in run.stdout
    (saved,), _ = read_games(half)
    assert (saved.plies, saved.result) == (2, "unfinished")
    assert f"boardzero play connect4 --moves {saved.moves}\n" in run.stdout
    (record,), _ = read_games(whole)
    assert (record.players, record.result, record.reason, record.plies) == (("human", "random"), "second", "resignation", 2)
    assert record.moves.startswith("1")


def test_a_move_that_is_illegal_here_is_refused_and_asked_for_again() -> None:
    run = boardzero("play", "connect4", "--second", "human", "--moves", "111111", said="1\n2\n2\n3\n3\n5\nquit\n")
    assert "Move 7, 1, is illegal; X may play 2, 3, 4, 5, 6, 7." in run.stdout
    assert "The game stays unfinished after 11 moves" in run.stdout


def test_two_people_play_to_the_end() -> None:
    run = boardzero("play", "tictactoe", "--second", "human", said="a1\na2\nb1\nb2\nc1\n")
    assert run.returncode == 0
    assert "X (human) won." in run.stdout


def test_the_end_of_input_ends_the_game_politely() -> None:
    run = boardzero("play", "tictactoe", "--second", "random", said="a1\n")
    assert run.returncode == 0 and run.stderr == ""
    assert "The game stays unfinished after 2 moves" in run.stdout


def test_ctrl_c_ends_the_game_politely() -> None:
    process = subprocess.Popen(
        [COMMAND, "play", "tictactoe", "--second", "random"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    shown = ""
    while "your move" not in shown:
        shown += process.stdout.read(1)
    process.send_signal(signal.SIGINT)
    output, errors = process.communicate(timeout=180)
    assert process.returncode == 130 and errors == ""
    assert "The game stays unfinished after 0 moves." in output


def test_two_machines_show_their_game_from_a_board_and_a_seed_repeats_it() -> None:
    arguments = ["play", "tictactoe", "--first", "random", "--second", "random", "--board", "X.O/.X./O.. X", "--seed", "1"]
    run = boardzero(*arguments)
    assert run.returncode == 0, run.stderr
    assert run.stdout.count("(random) plays") >= 1
    assert run.stdout.rstrip().endswith(("won.", "The game is drawn."))
    assert boardzero(*arguments).stdout == run.stdout


# -- match and tournament ----------------------------------------------------------------------------------------------
def test_a_match_answers_in_json_and_saves_its_games(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    arguments = ["match", "connect4", "random", "random", "--games", "6", "--seed", "3", "--json", "--save", str(path)]
    run = boardzero(*arguments)
    assert run.returncode == 0 and run.stderr == ""
    answer = json.loads(run.stdout)
    assert answer["players"] == ["random", "random (2)"]
    assert answer["wins"] + answer["draws"] + answer["losses"] == answer["games"] == 6
    assert answer["moving_first"]["wins"] + answer["moving_second"]["wins"] == answer["wins"]
    assert answer["interval"][0] <= answer["score"] <= answer["interval"][1]
    assert sum(answer["pairs"].values()) == answer["openings"] == 3
    assert answer["sprt"] is None and answer["faults"] == []
    records, damaged = read_games(path)
    assert len(records) == 6 and not damaged
    assert all(position_of(record).over for record in records)
    boardzero(*arguments)
    records, _ = read_games(path)
    assert [record.moves for record in records[:6]] == [record.moves for record in records[6:]], "a seed repeats a match"


def test_a_match_for_people_shows_progress_score_and_interval() -> None:
    run = boardzero("match", "tictactoe", "random", "random", "--games", "10", "--seconds-per-move", "5")
    assert run.returncode == 0
    assert "10 of 10 games; random" in run.stderr
    for text in ("moving first", "moving second", "in all", "95 % interval", "Elo"):
        assert text in run.stdout


def test_a_sequential_test_reports_ratio_and_bounds() -> None:
    arguments = ["tictactoe", "mcts:sims=50", "random", "--sprt", "--elo0", "0", "--elo1", "100", "--json"]
    verdict = json.loads(boardzero("match", *arguments).stdout)["sprt"]
    assert verdict["decision"] == "accept H1"
    assert verdict["ratio"] >= verdict["upper"] > 0 > verdict["lower"]


def test_a_match_that_is_interrupted_says_what_was_played(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    arguments = ["match", "gomoku", "random", "random", "--games", "100000", "--json", "--save", str(path)]
    process = subprocess.Popen([COMMAND, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while not path.exists() or path.stat().st_size < 10_000:
        assert process.poll() is None
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    output, _ = process.communicate(timeout=180)
    assert process.returncode == 130
    answer = json.loads(output)
    assert answer["interrupted"] and answer["games"] == len(read_games(path)[0]) > 0


def wait_until_it_has_worked(process: "subprocess.Popen[str]", seconds: float) -> None:
    """So many seconds of a core, which take longer on a busy machine; where nobody tells, of a clock."""
    counts, until = Path(f"/proc/{process.pid}/stat"), time.monotonic() + 300
    if not counts.exists():
        time.sleep(seconds)
    else:
        while sum(map(int, counts.read_text().rpartition(")")[2].split()[11:13])) < seconds * os.sysconf("SC_CLK_TCK"):
            assert process.poll() is None and time.monotonic() < until
            time.sleep(0.1)


def test_perfect_play_that_takes_too_long_can_be_interrupted() -> None:
    arguments = ["match", "connect4:rows=7,columns=8", "perfect", "random", "--games", "2"]
    process = subprocess.Popen([COMMAND, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        wait_until_it_has_worked(process, seconds=8)  # it would think for hours
        process.send_signal(signal.SIGINT)
        output, _ = process.communicate(timeout=120)
    finally:
        process.kill()
    assert process.returncode == 130
    assert output == "No game was finished.\n"


def test_a_tournament_answers_with_a_table() -> None:
    arguments = ["tournament", "tictactoe", "random", "mcts:sims=50", "random", "--games", "4"]
    answer = json.loads(boardzero(*arguments, "--json").stdout)
    assert answer["standings"][0]["player"] == "mcts:sims=50"
    assert [standing["games"] for standing in answer["standings"]] == [8, 8, 8]
    assert len(answer["matches"]) == 3
    table = boardzero(*arguments).stdout
    assert "random (2)" in table and "95 % interval" in table


# -- analyse -----------------------------------------------------------------------------------------------------------
def test_analysis_lists_every_legal_move_with_its_value() -> None:
    run = boardzero("analyse", "connect4", "4444", "--player", "mcts:sims=200", "--json")
    assert run.returncode == 0, run.stderr
    answer = json.loads(run.stdout)
    assert (answer["game"], answer["position"], answer["to_move"]) == ("connect4", "4444", "X")
    assert sorted(opinion["move"] for opinion in answer["moves"]) == list("1234567")
    fields = {"move", "action", "visits", "value", "win_probability", "prior", "exact", "score", "line"}
    for opinion in answer["moves"]:
        assert set(opinion) == fields
        if opinion["value"] is not None:
            assert opinion["win_probability"] == pytest.approx((opinion["value"] + 1) / 2)
    shown = boardzero("analyse", "connect4", "--player", "mcts:sims=200").stdout
    assert "win probability" in shown and "X to move" in shown


def test_analysis_of_a_board_finds_the_win() -> None:
    answer = json.loads(boardzero("analyse", "tictactoe", "--board", "XX./OO./... X", "--json").stdout)
    assert answer["moves"][0]["move"] == "c3"
    assert answer["board"] == "XX./OO./... X"


def test_a_game_with_a_player_that_cannot_play_it_is_refused() -> None:
    run = boardzero("play", "othello", "--first", "random", "--second", "perfect")
    assert run.returncode == 2
    assert run.stderr == "boardzero: 'perfect' plays Othello's last moves only: 59 cells are empty, at most 16 may be.\n"


# -- bad input ---------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["match", "connect4", "random", "mtcs"], "did you mean 'mcts'?"),
        (["match", "connect4", "random", "mcts:simulation=3"], "mcts has no parameter 'simulation'"),
        (["match", "connect4", "random", "mcts:sims=0"], "sims=0 is not allowed"),
        (["match", "conect4", "random", "random"], "did you mean 'connect4'?"),
        (["match", "connect4", "random"], "Missing argument"),
        (["match", "connect4", "random", "human"], "boardzero play"),
        (["match", "connect4", "random", "random", "--games", "0"], "at least 1"),
        (["match", "connect4", "random", "random", "--seconds-per-move", "0"], "more than 0"),
        (["match", "connect4", "random", "random", "--sprt", "--elo1", "-5"], "elo0 < elo1"),
        (["match", "connect4", "random", "random", "--seed", "-1"], "--seed"),
        (["match", "connect4", "random", "random", "--save", "/"], "cannot be saved to '/'"),
        (["match", "connect4", "random", "random", "--save", "nowhere/games.jsonl"], "No such file or directory"),
        (["tournament", "connect4", "random"], "at least two players"),
        (["tournament", "connect4", "random", "nobody"], "There is no player 'nobody'"),
        (["play", "connect4", "--first", "nobody"], "There is no player 'nobody'"),
        (["play", "connect4", "--moves", "8"], "'8' is not a move"),
        (["play", "connect4", "--moves", "1111111"], "Move 7, 1, is illegal"),
        (["play", "connect4", "--moves", "1212121"], "over"),
        (["play", "tictactoe", "--board", "XX./.../... O"], "cannot be to move"),
        (["analyse", "connect4", "1212121"], "over"),
        (["analyse", "connect4", "--seconds", "0"], "more than 0"),
        (["analyse", "connect4", "--player", "human"], "boardzero play"),
        (["match", "othello", "perfect", "random"], "'perfect' plays Othello's last moves only"),
        (["match", "othello", "random", "perfect", "--json"], "'perfect' plays Othello's last moves only"),
        (["tournament", "othello", "random", "random", "perfect", "--json"], "'perfect' plays Othello's last moves only"),
        (
            ["match", "connect4:rows=7,columns=8", "perfect", "random", "--seconds-per-move", "0.2"],
            "'perfect' cannot solve this position of connect4:rows=7,columns=8 in 0.18 seconds",
        ),
    ],
)
def test_bad_input_is_one_sentence_and_exit_code_2(
    arguments: list[str], said: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["boardzero", *arguments])
    with pytest.raises(SystemExit) as exit_code:
        main()
    output, errors = capsys.readouterr()
    assert exit_code.value.code == 2, errors
    assert output == ""
    (line,) = errors.splitlines()
    assert line.startswith("boardzero: ")
    assert said in line
