"""`boardzero serve`, `boardzero lobby` and the load benchmark, as they are typed."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from test_command_line import boardzero

from boardzero.cli.main import main
from boardzero.web.benchmark import MEMORY_SECONDS, growth, missed_targets
from boardzero.web.serving import own_address, page_address


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
    assert told.strip().endswith((tmp_path / "boardzero" / "token").read_text().strip())  # the next server has the same


def test_addresses_are_those_that_a_browser_opens() -> None:
    assert page_address("127.0.0.1", 8000, None) == "http://127.0.0.1:8000/"
    assert page_address("::1", 8000, "secret") == "http://[::1]:8000/?token=secret"


def test_a_server_for_all_addresses_tells_one_that_others_can_use() -> None:
    (name,) = re.findall(r"http://(.+):8000/$", page_address("0.0.0.0", 8000, None))
    assert name == own_address() and name != "0.0.0.0"


REPORT = {
    "errors": 0,
    "seconds": 600,
    "move_seconds": {"median": 1.9},
    "page_seconds": {"median": 0.049},
    "memory": {"megabytes_a_minute": 1.9},
}


@pytest.mark.parametrize(
    ("change", "part"),
    [
        ({"errors": 1}, "1 errors"),
        ({"move_seconds": {"median": 2.0}}, "longer than 2 s"),
        ({"move_seconds": {"median": None}}, "longer than 2 s"),
        ({"page_seconds": {"median": 0.05}}, "longer than 50 ms"),
        ({"memory": {"megabytes_a_minute": 2.1}}, "2.1 MB a minute"),
    ],
)
def test_the_load_benchmark_says_what_was_not_held(change: dict[str, Any], part: str) -> None:
    assert missed_targets(REPORT) == []
    (sentence,) = missed_targets({**REPORT, **change})
    assert part in sentence


def test_growth_of_memory_is_the_slope_of_what_was_seen() -> None:
    assert growth([100.0, 100.0, 100.0]) == 0 and growth([100.0, 200.0]) == 0
    assert growth([100 + each for each in range(30)]) == pytest.approx(60 / MEMORY_SECONDS)


def test_the_load_benchmark_counts_moves_and_errors() -> None:
    options = ("--people", "4", "--sims", "10", "--seconds", "6", "--think", "0", "--json")
    ended = boardzero("bench", "serve", *options)
    report = json.loads(ended.stdout)
    assert ended.returncode == bool(report["missed"])  # a busy machine may be too slow; that is told
    assert report["errors"] == 0 and report["moves"] > 4
    assert 0 < report["move_seconds"]["median"] <= report["move_seconds"]["longest"]
    assert report["memory"]["last"] > 0
