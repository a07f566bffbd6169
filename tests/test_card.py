"""Cards: what a network's run tells about it, the same for every network."""

import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from training_runs import SMALL, begin, run

from boardzero.cli.main import main
from boardzero.errors import BadInput
from boardzero.evaluation.card import card_of, write_card
from boardzero.network.weights import read_header
from boardzero.settings.presets import default_values
from boardzero.settings.run import RunSettings
from boardzero.training.run_folder import RunFolder
from boardzero.training.sittings import keep_sitting, read_sittings, this_sitting

OPPONENTS = ["evaluation.opponents=random", "evaluation.share=1", "evaluation.every=1", "evaluation.games=2"]


def call(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    monkeypatch.setattr(sys, "argv", ["boardzero", *arguments])
    with pytest.raises(SystemExit) as end:
        main()
    return int(end.value.code or 0)


def trained(path: Path, monkeypatch: pytest.MonkeyPatch) -> RunFolder:
    """By the command, so that it is known who worked on it."""
    changes = [part for change in [*SMALL, *OPPONENTS] for part in ("--set", change)]
    assert call(monkeypatch, "train", "tictactoe", "--generations", "2", "--run", str(path), *changes) == 0
    return RunFolder(path)


def test_a_card_tells_how_the_network_was_learned_and_what_was_measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, card = trained(tmp_path / "run", monkeypatch), tmp_path / "tictactoe.md"
    assert call(monkeypatch, "export", str(folder.path), "--card", str(card)) == 0
    text = card.read_text(encoding="utf-8")
    assert text.startswith("# Tic-tac-toe")
    assert "| network | residual, 1 blocks × 8 channels" in text and "| played | 2 generations, " in text
    assert "    boardzero train tictactoe --generations 2 --run runs/run --set " in text
    assert "`network.blocks=1`, `network.channels=8`" in text and "`evaluation.opponents=random`" in text
    assert "cores of " in text or "core of " in text
    assert "| random | 2 | 16 | " in text
    assert f"SHA-256 {read_header(folder.network(2)).checksum[:12]}" in text
    assert f"{card}: how it was learned" in capsys.readouterr().out


def test_a_resumed_run_has_a_line_for_each_sitting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = trained(tmp_path / "run", monkeypatch)
    assert call(monkeypatch, "resume", str(folder.path)) == 0
    first, second = read_sittings(folder.path)
    assert first.command.startswith("boardzero train tictactoe") and second.command == f"boardzero resume {folder.path}"
    with (folder.path / "sittings.jsonl").open("a") as file:
        file.write('{"begun": ')  # a crash tore this line
    assert read_sittings(folder.path) == [first, second]


def test_a_card_of_an_earlier_network_says_how_far_the_run_was_then(tmp_path: Path) -> None:
    folder = begin(tmp_path / "run", "evaluation.share=0", "keep_every=1")
    run(folder)
    text = card_of(folder.network(1))
    assert "| played | 1 generations, " in text and "Nothing has been measured." in text
    assert "    boardzero train tictactoe --generations 3 --seed 1" in text


def test_a_card_has_the_ratings_of_the_run(tmp_path: Path) -> None:
    folder = begin(tmp_path / "run", "evaluation.share=0", generations=1)
    run(folder)
    rated = {"rating": 812.4, "interval": [790.2, 835.0], "games": 60}
    player = {"name": "run 1", "run": str(folder.path), "generation": 1, **rated}
    ratings = {"game": "tictactoe", "games": 120, "scale": "elo", "players": [player]}
    (folder.path / "ratings.json").write_text(json.dumps(ratings))
    assert "| run 1 | 812 | 790 to 835 | 60 |" in card_of(folder.newest_network())
    del player["rating"]
    (folder.path / "ratings.json").write_text(json.dumps(ratings))
    assert "Ratings" not in card_of(folder.newest_network()), "of another form than boardzero rate writes"


def test_results_that_somebody_wrote_stay_when_a_card_is_written_again(tmp_path: Path) -> None:
    folder, card = begin(tmp_path / "run", "evaluation.share=0", generations=1), tmp_path / "card.md"
    run(folder)
    card.write_text("# Old\n\nold facts\n\n## Results\n\nIt never loses.\n", encoding="utf-8")
    write_card(card, folder.newest_network())
    text = card.read_text(encoding="utf-8")
    assert text.startswith("# Tic-tac-toe") and "old facts" not in text
    assert text.endswith("\n## Results\n\nIt never loses.\n")


def test_results_of_other_weights_do_not_stay(tmp_path: Path) -> None:
    folder, card = begin(tmp_path / "run", "evaluation.share=0", "keep_every=1", generations=2), tmp_path / "card.md"
    run(folder)
    write_card(card, folder.network(1))
    card.write_text(card.read_text(encoding="utf-8") + "\nIt never loses.\n", encoding="utf-8")
    write_card(card, folder.network(1))
    assert card.read_text(encoding="utf-8").endswith("It never loses.\n")
    write_card(card, folder.network(2))
    assert "It never loses." not in card.read_text(encoding="utf-8")


def test_a_run_with_the_defaults_says_so_and_every_command_stands_there_once(tmp_path: Path) -> None:
    folder = begin(tmp_path / "run", "evaluation.share=0", generations=1)
    run(folder)
    for command in ("boardzero train tictactoe --run runs/other", *2 * [f"boardzero resume {folder.path} --minutes 9"]):
        keep_sitting(folder.path, replace(this_sitting(), command=command))
    text = card_of(folder.newest_network())
    assert "\n    boardzero train tictactoe --run runs/other\n    boardzero resume runs/run --minutes 9\n\n" in text
    folder.save_settings(RunSettings(**{**default_values("tictactoe"), "game": "tictactoe", "generations": 1}))
    assert "| settings | the game's defaults |" in card_of(folder.newest_network())


def test_a_network_without_its_run_has_no_card(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="is not in the folder of one"):
        card_of(tmp_path / "lonely.safetensors")
