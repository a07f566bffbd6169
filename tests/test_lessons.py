"""Every lesson runs from top to bottom in a shortened form, and what it tells is true."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import jupytext
import numpy as np
import numpy.typing as npt
import pytest
from lesson_running import FOLDER, LESSONS, ROOT, lessons_at_hand
from PIL import Image, ImageSequence
from scipy.stats import binom

from boardzero import Forest, Position, SearchSettings, find_game
from boardzero.arena.scores import elo_from_score, score_from_elo
from boardzero.search.connect4_solver import ConnectFourSolver


@pytest.fixture(scope="module")
def toolbox() -> Iterator[ModuleType]:
    with lessons_at_hand() as module:
        yield module


def pictures(folder: Path) -> set[str]:
    """The names of the pictures in a folder; each opens and is not blank."""
    for path in folder.iterdir():
        with Image.open(path) as image:
            assert image.convert("RGB").getcolors(1) is None, path
    return {path.name for path in folder.iterdir()}


# -- the lessons, run ----------------------------------------------------------------------------------------------------
def test_first_lesson_computes_the_example_and_closes_the_ring(toolbox: ModuleType, tmp_path: Path) -> None:
    seen = toolbox.run("1_neural_network", tmp_path, EPOCHS=25)
    assert seen["example"][:, :, 0].tolist() == [[4, 4], [3, 2]]
    assert seen["largest_difference"] < 1e-8
    assert seen["right"][seen["one_neuron"]] < 0.8 < seen["right"][seen["hidden_layer"]]
    assert pictures(tmp_path) == {"1_convolution.png", "1_activations.png", "1_ring.png"}


def test_second_lesson_reads_digits_that_it_has_never_seen(toolbox: ModuleType, tmp_path: Path) -> None:
    seen = toolbox.run("2_supervised", tmp_path, EPOCHS=3, PICTURES=500)
    learned, tested = seen["curve"][-1]
    assert learned > 0.85 and tested > 0.8
    assert seen["confusion"].sum() == seen["test"] == 100
    assert np.trace(seen["confusion"]) == round(tested * 100) == 100 - len(seen["wrong"])
    assert pictures(tmp_path) == {"2_digits.png", "2_kernels.png"}


def test_third_lesson_comes_near_k_means(toolbox: ModuleType, tmp_path: Path) -> None:
    seen = toolbox.run("3_unsupervised", tmp_path, POINTS=200, STEPS=1500, FRAMES=4)
    assert seen["theirs"] <= seen["ours"] * 1.001 < 1.1 * seen["theirs"]
    assert seen["agreement"] > 0.6
    with Image.open(tmp_path / "3_centroids.gif") as animation:
        assert len(list(ImageSequence.Iterator(animation))) == 4
    assert pictures(tmp_path) == {"3_centroids.gif", "3_kmeans.png", "3_codebook.png"}


def test_moving_a_centroid_changes_only_the_nearest_and_by_the_fraction(toolbox: ModuleType) -> None:
    lesson = toolbox.definitions("3_unsupervised")
    start = np.array([[0.0, 0.0], [10.0, 0.0]])
    path = lesson.learn_centroids(np.array([[2.0, 1.0]]), start, 1, np.random.default_rng(0))
    assert path[1][1].tolist() == [10, 0]
    np.testing.assert_allclose(path[1][0], lesson.fraction_at(0, 1) * np.array([2.0, 1.0]))


def test_fourth_lesson_passes_rewards_back_and_learns_from_them(toolbox: ModuleType, tmp_path: Path) -> None:
    seen = toolbox.run("4_reinforcement", tmp_path, GAMES=3000, CHECKS=3, TEST_GAMES=200)
    assert seen["R"] == [1, -1, 1, -1, 1, -1, 1]
    assert "".join(map(str, seen["vector"])) == "010010001001100100"
    first, last = seen["curve"][0], seen["curve"][-1]
    assert last[1] > first[1] + 0.15 and last[3] < first[3] - 0.1
    assert sum(entry[0] for entry in seen["table"].sums.values()) >= 3000 * 5
    assert pictures(tmp_path) == {"4_rewards.png", "4_learning.png"}


def test_fifth_lesson_draws_its_trees_and_finds_the_only_move(toolbox: ModuleType, tmp_path: Path) -> None:
    seen = toolbox.run("5_mcts", tmp_path, ROLLOUT_ITERATIONS=200, GOMOKU_SIMULATIONS=(20, 100))
    names, trees = seen["names"], seen["trees"]
    assert max(seen["visits"], key=seen["visits"].get) == "c2"
    assert names[int(np.argmax([edge.N for edge in trees[100].edges]))] == "c2"
    for simulations, root in trees.items():
        assert sum(edge.N for edge in root.edges) == simulations - 1  # the first one only expands the root
    assert seen["found"]["line heuristic"][30] > seen["found"]["beginner"][30] > seen["found"]["knows nothing"][30]
    for policy in seen["policies"].values():
        assert policy.sum() == pytest.approx(1)
    trees_drawn = {f"5_tree_{simulations:03}.png" for simulations in (1, 2, 3, 10, 100)}
    assert pictures(tmp_path) == trees_drawn | {"5_rollouts.png", "5_noise_temperature_network.png", "5_gomoku.png"}


@pytest.mark.parametrize("simulations", [1, 2, 3, 10, 40, 100])
def test_the_search_of_the_fifth_lesson_is_that_of_the_forest(toolbox: ModuleType, simulations: int) -> None:
    lesson = toolbox.definitions("5_mcts")
    lesson.game = game = find_game("tictactoe")
    state = Position(game, board="X.O/.X./..O X").state
    root = lesson.search(state, lesson.beginner, simulations + 1)
    settings = SearchSettings(exploration=2, first_play="value", first_play_value=0, exact=False)
    forest = Forest(game, settings, nodes=simulations + 2)
    forest.set_root(0, state)
    forest.search(lesson.beginner, simulations)
    expected = forest.root_edges(0)
    assert [edge.N for edge in root.edges] == [edge.visits for edge in expected]
    np.testing.assert_allclose([edge.Q for edge in root.edges], [edge.value for edge in expected], atol=1e-6)
    np.testing.assert_allclose([edge.P for edge in root.edges], [edge.prior for edge in expected], atol=1e-6)


def test_sixth_lesson_learns_tic_tac_toe(toolbox: ModuleType, tmp_path: Path) -> None:
    seen = toolbox.run("6_alphazero", tmp_path, PLANS={"tictactoe": (4, 12, 16)}, JUDGED=40)
    _, history = seen["learned"]["tictactoe"]
    assert len(history) == 5 and history[-1][0] > history[1][0] > 0
    assert history[-1][1] < history[1][1]  # the loss falls
    assert history[-1][3] <= history[0][2]  # searching with what was learned beats guessing with nothing
    assert pictures(tmp_path) == {"6_alphazero.png"}


def test_the_judge_of_the_sixth_lesson_agrees_with_the_solver(toolbox: ModuleType) -> None:
    lesson = toolbox.definitions("6_alphazero")
    game = find_game("connect4:rows=4,columns=5")
    solver = ConnectFourSolver(game)  # type: ignore[arg-type]
    judge = lesson.Judge(game, 15, lesson.random.Random(3))
    for state in judge.positions:
        exact = [int(np.sign(value)) for value in solver.action_values(state) if value is not None]
        assert judge.move_values(state) == exact


def test_sixth_lesson_has_300_lines_and_takes_only_the_rules(toolbox: ModuleType) -> None:
    text = (FOLDER / "6_alphazero.py").read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 300
    imported = [
        (node.module, [name.name for name in node.names])
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("boardzero")
    ]
    assert imported == [("boardzero", ["find_game"])]
    assert "import boardzero" not in text


def test_second_part_of_the_sixth_lesson_measures_every_step(toolbox: ModuleType, tmp_path: Path) -> None:
    seen = toolbox.run(
        "6_faster", tmp_path, SECONDS=0.3, ROUNDS=1, BATCH=16, SIMULATIONS=10, CORES=2, PLANS=((1, 8),), JUDGED=5
    )
    assert list(seen["speeds"]) == [
        "plain Python", "compiled rules", "compiled search", "batching", "ONNX Runtime", "threads (2)", "cache",
    ]  # fmt: skip
    free = seen["free_speeds"]
    assert free["batching"] > 2 * free["plain Python"]  # about 60 times as fast on a machine without other work
    assert len(seen["runs"][1, 8]) == 2
    assert pictures(tmp_path) == {"6_faster.png"}


@pytest.mark.parametrize(("games", "cache"), [(1, 0), (16, 0), (16, 1 << 12)])
def test_batching_and_cache_save_evaluator_calls(toolbox: ModuleType, games: int, cache: int) -> None:
    lesson = toolbox.definitions("6_faster")
    worker = lesson.make_workers(10, games, cache, 1)[0]
    calls = 0

    def evaluate(planes: npt.NDArray[np.float32]) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
        nonlocal calls
        calls += 1
        logits, values = lesson.know_nothing(planes)
        return logits, values

    worker.run(evaluate, 0, lambda game: None, lambda: worker.forest.counts().simulations > 2000)
    counts = worker.forest.counts()
    assert counts.simulations > 2000
    assert (calls < counts.simulations / 5) == (games == 16)
    assert (counts.cache_hits > 200) == (cache > 0)


def test_seventh_lesson_checks_its_formulas_by_simulation(toolbox: ModuleType, tmp_path: Path) -> None:
    seen = toolbox.run("7_elo", tmp_path, MATCHES=4000, VERSIONS=20, RUNS=60)
    assert seen["least_gain"](1.3) == pytest.approx(104.9, abs=0.1)
    assert seen["factor_of_gain"](408) == pytest.approx(2.77, abs=0.01)
    for games, ratings in seen["estimates"].items():
        assert np.median(ratings) == pytest.approx(150, abs=1600 / games)
    level = int(np.argmin(np.abs(seen["gains"])))
    for games, shares in seen["passing"].items():
        fewest = min(wins for wins in range(games + 1) if wins > 1.3 * (games - wins))
        assert shares[level] == pytest.approx(binom.sf(fewest - 1, games, 0.5), abs=0.03)
    for rated, true in seen["inflation"].values():
        assert rated > max(true, 104)
    assert pictures(tmp_path) == {"7_elo.png"}


@pytest.mark.parametrize("difference", [-500.0, 0.0, 37.0, 400.0])
def test_elo_by_hand_in_base_ten_is_that_of_the_arena(toolbox: ModuleType, difference: float) -> None:
    lesson = toolbox.definitions("7_elo")
    score = lesson.expected_score(difference, 0, base=10)
    assert score == pytest.approx(score_from_elo(difference))
    assert lesson.rating_from_score(score, 0.0, base=10) == pytest.approx(elo_from_score(score), abs=1e-9)
    natural = lesson.expected_score(difference, 0)
    assert lesson.rating_from_score(natural, 0.0) == pytest.approx(difference)


# -- the lessons, read ---------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("lesson", LESSONS)
def test_a_lesson_is_a_notebook_too(lesson: str) -> None:
    notebook = jupytext.read(FOLDER / f"{lesson}.py")
    kinds = [cell.cell_type for cell in notebook.cells]
    assert kinds[0] == kinds[-1] == "markdown" and kinds.count("code") >= 4
    assert any("parameters" in cell.metadata.get("tags", []) for cell in notebook.cells)
    assert "save_picture" in notebook.cells[-2].source


def prose(lesson: str) -> str:
    cells = jupytext.read(FOLDER / f"{lesson}.py").cells
    return "\n\n".join(cell.source for cell in cells if cell.cell_type == "markdown")


@pytest.mark.parametrize("lesson", LESSONS)
def test_links_of_a_lesson_lead_somewhere(lesson: str) -> None:
    targets = re.findall(r"\]\(([^)]+)\)", prose(lesson))
    assert targets
    for target in targets:
        assert (FOLDER / target).resolve().is_file(), target


@pytest.mark.parametrize("lesson", LESSONS)
def test_code_that_a_lesson_explains_names_the_lesson(lesson: str) -> None:
    paragraph = prose(lesson).partition("**In boardzero:**")[2].partition("\n\n")[0]
    assert paragraph
    modules = re.findall(r"\]\((\.\./src/[^)]+\.py)\)", paragraph)
    for module in modules:
        assert f"lessons/{lesson}.py" in (FOLDER / module).resolve().read_text(encoding="utf-8"), module


def test_a_page_links_to_pages_and_to_code(toolbox: ModuleType) -> None:
    pages = sorted((ROOT / "docs" / "lessons").glob("*.md"))
    assert [page.stem for page in pages] == LESSONS
    for page in [*pages, ROOT / "docs" / "lessons.md"]:
        for target in re.findall(
            r"\]\(([^)#:]+)\)", re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
        ):
            assert (page.parent / target).resolve().exists(), f"{page.name}: {target}"


def test_a_lesson_has_only_the_parameters_that_it_names(toolbox: ModuleType, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no parameter EPOCHES"):
        toolbox.run("1_neural_network", tmp_path, EPOCHES=1)
