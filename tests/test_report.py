"""Reports: what a run's events say, the page, pictures, and that a browser opens it without a complaint."""

import json
import re
import shutil
import time
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from measured_runs import generation_done, rated, strength
from training_runs import begin, run

from boardzero.cli.main import app
from boardzero.errors import BadInput
from boardzero.evaluation.charts import charts_of
from boardzero.evaluation.matrix_chart import matrices
from boardzero.evaluation.report import write_report
from boardzero.evaluation.run_history import read_history
from boardzero.events.training import NetworksCompared, PerfectPlayMeasured
from boardzero.settings.presets import default_values
from boardzero.settings.run import RunSettings
from boardzero.training.run_folder import RunFolder


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A short run, with ratings and evaluations as longer ones have them."""
    folder = begin(tmp_path_factory.mktemp("reported") / "short", "evaluation.every=0", generations=2)
    run(folder)
    for generation in (1, 2):
        folder.append_event(PerfectPlayMeasured(generation, 60.0 * generation, 100, 400, 90 - generation))
        for kind, opponent in (("random", "random"), ("previous", "generation 0"), ("previous", "generation 1")):
            folder.append_event(strength(generation, kind, opponent))
    players = [
        {"name": name, "run": run, "generation": generation, "rating": rating, "interval": interval, "games": 40}
        for name, run, generation, rating, interval in (
            ("short 0", str(folder.path), 0, 100.0, [100.0, 100.0]),
            ("short 2", str(folder.path), 2, 300.0, [150.0, 450.0]),
            ("random", None, None, 0.0, [-80.0, 90.0]),
            ("mcts:sims=1", None, None, 1.0, [-80.0, 90.0]),
        )
    ]
    folder.append_event(NetworksCompared(2, 1, 120.0, 9, 2, 9, False, 1.0))
    folder.append_event(NetworksCompared(1, 0, 60.0, 15, 0, 5, True, 1.0))
    ratings = {"game": "tictactoe", "games": 80, "scale": "elo", "players": players}
    (folder.path / "ratings.json").write_text(json.dumps(ratings))
    return folder.path


def embedded(page: str) -> dict[str, Any]:
    """The data that a page carries for its scripts."""
    start = page.index('id="report">') + len('id="report">')
    content: dict[str, Any] = json.loads(page[start : page.index("</script>", start)])
    return content


class Links(HTMLParser):
    """Everything that a page would fetch."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.found += [value or "" for key, value in attributes if key in ("src", "href")]


# -- what happened --------------------------------------------------------------------------------------------------------
def test_what_a_resumed_run_did_again_counts_once(tmp_path: Path) -> None:
    folder = begin(tmp_path / "run")
    for generation in (1, 2, 3, 2, 3):
        folder.append_event(generation_done(generation))
    with folder.events.open("a") as file:
        file.write('{"event": "Gener')
    history = read_history(folder.path, "run")
    assert [one["generation"] for one in history.generations] == [1, 2, 3]
    assert history.minutes_at(0) == 0 and history.minutes_at(2) == 2 and history.minutes_at(9) is None


def test_runs_without_anything_to_report_are_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="There is no run in"):
        write_report([tmp_path])
    begin(tmp_path / "new")
    with pytest.raises(BadInput, match="has not finished its first generation"):
        write_report([tmp_path / "new"])
    for name, game in (("a", "tictactoe"), ("b", "connect4:rows=4,columns=4")):
        begin(tmp_path / name, game=game).append_event(generation_done(1))
    with pytest.raises(BadInput, match="different games"):
        write_report([tmp_path / "a", tmp_path / "b"])


# -- the page -------------------------------------------------------------------------------------------------------------
def test_a_report_shows_everything_that_was_measured(trained: Path) -> None:
    (path,) = write_report([trained])
    assert path == trained / "report.html"
    page = path.read_text()
    keys = [chart["key"] for chart in embedded(page)["charts"]]
    assert keys == ["ratings", "mistakes", "wins-random", "wins-previous", "gate", "losses", "rate", "speeds", "games"]
    links = Links()
    links.feed(page[: page.index("<script>")] + page[page.rindex("</script>") :])
    assert all(link.startswith("data:") for link in links.found)  # nothing is fetched from anywhere
    losses = embedded(page)["charts"][keys.index("losses")]["data"]
    assert [trace["name"] for trace in losses] == ["total", "policy", "value"]
    assert losses[0]["y"] == pytest.approx([a + b for a, b in zip(losses[1]["y"], losses[2]["y"], strict=True)])


