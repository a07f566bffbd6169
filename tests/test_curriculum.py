"""Runs that play several games on the way to the one they learn: small boards first, several rules in turn."""

import sys
from pathlib import Path

import numpy as np
import pytest
from training_runs import begin, checkpoint_of, run, settings_of

from boardzero.cli.export import export
from boardzero.cli.main import main
from boardzero.errors import BadInput
from boardzero.evaluation.card import card_of
from boardzero.events.training import GenerationDone, TrainingEvent
from boardzero.games.catalogue import find_game
from boardzero.games.randomness import new_stream
from boardzero.network.learned import caution_about
from boardzero.network.weights import read_header
from boardzero.players.catalogue import find_player
from boardzero.replay.columns import GameColumns
from boardzero.replay.journal import read_journal
from boardzero.replay.shards import read_shard
from boardzero.settings.changes import apply_changes
from boardzero.settings.presets import default_values
from boardzero.settings.run import RunSettings
from boardzero.training.curriculum import Curriculum
from boardzero.training.loop import Training
from boardzero.training.run_folder import RunFolder

SMALL, LARGE, EXACT = "gomoku:size=5", "gomoku:size=6", "gomoku:size=6,rule=standard"
STAGES = f"0.4 {SMALL}; 1 {LARGE} {EXACT}"
SHAPE = ["network.kind=convolutional", f"curriculum={STAGES}", "evaluation.share=0", "keep_every=1"]


def begin_growing(path: Path, *changes: str, generations: int = 5) -> RunFolder:
    return begin(path, *SHAPE, *changes, game=LARGE, generations=generations)


def games_played(events: list[TrainingEvent]) -> list[str]:
    return [event.game for event in events if isinstance(event, GenerationDone)]


def games_of(folder: RunFolder) -> list[GameColumns]:
    """All games of the run, whichever they are."""
    paths = sorted(path for path in folder.games.rglob("[0-9]*-*"))
    parts = [read_shard(path) if path.suffix == ".parquet" else read_journal(path).games for path in paths]
    return [part for part in parts if part is not None]


@pytest.fixture(scope="module")
def grown(tmp_path_factory: pytest.TempPathFactory) -> tuple[RunFolder, list[TrainingEvent]]:
    """A run that went through all of its stages, and what happened in it."""
    folder = begin_growing(tmp_path_factory.mktemp("grown") / "run")
    return folder, run(folder)


# -- what is played --------------------------------------------------------------------------------------------------------
def test_generations_go_through_the_stages_and_within_a_stage_games_take_turns(
    grown: tuple[RunFolder, list[TrainingEvent]],
) -> None:
    folder, events = grown
    assert games_played(events) == [SMALL, SMALL, LARGE, EXACT, LARGE]
    assert (folder.games / "gomoku_size=5").is_dir() and (folder.games / "gomoku_size=6_rule=standard").is_dir()
    assert {part.game for part in games_of(folder)} == {SMALL, LARGE, EXACT}
    assert read_header(folder.network(5)).game == LARGE


def test_what_a_network_has_never_seen_is_told_with_it(grown: tuple[RunFolder, list[TrainingEvent]], tmp_path: Path) -> None:
    folder, _ = grown
    early, late = (card_of(folder.network(generation)) for generation in (2, 5))
    assert "| never seen | size=6 to 20; rule=standard: " in early
    assert "| never seen | size=7 to 20: " in late and f"| game | {LARGE}, {EXACT} |" in late
    files = [tmp_path / f"network{suffix}" for suffix in (".safetensors", ".onnx")]
    export(folder.network(5), safetensors=files[0], onnx=files[1])
    header = read_header(files[0])
    assert header.learned == (SMALL, LARGE, EXACT) and header.checksum == read_header(folder.network(5)).checksum
    assert caution_about(header, find_game(EXACT)) == ""
    other = find_game("gomoku:size=9")
    assert find_player(f"alphazero:network={files[0]}", other).caution.startswith("The network has never seen size=9 while")
    first = tmp_path / "first.safetensors"
    export(folder.network(0), safetensors=first)
    assert read_header(first).learned == () and caution_about(read_header(first), other) == ""


