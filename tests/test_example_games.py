"""Games of self-play as reports show them: which ones, and where they are opened."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from replay_records import random_records
from training_runs import begin, run

from boardzero.evaluation.example_games import described, newest_games
from boardzero.evaluation.game_pictures import game_charts
from boardzero.games.catalogue import find_game
from boardzero.replay.record import SelfPlayGame, SparsePolicies
from boardzero.replay.shards import write_shard

GAME = find_game("connect4:rows=4,columns=4")


def with_opening(record: SelfPlayGame, plies: int) -> SelfPlayGame:
    """The same game, of which so many plies were drawn without a search."""
    thought = np.arange(record.plies) >= plies
    return replace(
        record,
        policies=SparsePolicies.from_dense(record.policies.to_dense(GAME.action_count), thought),
        values=np.where(thought, record.values, np.nan).astype(np.float32),
        learned=thought,
    )


def test_example_games_replay_with_the_opinion_of_the_search(tmp_path: Path) -> None:
    folder = begin(tmp_path / "run", "evaluation.every=0", generations=1)
    run(folder)
    games = newest_games(folder.games, find_game("tictactoe"))
    assert len(games) == 3
    for shown in games:
        frames = shown["frames"]
        assert len(frames) == len(shown["moves"].split()) + 1
        assert [sum(cell != 0 for cell in frame["cells"]) for frame in frames] == list(range(len(frames)))
        assert sorted(number for number in frames[-1]["numbers"] if number) == list(range(1, len(frames)))
        thought = [frame for frame in frames if frame.get("moves")]
        assert thought
        for frame in thought:
            assert sum(share for _, share in frame["policy"]) == pytest.approx(1, abs=0.01)
            assert all(frame["cells"][cell] == 0 for cell, _ in frame["policy"])
            assert -1 <= frame["value"] <= 1


def test_a_game_is_opened_where_something_was_thought() -> None:
    """However long its opening is; a game without any thought is opened at its end."""
    (record,) = random_records(GAME.specification, 1)
    last = record.plies
    for opening in range(last):
        shown = described(GAME, with_opening(record, opening))
        assert opening <= shown["shown"] < last and shown["frames"][shown["shown"]]["moves"]
        (picture,) = game_charts([shown])
        assert "Search: " in picture.title and f"After move {shown['shown']}: " in picture.title
    assert described(GAME, record)["shown"] == int(0.6 * (last - 1)), "neither the beginning nor the end"
    assert described(GAME, with_opening(record, last))["shown"] == last


def shown_numbers(records: list[SelfPlayGame], folder: Path, count: int) -> list[int]:
    write_shard(records, folder / "1.parquet")
    return [int(game["title"].split()[1].strip(",")) for game in newest_games(folder, GAME, count)]


def test_games_with_short_openings_are_shown(tmp_path: Path) -> None:
    """One of each result, where there are such; of games alike in this, the last ones."""
    records = random_records(GAME.specification, 40)
    long = [with_opening(record, record.plies - 2) for record in records]
    short = [with_opening(record, 1 if record.number < 20 else record.plies - 2) for record in records]
    newest = {record.result: record.number for record in records[:20]}
    assert len(newest) == 3 and shown_numbers(short, tmp_path, 3) == sorted(newest.values(), reverse=True)
    assert shown_numbers(short, tmp_path, 1) == [19]
    long[5] = records[5]
    assert shown_numbers(long, tmp_path, 1) == [5]


def test_a_game_without_a_thought_is_not_shown_for_its_result(tmp_path: Path) -> None:
    records = [record for record in random_records(GAME.specification, 40) if record.result >= 0]
    thoughtless = [record if record.result == 1 else with_opening(record, record.plies) for record in records]
    results = {record.number: record.result for record in records}
    assert {results[number] for number in shown_numbers(records, tmp_path, 3)} == {0, 1}
    assert {results[number] for number in shown_numbers(thoughtless, tmp_path, 3)} == {1}
