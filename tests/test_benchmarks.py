"""The benchmarks run and measure what they say; how fast is not tested here."""

import json
from pathlib import Path

from test_command_line import boardzero

DATA = Path(__file__).parent / "data"


def test_bench_search_compares_forest_and_reference_and_shows_growth_and_threads() -> None:
    arguments = ["connect4", "--seconds", "0.2", "--batches", "1,8", "--growth", "10000", "--json"]
    report = json.loads(boardzero("bench", "search", *arguments).stdout)
    assert [speed["batch"] for speed in report["forest"]] == [1, 8]
    for speed in report["forest"]:
        assert speed["ratio"] == speed["simulations_per_second"] / speed["reference_simulations_per_second"]
        assert 40 + 8 * 3 + 32 <= speed["bytes_per_node"] <= 40 + 8 * 3 + 32 * 7
    assert report["rollouts_per_second"]["connect4"] > 0
    for evaluator in ("free evaluator", "network of 4 × 32"):
        steps = report["growth"][evaluator]
        assert steps[-1]["simulations"] == 10_000
        assert all(step["seconds_per_thousand"] > 0 for step in steps)
    assert set(report["threads"]["simulations_per_second"]) >= {"1", "2"}


def test_bench_search_writes_a_table_for_people() -> None:
    arguments = ["tictactoe", "--seconds", "0.1", "--batches", "2", "--growth", "10000", "--no-network"]
    written = boardzero("bench", "search", *arguments).stdout
    assert "tictactoe" in written and "after 10,000" in written and "threads" in written


def test_bench_solvers_counts_what_is_wrong(tmp_path: Path) -> None:
    known = (DATA / "connect4" / "Test_L3_R1").read_text().splitlines()[:5]
    moves, score = known[0].split()
    positions = tmp_path / "positions"
    positions.write_text("\n".join([*known, f"{moves} {int(score) + 1}"]) + "\n")
    endgames = tmp_path / "endgames.obf"
    endgames.write_text("\n".join((DATA / "othello" / "fforum-1-19.obf").read_text().splitlines()[:3]))
    speeds = json.loads(boardzero("bench", "solvers", str(positions), str(endgames), "--json").stdout)
    assert [(speed["positions"], speed["wrong"]) for speed in speeds] == [(6, 1), (3, 0)]


def test_bench_solvers_refuses_what_is_no_file_of_positions(tmp_path: Path) -> None:
    (tmp_path / "other").write_text("these are not positions\n")
    for path in (tmp_path / "other", tmp_path / "missing"):
        run = boardzero("bench", "solvers", str(path))
        assert run.returncode == 2
        assert "no file of positions" in run.stderr


def test_bench_selfplay_compares_self_play_with_the_network_alone() -> None:
    small = ["--set", "selfplay.games=8", "--set", "network.blocks=1", "--set", "network.channels=8"]
    speeds = json.loads(boardzero("bench", "selfplay", "tictactoe", "--seconds", "0.3", *small, "--json").stdout)
    assert [speed["threads"] for speed in speeds][:1] == [1]
    for speed in speeds:
        assert speed["use"] == speed["evaluations"] / speed["ceiling"] > 0
        assert speed["simulations"] >= speed["evaluations"]