def test_matches_against_several_networks_are_taken_together(trained: Path) -> None:
    chart = next(chart for chart in charts_of([read_history(trained, "run")]) if chart.key == "wins-previous")
    first = next(trace for trace in chart.traces if trace.get("name") == "moving first")
    assert first["y"] == pytest.approx([100 * 25 / 30] * 2)


def test_a_report_says_how_sure_mistakes_are_and_overlays_promise_no_intervals(trained: Path) -> None:
    run = read_history(trained, "run")
    (alone,) = [chart for chart in charts_of([run]) if chart.key == "mistakes"]
    area, curve = alone.traces
    assert min(area["y"]) < min(curve["y"]) < max(curve["y"]) < max(area["y"]) and "95 %" in alone.caption
    for chart in charts_of([run, run]):
        assert "fill" in chart.traces[0] or "95 %" not in chart.caption, chart.key


def test_networks_that_have_met_are_shown_as_a_matrix(tmp_path: Path) -> None:
    """Of this run only, though another was rated with it; and only if most of them have met."""
    run, other = tmp_path / "run", tmp_path / "other"
    begin(run).append_event(generation_done(1))
    rated(run, "elo", "random", (run, 0, 0.0), (other, 1, 50.0), (run, 1, 90.0))
    content = json.loads((run / "ratings.json").read_text())
    scores = [[None, 0.4, 0.25], [0.6, None, None], [0.75, None, None]]
    content["matrix"] = {"players": ["run 0", "other 1", "run 1"], "scores": scores, "games": [[0, 5, 8], [5, 0, 0], [8, 0, 0]]}
    (run / "ratings.json").write_text(json.dumps(content))
    (chart,) = matrices([read_history(run, "run")])
    (trace,) = chart.traces
    assert (trace["x"], trace["z"]) == (["0", "1"], [[None, 25], [75, None]])
    assert trace["text"][1][0] == "run 1 against run 0: 75 % of 8 games"
    assert embedded(write_report([run])[0].read_text())["charts"][-1]["key"] == "matrix"
    content["matrix"]["games"] = [[0] * 3] * 3
    (run / "ratings.json").write_text(json.dumps(content))
    assert matrices([read_history(run, "run")]) == []


def test_settings_are_compared_with_those_that_are_usual_for_the_game(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path / "run")
    usual = RunSettings(**default_values("connect4"))
    assert usual != RunSettings(game="connect4"), "the game has defaults of its own"
    folder.create(usual.model_copy(update={"minutes": None, "generations": 1}))
    folder.append_event(generation_done(1))
    page = write_report([folder.path])[0].read_text()
    assert set(re.findall(r"<td>([\w.]+)</td><td>[^<]*</td><td>usually", page)) <= {"minutes", "generations"}
    assert "4 blocks × 32 channels (6 × 64 after 12 % of the run)" in page, "a network that grows is shown as what it becomes"


def test_it_is_said_whom_a_network_met(trained: Path) -> None:
    captions = {chart.key: chart.caption for chart in charts_of([read_history(trained, "run")])}
    assert captions["wins-random"] == "random: 50 simulations, 30 games each; points a game by colour, with 95 % intervals."
    assert captions["wins-previous"].startswith("50 simulations, 30 games each;")


def test_matches_of_the_gate_are_shown(trained: Path) -> None:
    chart = next(chart for chart in charts_of([read_history(trained, "run")]) if chart.key == "gate")
    taken, turned_down = chart.traces
    assert (taken["name"], taken["x"], taken["y"], taken["text"]) == ("taken", [1], [75], ["1 against 0: 15–0–5"])
    assert (turned_down["name"], turned_down["y"]) == ("turned down", [50])


