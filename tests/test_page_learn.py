"""A training started, watched live, stopped and played against on the page, in a real browser against a real server."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from page_browser import (
    address_of,
    cell,
    end_server,
    expect,
    needs_chromium,
    ready,
    serious_findings,
    start_server,
    visiting,
)
from training_runs import SMALL

pytestmark = needs_chromium

PATIENCE = 300_000  # milliseconds; a training is a process of its own that has to start, and lets others go first
NUMBER = re.compile(r"^[1-9][0-9]*$")
QUIET_IN_THE_DARK = "rgb(163, 171, 184)"


def tile(page: Any, name: str) -> Any:
    return page.locator(".tiles div", has_text=name).locator("dd")


def told(event: str, content: dict[str, Any]) -> str:
    return f"event: {event}\ndata: {json.dumps(content)}\n\n"


def run_of(name: str, **more: Any) -> dict[str, Any]:
    return {
        "id": name, "title": name, "game": "tictactoe", "state": "running", "mine": False, "minutes": 5, "generations": None,
        "generation": 1, "seconds": 60, "games": 10, "positions": 100, "share": 0.2, "network_generations": [], "trouble": "",
        **more,
    }  # fmt: skip


def test_what_is_under_way_is_told_and_compared_runs_go_on(browser: Any) -> None:
    runs, asked = [run_of("one"), run_of("two")], []
    progress = {"event": "SelfPlayProgress", "generation": 1, "positions": 150, "wanted": 600, "unit": "positions"}
    remark = {"event": "Remark", "sentence": "The first game is awaited."}
    stream = told("run", runs[0]) + told("training", remark) + told("training", progress) + "retry: 600000\n\n"

    def whole_run(route: Any) -> None:
        asked.append(route.request.url)
        route.fulfill(json={**runs[1], "events": [], "settings": {}})

    with visiting(browser) as visit:
        page = visit.page
        page.route(
            re.compile("/api/runs$"), lambda route: route.fulfill(json={"runs": runs, "can_train": True, "running": None})
        )
        page.route(
            re.compile("/api/runs/one/events"), lambda route: route.fulfill(body=stream, content_type="text/event-stream")
        )
        page.route(re.compile("/api/runs/two$"), whole_run)
        page.clock.install()
        visit.open("/learn/one")
        ready(page)
        under_way = "Playing for generation 2: 150 of 600 positions · The first game is awaited."
        expect(page.locator(".doing")).to_have_text(under_way)
        with page.expect_response(re.compile("/api/runs/two$")):
            page.get_by_label("Compare two").check()
        for _ in range(2):  # again and again, as long as it goes on
            with page.expect_response(re.compile("/api/runs/two$")):
                page.clock.run_for(15_000)
        assert len(asked) >= 3


def test_learn_has_no_serious_accessibility_findings_in_the_dark(browser: Any) -> None:
    with visiting(browser, color_scheme="dark") as visit:
        page = visit.open("/learn")
        ready(page)
        page.get_by_role("button", name="Start a training").click()
        expect(page.get_by_role("dialog")).to_be_visible()
        assert serious_findings(page) == []


@pytest.fixture
def own_server(tmp_path: Path) -> Iterator[str]:
    """A server trains once at a time, and takes its training with it when it ends."""
    server = start_server(tmp_path, 0)
    yield address_of(server)
    end_server(server)


def test_training_is_started_watched_live_stopped_resumed_and_played_against(browser: Any, own_server: str) -> None:
    with visiting(browser) as visit:
        page = visit.open("/learn", own_server)
        ready(page)
        page.get_by_role("button", name="Start a training").click()
        page.get_by_role("combobox", name="Game").select_option("tictactoe")
        page.get_by_label("Minutes").fill("60")
        page.get_by_label("Settings to change (optional)").fill(" ".join(SMALL))
        page.get_by_role("button", name="Start", exact=True).click()
        watch_it_live(page)

        page.get_by_role("button", name="Stop", exact=True).click()
        expect(page.locator(".run-head .run-state")).to_have_text("stopped", timeout=PATIENCE)
        page.get_by_role("button", name="Resume").click()
        expect(page.locator(".run-head .run-state")).to_have_text("running", timeout=PATIENCE)
        page.get_by_role("button", name="Stop", exact=True).click()
        expect(page.locator(".run-head .run-state")).to_have_text("stopped", timeout=PATIENCE)

        page.get_by_role("button", name="Play against it").click()
        expect(page.locator(".player-bar").first).to_contain_text("AlphaZero")
        cell(page, 4).click()
        expect(page.locator(".moves button")).to_have_count(2, timeout=PATIENCE)

        page.get_by_role("link", name="Watch it learn").click()
        ready(page, "learn")
        page.get_by_role("button", name="Let them play").click()
        expect(page.locator(".player-bar").first).to_contain_text("AlphaZero")
        expect(page.locator(".player-bar").last).to_contain_text("AlphaZero")
        expect(page.locator(".moves button")).not_to_have_count(0, timeout=PATIENCE)


def watch_it_live(page: Any) -> None:
    generation = tile(page, "Generation")
    expect(generation).to_have_text(NUMBER, timeout=PATIENCE)
    before = generation.inner_text()
    listed = page.locator(".runs button").first.element_handle()
    expect(page.locator(".run-head .run-state")).to_have_text("running")
    expect(page.locator(".chart .plot .main-svg").first).to_be_visible(timeout=PATIENCE)
    expect(page.locator(".selfplay .words")).to_have_text(re.compile("Game [0-9]+ of generation"), timeout=PATIENCE)
    expect(generation).not_to_have_text(before, timeout=PATIENCE)
    assert listed.evaluate("row => row.isConnected")  # what is pointed at stays while its numbers change
    assert serious_findings(page) == []
    page.emulate_media(color_scheme="dark")
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")  # the page hears of it a moment later,
    expect(page.locator(".chart .plot .xtick text").first).to_have_css("fill", QUIET_IN_THE_DARK)  # and the charts after it
    assert serious_findings(page) == []
