"""The tool that measures the published systems, on a tiny board and for seconds."""

import re
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from tool_loading import load_tool

from boardzero.errors import BadInput
from boardzero.settings.presets import preset_names

ROOT = Path(__file__).parent.parent
PAGE = "before\n<!-- figures of briden-connect4 -->\nold\n<!-- end of figures -->\nafter\n"
TINY = """
[[system]]
preset = "briden-connect4"
game = "connect4:rows=4,columns=4"
simulations = 4
games = 2
opponents = ["random"]
positions = 20
rating_games = 8
scale = "wandhoven"
settings = { "training.epochs" = 1, keep_every = 2 }
document = { games = "50", "against random" = "not given", people = "nobody" }
"""


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    return load_tool("measure_systems")


def test_every_preset_has_its_table_in_the_page(tool: ModuleType, tmp_path: Path) -> None:
    page = tmp_path / "systems.md"
    page.write_bytes((ROOT / "docs" / "systems.md").read_bytes())
    tool.main(["--tables-only", "--page", str(page)])
    text = page.read_text(encoding="utf-8")
    for name in preset_names():
        _, _, rest = text.partition(f"<!-- figures of {name} -->")
        assert re.match(rf"\s*\|  \| the document \| `{name}`, 10 minutes \| boardzero's defaults, 10 minutes \|", rest)


def test_both_are_trained_and_measured_once(
    tool: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    page, systems = tmp_path / "page.md", tmp_path / "systems.toml"
    page.write_text(PAGE)
    systems.write_text(TINY)
    arguments = ["--minutes", "0.03", "--page", str(page), "--systems", str(systems), "--out", str(tmp_path / "out")]
    tool.main([*arguments, "--train-only"])
    assert page.read_text() == PAGE and not capsys.readouterr().out
    trained = {path: path.read_bytes() for path in (tmp_path / "out").glob("*/events.jsonl")}
    assert len(trained) == 2
    tool.main(arguments)
    assert trained == {path: path.read_bytes() for path in trained}
    shown = capsys.readouterr().out
    text = page.read_text(encoding="utf-8")
    assert text.startswith("before\n<!-- figures of briden-connect4 -->\n\n|")
    changed = "For these minutes the preset was trained with `training.epochs=1`, `keep_every=2`."
    assert text.endswith(f"|\n\n{changed}\n\n<!-- end of figures -->\nafter\n") and "old" not in text
    rows = [[cell.strip() for cell in row.split("|")[1:-1]] for row in shown.splitlines()[2:] if row.startswith("|")]
    cells = {row[0]: row[1:] for row in rows}
    assert cells["games of self-play"][0] == "50" and all(cells["games of self-play"])
    for label in (
        "training steps",
        "score against `random`, 4 simulations, 2 games",
        "mistakes, 4 simulations",
        "rating, 4 simulations, random = 0",
        "rating of the last version, base e, untrained network at 100",
        "favourite column",
        "value of the middle column as the first move, for its mover",
        "value after it, for the other side",
    ):
        assert cells[label][1] and cells[label][2], label
    assert "20 drawn positions" in cells["mistakes, 4 simulations"][1]
    assert cells["against people and other programs"] == ["nobody", "", ""]

    def refuse(*_: Any) -> None:
        raise AssertionError("measured again")

    for name in ("play_match", "count_mistakes", "ratings", "versions"):
        monkeypatch.setattr(tool, name, refuse)
    tool.main(arguments)
    assert capsys.readouterr().out == shown


def test_what_is_not_there_is_refused(tool: ModuleType, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="There is no system 'nobody'; there are wandhoven-connect4"):
        tool.main(["--only", "nobody"])
    page, systems = tmp_path / "page.md", tmp_path / "systems.toml"
    page.write_text("nothing")
    with pytest.raises(BadInput, match="has no place for agz-connect4"):
        tool.main(["--tables-only", "--only", "agz-connect4", "--page", str(page)])
    systems.write_text(TINY + TINY.replace("simulations = 4", "simulations = 4\nminutes = 7"))
    with pytest.raises(BadInput, match="briden-connect4 is trained for 7 minutes, another system of connect4"):
        tool.main(["--tables-only", "--systems", str(systems), "--page", str(page)])
    systems.write_text(TINY.replace("people", "peple"))
    with pytest.raises(BadInput, match="no row 'peple'"):
        tool.main(["--tables-only", "--systems", str(systems), "--page", str(page)])
