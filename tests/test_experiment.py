"""Experiments: files, runs that go on after a stop, comparisons."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from boardzero.arena.match import Match, MatchSettings
from boardzero.cli.main import app
from boardzero.errors import BadInput
from boardzero.evaluation.comparison import Comparison, VariantResult, compare, mean_band
from boardzero.evaluation.experiment import ExperimentRuns, play_match
from boardzero.evaluation.experiment_file import Experiment, MatchPlan, read_experiment, shipped_experiments
from boardzero.games.catalogue import find_game
from boardzero.players.catalogue import find_player

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
        assert settings.seed == 7 and (settings.minutes is None) != (settings.generations is None)
    for plan in experiment.match:
        find_player(plan.player, find_game(experiment.base.game))


def test_the_documents_experiments_are_shipped() -> None:
    assert set(shipped_experiments()) >= {
        "katafanga-tests", "slavka-simulations", "slavka-generations", "slavka-noise", "value-target", "gumbel-puct",
        "playout-cap", "batch-threads",
    }  # fmt: skip
    assert len(read_experiment("katafanga-tests").variant) == 8


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
        ("seeds = [1, 2]", 'preset = "nobody"', "There is no preset 'nobody'"),
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
def test_an_experiment_trains_rates_compares_and_goes_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = TINY.replace("seeds = [1, 2]", "seeds = [1]")
    file, out = written(tmp_path, text), tmp_path / "out"
    arguments = ["experiment", file, "--out", str(out), "--parallel", "2"]
    app(arguments, standalone_mode=False)
    first = capsys.readouterr()
    assert first.err.count(": done") == 2
    assert "q (the search's value): " in first.out and "mcts:sims=20 scored" in first.out and "score of row" in first.out
    assert (out / "results.txt").read_text() in first.out
    assert 'id="chart-final"' in (out / "results.html").read_text()
    (out / "q-1" / "finished").unlink()
    events = (out / "z-1" / "events.jsonl").read_bytes()
    app(arguments, standalone_mode=False)
    again = capsys.readouterr()
    assert again.err.count(": done") == 1 and "random: 4 games" not in again.err
    assert (out / "z-1" / "events.jsonl").read_bytes() == events
    assert again.out == first.out
    changed = written(tmp_path, text.replace('"network.channels" = 8', '"network.channels" = 4'))
    with pytest.raises(BadInput, match="begun with other settings"):
        ExperimentRuns(read_experiment(changed), out)


def test_a_training_that_fails_is_named(tmp_path: Path) -> None:
    runs = ExperimentRuns(read_experiment(written(tmp_path, TINY)), tmp_path / "out")
    runs.runs[0].folder.create(runs.experiment.settings_of(runs.runs[0].variant, 1))
    (runs.runs[0].folder.path / "games").write_text("in the way")
    with pytest.raises(BadInput, match=r"training of z, seed 1 failed; '.*output.txt' says why"):
        runs.train(1, lambda _: None)


def test_matches_are_those_of_the_match_command() -> None:
    rules = find_game("tictactoe")
    players = (find_player("mcts:sims=20", rules), find_player("random", rules))
    alone = Match(players, MatchSettings(6, 5)).play()
    together = play_match("tictactoe", MatchPlan(player="mcts:sims=20", opponent="random", games=6), 5)
    assert [record.moves for record in together.records] == [record.moves for record in alone.records]
    assert together.as_dict() | {"seconds": 0} == alone.as_dict() | {"seconds": 0}


# -- comparing --------------------------------------------------------------------------------------------------------------
def test_differences_over_seeds_are_told_from_chance() -> None:
    clear = compare([200, 210, 190], [0, 10, -10])
    assert clear.is_certain and clear.interval is not None and clear.interval[0] < clear.mean == 200 < clear.interval[1]
    assert not compare([0, 100, 200], [10, 90, 150]).is_certain
    assert compare([100], [0]).chance is None


def test_differences_of_nothing_are_certain_once_in_twenty() -> None:
    draw = np.random.default_rng(3)
    found = [compare(draw.normal(size=4).tolist(), draw.normal(size=4).tolist()).is_certain for _ in range(1000)]
    assert 0.02 < np.mean(found) < 0.08


def test_every_variant_gets_one_sentence() -> None:
    def variant(name: str, *ratings: float) -> VariantResult:
        return VariantResult(name, "", (), ratings)

    variants = (
        variant("base", 0, 10, -10),
        variant("better", 200, 210, 190),
        variant("same", 5, 8, -12),
        variant("worse", -99, -90, -95),
    )
    sentences = Comparison("", "", variants, (), None, ()).sentences()
    assert [sentence.split()[0] for sentence in sentences] == ["base", "better:", "same:", "worse:"]
    assert "; better (p" in sentences[1] and "no difference is shown" in sentences[2] and "; worse (p" in sentences[3]


def test_bands_cover_what_all_curves_have() -> None:
    curves: list[tuple[list[float], list[float]]] = [([0, 2, 4], [0, 2, 4]), ([1, 5], [3, 7])]
    x, mean, low, high = mean_band(curves)
    assert (x[0], x[-1]) == (1, 4)
    assert mean == pytest.approx([place + 1 for place in x])
    assert all(a < b < c for a, b, c in zip(low, mean, high, strict=True))
    assert mean_band([]) == ([], [], [], [])


def test_shipped_experiments_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    app(["experiment", "list"], standalone_mode=False)
    assert "Katafanga's eight tests" in capsys.readouterr().out


def test_results_of_matches_are_kept(tmp_path: Path) -> None:
    text = 'title = "m"\n[base]\ngame = "tictactoe"\n[[match]]\nplayer = "random"\nopponent = "mcts:sims=3"\ngames = 4\n'
    runs = ExperimentRuns(read_experiment(written(tmp_path, text)), tmp_path / "out")
    said: list[str] = []
    results: list[dict[str, Any]] = runs.play_matches(said.append)
    assert runs.play_matches(said.append) == json.loads((tmp_path / "out" / "matches.json").read_text()) == results
    assert len(said) == 1
