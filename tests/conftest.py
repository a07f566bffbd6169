"""A browser for the tests of pages and reports, and databases for those of the log; where the system has no Chromium or no
PostgreSQL, the tests that need it are skipped.

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


@pytest.fixture(scope="module")
def server() -> Iterator[Any]:
    """PostgreSQL."""
    from postgres_server import postgres_server

    with postgres_server() as running:
        yield running


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """An empty database of each kind."""
    if request.param == "sqlite":
        return str(tmp_path / "games.sqlite")
    address: str = request.getfixturevalue("server").new_database()
    return address


@pytest.fixture
def own_data_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """No test touches the user's log."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.delenv("BOARDZERO_DATABASE", raising=False)
    return tmp_path / "data"
