"""A training started, watched live, stopped and played against on the page, in a real browser against a real server."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from page_browser import expect, needs_chromium, open_browser, serious_findings, visiting
from training_runs import SMALL

pytestmark = needs_chromium

PATIENCE = 180_000  # milliseconds; a training is a process of its own that has to start
NUMBER = re.compile(r"^[1-9][0-9,]*$")


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with open_browser() as opened:
        yield opened


def tile(page: Any, name: str) -> Any:
    return page.locator(".tiles div", has_text=name).locator("dd")


def test_training_is_started_watched_live_stopped_and_played_against(browser: Any) -> None:
    with visiting(browser) as visit:
        page = visit.open("/learn")
        page.get_by_role("button", name="Start a training").click()
        page.get_by_role("combobox", name="Game").select_option("tictactoe")
        page.get_by_label("Minutes").fill("5")
        page.get_by_label("Settings to change (optional)").fill(" ".join(SMALL))
        page.get_by_role("button", name="Start", exact=True).click()

        expect(tile(page, "Generation")).to_have_text(NUMBER, timeout=PATIENCE)
        before = int(tile(page, "Generation").inner_text())
        listed = page.locator(".runs button").first.element_handle()
        expect(page.locator(".run-head .run-state")).to_have_text("running")
        expect(page.locator(".chart .plot .main-svg").first).to_be_visible(timeout=PATIENCE)
        expect(page.locator(".selfplay .words")).to_have_text(re.compile("Game [0-9]+ of generation"), timeout=PATIENCE)
        expect(tile(page, "Generation")).not_to_have_text(str(before), timeout=PATIENCE)
        assert listed.evaluate("row => row.isConnected")  # what is pointed at stays while its numbers change
        assert serious_findings(page) == []

        page.get_by_role("button", name="Stop", exact=True).click()
        expect(page.locator(".run-head .run-state")).to_have_text("stopped", timeout=PATIENCE)
        expect(page.get_by_role("button", name="Resume")).to_be_visible()

        page.get_by_role("button", name="Play against it").click()
        expect(page.locator(".player-bar").first).to_contain_text("AlphaZero")
        page.locator('.cells button[data-place="4"]').click()
        expect(page.locator(".moves button")).to_have_count(2, timeout=PATIENCE)
