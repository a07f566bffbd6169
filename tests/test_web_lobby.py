"""The lobby sends clients to a server that is up."""

import io
import json
import time
import urllib.request
from collections.abc import Iterator
from typing import Any

import pytest
from starlette.testclient import TestClient
from web_servers import ok, refusal

from boardzero.web import lobby
from boardzero.web.serving import Announcer

TOKEN = "the-lobby-token"
KNOWN = {"Authorization": f"Bearer {TOKEN}"}
UP: set[str] = set()


@pytest.fixture
def client(monkeypatch: pytest.MonkeyPatch) -> Iterator[TestClient]:
    UP.clear()
    monkeypatch.setattr(lobby, "answers", lambda url: url in UP)
    with TestClient(lobby.create_lobby(TOKEN), base_url="http://localhost", follow_redirects=False) as client:
        yield client


def announce(client: TestClient, url: str, visitors: int = 0, **headers: Any) -> Any:
    return client.post("/api/servers", json={"url": url, "visitors": visitors}, headers=headers or KNOWN)


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


def test_clients_are_sent_where_the_fewest_are(client: TestClient) -> None:
    for name, visitors in (("full", 30), ("quiet", 1)):
        ok(announce(client, f"http://{name}:8000", visitors))
        UP.add(f"http://{name}:8000")
    assert {client.get("/go").headers["location"] for _ in range(4)} == {"http://quiet:8000/"}
    assert [each["visitors"] for each in ok(client.get("/api/servers"))["servers"]] == [5, 30]
    ok(announce(client, "http://quiet:8000", 40))  # they have come, and more
    assert client.get("/go").headers["location"] == "http://full:8000/"


def test_a_link_through_the_lobby_may_hold_the_token_of_the_servers(client: TestClient) -> None:
    ok(announce(client, "http://one:8000"))
    UP.add("http://one:8000")
    assert client.get("/go?to=/%3Ftoken%3Dsecret").headers["location"] == "http://one:8000/?token=secret"


def test_a_server_tells_the_lobby_how_many_visitors_it_has(monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[Any] = []

    def take(request: Any, timeout: float) -> Any:
        sent.append(json.loads(request.data))
        return io.BytesIO()

    monkeypatch.setattr(urllib.request, "urlopen", take)
    visitors = iter((3, 5))
    announcer = Announcer("http://lobby:8100", TOKEN, "http://one:8000", lambda: next(visitors))
    for _ in range(2):
        announcer._announce()
    assert sent == [{"url": "http://one:8000", "visitors": number} for number in (3, 5)]


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
