"""Presets: what the documents say is what is set, and every one of them runs."""

import sys
import tomllib
from collections.abc import Iterator
from functools import reduce
from importlib import resources
from pathlib import Path
from typing import Any

import pytest
import torch
from training_runs import run

from boardzero.cli.main import main
from boardzero.errors import BadInput
from boardzero.events.training import GenerationDone, TrainingEvent
from boardzero.network.cost import count_parameters
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
    "katafanga-latrunculi": [
        "network.blocks=1",
        "network.channels=8",
        "training.games=1",
        "game=latrunculi:size=4,start=random",
    ],
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


# What the documents say, setting by setting. PLAIN: none of them has anything of that kind.
PLAIN: dict[str, Any] = {
    "search.root": "puct", "search.first_play": "value", "search.first_play_value": 0, "search.exact": False,
    "selfplay.precision": "float", "selfplay.cap.full_probability": 1, "training.schedule": "constant", "training.averaging": 0,
}  # fmt: skip
KATAFANGA: dict[str, Any] = {
    **PLAIN, "game": "othello", "generations": 4000, "keep_every": 100,
    "network.blocks": 19, "network.channels": 256, "network.activation": "leaky", "network.policy_channels": 256,
    "network.policy_kernel": 3, "network.value_channels": 1, "network.value_hidden": 256,
    "search.noise_fraction": 0.25, "selfplay.workers": 3, "selfplay.games": 20, "selfplay.cap.full_simulations": 200,
    "selfplay.keep_tree": False,
    "selfplay.moves.temperature": 1, "selfplay.moves.temperature_plies": 6,
    "replay.draw": "games", "replay.window.kind": "games", "replay.window.games": 1000,
    "training.games": 5, "training.steps": 1, "training.batch": 512, "training.policy_loss": "cross_entropy",
    "training.value.target": "average", "training.optimizer": "sgd",
    "evaluation.every": 70, "evaluation.games": 30, "evaluation.opponents": ("random", "mcts", "previous:5"),
}  # fmt: skip
DOCUMENTS: dict[str, dict[str, Any]] = {
    "wandhoven-connect4": {
        **PLAIN, "game": "connect4", "network.kind": "wandhoven", "network.blocks": 6, "network.channels": 75,
        "network.activation": "leaky", "network.slope": 0.3, "search.exploration": 2, "search.transpositions": True,
        "selfplay.noise": False, "selfplay.keep_tree": False, "selfplay.cap.full_simulations": 50,
        "selfplay.moves.temperature": 1,
        "replay.window.kind": "positions", "replay.window.positions": 30_000, "training.first_positions": 30_000,
        "training.batch": 256, "training.legal_only": True, "training.value.target": "z", "training.optimizer": "sgd",
        "training.weight_decay": 0, "gate.kind": "ratio", "gate.factor": 1.3, "gate.games": 20,
    },
    "briden-connect4": {
        **PLAIN, "game": "connect4", "generations": 50, "keep_every": 1, "network.kind": "briden", "network.channels": 64,
        "search.transpositions": True, "selfplay.workers": 1, "selfplay.games": 1, "selfplay.noise": False,
        "selfplay.keep_tree": True, "selfplay.cap.full_simulations": 10,
        "replay.window.kind": "games", "replay.window.games": 1, "training.games": 1, "training.batch": 64,
        "training.epochs": 20, "training.policy_loss": "cross_entropy", "training.value.target": "z",
        "training.weight_decay": 0, "evaluation.every": 5, "evaluation.games": 10,
        "evaluation.opponents": ("random", "mcts", "previous:1"),
    },
    "katafanga-othello": KATAFANGA,
    "katafanga-othello-small": {
        **KATAFANGA, "network.blocks": 11, "network.channels": 128, "network.policy_channels": 128,
    },
    "katafanga-connect4": {
        **KATAFANGA, "game": "connect4:rows=7", "generations": None, "minutes": 300, "search.noise_alpha": 0,
        "network.blocks": 11, "network.channels": 128, "network.policy_channels": 128,
    },
    "katafanga-latrunculi": {
        **KATAFANGA, "game": "latrunculi:start=random", "search.noise_alpha": 0,
        "network.blocks": 11, "network.channels": 128, "network.policy_channels": 128,
    },
    "agz-connect4": {
        **PLAIN, "game": "connect4", "mode": "concurrent", "search.noise_fraction": 0.25, "search.noise_alpha": 0.8,
        "selfplay.cap.full_simulations": 100, "selfplay.moves.temperature": 1, "replay.symmetries": True,
        "replay.window.kind": "all", "replay.window.clear_on_promotion": True, "training.policy_loss": "cross_entropy",
        "training.value.target": "z", "gate.kind": "percentage", "gate.percentage": 60, "gate.wait_minutes": 60,
    },
    "slavka-gomoku": {
        **PLAIN, "game": "gomoku:size=13", "generations": 30, "keep_every": 1, "network.kind": "slavka", "network.blocks": 4,
        "network.channels": 16, "network.head_layers": 2, "search.exploration": 4, "search.noise_fraction": 0.25,
        "search.noise_alpha": 0.064, "search.virtual_loss": 1, "selfplay.cap.full_simulations": 1000,
        "selfplay.moves.temperature": 1, "selfplay.moves.temperature_plies": 10, "replay.symmetries": True,
        "replay.duplicates": "merge", "replay.window.kind": "generations", "replay.window.generations": 4,
        "replay.window.generations_step": 2, "replay.window.generations_most": 20, "training.positions": 20_000,
        "training.first_positions": 20_000, "training.batch": 256, "training.epochs": 3, "training.value.target": "z",
        "training.optimizer": "adam", "training.learning_rate": 0.001, "training.weight_decay": 0,
    },
}  # fmt: skip
EXCUSED = ("not given", "not mentioned", "departs")


