"""Experiments: files, runs that go on after a stop, comparisons."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import func, select

from boardzero.arena.match import Match, MatchSettings
from boardzero.cli.main import app
from boardzero.cores import usable_cores
from boardzero.errors import BadInput
from boardzero.evaluation import experiment_report
from boardzero.evaluation.entrants import player_named
from boardzero.evaluation.experiment import ExperimentRuns, play_match, shares_of_cores, usual_parallel
from boardzero.evaluation.experiment_file import Experiment, MatchPlan, read_experiment, shipped_experiments
from boardzero.evaluation.rating_games import RatingGames
from boardzero.games.catalogue import find_game
from boardzero.players.catalogue import find_player
from boardzero.settings.presets import preset_values
from boardzero.settings.run import RunSettings
from boardzero.storage.database import Database
from boardzero.storage.queries import list_matches, list_runs, newest_ratings
from boardzero.storage.tables import ratings
from boardzero.training.run_clock import CLOCK

TINY = """
title = "Tiny"
question = "Does it work?"
[base]
game = "tictactoe"
generations = 1
seeds = [1, 2]
[base.settings]
"network.blocks" = 1
"network.channels" = 8
"selfplay.games" = 16
"selfplay.workers" = 1
"selfplay.cap.full_simulations" = 8
"training.first_positions" = 80
"training.positions" = 80
"training.batch" = 32
"evaluation.every" = 0
[measure]
rating_games = 16
simulations = 4
anchors = ["random"]
matrix_games = 2
[[variant]]
name = "z"
settings = { "training.value.target" = "z" }
[[variant]]
name = "q"
about = "the search's value"
settings = { "training.value.target" = "q", "selfplay.noise" = false }
[[match]]
player = "mcts:sims=20"
opponent = "random"
games = 4
document = "90 %"
"""


def written(folder: Path, text: str) -> str:
    path = folder / "tiny.toml"
    path.write_text(text)
    return str(path)


# -- files ------------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", shipped_experiments())
def test_shipped_experiments_are_sound(name: str) -> None:
    experiment = read_experiment(name)
    for variant in experiment.variant:
        settings = experiment.settings_of(variant, 7)
        assert not settings.curriculum  # the game of the file and no other
        assert settings.seed == 7 and (settings.minutes is None) != (settings.generations is None)
    for plan in experiment.match:
        find_player(plan.player, find_game(experiment.game))


@pytest.mark.parametrize("name", shipped_experiments())
def test_shipped_variants_say_all_that_they_are_compared_in(name: str) -> None:
    """Defaults may change: what one variant of a file sets is set by every one, or by what they have in common."""
    experiment = read_experiment(name)
    varied = {key for variant in experiment.variant for key in variant.settings}
    by_preset = experiment.base.preset is not None  # which does not change
    for variant in experiment.variant:
        if not by_preset:
            assert varied - set(experiment.base.settings) <= set(variant.settings), variant.name
        settings = experiment.settings_of(variant, 1)
        if "growth.share" not in varied:
            assert settings.growth.share == 0  # short runs have one size of network …
        if "selfplay.growth" not in varied:
            assert settings.selfplay.growth == 1  # … and one number of simulations


def test_gumbel_and_puct_are_compared_with_each_other() -> None:
    experiment = read_experiment("gumbel-puct")
    settings = {variant.name: experiment.settings_of(variant, 1) for variant in experiment.variant}
    known = {name: (one.search.root, one.selfplay.cap.full_simulations, one.selfplay.cap.full_probability)
             for name, one in settings.items()}  # fmt: skip
    assert known == {
        "puct-100": ("puct", 100, 0.5),
        "puct-32": ("puct", 32, 1),
        "gumbel-32": ("gumbel", 32, 1),
        "gumbel-16": ("gumbel", 16, 1),
    }


def test_katafangas_tests_are_the_documents() -> None:
    """Everything but sizes is the preset's; tests 7 and 8 had the small network and 0.7, so they are compared with test 2."""
    experiment = read_experiment("katafanga-tests")
    settings = [experiment.settings_of(variant, 1) for variant in experiment.variant]
    preset = RunSettings(**preset_values("katafanga-othello-small"))
    for one in settings:
        assert one.game == "othello:size=6"
        for name in ("optimizer", "learning_rate", "momentum", "weight_decay", "schedule", "averaging", "policy_loss"):
            assert getattr(one.training, name) == getattr(preset.training, name)
        for name in ("root", "exploration", "first_play", "first_play_value", "noise_fraction", "exact"):
            assert getattr(one.search, name) == getattr(preset.search, name)
        assert (one.replay.symmetries, one.replay.draw, one.selfplay.precision) == (False, "games", "float")
        # as many positions for each game as the document's single step of 512 for five
        assert one.training.steps * one.training.batch / one.training.games == 512 / 5
    assert [one.network.channels for one in settings] == [48, 24, 48, 48, 48, 48, 24, 24]
    assert [one.search.noise_alpha for one in settings] == [2.5] * 6 + [0.7] * 2
    assert [one.training.value.target for one in settings] == ["average"] * 2 + ["q", "z", "average", "mixed"] + ["average"] * 2
    assert [one.selfplay.cap.full_simulations for one in settings] == [50] * 4 + [100] + [50] * 3
    assert [one.replay.window.kind for one in settings] == ["games"] * 6 + ["growing", "games"]
    assert [variant.against for variant in experiment.variant] == [None] * 6 + ["small-network"] * 2