def test_no_two_games_of_a_run_have_the_same_number(grown: tuple[RunFolder, list[TrainingEvent]]) -> None:
    numbers = np.concatenate([part.numbers for part in games_of(grown[0])])
    assert len(np.unique(numbers)) == len(numbers)


def test_run_that_is_stopped_after_every_generation_plays_the_same_games_in_turn(tmp_path: Path) -> None:
    folder, played = begin_growing(tmp_path / "run"), []
    for _ in range(5):
        events: list[TrainingEvent] = []

        def take(event: TrainingEvent, events: list[TrainingEvent] = events) -> None:
            events.append(event)
            if isinstance(event, GenerationDone):
                training.stop()

        with Training(folder, take) as training:
            training.run()
        played += games_played(events)
    assert played == [SMALL, SMALL, LARGE, EXACT, LARGE]
    numbers = np.concatenate([part.numbers for part in games_of(folder)])
    assert len(np.unique(numbers)) == len(numbers)


def test_games_since_the_checkpoint_count_after_a_stop_in_the_middle_of_a_generation(tmp_path: Path) -> None:
    folder = begin_growing(tmp_path / "run")
    with Training(folder, lambda event: None) as training:
        add = training.replay.add

        def add_and_stop(games: list) -> None:  # type: ignore[type-arg]
            add(games)
            if training.progress.generation == 2 and games:
                training.stop()

        training.replay.add = add_and_stop  # type: ignore[method-assign, assignment]
        training.run()
        waiting = training.quota.games
    assert waiting > 0
    with Training(folder, lambda event: None) as training:
        assert (training.quota.games, training.curriculum.playing.specification) == (waiting, LARGE)
        training.run()
        progress, games = training.progress, sum(len(part) for part in games_of(folder))
    assert progress.generation == 5 and progress.games <= games


def test_a_run_with_stages_is_the_same_bit_for_bit_when_it_is_repeated(
    tmp_path: Path, grown: tuple[RunFolder, list[TrainingEvent]]
) -> None:
    again = begin_growing(tmp_path / "again")
    run(again)
    (progress, tensors), (other_progress, other_tensors) = checkpoint_of(grown[0]), checkpoint_of(again)
    assert (progress.games, progress.positions) == (other_progress.games, other_progress.positions)
    assert tensors.keys() == other_tensors.keys()
    assert all((tensors[name] == other_tensors[name]).all() for name in tensors)


# -- what is learned from ----------------------------------------------------------------------------------------------------
def test_batches_are_of_one_size_and_mix_the_rules_of_that_size(tmp_path: Path) -> None:
    folder = begin_growing(tmp_path / "run", f"curriculum=0.2 {SMALL}; 1 {SMALL} {LARGE} {EXACT}", generations=7)
    run(folder)
    with Training(folder, lambda event: None) as training:
        batches = [training.replay.sample(60, new_stream(seed)) for seed in range(12)]
    rules = [set(np.unique(batch.planes[:, 2])) for batch in batches if batch.planes.shape[2] == 6]
    assert {batch.planes.shape[2] for batch in batches} == {5, 6}
    assert rules and all(known == {0, 1} for known in rules)
    assert all(len(batch) == 60 and np.allclose(batch.policy.sum(1), 1, atol=1e-3) for batch in batches)
    first_half = next(batch for batch in batches if batch.planes.shape[2] == 6).planes[:30, 2, 0, 0]
    assert 0 < first_half.sum() < 30  # also within the part that a thread of training takes


def test_only_the_games_of_the_stage_are_learned_from(grown: tuple[RunFolder, list[TrainingEvent]]) -> None:
    with Training(grown[0], lambda event: None) as training:
        assert {training.replay.sample(8, new_stream(seed)).planes.shape[2] for seed in range(20)} == {6}


