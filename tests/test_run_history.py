"""What reports read of a run: files of another form are left out, which is said, and are no reason to fail."""

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from measured_runs import generation_done, rated, strength
from training_runs import begin

from boardzero.cli.main import app
from boardzero.errors import BadInput
from boardzero.evaluation.charts import SCALES
from boardzero.evaluation.report import write_report
from boardzero.evaluation.run_forms import KeptRatings
from boardzero.evaluation.run_history import read_history
from boardzero.training.run_folder import RunFolder

COUNTED = {"positions": 9, "mistakes": 1}
MISSES = {"positions": 9, "missed": 1, "costly": 0}
HABITS = {"moves": ["1", "2"], "chosen": [0.5, 0.5], "perfect": [0.4, 0.6], "favourite": "1",
          "missed_wins": MISSES, "missed_blocks": MISSES}  # fmt: skip
NETWORK = {"generation": 1, "simulations": 4, "files": [{"file": "drawn", **COUNTED}], **COUNTED, "habits": HABITS}


@pytest.fixture
def folder(tmp_path: Path) -> RunFolder:
    """A run with a generation, ratings and a matrix of them, and mistakes."""
    begun = begin(tmp_path / "run")
    begun.append_event(generation_done(1))
    rated(begun.path, "elo", "random", (begun.path, 0, 0.0), (begun.path, 1, 90.0))
    content = json.loads((begun.path / "ratings.json").read_text())
    content["matrix"] = {"players": ["run 0", "run 1"], "scores": [[None, 0.25], [0.75, None]], "games": [[0, 4], [4, 0]]}
    (begun.path / "ratings.json").write_text(json.dumps(content))
    (begun.path / "perfect.json").write_text(json.dumps({"networks": [NETWORK]}))
    return begun


def changed(path: Path, *place: Any, to: Any = None) -> None:
    """Set the value at this place of a file's JSON; without one, remove it."""
    content = part = json.loads(path.read_text())
    for key in place[:-1]:
        part = part[key]
    if to is None:
        del part[place[-1]]
    else:
        part[place[-1]] = copy.deepcopy(to)
    path.write_text(json.dumps(content))


def test_nothing_is_left_out_of_what_the_program_writes(folder: RunFolder) -> None:
    history = read_history(folder.path, "run")
    assert history.remarks == () and history.measured is not None and len(history.own_ratings()) == 2
    page = write_report([folder.path])[0].read_text()
    assert "left out" not in page and all(f'id="chart-{key}"' in page for key in ("ratings", "matrix", "mistakes", "habits"))


@pytest.mark.parametrize(
    ("place", "to"),
    [
        (("players",), 3),
        (("players", 0), "random"),
        (("players", 1, "run"), None),
        (("players", 1, "generation"), "one"),
        (("players", 0, "interval"), [1.0]),
        (("players", 0, "rating"), float("nan")),
        (("players", 0, "places"), [["run"]]),
        (("scale",), "metres"),
        (("matrix", "scores"), [[None, 0.25]]),
    ],
)
def test_ratings_of_another_form_are_left_out_and_this_is_said(folder: RunFolder, place: tuple[Any, ...], to: Any) -> None:
    changed(folder.path / "ratings.json", *place, to=to)
    page = write_report([folder.path])[0].read_text()
    assert "ratings.json&#x27; is left out: it is not as boardzero rate writes it" in page
    assert 'id="chart-ratings"' not in page and 'id="chart-habits"' in page and "Not measured yet: ratings" in page


@pytest.mark.parametrize(
    ("place", "to"),
    [
        (("networks",), {"0": 1}),
        (("networks", 0), []),
        (("networks",), [NETWORK, {**NETWORK, "files": []}]),
        (("networks", 0, "files", 0, "positions"), None),
        (("networks", 0, "habits", "favourite"), "7"),
        (("networks", 0, "habits", "missed_wins"), 3),
    ],
)
def test_mistakes_of_another_form_are_left_out_and_this_is_said(folder: RunFolder, place: tuple[Any, ...], to: Any) -> None:
    changed(folder.path / "perfect.json", *place, to=to)
    page = write_report([folder.path])[0].read_text()
    assert "perfect.json&#x27; is left out: it is not as boardzero perfect --run writes it" in page
    assert 'id="chart-habits"' not in page and 'id="chart-ratings"' in page


def test_files_that_were_torn_are_left_out_and_this_is_said(folder: RunFolder) -> None:
    for name in ("ratings.json", "perfect.json"):
        path = folder.path / name
        path.write_bytes(path.read_bytes()[:50])
    assert [remark.partition(" is left out")[0] for remark in read_history(folder.path, "run").remarks] == [
        f"'{folder.path / name}'" for name in ("ratings.json", "perfect.json")
    ]


def test_events_that_lack_something_are_left_out_and_this_is_said(
    folder: RunFolder, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder.append_event(strength(1, "random", "random"))
    lines = [
        '{"event": "GenerationDone"}',
        '{"event": "GenerationDone", "generation": "2"}',
        folder.events.read_text().splitlines()[0].replace('"policy_loss": 2.0', '"policy_loss": NaN'),
        '{"event": "StrengthMeasured", "generation": 1, "opponent": "random", "kind": "random"}',
        '{"event": ["GenerationDone"]}',  # as good as of another program: nobody asks for it
        "3",
    ]
    with folder.events.open("a") as file:
        file.write("\n".join(lines) + "\n")
    history = read_history(folder.path, "run")
    assert len(history.generations) == len(history.strengths) == 1
    assert history.remarks == (
        f"4 lines are left out of '{folder.events}': not all is there that such an event says.",
    )  # fmt: skip
    other = begin(tmp_path / "other")
    other.append_event(generation_done(1))
    app(["report", str(other.path), str(folder.path)], standalone_mode=False)
    assert "4 lines are left out of" in Path(capsys.readouterr().out.strip()).read_text()


def test_a_run_with_nothing_else_is_refused_with_the_reason(tmp_path: Path) -> None:
    folder = begin(tmp_path / "run")
    folder.events.write_text('{"event": "GenerationDone"}\n')
    with pytest.raises(BadInput, match=r"has not finished its first generation, .* 1 line is left out of"):
        read_history(folder.path, "run")


def test_every_scale_can_be_drawn() -> None:
    assert KeptRatings.model_json_schema()["properties"]["scale"]["enum"] == list(SCALES)
