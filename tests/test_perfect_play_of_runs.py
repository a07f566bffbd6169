"""Habits that perfect play does not have, and the curve of a run's mistakes."""

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from measured_runs import generation_done
from training_runs import begin, run

from boardzero.arena.perfect_play import draw_solved_positions, search_chooser
from boardzero.arena.solved_games import SolvedPosition, find_solver
from boardzero.cli.main import app
from boardzero.errors import BadInput
from boardzero.evaluation import perfect_run
from boardzero.evaluation.habits import blocks_of, observe_habits, wins_at_once
from boardzero.evaluation.perfect_run import answers
from boardzero.games.catalogue import find_game
from boardzero.games.position import Position

GAME = find_game("connect4:rows=4,columns=4")
WIN = "121212"  # the first player has three in column 1
THREAT = "12121"  # … and the second is to move


def solved(*moves: str) -> list[SolvedPosition]:
    solver = find_solver(GAME)
    return [solver.solve(Position(GAME, one)) for one in moves]


def test_wins_and_blocks_are_seen() -> None:
    assert wins_at_once(GAME, Position(GAME, WIN).state) == [0]
    assert wins_at_once(GAME, Position(GAME, THREAT).state) == []
    assert blocks_of(Position(GAME, THREAT)) == [0]
    assert blocks_of(Position(GAME)) == []  # nothing threatens


def test_a_win_that_only_the_own_move_makes_possible_is_no_threat() -> None:
    """The first player has three cells of the second row; the fourth cell lies above one that is still empty."""
    position = Position(GAME, "3112213")
    assert wins_at_once(GAME, GAME.next_state(position.state, 3)) == [3]
    assert blocks_of(position) == []


def test_missed_wins_and_blocks_are_counted() -> None:
    entries = solved(WIN, THREAT, "")
    best = observe_habits(lambda positions: [0] * len(positions), entries)
    assert (best.wins.positions, best.wins.missed) == (best.blocks.positions, best.blocks.missed) == (1, 0)
    worst = observe_habits(lambda positions: [3] * len(positions), entries)
    assert (worst.wins.missed, worst.wins.share, worst.blocks.missed, worst.blocks.costly) == (1, 1.0, 1, 1)


def test_a_favourite_move_is_found() -> None:
    entries = draw_solved_positions(GAME, 60, seed=3)
    seen = observe_habits(lambda positions: [max(position.legal_actions()) for position in positions], entries)
    assert seen.favourite == 3
    assert sum(seen.chosen) == pytest.approx(1) and sum(seen.perfect) == pytest.approx(1)
    first, second = answers(seen.as_dict(GAME))
    assert first.startswith("Most beyond its due it plays 4: in ") and "immediate win in" in second
    assert first.endswith(", which is more than chance explains.") and seen.chance < 0.001


def test_whoever_plays_perfectly_seldom_seems_to_prefer_a_move() -> None:
    entries, draw = draw_solved_positions(GAME, 60, seed=3), np.random.default_rng(1)

    def perfectly(positions: Sequence[Position]) -> list[int]:
        best = [[action for action, value in enumerate(one.values) if value == max(v for v in one.values if v is not None)]
                for one in entries]  # fmt: skip
        return [int(draw.choice(actions)) for actions in best]

    seen = [observe_habits(perfectly, entries) for _ in range(100)]
    assert np.mean([one.chance < 0.05 for one in seen]) < 0.1
    usual = next(one for one in seen if one.chance >= 0.05)
    assert answers(usual.as_dict(GAME))[0].endswith(", which is no more than chance explains.")