def test_one_network_learns_all_starts_of_a_game_with_a_fixed_size(tmp_path: Path) -> None:
    starts = "latrunculi:size=4", "latrunculi:size=4,start=rows", "latrunculi:size=4,start=random"
    limits = [f"{start},quiet=20,limit=40" for start in starts]
    folder = begin(tmp_path / "run", f"curriculum=1 {' '.join(limits)}", "evaluation.share=0", game=limits[0])
    assert games_played(run(folder)) == [find_game(game).specification for game in limits]


@pytest.mark.parametrize(("other", "noted"), [("quiet=30", False), ("quiet=20,draws=first", True)])
def test_networks_note_that_games_were_learned_which_one_side_must_win(tmp_path: Path, other: str, noted: bool) -> None:
    own = "latrunculi:size=4,start=rows,quiet=20,limit=40"
    both = f"curriculum=1 {own} latrunculi:size=4,start=rows,{other},limit=40"
    folder = begin(tmp_path / "run", both, "evaluation.share=0", game=own, generations=2)
    run(folder)
    assert read_header(folder.network(2)).knows_odds is noted


# -- what is refused ---------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("curriculum", "said"),
    [
        (f"0.5 {SMALL}", "last stage of curriculum ends at 0.5"),
        (f"0.5 {SMALL}; 0.4 {SMALL}; 1 {LARGE}", "each should end later"),
        (f"{SMALL}; 1 {LARGE}", "is no stage"),
        ("1", "games"),
        (f"2 {LARGE}", "until"),
    ],
)
def test_stages_that_make_up_no_run_are_refused(curriculum: str, said: str) -> None:
    with pytest.raises(BadInput, match=said):
        settings_of(f"curriculum={curriculum}", game=LARGE)


@pytest.mark.parametrize("change", ["mode=concurrent", "gate.kind=ratio", "training.epochs=1"])
def test_what_knows_one_game_only_is_refused_with_a_curriculum(change: str) -> None:
    with pytest.raises(BadInput, match="curriculum=none plays one game only"):
        settings_of(*SHAPE, change, game=LARGE)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        (["network.kind=residual"], "only networks of kind=convolutional or kind=slavka change size"),
        ([f"curriculum=1 {SMALL}"], "should have the run's own game, gomoku:size=6"),
        ([f"curriculum=1 tictactoe {LARGE}"], "takes networks that were built for it"),
        ([f"curriculum=1 gomku {LARGE}"], "did you mean 'gomoku'"),
        ([f"curriculum=1 gomoku:size=99 {LARGE}"], "size=99 is not allowed"),
    ],
)
def test_games_that_cannot_be_learned_together_are_refused(changes: list[str], said: str) -> None:
    with pytest.raises(BadInput, match=said):
        Curriculum(settings_of(*SHAPE, *changes, game=LARGE))


def test_unknown_keys_of_a_stage_are_refused() -> None:
    with pytest.raises(BadInput, match=r"has no parameter 'til' \(did you mean 'until'\?\)"):
        apply_changes(RunSettings, {"curriculum": [{"until": 1, "games": ["connect4"], "til": 1}]}, [])


def test_the_command_refuses_a_curriculum_before_anything_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "run"
    arguments = ["train", LARGE, "--run", str(path), "--set", f"curriculum=1 {SMALL}"]
    monkeypatch.setattr(sys, "argv", ["boardzero", *arguments])
    with pytest.raises(SystemExit) as end:
        main()
    assert end.value.code == 2 and not path.exists()
    assert "should have the run's own game" in capsys.readouterr().err


# -- defaults ------------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "game", ["connect4", "gomoku", "gomoku:size=13,rule=standard", "othello", "latrunculi", "latrunculi:start=rows"]
)
def test_defaults_of_a_game_make_a_run_that_is_possible(game: str) -> None:
    settings = apply_changes(RunSettings, {**default_values(game), "game": game}, [])
    assert Curriculum(settings).games[0].specification == game


def test_the_default_curriculum_is_only_for_games_that_it_ends_with() -> None:
    assert default_values("gomoku:size=13")["curriculum"] and default_values("latrunculi")["curriculum"]
    assert not default_values("gomoku:size=6")["curriculum"]
