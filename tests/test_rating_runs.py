"""Ratings of several runs: whose games count, who is not rated, which networks are left out, what is kept and said."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from training_runs import begin

from boardzero.cli.main import app
from boardzero.errors import BadInput
from boardzero.evaluation.entrants import networks_of
from boardzero.games.catalogue import find_game
from boardzero.network.build import build_network
from boardzero.network.weights import save_network
from boardzero.training.run_folder import RunFolder

GAME = find_game("tictactoe")
FEW = ["random", "--no-anchors", "--sims", "4"]
Captured = pytest.CaptureFixture[str]


@pytest.fixture(scope="module")
def untouched(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two runs that began with the same weights and learned different ones, none of them rated."""
    folder = tmp_path_factory.mktemp("runs")
    for first, name in enumerate(("one", "two")):
        run = begin(folder / name)
        for generation in range(3):
            network = build_network(run.settings().network, GAME, seed=generation and 10 * first + generation)
            save_network(run.network(generation), network, GAME)
    return folder


@pytest.fixture
def runs(untouched: Path, tmp_path: Path) -> tuple[str, str]:
    """Folders of the two, for one test to change."""
    one, two = (shutil.copytree(untouched / name, tmp_path / name) for name in ("one", "two"))
    return str(one), str(two)


def rate(capsys: Captured, *words: str) -> dict[str, Any]:
    capsys.readouterr()
    app(["rate", *words, *FEW, "--json"], standalone_mode=False)
    answer: dict[str, Any] = json.loads(capsys.readouterr().out)
    return answer


def show(capsys: Captured, *words: str) -> str:
    """What people see, with single spaces."""
    capsys.readouterr()
    app(["rate", *words, *FEW], standalone_mode=False)
    return " ".join(capsys.readouterr().out.split())


def names(players: list[dict[str, Any]]) -> set[str]:
    return {one["name"] for one in players}


def ratings_of(answer: dict[str, Any]) -> dict[str, float]:
    """By weights: the untrained network is called after the run that is named first."""
    return {str(sorted(map(tuple, one["places"]))): one["rating"] for one in answer["players"]}


def games_in(*runs: str) -> list[tuple[Any, ...]]:
    """Players, opening and moves of the games that the runs' files hold."""
    files = [path for run in runs if (path := Path(run, "ratings.jsonl")).exists()]
    games = [json.loads(line) for path in files for line in path.read_text().splitlines()]
    return [(*game["keys"], game["start"], game["opening"], game["moves"]) for game in games]


# -- whose games count --------------------------------------------------------------------------------------------------------
def test_games_of_every_run_count_in_any_order(runs: tuple[str, str], capsys: Captured) -> None:
    one, two = runs
    alone = [rate(capsys, run, "--games", "16")["games"] for run in runs]
    together, swapped = rate(capsys, one, two, "--games", "0"), rate(capsys, two, one, "--games", "0")
    assert together["games"] == swapped["games"] == len(set(games_in(*runs))) > max(alone)
    assert len(together["players"]) == 6 and together["not_rated"] == []
    assert ratings_of(together) == pytest.approx(ratings_of(swapped), abs=0.01)


def test_games_of_a_run_and_its_copy_count_once(runs: tuple[str, str], tmp_path: Path, capsys: Captured) -> None:
    games = rate(capsys, runs[0], "--games", "12")["games"]
    copy = shutil.copytree(runs[0], tmp_path / "copy")
    assert rate(capsys, runs[0], str(copy), "--games", "0")["games"] == games


@pytest.mark.parametrize("elsewhere", [False, True])
def test_new_games_go_to_the_first_run_or_where_it_is_said(
    runs: tuple[str, str], tmp_path: Path, capsys: Captured, elsewhere: bool
) -> None:
    one, two = runs
    before = rate(capsys, two, "--games", "8")["games"]
    file = ["--file", str(tmp_path / "games.jsonl")] if elsewhere else []
    answer = rate(capsys, one, two, "--games", "8", *file)
    written = Path(answer["file"]).read_text().splitlines()
    assert answer["games"] == before + len(written) and len(written) >= 8
    assert (len(games_in(one)), len(games_in(two))) == (0 if elsewhere else len(written), before)


# -- who is not rated ---------------------------------------------------------------------------------------------------------
def test_who_has_no_games_is_not_rated(runs: tuple[str, str], capsys: Captured) -> None:
    one, two = runs
    alone = rate(capsys, one, "--games", "16")
    answer = rate(capsys, one, two, "--games", "0")
    assert names(answer["players"]) == {"one 0", "one 1", "one 2", "random"}
    assert {player["name"]: player["games"] for player in answer["not_rated"]} == {"two 1": 0, "two 2": 0}
    assert [player["rating"] for player in answer["players"]] == pytest.approx(
        [player["rating"] for player in alone["players"]]
    )
    shown = show(capsys, one, two, "--games", "0")
    assert "two 1 not rated 0 two 2 not rated 0" in shown
    assert "Not rated: who has no games that lead, if only over others, to random." in shown
    assert "not rated" not in show(capsys, one, "--games", "0").lower()


