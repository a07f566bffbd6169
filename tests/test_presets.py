"""Presets: what the documents say is what is set, and every one of them runs."""

import sys
import tomllib
from importlib import resources
from pathlib import Path
from typing import Any

import pytest
from training_runs import run

from boardzero.cli.main import main
from boardzero.errors import BadInput
from boardzero.events.training import GenerationDone, TrainingEvent
from boardzero.settings.changes import apply_changes
from boardzero.settings.network import DOCUMENTED_NETWORKS
from boardzero.settings.presets import default_values, describe_preset, preset_names, preset_values
from boardzero.settings.run import RunSettings
from boardzero.settings.specification import parse_parameters
from boardzero.training.loop import Training
from boardzero.training.run_folder import RunFolder

NAMES = [
    "agz-connect4", "briden-connect4", "katafanga-connect4", "katafanga-latrunculi", "katafanga-othello",
    "katafanga-othello-small", "slavka-gomoku", "wandhoven-connect4",
]  # fmt: skip
SHORT = ["selfplay.games=4", "selfplay.cap.full_simulations=4", "training.batch=32", "evaluation.share=0", "gate.games=2"]
# The rest of what makes a preset short enough for a test: network and how much is played for a generation.
SHORTENED: dict[str, list[str]] = {
    "agz-connect4": ["network.blocks=1", "network.channels=8", "training.first_positions=60", "training.positions=60"],
    "briden-connect4": ["training.epochs=2"],
    "katafanga-connect4": ["network.blocks=1", "network.channels=8"],
    "katafanga-latrunculi": ["network.blocks=1", "network.channels=8", "training.games=1", "game=latrunculi:size=4"],
    "katafanga-othello": ["network.blocks=1", "network.channels=8", "training.games=1"],
    "katafanga-othello-small": ["network.blocks=1", "network.channels=8", "training.games=1"],
    "slavka-gomoku": ["game=gomoku:size=7", "training.first_positions=60", "training.positions=60"],
    "wandhoven-connect4": ["network.blocks=1", "network.channels=8", "training.first_positions=60", "training.positions=60"],
}


def settings_of(name: str, changes: list[str], **values: Any) -> RunSettings:
    return apply_changes(RunSettings, {**preset_values(name), **values}, changes)


def test_all_systems_have_a_preset() -> None:
    assert preset_names() == NAMES
    assert all(describe_preset(name) for name in NAMES)


@pytest.mark.parametrize(
    ("name", "network"),
    [
        ("wandhoven-connect4", "wandhoven-connect4"),
        ("briden-connect4", "briden-connect4"),
        ("katafanga-othello", "katafanga-large"),
        ("katafanga-othello-small", "katafanga-small"),
        ("katafanga-connect4", "katafanga-small"),
        ("katafanga-latrunculi", "katafanga-small"),
        ("agz-connect4", "agz-connect4"),
        ("slavka-gomoku", "slavka-gomoku"),
    ],
)
def test_presets_have_the_documented_networks(name: str, network: str) -> None:
    assert settings_of(name, []).network == DOCUMENTED_NETWORKS[network]


def test_presets_have_the_figures_of_their_documents() -> None:
    wandhoven, briden, othello, agz, slavka = (
        settings_of(name, [])
        for name in ("wandhoven-connect4", "briden-connect4", "katafanga-othello", "agz-connect4", "slavka-gomoku")
    )
    assert (wandhoven.search.exploration, wandhoven.selfplay.cap.full_simulations, wandhoven.training.batch) == (2, 50, 256)
    assert (wandhoven.gate.kind, wandhoven.gate.factor, wandhoven.gate.games) == ("ratio", 1.3, 20)
    assert wandhoven.search.transpositions and wandhoven.training.legal_only
    assert (briden.selfplay.cap.full_simulations, briden.generations, briden.training.epochs) == (10, 50, 20)
    assert (briden.training.held_out, briden.training.batch) == (0.2, 64)
    assert (othello.selfplay.cap.full_simulations, othello.search.noise_alpha, othello.keep_every) == (200, 0.7, 100)
    assert (othello.training.games, othello.training.steps, othello.training.batch) == (5, 1, 512)
    assert (othello.evaluation.every, othello.evaluation.games, othello.replay.window.games) == (70, 30, 1000)
    assert (agz.mode, agz.gate.percentage, agz.gate.wait_minutes) == ("concurrent", 60, 60)
    assert agz.replay.window.clear_on_promotion
    assert (agz.search.noise_alpha, agz.selfplay.cap.full_simulations) == (0.8, 100)
    assert (slavka.search.exploration, slavka.search.noise_alpha, slavka.training.epochs) == (4, 0.064, 3)
    assert (slavka.replay.window.generations, slavka.replay.duplicates, slavka.training.batch) == (4, "merge", 256)


