"""A browser for the tests of pages and reports; without Chromium, or the package that drives it, these tests are skipped.

Property tests are given all the time they need: how quick a machine is says nothing about the program.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("patient")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Browser, server and thinkers share two cores with other tests: what fails is tried once more, and counted as such."""
    for item in items:
        if "browser" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.flaky(reruns=1))


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    from page_browser import CHROMIUM, open_browser

    if not Path(CHROMIUM).exists():
        pytest.skip(f"there is no Chromium at {CHROMIUM}")
    with open_browser() as opened:
        yield opened


@pytest.fixture
def visit(browser: Any) -> Iterator[Any]:
    """A window whose console must stay free of errors."""
    from page_browser import visiting

    with visiting(browser) as opened:
        yield opened