def test_an_experiment_may_begin_from_a_preset(tmp_path: Path) -> None:
    text = TINY.replace('game = "tictactoe"\ngenerations = 1', 'preset = "slavka-gomoku"\nminutes = 2')
    experiment = read_experiment(written(tmp_path, text))
    settings = experiment.settings_of(experiment.variant[0], 2)
    assert experiment.game == settings.game == "gomoku:size=13"
    assert (settings.network.kind, settings.network.blocks, settings.minutes, settings.generations) == ("slavka", 1, 2, None)
    smaller = read_experiment(written(tmp_path, text.replace("minutes = 2", 'game = "gomoku:size=7"\nminutes = 2')))
    assert smaller.settings_of(smaller.variant[0], 2).game == "gomoku:size=7"
    assert Experiment(title="m", match=(MatchPlan(player="random", opponent="mcts"),)).game == "connect4"


def test_the_documents_experiments_are_shipped() -> None:
    assert set(shipped_experiments()) >= {
        "katafanga-tests", "slavka-simulations", "slavka-generations", "slavka-noise", "value-target", "gumbel-puct",
        "playout-cap", "batch-threads", "final-board",
    }  # fmt: skip
    assert len(read_experiment("katafanga-tests").variant) == 8


def test_the_first_questions_of_the_documents_fit_into_two_hours() -> None:
    """Of two cores, with three seeds; matches, ratings and the starts of programs take about half an hour on top."""
    names = ("katafanga-tests", "slavka-simulations", "slavka-noise", "slavka-generations", "value-target", "gumbel-puct")
    experiments = [read_experiment(name) for name in names]
    assert all(len(one.base.seeds) == 3 for one in experiments)
    one_core = [one for one in experiments if one.variant]
    assert all(one.settings_of(variant, 1).selfplay.workers == 1 for one in one_core for variant in one.variant)
    assert sum(len(one.variant) * len(one.base.seeds) * (one.base.minutes or 0) for one in one_core) / 2 <= 100
    assert sum(plan.games for one in experiments for plan in one.match) <= 500
    generations = read_experiment("slavka-generations")
    networks, runs = generations.measure.matrix_networks, len(generations.variant) * len(generations.base.seeds)
    assert runs * networks * (networks - 1) // 2 * generations.measure.matrix_games <= 1700


