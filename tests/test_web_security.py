"""Who may talk to the server, and what every answer carries."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient
from web_servers import ok, refusal, serving

from boardzero.web.security import is_loopback, is_token_text, kept_token

TOKEN = "a-token-for-tests"


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    with serving(tmp_path_factory.mktemp("web")) as client:
        yield client


@pytest.fixture
def guarded(tmp_path: Path) -> Iterator[TestClient]:
    with serving(tmp_path, token=TOKEN, beyond_loopback=True, hosts=("play.example",)) as client:
        yield client


@pytest.mark.parametrize("path", ["/", "/api/status", "/api/nothing", "/nothing.js", "/api/docs", "/play/connect4"])
def test_every_answer_carries_the_security_headers(client: TestClient, path: str) -> None:
    headers = client.get(path).headers
    policy = dict(part.strip().split(" ", 1) for part in headers["content-security-policy"].split(";"))
    assert policy["script-src"] == "'self'" and policy["default-src"] == "'none'" and policy["frame-ancestors"] == "'none'"
    assert headers["x-content-type-options"] == "nosniff" and headers["x-frame-options"] == "DENY"
    assert headers["cross-origin-resource-policy"] == "same-origin"


@pytest.mark.parametrize("host", ["localhost", "localhost:8000", "127.0.0.1:8000", "[::1]:8000"])
def test_this_machine_may_be_called_by_its_own_names(client: TestClient, host: str) -> None:
    assert client.get("/api/status", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize("host", ["evil.example", "evil.example:8000", "localhost.evil.example", "192.168.0.7:8000", ""])
def test_foreign_names_are_refused(client: TestClient, host: str) -> None:
    assert "is not called" in refusal(client.get("/api/status", headers={"Host": host}), 403)


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://localhost:9999", "https://localhost.evil.example"])
def test_foreign_origins_are_refused(client: TestClient, origin: str) -> None:
    wish = {"game": "connect4"}
    assert "other sites" in refusal(client.post("/api/games", json=wish, headers={"Origin": origin}), 403)
    assert "other sites" in refusal(client.get("/api/status", headers={"Origin": origin}), 403)


def test_the_own_origin_is_let_in(client: TestClient) -> None:
    assert client.post("/api/games", json={"game": "connect4"}, headers={"Origin": "http://localhost"}).status_code == 201


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_other_sites_may_link_to_the_page_but_ask_nothing(client: TestClient, site: str) -> None:
    link = {"Sec-Fetch-Site": site, "Sec-Fetch-Mode": "navigate"}
    assert client.get("/", headers=link).status_code == 200
    assert client.get("/api/status", headers=link).status_code == 403
    assert client.post("/api/games", json={}, headers=link).status_code == 403
    assert client.get("/", headers={"Sec-Fetch-Site": site, "Sec-Fetch-Mode": "no-cors"}).status_code == 403


def test_large_bodies_are_refused(client: TestClient) -> None:
    assert "at most" in refusal(client.post("/api/games", content=b"x" * 100_000), 413)
    pieces = (b"x" * 10_000 for _ in range(10))  # without a length
    assert "how long" in refusal(client.post("/api/games", content=pieces), 411)


@pytest.mark.parametrize(
    "path",
    [
        "/../pyproject.toml",
        "/..%2f..%2fpyproject.toml",
        "/%2e%2e/services.py",
        "//etc/passwd.txt",
        "/modules/../../services.py",
        "/..\\services.py",
        "/C:/Windows/win.ini",
    ],
)
def test_no_path_of_a_client_reaches_the_file_system(client: TestClient, path: str) -> None:
    answer = client.get(path)
    assert answer.status_code == 404 or answer.headers["content-type"].startswith("text/html")
    assert "import" not in answer.text[:200] and "[project]" not in answer.text


def test_runs_are_known_by_ids_only(client: TestClient) -> None:
    for identity in ("..", "%2e%2e", "a%2fb", "nothing-1234"):
        assert client.get(f"/api/runs/{identity}").status_code in (404, 422)


# -- tokens ------------------------------------------------------------------------------------------------------------
def test_a_server_beyond_loopback_wants_its_token(guarded: TestClient) -> None:
    assert "token" in refusal(guarded.get("/api/status"), 401)
    page = guarded.get("/play")
    assert page.status_code == 401 and "<form" in page.text and "script" not in page.text
    assert guarded.get("/api/status", headers={"Authorization": "Bearer wrong"}).status_code == 401
    assert guarded.get("/api/status", headers={"Authorization": f"Bearer {TOKEN}"}).status_code == 200


def test_a_link_with_the_token_lets_the_browser_in(guarded: TestClient) -> None:
    entered = guarded.get(f"/play?token={TOKEN}&game=othello", follow_redirects=False)
    assert entered.status_code == 303 and entered.headers["location"] == "/play?game=othello"
    assert "HttpOnly" in entered.headers["set-cookie"] and "SameSite=Lax" in entered.headers["set-cookie"]
    ok(guarded.get("/api/status"))


def test_cookies_of_other_programs_on_this_machine_do_no_harm(guarded: TestClient) -> None:
    entered = guarded.get(f"/?token={TOKEN}", follow_redirects=False)
    own = entered.headers["set-cookie"].partition(";")[0]
    foreign = 'odd={"a": [1, 2]}; boardzero_token=of another server; a:b=c@d'
    guarded.cookies.clear()
    assert guarded.get("/api/status", headers={"Cookie": foreign}).status_code == 401
    ok(guarded.get("/api/status", headers={"Cookie": f"{foreign}; {own}"}))


def test_servers_at_two_ports_do_not_take_each_others_cookies(
    guarded: TestClient, tmp_path_factory: pytest.TempPathFactory
) -> None:
    with serving(tmp_path_factory.mktemp("other"), token="another-token-for-tests", beyond_loopback=True) as other:
        names = [
            client.get(f"/?token={token}", follow_redirects=False).headers["set-cookie"].partition("=")[0]
            for client, token in ((guarded, TOKEN), (other, "another-token-for-tests"))
        ]
    assert len(set(names)) == 2


def test_the_form_for_the_token_keeps_where_one_wanted_to_go(guarded: TestClient) -> None:
    page = guarded.get("/play/abc", params={"game": 'connect4"><b>', "side": "1", "token": "wrong"}).text
    assert '<form action="/play/abc"' in page and "<b>" not in page and "wrong" not in page
    assert '<input type="hidden" name="side" value="1">' in page
    assert '<input type="hidden" name="game" value="connect4&quot;&gt;&lt;b&gt;">' in page


# -- invitations -------------------------------------------------------------------------------------------------------
def invited(guarded: TestClient) -> tuple[str, str]:
    """A game, and the invitation to it, by its host; who comes next has no token."""
    token = {"Authorization": f"Bearer {TOKEN}"}
    game = ok(guarded.post("/api/games", json={"game": "connect4"}, headers=token))["id"]
    invitation = ok(guarded.get(f"/api/games/{game}/invitation", headers=token))
    assert TOKEN not in invitation["invite"]
    return game, invitation["invite"]


def test_an_invitation_leads_into_its_game_and_nowhere_else(guarded: TestClient) -> None:
    game, invite = invited(guarded)
    entered = guarded.get(f"/play/{game}?side=1&invite={invite}", follow_redirects=False)
    assert entered.status_code == 303 and entered.headers["location"] == f"/play/{game}?side=1"
    assert guarded.get(f"/play/{game}").status_code == 200 and guarded.get("/modules/main.js").status_code == 200
    ok(guarded.get(f"/api/games/{game}"))
    ok(guarded.post(f"/api/games/{game}/moves", json={"move": "4", "ply": 0}))
    ok(guarded.get("/api/board", params={"game": "connect4"}))
    other, _ = invited(guarded)
    for path in (f"/api/games/{other}", "/api/runs", "/api/log", "/api/status", "/api/analysis?game=connect4"):
        assert "its own game only" in refusal(guarded.get(path), 403)
    assert "its own game only" in refusal(guarded.post("/api/games", json={"game": "connect4"}), 403)


def test_a_browser_keeps_several_invitations(guarded: TestClient) -> None:
    games = [invited(guarded) for _ in range(2)]
    for game, invite in games:
        assert guarded.get(f"/play/{game}?invite={invite}", follow_redirects=False).status_code == 303
    for game, _ in games:
        ok(guarded.get(f"/api/games/{game}"))


def test_a_guest_who_learns_the_token_is_let_in(guarded: TestClient) -> None:
    game, invite = invited(guarded)
    guarded.get(f"/play/{game}?invite={invite}", follow_redirects=False)
    assert guarded.get(f"/?token={TOKEN}", follow_redirects=False).status_code == 303
    ok(guarded.get("/api/status"))


def test_an_invitation_to_another_game_is_none(guarded: TestClient) -> None:
    (game, _), (_, invite) = invited(guarded), invited(guarded)
    for path in (f"/play/{game}?invite={invite}", f"/play/?invite={invite}", f"/learn/{game}?invite="):
        answer = guarded.get(path, follow_redirects=False)
        assert answer.status_code == 401 and "set-cookie" not in answer.headers


def test_without_a_token_nobody_needs_an_invitation(client: TestClient) -> None:
    game = ok(client.post("/api/games", json={"game": "connect4"}))["id"]
    assert ok(client.get(f"/api/games/{game}/invitation")) == {"invite": None, "address": None}


@pytest.mark.skipif(os.name != "posix", reason="files have no such permissions elsewhere")
def test_a_token_that_was_made_up_is_kept_for_its_owner_alone(tmp_path: Path) -> None:
    token = kept_token(tmp_path)
    assert kept_token(tmp_path) == token and is_token_text(token)
    assert (tmp_path / "token").stat().st_mode & 0o777 == 0o600
    (tmp_path / "token").write_text("short")
    assert kept_token(tmp_path) not in (token, "short")
    assert is_token_text(kept_token(tmp_path / "is" / "not" / "there"))


def test_the_redirect_never_leads_to_another_site(guarded: TestClient) -> None:
    for path in ("//evil.example/", "/\\evil.example", "///evil.example"):
        entered = guarded.get(f"http://localhost{path}?token={TOKEN}", follow_redirects=False)
        assert entered.headers.get("location", "/").startswith("/") and not entered.headers.get("location", "/").startswith(
            "//"
        )


def test_a_wrong_token_in_a_link_sets_no_cookie(guarded: TestClient) -> None:
    answer = guarded.get("/?token=wrong", follow_redirects=False)
    assert answer.status_code == 401 and "set-cookie" not in answer.headers


def test_beyond_loopback_addresses_and_told_names_are_let_in(guarded: TestClient) -> None:
    token = {"Authorization": f"Bearer {TOKEN}"}
    for host, status in (("192.168.0.7:8000", 200), ("play.example", 200), ("evil.example", 403)):
        assert guarded.get("/api/status", headers={"Host": host, **token}).status_code == status


def test_which_addresses_are_loopback() -> None:
    assert all(map(is_loopback, ("localhost", "127.0.0.1", "127.8.8.8", "::1", "[::1]")))
    assert not any(map(is_loopback, ("0.0.0.0", "::", "192.168.0.7", "example.org", "")))


# -- the page's files --------------------------------------------------------------------------------------------------
def test_views_are_the_page_and_plotly_comes_from_its_package(client: TestClient) -> None:
    assert client.get("/").text == client.get("/game/abc").text
    script = client.get("/plotly.min.js")
    assert script.headers["content-type"].startswith("text/javascript") and len(script.text) > 1_000_000
    again = client.get("/plotly.min.js", headers={"If-None-Match": script.headers["etag"]})
    assert again.status_code == 304


def test_the_api_is_described_without_scripts(client: TestClient) -> None:
    page = client.get("/api/docs").text
    assert "POST /api/games/{id}/moves" in page and "<script" not in page
    assert "/api/games/{id}/moves" in client.get("/api/openapi.json").json()["paths"]
