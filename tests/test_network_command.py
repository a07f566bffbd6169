"""`boardzero bench network` as a user types it."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from test_command_line import boardzero

from boardzero.cli.bench_network import chosen_network, print_report
from boardzero.errors import BadInput
from boardzero.games.catalogue import find_game
from boardzero.network.benchmark import measure_network
from boardzero.network.build import build_network
from boardzero.network.weights import save_network
from boardzero.settings.network import NetworkSettings

QUICK = ("--seconds", "0.02", "--batches", "1,8", "--threads", "1")


def test_bench_compares_onnx_runtime_and_pytorch() -> None:
    run = boardzero("bench", "network", "tictactoe", "--blocks", "1", "--channels", "8", *QUICK, "--json")
    report = json.loads(run.stdout)
    assert (report["game"], report["settings"]) == ("tictactoe", {"blocks": 1, "channels": 8})
    assert report["flops"] == 2 * report["multiply_adds"] > 0 and report["parameters"] > 0
    assert [(speed["batch"], speed["threads"]) for speed in report["speeds"]] == [(1, 1), (8, 1)]
    assert all(speed["onnx_runtime"] > 0 and speed["pytorch"] > 0 for speed in report["speeds"])
    assert 0 <= report["export_difference"] < 1e-4 and 0 < report["export_seconds"] < 20
    assert run.stderr == ""


def test_bench_measures_a_file_on_its_own_game(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    game, path = find_game("othello:size=4"), tmp_path / "network.safetensors"
    save_network(path, build_network(NetworkSettings(blocks=1, channels=8), game), game)
    network, found = chosen_network(None, None, None, None, path)
    assert found.specification == game.specification and network.settings.blocks == 1
    print_report(measure_network(network, found, [1, 4], [1], 0.01))
    printed = capsys.readouterr().out
    assert "othello:size=4: blocks=1, channels=8" in printed and "positions/s" in printed
    with pytest.raises(BadInput, match="was built for othello:size=4 and cannot play tictactoe"):
        chosen_network("tictactoe", None, None, None, path)


@pytest.mark.parametrize(
    ("choice", "sentence"),
    [
        ((None, None, None, "slavka-gomok", None), "did you mean 'slavka-gomoku'?"),
        ((None, 2, None, "slavka-gomoku", None), "exclude each other"),
        ((None, None, None, "slavka-gomoku", None, ["value=wdl"]), "exclude each other"),
        ((None, None, None, None, None, ["valu=wdl"]), "did you mean 'value'?"),
        ((None, -1, None, None, None), "blocks should be greater than or equal to 0"),
        (("othello", None, None, "briden-connect4", None), "each turn adds one stone"),
    ],
)
def test_bench_refuses_what_it_cannot_measure(choice: tuple[Any, ...], sentence: str) -> None:
    with pytest.raises(BadInput, match=re.escape(sentence)):
        chosen_network(*choice)


def test_bench_measures_networks_of_every_shape() -> None:
    network, game = chosen_network("tictactoe", 1, 8, None, None, ["kind=convolutional", "value=wdl"])
    assert (network.settings.kind, network.settings.value, network.settings.blocks) == ("convolutional", "wdl", 1)
    assert measure_network(network, game, [1], [1], 0.01)["settings"]["kind"] == "convolutional"


def test_bench_says_what_is_wrong_in_one_line() -> None:
    run = boardzero("bench", "network", "--batches", "1,x")
    assert run.returncode == 2 and "--batches is '1,x'" in run.stderr and len(run.stderr.splitlines()) == 1