def test_slavkas_generations_are_of_its_own_settings() -> None:
    experiment = read_experiment("slavka-generations")
    preset = RunSettings(**preset_values("slavka-gomoku"))
    settings = [experiment.settings_of(variant, 1) for variant in experiment.variant]
    for one in settings:
        assert (one.network, one.replay, one.keep_every) == (preset.network, preset.replay, 1)
        scaled = one.training.model_copy(update={"positions": 20_000, "first_positions": 20_000})
        assert scaled == preset.training
        cells, length = 81, 25
        legal = (2 * cells * length - length**2 - length) / (2 * length)
        assert one.search.noise_alpha == pytest.approx(10 / legal, abs=5e-4)
    assert [one.selfplay.noise for one in settings] == [True, False]


@pytest.mark.parametrize(("workers", "parallel"), [((1, 1), 4), ((1, 3), 1), ((2, 1), 2), ((0, 1), 1)])
def test_as_many_train_at_a_time_as_have_cores(
    workers: tuple[int, int], parallel: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("boardzero.evaluation.experiment.usable_cores", lambda: [0, 1, 2, 3])
    text = TINY.replace('"training.value.target" = "z"', f'"selfplay.workers" = {workers[0]}')
    text = text.replace('"training.value.target" = "q"', f'"selfplay.workers" = {workers[1]}')
    assert usual_parallel(read_experiment(written(tmp_path, text))) == parallel


def test_experiments_of_matches_alone_need_no_cores_to_train() -> None:
    assert usual_parallel(read_experiment("slavka-noise")) == 1


def test_variants_change_the_base_and_nothing_else(tmp_path: Path) -> None:
    experiment = read_experiment(written(tmp_path, TINY))
    z, q = (experiment.settings_of(variant, 3) for variant in experiment.variant)
    assert (q.training.value.target, q.selfplay.noise, q.network.channels, q.seed) == ("q", False, 8, 3)
    same = q.model_dump() | {"training": z.training.model_dump(), "selfplay": z.selfplay.model_dump()}
    assert same == z.model_dump()


@pytest.mark.parametrize(("positions", "generations"), [(50, 1), (80, 1), (81, 2), (240, 3)])
def test_equal_positions_become_generations(tmp_path: Path, positions: int, generations: int) -> None:
    text = TINY.replace("generations = 1", f"positions = {positions}")
    experiment = read_experiment(written(tmp_path, text))
    assert experiment.settings_of(experiment.variant[0], 1).generations == generations


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ('title = "Tiny"', 'title = "Tiny', "is not TOML"),
        ('title = "Tiny"', 'title = "Tiny"\ncolour = 3', "has no parameter 'colour'"),
        ("generations = 1", "", "exactly one of minutes, generations and positions"),
        ("generations = 1", "generations = 1\nminutes = 3", "exactly one of minutes, generations and positions"),
        ('name = "q"', 'name = "z"', "two variants have the same name"),
        ('"selfplay.games" = 16', '"selfplay.game" = 16', "did you mean 'games'"),
        ('game = "tictactoe"', 'game = "tiktak"', "There is no game"),
        ("seeds = [1, 2]", "seeds = []", "seeds"),
        ("seeds = [1, 2]", "seeds = [1, 1]", "two of its seeds are the same"),
        ("seeds = [1, 2]", 'preset = "nobody"', "There is no preset 'nobody'"),
        (
            '"training.value.target" = "q", "selfplay.noise" = false',
            '"training.value.target" = "z"',
            "'z' and 'q' have the same settings",
        ),
        ('name = "q"', 'name = "q"\nagainst = "p"', "'q' cannot be compared with 'p'"),
        ('name = "q"', 'name = "q"\nagainst = "q"', "'q' cannot be compared with 'q'"),
        ("generations = 1", 'preset = "katafanga-othello"\npositions = 100', "generations are counted in games"),
    ],
)
def test_what_is_wrong_in_a_file_is_said_before_anything_is_trained(tmp_path: Path, before: str, after: str, said: str) -> None:
    with pytest.raises(BadInput, match=said):
        read_experiment(written(tmp_path, TINY.replace(before, after)))


