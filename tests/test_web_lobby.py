"""The lobby sends clients to a server that is up."""

import time
from collections.abc import Iterator
from typing import Any

import pytest
from starlette.testclient import TestClient
from web_servers import ok, refusal

from boardzero.web import lobby

TOKEN = "the-lobby-token"
KNOWN = {"Authorization": f"Bearer {TOKEN}"}
UP: set[str] = set()


@pytest.fixture
def client(monkeypatch: pytest.MonkeyPatch) -> Iterator[TestClient]:
    UP.clear()
    monkeypatch.setattr(lobby, "answers", lambda url: url in UP)
    with TestClient(lobby.create_lobby(TOKEN), base_url="http://localhost", follow_redirects=False) as client:
        yield client


def announce(client: TestClient, url: str, **headers: Any) -> Any:
    return client.post("/api/servers", json={"url": url}, headers=headers or KNOWN)


def test_only_servers_that_know_the_token_are_listed(client: TestClient) -> None:
    assert "token" in refusal(announce(client, "http://one:8000", Authorization="Bearer wrong"), 401)
    assert "token" in refusal(client.post("/api/servers", json={"url": "http://one:8000"}), 401)
    assert ok(client.get("/api/servers"))["servers"] == []
    ok(announce(client, "http://one:8000/"))
    assert [each["url"] for each in ok(client.get("/api/servers"))["servers"]] == ["http://one:8000"]


@pytest.mark.parametrize("url", ["ftp://one", "one:8000", "http://", "http://user:secret@one", "http://one/?x=1", "x:y"])
def test_what_is_no_address_is_refused(client: TestClient, url: str) -> None:
    assert "is not the address of a server" in refusal(announce(client, url), 400)


def test_clients_are_sent_to_a_server_that_answers_and_spread(client: TestClient) -> None:
    for name in ("one", "two", "down"):
        ok(announce(client, f"http://{name}:8000"))
    UP.update({"http://one:8000", "http://two:8000"})
    targets = [client.get("/go", params={"to": "/play/othello"}).headers["location"] for _ in range(4)]
    assert sorted(targets) == ["http://one:8000/play/othello"] * 2 + ["http://two:8000/play/othello"] * 2


def test_when_no_server_answers_the_lobby_says_so(client: TestClient) -> None:
    assert "No server is up" in refusal(client.get("/go"), 503)
    ok(announce(client, "http://down:8000"))
    assert "No server is up" in refusal(client.get("/go"), 503)


def test_the_way_through_the_lobby_leads_nowhere_else(client: TestClient) -> None:
    ok(announce(client, "http://one:8000"))
    UP.add("http://one:8000")
    for path in ("@evil.example/", "//evil.example", "/\\evil.example", "evil"):
        assert client.get("/go", params={"to": path}).status_code == 422


def test_servers_that_fall_silent_are_forgotten(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    ok(announce(client, "http://one:8000"))
    later = time.monotonic() + lobby.FORGET_SECONDS + 1
    monkeypatch.setattr(time, "monotonic", lambda: later)
    assert ok(client.get("/api/servers"))["servers"] == []


def test_the_lobby_has_a_page_for_people(client: TestClient) -> None:
    assert "No server is up" in client.get("/").text
    ok(announce(client, "http://one:8000/<b>"))
    page = client.get("/").text
    assert "http://one:8000/&lt;b&gt;" in page and "<b>" not in page
