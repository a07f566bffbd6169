"""The tool that ships a finished run: three files with one name, and only what is better replaces what is there."""

from pathlib import Path
from types import ModuleType

import pytest
from tool_loading import load_tool
from training_runs import begin, run

from boardzero.errors import BadInput
from boardzero.network.weights import read_header
from boardzero.training.run_folder import RunFolder

ROOT = Path(__file__).parent.parent
CONVOLUTIONAL = ("network.kind=convolutional", "evaluation.share=0")


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    return load_tool("ship_network")


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    folder = begin(tmp_path_factory.mktemp("ship") / "run", "evaluation.share=0", "keep_every=1", generations=2)
    run(folder)
    return folder


def test_a_finished_run_is_shipped_by_one_command(tool: ModuleType, finished: RunFolder, tmp_path: Path) -> None:
    tool.main([str(finished.path), "--folder", str(tmp_path)])
    assert {path.name for path in tmp_path.iterdir()} == {f"tictactoe.{kind}" for kind in ("safetensors", "onnx", "md")}
    assert read_header(tmp_path / "tictactoe.safetensors").checksum == read_header(finished.network(2)).checksum
    assert (tmp_path / "tictactoe.md").read_text(encoding="utf-8").startswith("# Tic-tac-toe")


def test_only_a_better_network_replaces_the_shipped_one(
    tool: ModuleType, finished: RunFolder, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    shipped, folder = tmp_path / "tictactoe.safetensors", ["--folder", str(tmp_path)]
    tool.main([str(finished.network(1)), *folder])
    before = read_header(shipped).checksum
    monkeypatch.setattr(tool, "score_against", lambda *_: 0.5)
    with pytest.raises(BadInput, match="is not better than the shipped tictactoe, which stays; --anyway replaces it"):
        tool.main([str(finished.path), *folder])
    assert read_header(shipped).checksum == before
    tool.main([str(finished.path), *folder, "--anyway"])
    assert read_header(shipped).checksum != before
    monkeypatch.undo()
    tool.main([str(finished.path), *folder])  # the same weights: no match
    assert "against" not in capsys.readouterr().out


def test_the_match_with_the_shipped_network_is_told(
    tool: ModuleType, finished: RunFolder, capsys: pytest.CaptureFixture[str]
) -> None:
    score = tool.score_against(finished.network(2), finished.network(1), 4)
    assert 0 <= score <= 1
    assert f"{score:.1%} (" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("game", "changes", "name"),
    [
        ("othello:size=6", (), "othello_size=6"),
        ("othello", CONVOLUTIONAL, "othello"),
        ("gomoku", (*CONVOLUTIONAL, "curriculum=0.5 gomoku:size=9; 1 gomoku"), "gomoku_any"),
        ("latrunculi", (*CONVOLUTIONAL, "curriculum=1 latrunculi latrunculi:start=rows"), "latrunculi"),
    ],
)
def test_a_network_of_several_sizes_is_called_so(
    tool: ModuleType, tmp_path: Path, game: str, changes: tuple[str, ...], name: str
) -> None:
    assert tool.name_of(begin(tmp_path / "run", *changes, game=game).path) == name


def test_a_network_without_a_run_is_refused(tool: ModuleType, finished: RunFolder, tmp_path: Path) -> None:
    lonely = tmp_path / "lonely.safetensors"
    lonely.write_bytes(finished.network(2).read_bytes())
    with pytest.raises(BadInput, match="There is no run in"):
        tool.main([str(lonely), "--folder", str(tmp_path / "shipped")])