def test_an_unknown_experiment_is_refused_with_those_that_are_shipped() -> None:
    with pytest.raises(BadInput, match="shipped are batch-threads"):
        read_experiment("nothing")


def test_an_experiment_without_anything_to_do_is_refused() -> None:
    with pytest.raises(ValueError, match="neither a"):
        Experiment(title="nothing")


# -- running ----------------------------------------------------------------------------------------------------------------
def test_an_experiment_trains_rates_compares_goes_on_and_is_logged(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    text = TINY.replace("seeds = [1, 2]", "seeds = [1]")
    file, out, database = written(tmp_path, text), tmp_path / "out", tmp_path / "log.sqlite"
    arguments = ["experiment", file, "--out", str(out), "--parallel", "2", "--database", str(database)]
    app(arguments, standalone_mode=False)
    first = capsys.readouterr()
    assert first.err.count(": done") == 2
    assert "q (the search's value): " in first.out and "mcts:sims=20 scored" in first.out and "score of row" in first.out
    assert (out / "results.txt").read_text() in first.out
    page = (out / "results.html").read_text()
    assert all(f'id="chart-{key}"' in page for key in ("final", "losses", "matrix-1", "matrix-2"))
    assert_markdown((out / "results.md").read_text())
    (out / "q-1" / "finished").unlink()
    events = (out / "z-1" / "events.jsonl").read_bytes()
    app(arguments, standalone_mode=False)
    again = capsys.readouterr()
    assert again.err.count(": done") == 1 and "random: 4 games" not in again.err
    assert (out / "z-1" / "events.jsonl").read_bytes() == events
    assert again.out == first.out
    app([*arguments, "--json"], standalone_mode=False)
    told = json.loads(capsys.readouterr().out)
    assert [(one["name"], len(one["ratings"]), one["against"]) for one in told["variants"]] == [("z", 1, None), ("q", 1, "z")]
    assert len(told["matrices"]) == 2 and all(sentence in first.out for sentence in told["sentences"])
    assert_logged_once(database)
    changed = written(tmp_path, text.replace('"network.channels" = 8', '"network.channels" = 4'))
    with pytest.raises(BadInput, match=r"begun with other settings \(network.channels was 8, not 4\); finish it with them"):
        ExperimentRuns(read_experiment(changed), out)


def assert_markdown(text: str) -> None:
    """A heading, what the figures stand on, tables with as many cells in each row, and a sentence for everything."""
    lines = text.splitlines()
    assert lines[0] == "## Tiny" and lines[2] == "Does it work?"
    assert lines[4].startswith("2 variants × 1 seed, ") and "games for the ratings" in lines[4]
    assert re.search(r"for the ratings\. \d+ cores? of .+\. boardzero .+\. \d{4}-\d\d-\d\d\.$", lines[4])
    rows = [line for line in lines if line.startswith("|")]
    assert rows[0].startswith("| variant | Elo |") and [row[:4] for row in rows[2:4]] == ["| z ", "| q "]
    assert len({row.count("|") for row in rows[:4]}) == 1
    assert "Matches:" in lines and any("| 90 % |" in row for row in rows)
    said = [line for line in lines if line.startswith("- ")]
    assert [one.split()[1] for one in said] == ["z", "q", "mcts:sims=20", "z-1:", "q-1:"]
    assert "against the one before it" in said[-1]


def assert_logged_once(path: Path) -> None:
    database = Database(str(path))
    with database.reading() as connection:
        runs, matches, rated = list_runs(connection), list_matches(connection), newest_ratings(connection, "tictactoe")
        fits = connection.execute(select(func.count(ratings.c.fit.distinct()))).scalar()
    database.close()
    assert {Path(run["folder"]).name for run in runs} == {"z-1", "q-1"} and all(run["games"] for run in runs)
    own = [(match["player"], match["games"]) for match in matches if match["source"] == "experiment"]
    assert own == [("mcts:sims=20", 4)]
    assert {match["source"] for match in matches} == {"experiment", "evaluation"}  # of the trainings' ends
    assert {row["player"] for row in rated} == {"z-1 1", "q-1 1", "random"} and fits == 1


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ('player = "mcts:sims=20"', 'player = "mcst:sims=20"', "There is no player 'mcst'"),
        ('opponent = "random"', 'opponent = "human"', "needs a person"),
        ('anchors = ["random"]', 'anchors = ["random", "mcts:simulations=5"]', "mcts has no parameter 'simulations'"),
        ('anchors = ["random"]', 'anchors = ["alphazero:network=nowhere"]', "nowhere"),
    ],
)
def test_players_who_cannot_play_are_refused_before_anything_is_trained(
    tmp_path: Path, before: str, after: str, said: str
) -> None:
    experiment = read_experiment(written(tmp_path, TINY.replace(before, after)))
    with pytest.raises(BadInput, match=said):
        ExperimentRuns(experiment, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_training_that_fails_is_named(tmp_path: Path) -> None:
    runs = ExperimentRuns(read_experiment(written(tmp_path, TINY)), tmp_path / "out")
    runs.runs[0].folder.create(runs.experiment.settings_of(runs.runs[0].variant, 1))
    (runs.runs[0].folder.path / "games").write_text("in the way")
    with pytest.raises(BadInput, match=r"training of z, seed 1 failed; '.*output.txt' says why"):
        runs.train(1, lambda _: None)


def test_trainings_beside_each_other_have_equally_many_cores_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.sched_getaffinity", lambda _: {1, 2, 4, 6, 7}, raising=False)
    assert usable_cores() == [1, 2, 4, 6, 7]
    assert shares_of_cores(1) == [[1, 2, 4, 6, 7]]
    assert shares_of_cores(2) == [[1, 2], [4, 6]]
    assert shares_of_cores(7) == [[1], [2], [4], [6], [7], [1], [2]]


@pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="the system gives processes no cores of their own")
def test_a_training_keeps_to_its_cores(tmp_path: Path) -> None:
    runs = ExperimentRuns(read_experiment(written(tmp_path, TINY.replace("generations = 1", "minutes = 9"))), tmp_path / "out")
    core = usable_cores()[-1]
    process = runs._start(runs.runs[0], [core], ())
    try:
        wait_for(lambda: (runs.runs[0].folder.path / "events.jsonl").is_file())
        assert os.sched_getaffinity(process.pid) == {core}
    finally:
        process.kill()
        process.wait()


