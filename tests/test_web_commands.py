"""`boardzero serve`, `boardzero lobby` and the load benchmark, as they are typed."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from test_command_line import boardzero

from boardzero.cli.main import main
from boardzero.web.serving import page_address


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (["--host", "nowhere.invalid"], "cannot listen at nowhere.invalid:8000"),
        (["--token", "short"], "at least 8 characters"),
        (["--runs", __file__], "is not a folder"),
        (["--live", "/nonexistent/folder/live.sqlite"], "Live games cannot be kept"),
        (["--database", "mysql://somewhere/x"], "mysql"),
        (["--lobby", "somewhere"], "is not the address of a lobby"),
        (["--lobby", "http://somewhere", "--lobby-token", "secret-of-it"], "--public-url"),
    ],
)
def test_bad_options_end_with_one_sentence(
    tmp_path: Path, arguments: list[str], part: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    files = {"--live": str(tmp_path / "live.sqlite"), "--database": str(tmp_path / "log.sqlite")}
    usual = [word for option, file in files.items() if option not in arguments for word in (option, file)]
    monkeypatch.setattr(sys, "argv", ["boardzero", "serve", *arguments, *usual])
    with pytest.raises(SystemExit) as ended:
        main()
    told = capsys.readouterr().err
    assert ended.value.code == 2 and part in told and told.count("\n") == 1


def test_beyond_loopback_a_token_is_made_up_and_told(tmp_path: Path) -> None:
    command = [sys.executable, "-c", "from boardzero.cli.main import main; main()", "serve", "--host", "0.0.0.0", "--port", "0"]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, env={**os.environ, "XDG_DATA_HOME": str(tmp_path)}, cwd=tmp_path
    )
    assert process.stdout is not None
    told = process.stdout.readline()
    process.kill()
    process.wait()
    assert told.startswith("boardzero is at http://") and "/?token=" in told


def test_addresses_are_those_that_a_browser_opens() -> None:
    assert page_address("127.0.0.1", 8000, None) == "http://127.0.0.1:8000/"
    assert page_address("::1", 8000, "secret") == "http://[::1]:8000/?token=secret"


def test_the_load_benchmark_counts_moves_and_errors() -> None:
    told = boardzero("bench", "serve", "--people", "4", "--sims", "10", "--seconds", "6", "--think", "0", "--json").stdout
    report = json.loads(told)
    assert report["errors"] == 0 and report["moves"] > 4
    assert 0 < report["move_seconds"]["median"] <= report["move_seconds"]["longest"]
    assert report["memory"]["last"] > 0