def test_who_only_played_among_themselves_is_not_rated_against_others(runs: tuple[str, str], capsys: Captured) -> None:
    one, two = runs
    Path(two, "networks", "generation-00000.safetensors").unlink()  # which both have, and which would join them
    games = rate(capsys, one, "--games", "12")["games"]
    app(["rate", two, "--no-anchors", "--sims", "4", "--games", "8"], standalone_mode=False)
    answer = rate(capsys, one, two, "--games", "0")
    assert answer["games"] == games and names(answer["not_rated"]) == {"two 1", "two 2"}
    assert all(player["games"] >= 8 for player in answer["not_rated"])
    assert {Path(step["run"]).name for step in answer["steps"]} == {"one"}


def test_an_anchor_without_games_is_refused(runs: tuple[str, str], capsys: Captured) -> None:
    app(["rate", runs[0], "--no-anchors", "--sims", "4", "--games", "8"], standalone_mode=False)
    with pytest.raises(BadInput, match="The anchor random has no games, so nothing can be rated"):
        rate(capsys, runs[0], "--games", "0")
    assert rate(capsys, runs[0], "--games", "0", "--anchor", "one 0=50")["not_rated"][0]["name"] == "random"


# -- what is kept -------------------------------------------------------------------------------------------------------------
def test_a_fit_that_says_nothing_about_a_run_leaves_its_ratings_alone(
    runs: tuple[str, str], tmp_path: Path, capsys: Captured
) -> None:
    """The untrained network, which both runs have, is rated; what the second has learned is not."""
    one, two = runs
    rate(capsys, two, "--games", "12", "--file", str(tmp_path / "elsewhere.jsonl"))
    rate(capsys, one, "--games", "12")
    kept = Path(two, "ratings.json").read_bytes()
    app(["rate", one, two, "--games", "0", *FEW], standalone_mode=False)
    assert f"No trained network of '{two}' is rated, so nothing is written to its ratings.json." in capsys.readouterr().err
    assert Path(two, "ratings.json").read_bytes() == kept
    assert names(json.loads(Path(one, "ratings.json").read_text())["not_rated"]) == {"two 1", "two 2"}
    rate(capsys, one, two, "--games", "8")
    assert names(json.loads(Path(two, "ratings.json").read_text())["players"]) >= {"one 2", "two 1", "two 2"}


# -- networks that are damaged ------------------------------------------------------------------------------------------------
def truncate(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-9])


def flip_a_bit(path: Path) -> None:
    """In the weights, without the same network as ONNX beside them."""
    content = bytearray(path.read_bytes())
    content[-5] ^= 1
    path.write_bytes(content)
    path.with_suffix(".onnx").unlink()


@pytest.mark.parametrize("damage", [truncate, flip_a_bit])
def test_a_damaged_network_is_named_and_left_out(runs: tuple[str, str], capsys: Captured, damage: Any) -> None:
    damaged = RunFolder(Path(runs[0])).network(2)
    damage(damaged)
    app(["rate", runs[0], "--games", "8", *FEW, "--json"], standalone_mode=False)
    said = capsys.readouterr()
    answer = json.loads(said.out)
    (sentence,) = answer["left_out"]
    assert str(damaged) in sentence and "damaged" in sentence and f"boardzero: left out: {sentence}\n" in said.err
    assert names(answer["players"]) == {"one 0", "one 1", "random"}
    assert names(rate(capsys, runs[0], "--games", "8", "--networks", "1")["players"]) == {"one 1", "random"}


def test_a_run_without_a_network_that_can_be_read_is_refused(runs: tuple[str, str], capsys: Captured) -> None:
    for generation in range(3):
        truncate(RunFolder(Path(runs[0])).network(generation))
    with pytest.raises(BadInput, match=r"None of the networks of the run in '.*one' can be read"):
        app(["rate", *runs, *FEW], standalone_mode=False)
    assert capsys.readouterr().err.count("boardzero: left out: ") == 3


def test_networks_of_another_game_are_refused_and_not_called_damaged(runs: tuple[str, str], capsys: Captured) -> None:
    with pytest.raises(BadInput, match="was built for tictactoe and cannot play connect4"):
        app(["rate", runs[0], *FEW, "--game", "connect4"], standalone_mode=False)
    assert "left out" not in capsys.readouterr().err


def test_experiments_are_not_given_another_network_for_a_damaged_one(runs: tuple[str, str]) -> None:
    truncate(RunFolder(Path(runs[0])).network(2))
    with pytest.raises(BadInput, match="damaged or not a network file"):
        networks_of(Path(runs[0]), 4, 1, "one")


# -- what is said -------------------------------------------------------------------------------------------------------------
def test_it_is_said_with_how_many_simulations_networks_played(runs: tuple[str, str], capsys: Captured) -> None:
    answer = rate(capsys, runs[0], "--games", "8")
    assert {one["name"]: one["simulations"] for one in answer["players"]} == {
        "one 0": 4,
        "one 1": 4,
        "one 2": 4,
        "random": None,
    }
    heading = f"tictactoe, {answer['games']} games, networks of runs with 4 simulations a move"
    assert show(capsys, runs[0], "--games", "0").startswith(heading)
    app(["rate", runs[0], "random", "mcts:sims=2", "--no-anchors", "--games", "8", "--sims", "1"], standalone_mode=False)
    assert "games, networks of runs with 1 simulation a move\n" in capsys.readouterr().out