@pytest.mark.parametrize("name", NAMES)
def test_what_is_not_from_the_document_has_its_reason(name: str) -> None:
    """Every line is a setting that exists; a preset says at its beginning how to read it."""
    text = resources.files("boardzero.settings").joinpath("presets", f"{name}.toml").read_text(encoding="utf-8")
    assert '"not given" or "departs"' in text
    assert "departs" in text.split("\n", 3)[3] or "not given" in text.split("\n", 3)[3]
    parse_parameters(RunSettings, tomllib.loads(text), name)


@pytest.mark.parametrize("name", NAMES)
def test_every_preset_runs(name: str, tmp_path: Path) -> None:
    folder = RunFolder(tmp_path / "run")
    changes = [*SHORT, "selfplay.workers=1", *SHORTENED[name]]
    folder.create(settings_of(name, changes, minutes=None, generations=2))
    done = [event for event in run(folder) if isinstance(event, GenerationDone)]
    assert [event.generation for event in done] == [1, 2]
    assert folder.network(2).is_file()


@pytest.mark.slow
def test_the_large_network_makes_a_real_step(tmp_path: Path) -> None:
    """19 × 256 and a batch of 512, after five games that are searched briefly."""
    folder = RunFolder(tmp_path / "run")
    changes = ["selfplay.cap.full_simulations=2", "selfplay.games=2", "evaluation.share=0"]
    folder.create(settings_of("katafanga-othello", changes, minutes=None, generations=1))
    events: list[TrainingEvent] = []
    with Training(folder, events.append) as training:
        training.run()
        assert training.learner.steps == 1
        assert sum(parameter.numel() for parameter in training.learner.network.parameters()) > 22e6


def test_unknown_presets_are_refused_with_the_nearest_name() -> None:
    with pytest.raises(BadInput, match=r"did you mean 'slavka-gomoku'\?"):
        preset_values("slavka-gomku")


def test_defaults_of_a_game_are_the_general_ones_where_it_has_none() -> None:
    assert parse_parameters(RunSettings, default_values("tictactoe"), "settings") == RunSettings()
    parse_parameters(RunSettings, default_values("connect4"), "settings")


def test_the_command_takes_presets_and_changes_to_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "run"
    arguments = ["train", "connect4:rows=5", "--preset", "briden-connect4", "--generations", "1", "--run", str(path)]
    sets = ["training.epochs=1", "evaluation.share=0"]
    monkeypatch.setattr(sys, "argv", ["boardzero", *arguments, *(part for change in sets for part in ("--set", change))])
    with pytest.raises(SystemExit) as end:
        main()
    assert end.value.code in (0, None)
    settings = RunFolder(path).settings()
    assert (settings.game, settings.generations, settings.training.epochs) == ("connect4:rows=5", 1, 1)
    assert settings.network.kind == "briden"
    assert "Play it: boardzero play connect4:rows=5" in capsys.readouterr().out


def test_the_command_lists_presets(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "argv", ["boardzero", "train", "--preset", "list"])
    with pytest.raises(SystemExit):
        main()
    said = capsys.readouterr().out
    assert all(name in said for name in NAMES)
