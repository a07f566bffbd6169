"""A real server and a real browser for the tests of the page. Without Chromium these tests are skipped."""

import atexit
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import pytest

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
Browser, BrowserContext, Page, expect = playwright.Browser, playwright.BrowserContext, playwright.Page, playwright.expect

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), "/usr/bin/chromium")
ARGUMENTS = "--headless --no-sandbox --disable-gpu --disable-background-networking --disable-component-update --disable-sync"
WAIT_MILLISECONDS = 120_000  # only what fails takes so long
LAUNCH_MILLISECONDS = 180_000
SERVE = "from boardzero.cli.main import main; main()"

expect.set_options(timeout=WAIT_MILLISECONDS)
needs_chromium = pytest.mark.skipif(not Path(CHROMIUM).exists(), reason=f"there is no Chromium at {CHROMIUM}")


@cache
def server_address() -> str:
    """A server with files of its own, started once for all tests of this process."""
    folder = Path(tempfile.mkdtemp(prefix="boardzero-page-"))
    process = start_server(folder, 0)
    atexit.register(end_server, process)
    atexit.register(shutil.rmtree, folder, True)
    return address_of(process)


def start_server(folder: Path, port: int, *options: str) -> "subprocess.Popen[str]":
    command = [sys.executable, "-c", SERVE, "serve", "--port", str(port), "--runs", str(folder / "runs"), *options]
    environment = {**os.environ, "XDG_DATA_HOME": str(folder / "data")}
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)


def address_of(process: "subprocess.Popen[str]") -> str:
    """What the server says it listens at, without a slash at the end."""
    assert process.stdout is not None
    said = re.search(r"http://[0-9.:]+", process.stdout.readline())
    assert said is not None
    return said[0]


def end_server(process: "subprocess.Popen[str]") -> None:
    process.terminate()
    try:
        process.wait(120)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


@contextmanager
def open_browser() -> Iterator[Any]:
    """Ended with its module: while it is open, no other event loop can run in this thread."""
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS.split(), timeout=LAUNCH_MILLISECONDS)
        yield browser
        browser.close()


class Visit:
    """One person's browser window; what goes wrong in it is collected."""

    def __init__(self, browser: Any, **manner: Any) -> None:
        self.context = browser.new_context(**{"viewport": {"width": 1280, "height": 800}, "reduced_motion": "reduce", **manner})
        self.context.set_default_timeout(WAIT_MILLISECONDS)
        self.page = self.context.new_page()
        self.troubles: list[str] = []
        self.page.on("console", self._hear)
        self.page.on("pageerror", lambda error: self.troubles.append(str(error)))

    def open(self, path: str, address: str = "") -> Any:
        self.page.goto((address or server_address()) + path)
        return self.page

    def _hear(self, message: Any) -> None:
        """Warnings are left out: what a browser warns of differs from build to build."""
        if message.type == "error":
            self.troubles.append(message.text)


@contextmanager
def visiting(browser: Any, forgiven: str = "", **manner: Any) -> Iterator[Visit]:
    """A visit that must end without an error in the console, but for refusals that the test brings about."""
    visit = Visit(browser, **manner)
    try:
        yield visit
    finally:
        visit.context.close()
    assert [trouble for trouble in visit.troubles if not forgiven or forgiven not in trouble] == []


def ready(page: Any, view: str = "") -> None:
    """The view (`play`, `study`, `learn`; none: whichever) has what it was opened with, and takes presses."""
    expect(page.locator(f".view.{view}" if view else ".view")).not_to_have_attribute("inert", "")


def cell(page: Any, place: int) -> Any:
    return page.locator(f'.cells button[data-place="{place}"]')


class Held:
    """Requests that are not answered before it is said so."""

    def __init__(self, page: Any, pattern: "re.Pattern[str]", method: str = "") -> None:
        self.page, self.method = page, method
        self.routes: list[Any] = []
        page.route(pattern, self._hold)

    def _hold(self, route: Any) -> None:
        if self.method and route.request.method != self.method:
            route.continue_()
        else:
            self.routes.append(route)

    def wait_for(self, number: int) -> None:
        until = time.monotonic() + WAIT_MILLISECONDS / 1000
        while len(self.routes) < number:
            assert time.monotonic() < until, f"{len(self.routes)} of {number} requests were sent"
            self.page.wait_for_timeout(10)

    def answer(self, index: int) -> None:
        """Until the page has it."""
        route = self.routes[index]
        with self.page.expect_response(lambda response: response.request == route.request):
            route.continue_()


AT_REST = """async () => {
  const frame = () => new Promise((done) => requestAnimationFrame(done));
  const endless = (animation) => animation.effect?.getComputedTiming().iterations === Infinity;
  do { await frame(); await frame(); } while (document.getAnimations().some((animation) => !endless(animation)));
}"""


def serious_findings(page: Any) -> list[str]:
    """What axe calls serious or critical, when nothing moves or changes its colours any more."""
    from axe_playwright_python.sync_playwright import Axe

    page.evaluate(AT_REST)
    found = Axe().run(page).response["violations"]
    return [
        f"{finding['id']}: {finding['nodes'][0]['html'][:200]} {finding['nodes'][0].get('failureSummary', '')}"
        for finding in found
        if finding["impact"] in ("serious", "critical")
    ]