def test_ctrl_c_stops_trainings_without_losing_games(tmp_path: Path) -> None:
    """One SIGINT to the command: each training hears of it once, writes what it has and ends by itself."""
    text = TINY.replace("generations = 1", "minutes = 9").replace('"training.positions" = 80', '"training.positions" = 100_000')
    file, out = written(tmp_path, text), tmp_path / "out"
    command = [sys.executable, "-c", "from boardzero.cli.main import main; main()", "experiment", file, "--out", str(out)]
    process = subprocess.Popen([*command, "--parallel", "2"], stderr=subprocess.PIPE, process_group=0)
    try:
        wait_for(lambda: all((out / name / "events.jsonl").is_file() for name in ("z-1", "q-1")))
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=90)
    finally:
        process.terminate()  # if it never came so far: nothing goes on training
        process.wait(90)
    assert process.returncode == 130 and b"Stopped; what was finished is kept" in said
    for name in ("z-1", "q-1"):
        assert "Stopped; nothing is lost." in (out / name / "output.txt").read_text()
        assert (out / name / CLOCK).is_file()


def wait_for(condition: Callable[[], bool]) -> None:
    until = time.monotonic() + 120
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.1)


def test_ratings_follow_from_the_seed_of_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def openings(seed: int) -> set[str]:
        """Of games between rollout players in the places of trained networks."""
        runs = ExperimentRuns(read_experiment(written(tmp_path, f"seed = {seed}\n{TINY}")), tmp_path / str(seed))
        simulations = iter(range(1, 9))
        players = lambda *_: [player_named(f"mcts:sims={next(simulations)}", find_game("tictactoe"))]  # noqa: E731
        monkeypatch.setattr(experiment_report, "networks_of", players)
        experiment_report._final_ratings(runs, lambda _: None, lambda _: None)
        return {game.opening for game in RatingGames(tmp_path / str(seed) / "ratings.jsonl", "tictactoe").games}

    assert openings(0) != openings(5)


