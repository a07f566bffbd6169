"""The tool that measures the shipped networks, with tiny networks and boards."""

from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from tool_loading import load_tool

from boardzero.errors import BadInput
from boardzero.games.catalogue import find_game
from boardzero.network.build import build_network
from boardzero.network.weights import save_network
from boardzero.settings.network import NetworkSettings

ROOT = Path(__file__).parent.parent
TINY = """
[[measure]]
name = "small-random"
game = "connect4:rows=4,columns=4"
player = "alphazero:sims=4"
opponent = "random"
games = 6
goal = "≥ 50 %"
minutes = 1

[[measure]]
name = "small-first"
kind = "first"
game = "connect4:rows=4,columns=4"
player = "alphazero:sims=4"
opponent = "perfect"
games = 4
minutes = 1

[[measure]]
name = "small-decided"
kind = "decided"
game = "connect4:rows=4,columns=4"
player = "alphazero:sims=2"
games = 4
minutes = 1

[[measure]]
name = "small-mistakes"
kind = "mistakes"
game = "connect4:rows=4,columns=4"
player = "alphazero:sims=1 alphazero:sims=4"
positions = 20
minutes = 1

[[measure]]
name = "small-rating"
kind = "rating"
game = "connect4:rows=4,columns=4"
simulations = 2
games = 8
minutes = 1

[[measure]]
name = "nobody"
game = "gomoku:size=5"
player = "alphazero:sims=2"
opponent = "random"
minutes = 1
"""


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    return load_tool("measure_players")


@pytest.fixture
def arguments(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Of the tool, where an untrained network for Connect Four is all that is shipped."""
    shelf, players = tmp_path / "shipped", tmp_path / "players.toml"
    shelf.mkdir()
    monkeypatch.setattr("boardzero.network.shipped.FOLDER", shelf)
    game = find_game("connect4:rows=4,columns=4")
    shape = NetworkSettings(kind="convolutional", blocks=1, channels=8)
    save_network(shelf / "connect4_any.safetensors", build_network(shape, game).eval(), game)
    (shelf / "connect4_any.md").write_text("# Connect Four\n\n## Results\n\nOld.\n", encoding="utf-8")
    players.write_text(TINY, encoding="utf-8")
    return ["--players", str(players), "--out", str(tmp_path / "out"), "--parallel", "1"]


def test_everything_is_measured_once_and_written_as_markdown(
    tool: ModuleType, arguments: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    tool.main([*arguments, "--cards"])
    said = capsys.readouterr()
    assert "nobody: left out. There is no shipped network for gomoku:size=5" in said.err
    results = (tmp_path / "out" / "results.md").read_text(encoding="utf-8")
    rows = {line.split("|")[1].strip().split(":")[0]: line for line in results.splitlines() if line.startswith("| small-")}
    assert rows.keys() == {"small-random", "small-first", "small-decided"}
    assert " | 6 | " in rows["small-random"] and rows["small-random"].endswith("| ≥ 50 % |")
    assert "different games" in rows["small-first"] and "first only" in rows["small-first"]
    assert "decided " in rows["small-decided"]
    assert "| `alphazero:sims=4` | " in results and "% of 20 |" in results and "| random | 0 | " in results
    card = (tmp_path / "shipped" / "connect4_any.md").read_text(encoding="utf-8")
    assert (
        card.startswith("# Connect Four\n\n## Results\n\nOld.\n\n<!-- measured -->\n\n| what |")
        and card.count("small-first:") == 1
    )

    def refuse(*_: Any) -> None:
        raise AssertionError("measured again")

    for name in ("play_together", "count_mistakes", "seconds_of"):
        monkeypatch.setattr(tool, name, refuse)
    tool.main([*arguments, "--cards"])
    assert (tmp_path / "shipped" / "connect4_any.md").read_text(encoding="utf-8") == card
    assert (tmp_path / "out" / "results.md").read_text(encoding="utf-8") == results


def test_a_match_that_was_stopped_goes_on_with_the_games_that_are_missing(
    tool: ModuleType, arguments: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    only = [*arguments, "--only", "small-random"]
    tool.main(only)
    whole, file = capsys.readouterr().out, tmp_path / "out" / "small-random.jsonl"
    lines = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(b"".join(lines[1:3]) + lines[3][:20])  # two games, and one that was torn
    played: list[int] = []
    play = tool.play_together

    def counted_play(games: list[Any], take: Any) -> None:
        played.append(len(games))
        play(games, take)

    monkeypatch.setattr(tool, "play_together", counted_play)
    tool.main(only)
    assert played == [4]
    counted = [text.split("|")[5] for text in (whole, capsys.readouterr().out)]
    assert counted[0] == counted[1]


def test_figures_belong_to_the_weights(
    tool: ModuleType, arguments: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tool.main([*arguments, "--only", "small-random"])
    tool.main([*arguments, "--only", "small-random", "--plan"])
    assert "small-random" in (plan := capsys.readouterr().out) and "100 % done" in plan
    game, shelf = find_game("connect4:rows=4,columns=4"), tmp_path / "shipped"
    save_network(shelf / "connect4_any.safetensors", build_network(NetworkSettings(blocks=1, channels=4), game).eval(), game)
    tool.main([*arguments, "--only", "small-random", "--plan"])
    assert "  0 % done" in capsys.readouterr().out


def test_games_are_shared_out_by_openings(tool: ModuleType) -> None:
    assert tool.parts_of([0, 1, 2, 3, 5], 2) == [[0, 1, 5], [2, 3]]
    assert tool.parts_of([2, 3], 2) == [[2, 3]]


def test_every_entry_of_the_file_is_understood(tool: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(
        BadInput, match="There is nothing called 'chess' to be measured; there are gomoku-heuristic, gomoku-heuristic-longer, "
    ):
        tool.main(["--only", "chess"])


def test_what_does_not_fit_together_is_refused(tool: ModuleType, arguments: list[str], tmp_path: Path) -> None:
    (tmp_path / "players.toml").write_text(TINY.replace('opponent = "perfect"\n', ""), encoding="utf-8")
    with pytest.raises(BadInput, match="kind=first needs an opponent"):
        tool.main(arguments)
