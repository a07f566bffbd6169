"""The commands as a user types them."""

import json
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest


def boardzero(*arguments: str, **options: object) -> subprocess.CompletedProcess[str]:
    """Run the installed command."""
    command = [str(Path(sys.executable).with_name("boardzero")), *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, check=False, **options)  # type: ignore[call-overload]


def test_help_needs_no_heavy_imports() -> None:
    code = (
        "import sys; sys.argv = ['boardzero', '--help']\n"
        "from boardzero.cli.main import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "print(sorted({'numba', 'numpy', 'torch', 'pydantic', 'ray'} & set(sys.modules)))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.splitlines()[-1] == "[]"


def test_without_a_command_the_help_is_all_that_is_said() -> None:
    run = boardzero()
    assert "Usage: boardzero" in run.stdout and run.stderr == ""
    assert run.returncode == 2


def test_the_version_is_that_of_the_package() -> None:
    run = boardzero("--version")
    assert (run.returncode, run.stdout) == (0, f"boardzero {version('boardzero')}\n")


def test_perft_counts_sequences_and_positions() -> None:
    answer = json.loads(boardzero("perft", "connect4", "4", "--json").stdout)
    assert answer == {"game": "connect4", "depth": 4, "sequences": [1, 7, 49, 343, 2401]}
    answer = json.loads(boardzero("perft", "connect4", "4", "--positions", "--json").stdout)
    assert answer["positions"] == [1, 7, 49, 238, 1120]


def test_games_lists_every_game_with_its_parameters() -> None:
    listed = {game["name"]: game for game in json.loads(boardzero("games", "--json").stdout)}
    assert set(listed) == {"tictactoe", "connect4", "othello", "gomoku", "latrunculi"}
    rows = listed["connect4"]["parameters"][0]
    assert (rows["name"], rows["default"], rows["allowed"]) == ("rows", 6, "1 to 35")
    assert [listed[game]["parameters"][0]["allowed"] for game in ("othello", "latrunculi")] == ["even, 4 to 8"] * 2
    assert "even, 4 to 8" in boardzero("games").stdout


def test_games_checks_a_game() -> None:
    assert "keeps the contract" in boardzero("games", "--check", "tictactoe").stdout


def test_bench_games_compares_with_interpreted_rules() -> None:
    (speed,) = json.loads(boardzero("bench", "games", "tictactoe", "--seconds", "0.2", "--json").stdout)
    assert speed["ratio"] == pytest.approx(speed["moves_per_second"] / speed["interpreted_moves_per_second"])
    assert speed["ratio"] > 10


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["perft", "conect4", "3"], "did you mean 'connect4'?"),
        (["perft", "connect4:rows=99", "3"], "rows should be less than or equal to 35"),
        (["perft", "connect4:row=5", "3"], "did you mean 'rows'?"),
        (["perft", "connect4:rows", "3"], "not of the form key=value"),
        (["perft", "connect4:rows=5,rows=6", "3"], "given twice"),
        (["perft", "connect4:rows=3,columns=3", "3"], "connect=4 does not fit"),
        (["perft", "othello:size=5", "3"], "size"),
        (["perft", "gomoku:rule=renju", "3"], "'freestyle' or 'standard'"),
        (["perft", "latrunculi:size=7", "3"], "size"),
        (["perft", "missing/game.py", "3"], "no game file"),
        (["perft", "connect4", "three"], "depth"),
        (["perft", "connect4"], "depth"),
        (["perft", "connect4", "3", "--jsn"], "--jsn"),
        (["bench", "games", "chess"], "There is no game 'chess'"),
        (["games", "--check", "nothing"], "There is no game 'nothing'"),
        (["gmaes"], "gmaes"),
        (["cluster", "status", "nowhere"], "'nowhere' is no cluster"),
    ],
)
def test_bad_input_is_one_sentence_and_exit_code_2(arguments: list[str], said: str) -> None:
    run = boardzero(*arguments)
    assert run.returncode == 2
    assert run.stdout == ""
    (line,) = run.stderr.splitlines()
    assert line.startswith("boardzero: ")
    assert said in line


def test_a_game_file_that_does_not_load_is_named(tmp_path: Path) -> None:
    (tmp_path / "broken.py").write_text("import nothing_of_that_name\n")
    run = boardzero("perft", str(tmp_path / "broken.py"), "1")
    assert run.returncode == 2
    assert "broken.py" in run.stderr and "nothing_of_that_name" in run.stderr and "Traceback" not in run.stderr


def test_a_home_that_cannot_be_written_is_no_obstacle(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(blocked), "XDG_CACHE_HOME": str(blocked), "TMPDIR": str(tmp_path)}
    run = boardzero("perft", "tictactoe", "2", env=environment)
    assert run.returncode == 0, run.stderr
    assert "72 sequences" in run.stdout


def test_a_second_start_uses_the_cached_code() -> None:
    boardzero("perft", "connect4", "2")
    resource = pytest.importorskip("resource")
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    boardzero("perft", "connect4", "2")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime < 10  # compiling takes longer than loading