def test_matches_are_those_of_the_match_command() -> None:
    rules = find_game("tictactoe")
    players = (find_player("mcts:sims=20", rules), find_player("random", rules))
    alone = Match(players, MatchSettings(6, 5)).play()
    together = play_match("tictactoe", MatchPlan(player="mcts:sims=20", opponent="random", games=6), 5)
    assert [record.moves for record in together.records] == [record.moves for record in alone.records]
    assert together.as_dict() | {"seconds": 0} == alone.as_dict() | {"seconds": 0}


def test_shipped_experiments_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    app(["experiment", "list"], standalone_mode=False)
    assert "Katafanga's eight tests" in capsys.readouterr().out
    app(["experiment", "list", "--json"], standalone_mode=False)
    assert [one["name"] for one in json.loads(capsys.readouterr().out)] == shipped_experiments()


def test_an_experiment_answers_in_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = 'title = "m"\n[base]\ngame = "tictactoe"\n[[match]]\nplayer = "random"\nopponent = "mcts:sims=3"\ngames = 4\n'
    app(["experiment", written(tmp_path, text), "--out", str(tmp_path / "out"), "--json"], standalone_mode=False)
    answer = json.loads(capsys.readouterr().out)
    (match,) = answer["matches"]
    assert match["players"] == ["random", "mcts:sims=3"] and 0 <= match["score"] <= 1
    assert len(answer["sentences"]) == 1 and answer["variants"] == []
    assert [Path(path).name for path in answer["files"]] == ["results.html", "results.txt", "results.md"]


def test_results_of_matches_are_kept(tmp_path: Path) -> None:
    text = 'title = "m"\n[base]\ngame = "tictactoe"\n[[match]]\nplayer = "random"\nopponent = "mcts:sims=3"\ngames = 4\n'
    runs = ExperimentRuns(read_experiment(written(tmp_path, text)), tmp_path / "out")
    said: list[str] = []
    results: list[dict[str, Any]] = runs.play_matches(said.append)
    path = tmp_path / "out" / "matches.json"
    assert runs.play_matches(said.append) == [one | {"document": ""} for one in json.loads(path.read_text())] == results
    assert len(said) == 1
    runs = ExperimentRuns(read_experiment(written(tmp_path, text + 'document = "90 %"\n')), tmp_path / "out")
    assert [one["document"] for one in runs.play_matches(said.append)] == ["90 %"]
    assert len(said) == 1, "what a document reports is no reason to play again"
    for other in (
        text.replace("tictactoe", "connect4:rows=4,columns=4"),
        "seed = 5\n" + text,
    ):  # what was played is of another match
        runs = ExperimentRuns(read_experiment(written(tmp_path, other)), tmp_path / "out")
        runs.play_matches(said.append)
    assert len(said) == 3
    path.write_text(path.read_text()[:100])
    with pytest.raises(BadInput, match=r"matches.json' cannot be read; remove the file"):
        runs.play_matches(said.append)
