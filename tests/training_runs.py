"""Short runs of tic-tac-toe."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from boardzero.events.training import GenerationDone, TrainingEvent
from boardzero.replay.columns import GameColumns
from boardzero.replay.journal import read_journal
from boardzero.replay.record import SelfPlayGame
from boardzero.replay.shards import read_shard
from boardzero.settings.changes import apply_changes
from boardzero.settings.run import RunSettings
from boardzero.training.loop import Training
from boardzero.training.run_folder import RunFolder

SMALL = [
    "network.blocks=1",
    "network.channels=8",
    "selfplay.games=16",
    "selfplay.workers=1",
    "selfplay.cap.full_simulations=16",
    "selfplay.cap.fast_simulations=6",
    "selfplay.cache=1024",
    "training.first_positions=200",
    "training.positions=150",
    "training.batch=64",
    "replay.shard_games=40",
]


def settings_of(*changes: str, **values: Any) -> RunSettings:
    return apply_changes(RunSettings, {"game": "tictactoe", "generations": 3, **values}, [*SMALL, *changes])


def begin(path: Path, *changes: str, **values: Any) -> RunFolder:
    """The folder of a new run."""
    folder = RunFolder(path)
    folder.create(settings_of(*changes, **values))
    return folder


def run(folder: RunFolder) -> list[TrainingEvent]:
    """Go on with a run to its end; what happened."""
    events: list[TrainingEvent] = []
    with Training(folder, events.append) as training:
        training.run()
    return events


def games_on_disk(folder: RunFolder) -> list[GameColumns]:
    """What a reader finds, who changes nothing: games of a journal that is sealed already, but not removed yet, once."""
    paths = sorted(folder.games.iterdir()) if folder.games.is_dir() else []
    sealed = {path.stem for path in paths if path.suffix == ".parquet"}
    parts = []
    for path in paths:
        games = None
        if path.suffix == ".parquet":
            games = read_shard(path)
        elif path.suffix == ".journal" and path.stem not in sealed:
            games = read_journal(path).games
        if games is not None:
            parts.append(games)
    return parts


def game_numbers(folder: RunFolder) -> list[int]:
    return [int(number) for games in games_on_disk(folder) for number in games.numbers]


def checkpoint_of(folder: RunFolder) -> Any:
    """Progress and learner's state; damage is not expected."""
    checkpoint = folder.load_checkpoint(lambda sentence: (_ for _ in ()).throw(AssertionError(sentence)))
    assert checkpoint is not None
    return checkpoint


def run_generations(folder: RunFolder, generations: int) -> None:
    """Stop, as a kill would, after so many generations."""

    def end(event: TrainingEvent) -> None:
        if isinstance(event, GenerationDone) and event.generation == generations:
            raise InterruptedError

    with pytest.raises(InterruptedError), Training(folder, end) as training:
        training.run()


def stop_after(training: Training, games: int) -> None:
    """Ask the run to stop when so many games are finished from now on."""
    add, counted = training.replay.add, [0]

    def add_and_count(finished: Sequence[SelfPlayGame]) -> None:
        add(finished)
        counted[0] += len(finished)
        if counted[0] >= games:
            training.stop()

    training.replay.add = add_and_count  # type: ignore[assignment, method-assign]


def assert_nothing_lost_or_twice(folder: RunFolder) -> None:
    """Every game of the run is on disk, once, and counted once."""
    numbers = game_numbers(folder)
    assert len(set(numbers)) == len(numbers)
    progress, _ = checkpoint_of(folder)
    counted = [games for games in games_on_disk(folder) if (games.generations < progress.generation).any()]
    played = sum(int((games.generations < progress.generation).sum()) for games in counted)
    assert progress.games == played
    positions = sum(int(games.positions[games.generations < progress.generation].sum()) for games in counted)
    assert progress.positions == positions