def test_a_report_shows_the_ratings_of_its_own_run(tmp_path: Path) -> None:
    """Of runs that were rated together, and of those of the same name; a folder that was moved is known by its name."""
    first, second, elsewhere = tmp_path / "a" / "run", tmp_path / "a" / "other", tmp_path / "b" / "run"
    for path in (first, second, elsewhere):
        begin(path).append_event(generation_done(1))
        rated(path, "elo", "random", (second, 1, 700.0), (elsewhere, 1, 500.0), (first, 1, 300.0))
    for path, rating in ((first, 300), (second, 700), (elsewhere, 500)):
        history = read_history(path, "run")
        assert [one["rating"] for one in history.own_ratings()] == [rating]
        page = write_report([path])[0].read_text()
        assert "networks with 32 simulations a move" in page
        assert f"<b>{rating}</b>" in page and not any(f"<b>{other}</b>" in page for other in {300, 500, 700} - {rating})
    moved = tmp_path / "c" / "other"
    moved.parent.mkdir()
    second.rename(moved)
    assert [one["rating"] for one in read_history(moved, "run").own_ratings()] == [700]
    unclear = tmp_path / "c" / "run"  # two runs of this name were rated, and neither is this one
    begin(unclear).append_event(generation_done(1))
    shutil.copy(first / "ratings.json", unclear)
    assert read_history(unclear, "run").own_ratings() == []


def test_a_network_of_several_runs_is_in_the_curve_of_each(tmp_path: Path) -> None:
    for name in ("one", "two"):
        begin(tmp_path / name).append_event(generation_done(1))
        rated(tmp_path / name, "elo", "random", (tmp_path / "one", 0, 5.0), (tmp_path / name, 1, 90.0))
        content = json.loads((tmp_path / name / "ratings.json").read_text())
        content["players"][0]["places"] = [[str(tmp_path / "one"), 0], [str(tmp_path / "two"), 0]]
        (tmp_path / name / "ratings.json").write_text(json.dumps(content))
        own = read_history(tmp_path / name, name).own_ratings()
        assert [(one["generation"], one["rating"]) for one in own] == [(0, 5), (1, 90)]


def test_ratings_of_different_scales_are_not_drawn_into_one_chart(tmp_path: Path) -> None:
    for name, scale, anchor in (("a", "elo", "random"), ("b", "wandhoven", "b 0"), ("c", "elo", "random")):
        begin(tmp_path / name).append_event(generation_done(1))
        rated(tmp_path / name, scale, anchor, (tmp_path / name, 1, 100.0))
    charts = [chart for chart in charts_of([read_history(tmp_path / n, n) for n in "abc"]) if chart.key.startswith("ratings")]
    names = [[trace["name"] for trace in chart.traces if "name" in trace] for chart in charts]
    assert [(chart.key, chart.title) for chart in charts] == [
        ("ratings", "Rating, random at 0"), ("ratings-2", "Rating, b 0 at 0")
    ]  # fmt: skip
    assert names == [["a", "c"], ["b"]]
    assert charts[1].layout["yaxis"]["title"]["text"] == "Wandhoven's scale (base e)"


