"""Servers for tests: the real application with a small network, in a folder of its own."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import httpx
from starlette.testclient import TestClient

from boardzero.games.catalogue import find_game
from boardzero.games.rules import Game
from boardzero.network.build import build_network
from boardzero.network.weights import save_network
from boardzero.settings.network import NetworkSettings
from boardzero.web.application import create_application
from boardzero.web.services import ServerSettings


@cache
def small_network() -> Path:
    """An untrained network for Connect Four."""
    game = find_game("connect4")
    path = Path(mkdtemp()) / "small.safetensors"
    save_network(path, build_network(NetworkSettings(blocks=1, channels=4), game, seed=1).eval(), game)
    return path


def shipped_for_connect4(game: Game) -> Path | None:
    return small_network() if game.specification == "connect4" else None


def settings_in(folder: Path, **changes: Any) -> ServerSettings:
    settings = ServerSettings(
        runs=folder / "runs",
        live_games=folder / "live.sqlite",
        database=str(folder / "games.sqlite"),
        threads=1,
        shipped=shipped_for_connect4,
    )
    return replace(settings, **changes)


@contextmanager
def serving(folder: Path, **changes: Any) -> Iterator[TestClient]:
    """A client of a new server; the server stops at the end."""
    with TestClient(create_application(settings_in(folder, **changes)), base_url="http://localhost") as client:
        yield client


def ok(answer: httpx.Response) -> Any:
    assert answer.is_success, answer.text
    return answer.json()


def refusal(answer: httpx.Response, status: int) -> str:
    """The sentence of a refusal."""
    assert answer.status_code == status, answer.text
    sentence: str = answer.json()["error"]
    assert sentence.endswith(".")
    return sentence


def messages(answer: httpx.Response) -> list[tuple[str, Any]]:
    """The events of a stream that has ended: names and data."""
    assert answer.is_success, answer.text
    assert answer.headers["content-type"].startswith("text/event-stream")
    blocks = [block.split("\n") for block in answer.text.split("\n\n") if block.startswith("event: ")]
    return [(lines[0].removeprefix("event: "), json.loads(lines[1].removeprefix("data: "))) for lines in blocks]


def reply_to(client: TestClient, game: dict[str, Any]) -> Any:
    """The game after the machine has moved."""
    while game["thinking"]:
        game = ok(client.get(f"/api/games/{game['id']}", params={"beyond": game["version"], "wait": 20}))
    return game
