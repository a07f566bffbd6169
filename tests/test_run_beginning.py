"""Runs that begin with the games of another one."""

from pathlib import Path

import pytest
from training_runs import begin, game_numbers, run

from boardzero.events.training import GenerationDone
from boardzero.games.catalogue import find_game
from boardzero.replay.columns import GameColumns
from boardzero.training.beginning import read_games, write_games
from boardzero.training.run_folder import RunFolder

GAME = find_game("tictactoe")


@pytest.fixture(scope="module")
def earlier(tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    """A finished run of about 600 positions."""
    folder = begin(tmp_path_factory.mktemp("runs") / "earlier", "replay.shard_games=20", generations=4)
    run(folder)
    return folder


def positions_of(parts: list[GameColumns]) -> int:
    return sum(int(part.positions.sum()) for part in parts)


def begin_with_games(path: Path, earlier: RunFolder, *changes: str) -> tuple[RunFolder, int]:
    """A run of one generation, and how many positions it begins with."""
    parts = read_games(earlier.path, GAME)
    folder = begin(path, *changes, "training.passes=2", "training.batch=32", generations=1)
    write_games(folder, parts)
    return folder, positions_of(parts)


def steps(folder: RunFolder) -> int:
    (done,) = [event for event in run(folder) if isinstance(event, GenerationDone)]
    return done.steps


@pytest.mark.parametrize("mode", ["alternating", "concurrent"])
def test_first_training_is_on_all_games_there_are(tmp_path: Path, earlier: RunFolder, mode: str) -> None:
    folder, positions = begin_with_games(tmp_path / "run", earlier, f"mode={mode}")
    assert positions > 500
    assert steps(folder) >= positions * 2 // 32


def test_first_training_is_no_longer_than_the_window_is_worth(tmp_path: Path, earlier: RunFolder) -> None:
    """Games that have left the window cannot be learned from, and take no time either."""
    window = ("replay.window.kind=positions", "replay.window.positions=200")
    folder, positions = begin_with_games(tmp_path / "run", earlier, *window)
    assert positions > 500
    assert steps(folder) <= 220 * 2 // 32 + 1


def test_journal_beside_its_shard_is_not_read_twice(tmp_path: Path, earlier: RunFolder) -> None:
    """A run that was killed while it sealed a journal has the same games in both."""
    shard = next(earlier.games.glob("*.parquet"))
    journal = next(earlier.games.glob("*.journal"))
    copies = tmp_path / "games"
    copies.mkdir()
    (copies / shard.name).write_bytes(shard.read_bytes())
    (copies / shard.with_suffix(".journal").name).write_bytes(journal.read_bytes())
    (copies / "00000099-main.journal").write_bytes(journal.read_bytes())
    numbers = [int(number) for part in read_games(tmp_path, GAME) for number in part.numbers]
    assert len(numbers) == len(set(numbers)) > 0
    assert set(numbers) <= set(game_numbers(earlier))