def test_runs_are_laid_over_each_other(trained: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    shutil.copytree(trained, other)
    (path,) = write_report([trained, other], tmp_path / "deep" / "both.html")
    names = {trace["name"] for chart in embedded(path.read_text())["charts"] for trace in chart["data"] if "name" in trace}
    assert {"short: total", "other: total", "short: moving first"} <= names
    (alone,) = write_report([trained, trained])  # a run that is named twice is one run
    own = alone.read_text()
    assert write_report([trained, other]) == [trained / "comparison.html"] and alone.read_text() == own


def test_a_report_says_what_was_not_measured_and_how_to(trained: Path, tmp_path: Path) -> None:
    page = write_report([trained])[0].read_text()
    assert "Not measured yet: mistakes and habits of every network (boardzero perfect --run " in page
    begin(tmp_path / "new", game="gomoku:size=7").append_event(generation_done(1))
    assert f"Not measured yet: ratings (boardzero rate {tmp_path / 'new'})." in write_report([tmp_path / "new"])[0].read_text()


def test_texts_in_a_page_cannot_become_code(trained: Path, tmp_path: Path) -> None:
    evil = tmp_path / "<img src=x>"
    shutil.copytree(trained, evil)
    (path,) = write_report([evil], tmp_path / "page.html")
    page = path.read_text()
    assert "<img" not in page[: page.index("<script>")] and "&lt;img src=x&gt;" in page
    assert "<img" not in page[page.index('id="report">') :]


@pytest.fixture(scope="module")
def long_run(trained: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """With all that can be measured of a run: opponents, earlier networks, the gate, mistakes, ratings; and with games."""
    folder = begin(tmp_path_factory.mktemp("reported") / "long")
    shutil.copytree(trained / "games", folder.games)
    for generation in range(1, 501):
        folder.append_event(generation_done(generation))
        folder.append_event(
            NetworksCompared(generation, max(0, generation - 3), 60.0 * generation, 9, 2, 9, generation % 3 == 0, 1.0)
        )
        if generation % 5 == 0:
            for opponent in ("random", "mcts:sims=100", "minimax:depth=2"):
                folder.append_event(strength(generation, opponent.partition(":")[0], opponent))
            for number in range(1, 6):
                folder.append_event(strength(generation, "previous", f"generation {max(0, generation - 10 * number)}"))
            folder.append_event(PerfectPlayMeasured(generation, 60.0 * generation, 100, 400, 40))
    rated(folder.path, "elo", "random", *((folder.path, generation, float(generation)) for generation in range(0, 501, 10)))
    return folder.path


def test_a_report_of_500_generations_is_written_in_under_10_seconds(long_run: Path) -> None:
    worked = time.process_time()
    write_report([long_run])
    assert time.process_time() - worked < 10


def test_the_command_writes_where_it_is_told(trained: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    app(["report", str(trained), "--out", str(tmp_path / "r.html")], standalone_mode=False)
    assert capsys.readouterr().out == f"{tmp_path / 'r.html'}\n"
    (tmp_path / "file").write_text("")
    with pytest.raises(BadInput, match="cannot be written"):
        app(["report", str(trained), "--out", str(tmp_path / "file" / "r.html")], standalone_mode=False)


# -- in a browser -----------------------------------------------------------------------------------------------------------
def opened(browser: Any, path: Path, width: int = 1280, scheme: str = "light") -> tuple[Any, list[str]]:
    """The page, and whatever the browser complains about."""
    from page_browser import WAIT_MILLISECONDS

    page = browser.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme).new_page()
    page.set_default_timeout(WAIT_MILLISECONDS)
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("request", lambda request: complaints.append(request.url) if request.url.startswith("http") else None)
    page.goto(path.as_uri())
    page.wait_for_selector("#chart-losses .main-svg")
    return page, complaints


def test_a_browser_opens_the_report_of_500_generations_without_errors(long_run: Path, browser: Any) -> None:
    from page_browser import expect

    page, complaints = opened(browser, write_report([long_run])[0])
    keys = ("ratings", "mistakes", "wins-random", "wins-mcts", "wins-minimax", "wins-previous", "gate", "losses", "rate",
            "speeds", "games")  # fmt: skip
    for key in keys:
        page.locator(f"#chart-{key} .main-svg").first.wait_for(state="attached")
    expect(page.locator("#chart-losses .scatterlayer .trace")).to_have_count(3)
    expect(page.locator("#chart-gate .point")).to_have_count(500)
    assert complaints == []


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (390, "dark")])
def test_a_browser_opens_the_report_without_errors(trained: Path, browser: Any, width: int, scheme: str) -> None:
    from page_browser import expect

    page, complaints = opened(browser, write_report([trained])[0], width, scheme)
    page.locator(".plot .main-svg").nth(8).wait_for(state="attached")
    page.wait_for_function("document.documentElement.scrollWidth <= innerWidth")  # nothing to scroll sideways for
    for number in range(3):  # every game is opened where something was thought
        expect(page.locator(f"#game-{number} .opinion")).to_contain_text("search: ")
    game = page.locator("#game-0")
    game.locator("input").evaluate("slider => { slider.value = 0; slider.dispatchEvent(new Event('input')); }")
    expect(game.locator(".opinion")).to_contain_text("after move 0")
    game.locator("button").nth(1).click()
    expect(game.locator(".opinion")).to_contain_text("after move 1")
    expect(game.locator("svg").first.locator("text", has_text="1")).not_to_have_count(0)
    assert complaints == []


@pytest.mark.slow
def test_charts_and_games_are_also_written_as_pictures(trained: Path, tmp_path: Path) -> None:
    pytest.importorskip("kaleido")
    from page_browser import CHROMIUM

    if not Path(CHROMIUM).is_file():
        pytest.skip(f"Chromium is not installed at {CHROMIUM}")
    _, *pictures = write_report([trained], tmp_path / "report.html", pictures=True)
    names = [picture.name for picture in pictures]
    assert len(names) == 9 + 3 and names[-3:] == [f"report-game-{number}.png" for number in (1, 2, 3)]
    for picture in pictures:
        assert picture.read_bytes().startswith(b"\x89PNG") and picture.stat().st_size > 5000


def test_a_report_leaves_the_run_as_it_is(trained: Path) -> None:
    before = RunFolder(trained).read_events()
    write_report([trained])
    assert RunFolder(trained).read_events() == before