def text_of(name: str) -> str:
    return resources.files("boardzero.settings").joinpath("presets", f"{name}.toml").read_text(encoding="utf-8")


def settings_said(name: str) -> Iterator[tuple[str, bool]]:
    """Every setting of a preset's file, and whether its line, or its group, says that it is not the document's."""
    group, group_excused = "", False
    for line in text_of(name).splitlines():
        code, _, remark = line.partition("#")
        excused = any(word in remark for word in EXCUSED)
        if code.startswith("["):
            group, group_excused = code.strip(" []") + ".", excused
        elif "=" in code:
            yield group + code.partition("=")[0].strip(), excused or group_excused


def value_of(settings: RunSettings, key: str) -> Any:
    return reduce(getattr, key.split("."), settings)


@pytest.mark.parametrize("name", NAMES)
def test_presets_have_the_figures_of_their_documents(name: str) -> None:
    settings = settings_of(name, [])
    assert {key: value_of(settings, key) for key in DOCUMENTS[name]} == DOCUMENTS[name]


@pytest.mark.parametrize("name", NAMES)
def test_every_line_is_from_the_document_or_has_its_reason(name: str) -> None:
    said = dict(settings_said(name))
    extended = said.pop("extends", None) is not None
    unexplained = {key for key, excused in said.items() if not excused} - set(DOCUMENTS[name])
    assert not unexplained
    assert '"not given" or "departs"' in text_of(name)
    if not extended:
        assert set(DOCUMENTS[name]) <= set(said)
        parse_parameters(RunSettings, tomllib.loads(text_of(name)), name)


def test_a_preset_that_extends_another_tells_the_differences() -> None:
    large, small = settings_of("katafanga-othello", []), settings_of("katafanga-othello-small", [])
    network = large.network.model_copy(update={"blocks": 11, "channels": 128, "policy_channels": 128})
    assert small == large.model_copy(update={"network": network})
    connect4 = settings_of("katafanga-connect4", [])
    assert (connect4.minutes, connect4.generations) == (300, None)  # its own end


@pytest.mark.parametrize("name", NAMES)
def test_every_preset_runs(name: str, tmp_path: Path) -> None:
    folder = RunFolder(tmp_path / "run")
    changes = [*SHORT, "selfplay.workers=1", *SHORTENED[name]]
    folder.create(settings_of(name, changes, minutes=None, generations=2))
    done = [event for event in run(folder) if isinstance(event, GenerationDone)]
    assert [event.generation for event in done] == [1, 2]
    assert folder.network(2).is_file()


LARGE_TOWER = 22_437_888  # parameters of 19 blocks × 256 channels: what follows from the document, not what it prints


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "changes", "parameters"),
    [
        ("katafanga-othello", [], 23_046_149),  # a batch of 512, after five games
        (
            "agz-connect4",  # with AlphaGo Zero's own tower, and a batch of 256
            ["network.blocks=19", "network.channels=256", "training.first_positions=60", "selfplay.workers=1"],
            22_450_522,
        ),
    ],
)
def test_a_tower_of_19_blocks_makes_a_real_step(
    name: str, changes: list[str], parameters: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """After games that are searched briefly."""
    folder = RunFolder(tmp_path / "run")
    short = ["selfplay.cap.full_simulations=2", "selfplay.games=2", "evaluation.share=0"]
    folder.create(settings_of(name, [*short, *changes], minutes=None, generations=1))
    events: list[TrainingEvent] = []
    with Training(folder, events.append) as training:
        before = {key: weight.clone() for key, weight in training.learner.network.named_parameters()}
        training.run()
        network = training.learner.network
        assert training.learner.steps == 1
        assert (network.settings.blocks, network.settings.channels) == (19, 256)
        assert (count_parameters(network), count_parameters(network.tower)) == (parameters, LARGE_TOWER)
        assert not any(torch.equal(before[key], weight) for key, weight in network.named_parameters())
        batch = training.settings.training.batch
    (done,) = [event for event in events if isinstance(event, GenerationDone)]
    with capsys.disabled():
        print(f"\n{name}, 19 × 256: a step with a batch of {batch} took {done.training_seconds:.1f} s with its network's file")


def test_unknown_presets_are_refused_with_the_nearest_name() -> None:
    with pytest.raises(BadInput, match=r"did you mean 'slavka-gomoku'\?"):
        preset_values("slavka-gomku")


def test_defaults_of_a_game_are_the_general_ones_where_it_has_none() -> None:
    assert parse_parameters(RunSettings, default_values("tictactoe"), "settings") == RunSettings()
    parse_parameters(RunSettings, default_values("connect4"), "settings")


@pytest.mark.parametrize("game", ["tictactoe", "connect4", "othello", "gomoku", "latrunculi"])
def test_every_default_run_meets_players_of_each_kind_and_its_own_past(game: str) -> None:
    opponents = parse_parameters(RunSettings, default_values(game), "settings").evaluation.opponents
    assert {"random", "mcts", "previous:5"} <= set(opponents)
    assert any(opponent.startswith("minimax") for opponent in opponents)


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