def test_the_curve_of_a_run_is_drawn(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = begin(tmp_path / "run", "keep_every=1", "evaluation.every=0", game=GAME.specification, generations=2)
    run(folder)
    app(["perfect", "--run", str(folder.path), "--sims", "4", "--draw", "30", "--json"], standalone_mode=False)
    answer = json.loads(capsys.readouterr().out)
    assert [one["generation"] for one in answer["networks"]] == [0, 1, 2]
    for one in answer["networks"]:
        assert one["positions"] == 30 and 0 <= one["mistakes"] <= 30
        assert sum(one["habits"]["chosen"]) == pytest.approx(1)
    page = (folder.path / "perfect.html").read_text()
    assert 'id="chart-mistakes"' in page and 'id="chart-moves"' in page and "Most beyond its due" in page
    app(["report", str(folder.path)], standalone_mode=False)
    assert 'id="chart-habits"' in (folder.path / "report.html").read_text()
    shown = capsys.readouterr()
    app(
        ["perfect", "--run", str(folder.path), "--sims", "1", "--draw", "20", "--out", str(tmp_path / "c.html")],
        standalone_mode=False,
    )
    shown = capsys.readouterr()
    assert "20 drawn positions: " in shown.out and f"Drawn: {tmp_path / 'c.html'}" in shown.out


def test_what_was_measured_before_an_interruption_is_not_measured_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = begin(tmp_path / "run", "keep_every=1", "evaluation.every=0", game=GAME.specification, generations=2)
    run(folder)
    searched: list[int] = []

    def counted(*arguments: object) -> object:
        if len(searched) == 2:
            raise KeyboardInterrupt
        searched.append(1)
        return search_chooser(*arguments)  # type: ignore[arg-type]

    command = ["perfect", "--run", str(folder.path), "--sims", "4", "--draw", "30", "--json"]
    monkeypatch.setattr(perfect_run, "search_chooser", counted)
    assert app(command, standalone_mode=False) == 130, "as by Ctrl-C"
    assert len(searched) == 2 and not (folder.path / "perfect.json").exists()
    searched.append(1)  # from here on, no interruption
    capsys.readouterr()
    app(command, standalone_mode=False)
    assert [one["generation"] for one in json.loads(capsys.readouterr().out)["networks"]] == [0, 1, 2]
    assert len(searched) == 4, "the third network only"
    assert (folder.path / "perfect.json").exists() and not (folder.path / "perfect-unfinished.json").exists()


def test_what_was_measured_to_its_end_is_not_measured_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """One more network costs one network; another question, all of them."""
    folder = begin(tmp_path / "run", "keep_every=1", "evaluation.every=0", game=GAME.specification, generations=2)
    run(folder)
    newest = folder.network(2).rename(tmp_path / "later")
    searched: list[int] = []

    def counted(*arguments: object) -> object:
        searched.append(1)
        return search_chooser(*arguments)  # type: ignore[arg-type]

    def measured(file: Path, simulations: int = 4) -> list[tuple[int, str]]:
        command = ["perfect", str(folder.path), "--sims", str(simulations), "--draw", "20", "--positions", str(file), "--json"]
        app(command, standalone_mode=False)
        networks = json.loads(capsys.readouterr().out)["networks"]
        return [(one["generation"], Path(one["files"][0]["file"]).name) for one in networks]

    monkeypatch.setattr(perfect_run, "search_chooser", counted)
    positions = tmp_path / "positions.txt"
    positions.write_text(f"{WIN}\n{THREAT}\n")
    assert measured(positions) == [(0, "positions.txt"), (1, "positions.txt")] and len(searched) == 2
    newest.rename(folder.network(2))
    moved = positions.rename(tmp_path / "moved.txt")
    assert measured(moved) == [(0, "moved.txt"), (1, "moved.txt"), (2, "moved.txt")]
    assert len(searched) == 3, "the new network only"
    moved.write_text(f"{WIN}\n")
    measured(moved)
    assert len(searched) == 6, "other positions"
    measured(moved, simulations=3)
    assert len(searched) == 9, "other simulations"


def test_no_favourite_is_named_where_chance_explains_it(tmp_path: Path) -> None:
    folder = begin(tmp_path / "run", game=GAME.specification)
    folder.append_event(generation_done(1))
    entries = draw_solved_positions(GAME, 20, seed=3)
    seen = observe_habits(lambda positions: [max(position.legal_actions()) for position in positions], entries).as_dict(GAME)
    counted = {"files": [{"file": "drawn", "positions": 20, "mistakes": 5}], "positions": 20, "mistakes": 5}
    networks = [
        {"generation": generation, "simulations": 4, **counted, "habits": {**seen, "favourite_chance": chance}}
        for generation, chance in ((0, 0.4), (1, 0.01))
    ]
    (folder.path / "perfect.json").write_text(json.dumps({"networks": networks}))
    page = perfect_run.write_curve(folder.path, None, False)[0].read_text()
    rows = [row.split("</td><td") for row in page[page.index("<tbody>") : page.index("</tbody>")].split("<tr>")[1:]]
    assert [row[3] for row in rows] == [">", ">4"]


def test_a_run_may_stand_where_a_game_would(tmp_path: Path) -> None:
    folder = begin(tmp_path / "run", game=GAME.specification)
    with pytest.raises(BadInput, match="There is no network in"):  # it is taken for the run that it is
        app(["perfect", str(folder.path)], standalone_mode=False)
    with pytest.raises(BadInput, match="Name a game and --player PLAYER, or --run RUN"):
        app(["perfect", str(tmp_path)], standalone_mode=False)
    with pytest.raises(BadInput, match="There is no game"):
        app(["perfect", str(folder.path), "--player", "random"], standalone_mode=False)


def test_a_curve_needs_a_run() -> None:
    with pytest.raises(BadInput, match="go with --run"):
        app(["perfect", "connect4", "--player", "random", "--png"], standalone_mode=False)
