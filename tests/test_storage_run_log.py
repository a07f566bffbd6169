"""A training run in the log: what really happened in one, killed and resumed, is there once."""

import os
import shutil
from pathlib import Path

import pytest
from storage_helpers import games_in, silence
from training_runs import begin, game_numbers, run

from boardzero.arena.saved_games import position_of
from boardzero.events.training import NetworksCompared, PerfectPlayMeasured, SelfPlayProgress, StrengthMeasured, TrainingEvent
from boardzero.storage import run_log
from boardzero.storage.database import Database
from boardzero.storage.log import GameLog
from boardzero.storage.queries import GameFilter, list_evaluations, list_matches, list_runs
from boardzero.storage.run_log import RunLog
from boardzero.training.loop import Training
from boardzero.training.run_folder import RunFolder


@pytest.fixture
def url(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    return str(tmp_path / "games.sqlite")


def test_a_run_that_is_stopped_and_resumed_is_logged_once(url: str, tmp_path: Path) -> None:
    folder = begin(tmp_path / "run", generations=3)
    for stop_after in (2, None):
        with GameLog(url, silence) as log:
            logged = RunLog(log, folder)

            def hear(event: object, logged: RunLog = logged, stop_after: int | None = stop_after) -> None:
                logged(event)  # type: ignore[arg-type]
                if getattr(event, "generation", 0) == stop_after:
                    training.stop()

            with Training(folder, hear) as training:
                training.run()
    with GameLog(url, silence) as log:  # once more, with nothing new
        RunLog(log, folder).log_new_games()
    stored = games_in(url)
    played = [game for game in game_numbers(folder) if game is not None]
    assert len(stored) == len({game.number for game in stored})
    assert {game.number for game in stored} == set(played)
    for game in stored[::20]:
        position = position_of(game.record)
        assert position.over and position.winner == game.record.winner
        assert game.source == "self-play" and "@" in game.who
    database = Database(url)
    with database.reading() as connection:
        (run,) = list_runs(connection)
    database.close()
    assert (run["game"], run["generation"], run["games"]) == ("tictactoe", 3, len(stored))
    assert run["settings"]["network"]["blocks"] == 1
    assert len(games_in(url, GameFilter(run=run["id"][:8], game="tictactoe"))) == len(stored)


def test_games_of_a_run_that_is_logged_late_have_the_day_on_which_they_were_played(url: str, tmp_path: Path) -> None:
    folder = begin(tmp_path / "run", generations=1)
    run(folder)
    files = sorted(path for path in folder.games.iterdir() if path.suffix in (".parquet", ".journal"))
    for day, path in enumerate(files, 1):
        os.utime(path, (86_400 * day, 86_400 * day))
    with GameLog(url, silence) as log:
        RunLog(log, folder).log_new_games()
    days = {game.record.ended for game in games_in(url)}
    assert days == {f"1970-01-{day + 1:02}T00:00:00Z" for day in range(1, len(files) + 1)} and len(days) > 1


def test_evaluations_are_logged_and_progress_is_not(url: str, tmp_path: Path) -> None:
    folder: RunFolder = begin(tmp_path / "run")
    events: list[TrainingEvent] = [
        PerfectPlayMeasured(2, 10.0, 100, 400, 31),
        NetworksCompared(3, 2, 12.0, 11, 2, 7, True, 1.5),
        StrengthMeasured(
            4, 20.0, "mcts:sims=100", "mcts", 100, (1, 0, 0), (0, 1, 0), 0.75, (0.2, 1.0), 1.0, (0.3, 1.0), 0.5, (0.1, 0.9), 2.0
        ),
    ]
    with GameLog(url, silence) as log:
        logged = RunLog(log, folder, games=False)
        for event in [*events, *events]:  # told again after a resume
            logged(event)
        logged(SelfPlayProgress(1, 2, 3, 4, 5.0, 6, 7, 8, 9))
    database = Database(url)
    with database.reading() as connection:
        rows = list_evaluations(connection, logged.run)
    database.close()
    assert [(row["generation"], row["opponent"]) for row in rows] == [(2, "perfect"), (3, "generation 2"), (4, "mcts:sims=100")]
    assert rows[0]["report"]["mistakes"] == 31 and rows[2]["report"]["moving_second"] == [0, 1, 0]


MATCHES = (
    *("gate.kind=percentage", "gate.games=4", "gate.percentage=1", "keep_every=1"),
    *("evaluation.every=1", "evaluation.games=6", "evaluation.share=1", "evaluation.positions=0"),
    "evaluation.opponents=random previous:1",
)


@pytest.mark.parametrize("mode", ["alternating", "concurrent"])
def test_games_of_the_gate_and_of_evaluations_are_logged_with_their_players(url: str, tmp_path: Path, mode: str) -> None:
    folder = begin(tmp_path / "run", *MATCHES, f"mode={mode}", generations=2)
    events: list[TrainingEvent] = []
    with GameLog(url, silence) as log:
        logged = RunLog(log, folder)

        def hear(event: TrainingEvent) -> None:
            events.append(event)
            logged(event)

        with Training(folder, hear) as training:
            training.run()
        for event in events:  # a match that is played again, game for game
            logged(event)
    compared = [event for event in events if isinstance(event, NetworksCompared)]
    measured = [event for event in events if isinstance(event, StrengthMeasured)]
    assert measured
    assert compared or mode == "concurrent"  # where a run may end before a match does
    database = Database(url)
    with database.reading() as connection:
        rows = {(row["source"], row["player"], row["opponent"]): row for row in list_matches(connection)}
    database.close()
    network = f"alphazero:network={folder.path}/networks/generation-0000{{}}.safetensors,sims=16"
    for event in compared:
        row = rows.pop(("gate", network.format(event.generation), network.format(event.best)))
        assert (row["games"], row["wins"], row["draws"], row["losses"]) == (4, event.wins, event.draws, event.losses)
        assert row["run"] == logged.run
    for event in measured:
        opponent = "random" if event.kind == "random" else network.format(event.opponent.removeprefix("generation "))
        row = rows.pop(("evaluation", network.format(event.generation), opponent))
        counts = tuple(map(sum, zip(event.moving_first, event.moving_second, strict=True)))
        assert (row["games"], (row["wins"], row["draws"], row["losses"])) == (6, counts)
    assert not rows
    for source, count in (("gate", 4 * len(compared)), ("evaluation", 6 * len(measured))):
        stored = games_in(url, GameFilter(source=source, run=logged.run))
        assert len(stored) == count
        for game in stored:
            position = position_of(game.record)
            assert position.over and position.winner == game.record.winner
            assert network.format(game.generation) in game.record.players


def test_games_of_matches_are_kept_while_the_database_does_not_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    folder, said = begin(tmp_path / "run", *MATCHES, generations=1), list[str]()
    with GameLog("postgresql://me@127.0.0.1:1/games", said.append) as log, Training(folder, RunLog(log, folder)) as training:
        training.run()
    assert len(said) == 1 and "does not answer" in said[0]
    (kept,) = (path.read_text() for path in (tmp_path / "data").rglob("rows.jsonl"))
    assert kept.count('"source": "gate"') == 1 + 4 and kept.count('"source": "evaluation"') == 2 * (1 + 6)


def test_a_run_keeps_its_id_when_its_folder_is_moved(url: str, tmp_path: Path) -> None:
    begin(tmp_path / "run")
    with GameLog(url, silence) as log:
        first = RunLog(log, RunFolder(tmp_path / "run")).run
        (tmp_path / "run").rename(tmp_path / "moved")
        assert RunLog(log, RunFolder(tmp_path / "moved")).run == first


def test_a_copy_of_a_run_is_a_run_of_its_own(url: str, tmp_path: Path) -> None:
    """Or what it does from then on would be taken for what the original did."""
    begin(tmp_path / "run")
    with GameLog(url, silence) as log:
        first = RunLog(log, RunFolder(tmp_path / "run")).run
        shutil.copytree(tmp_path / "run", tmp_path / "copy")
        (tmp_path / "link").symlink_to(tmp_path / "run")
        copy = RunLog(log, RunFolder(tmp_path / "copy")).run
        assert copy != first
        assert [RunLog(log, RunFolder(tmp_path / name)).run for name in ("run", "copy", "link")] == [first, copy, first]


def test_a_run_that_may_only_be_read_has_the_same_id_every_time(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: Path, content: bytes) -> None:
        raise PermissionError(13, "Permission denied")

    folder = begin(tmp_path / "run")
    monkeypatch.setattr(run_log, "write_durably", refuse)
    with GameLog(url, silence) as log:
        assert RunLog(log, folder).run == RunLog(log, folder).run
