"""Who may talk to the server: hosts, origins, tokens, sizes; and the headers that every answer carries.

Plain ASGI, so that streams pass through untouched.
"""

import hashlib
import hmac
import html
import ipaddress
import json
import os
import re
import secrets
import socket
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import cookie_parser
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from boardzero.web.limits import BODY_BYTES

COOKIE = "boardzero_token"  # a hash follows, since browsers send cookies to every port of a machine
GUEST = "boardzero_guest"
API = "/api/"
GAME_PATH = re.compile(r"/(?:play|api/games)/([A-Za-z0-9]{1,40})(?:/[a-z]+)?")
OPEN_TO_GUESTS = {"/api/catalogue", "/api/board", "/api/position", "/api/positions"}  # what a board is drawn with
MOST_INVITATIONS = 20  # that a browser keeps
YEAR_SECONDS = 365 * 24 * 3600
LONGEST_TARGET = 60_000  # characters of a path with its query
CONTENT_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; font-src 'self';"
    " connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": CONTENT_POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}


def is_loopback(host: str) -> bool:
    """Does an address reach this machine only?"""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def new_token() -> str:
    return secrets.token_urlsafe(18)


def kept_token(folder: Path) -> str:
    """The token that was made up earlier, so that cookies and links outlive the server; a new one where there is none."""
    file = folder / "token"
    with suppress(OSError, UnicodeDecodeError):
        if is_token_text(kept := file.read_text(encoding="ascii").strip()):
            return kept
    token = new_token()
    with suppress(OSError):  # then it is for this time only
        file.unlink(missing_ok=True)
        with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as opened:
            opened.write(token + "\n")
    return token


def is_token_text(text: str) -> bool:
    """At least 8 letters, digits, - and _."""
    return text.isascii() and text.replace("-", "").replace("_", "").isalnum() and len(text) >= 8


def is_same_secret(text: str, secret: str) -> bool:
    """Compared so that the time it takes tells nothing."""
    return hmac.compare_digest(text.encode(), secret.encode())


def invitation_to(game: str, token: str) -> str:
    """Lets whoever has it into one game; it says nothing about the server's token."""
    return hmac.new(token.encode(), f"game {game}".encode(), "sha256").hexdigest()[:32]


class Refusal(Exception):
    """A request that is not let in."""

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status, self.sentence = status, sentence


class Guard:
    """Stands before the application."""

    def __init__(self, application: ASGIApp, token: str | None = None, hosts: Iterable[str] = (), beyond: bool = False) -> None:
        """hosts: names that the server may be called by, besides localhost; beyond: is it bound beyond loopback?

        A name is checked because a foreign page can make its own name point to this machine; an address cannot be stolen so.
        """
        self._application, self._token, self._beyond = application, token, beyond
        mark = hashlib.sha256(f"cookie {token}".encode()).hexdigest()[:8]
        self._cookie, self._guest = f"{COOKIE}_{mark}", f"{GUEST}_{mark}"
        self._hosts = {"localhost", *(host.lower() for host in hosts)} | ({socket.gethostname().lower()} if beyond else set())

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._application(scope, receive, send)
            return
        headers = Headers(scope=scope)

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                answered = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    answered.setdefault(name, value)
                if scope["path"].startswith(API):
                    answered.setdefault("Cache-Control", "no-store")
            await send(message)

        try:
            self._check_host(headers)
            self._check_origin(scope, headers)
            self._check_size(scope, headers)
            if self._token is not None and not self._may_enter(scope, headers):
                await self._exchange_or_ask(scope, headers, send_guarded)
                return
            await self._application(scope, receive, send_guarded)
        except Refusal as refusal:
            await _answer_json(send_guarded, refusal.status, refusal.sentence)

    # -- where from ----------------------------------------------------------------------------------------------------
    def _check_host(self, headers: Headers) -> None:
        host = _host_name(headers.get("host", ""))
        if host in self._hosts or is_loopback(host):
            return
        if self._beyond and _is_address(host):
            return
        raise Refusal(403, f"This server is not called '{host[:100]}'; start it with --allow-host to let it be.")

    def _check_origin(self, scope: Scope, headers: Headers) -> None:
        """A foreign page may link to the page, but neither read nor send anything."""
        origin, site = headers.get("origin"), headers.get("sec-fetch-site", "none")
        if origin is not None and urlsplit(origin).netloc.lower() != headers.get("host", "").lower():
            raise Refusal(403, "Requests from other sites are refused.")
        if site in ("same-origin", "none"):
            return
        is_link = scope["method"] == "GET" and headers.get("sec-fetch-mode") == "navigate" and not scope["path"].startswith(API)
        if not is_link:
            raise Refusal(403, "Requests from other sites are refused.")

    # -- how much ------------------------------------------------------------------------------------------------------
    def _check_size(self, scope: Scope, headers: Headers) -> None:
        if "transfer-encoding" in headers:
            raise Refusal(411, "A request must say how long it is (Content-Length).")
        length = headers.get("content-length", "0")
        if not length.isdecimal() or int(length) > BODY_BYTES:
            raise Refusal(413, f"A request may have at most {BODY_BYTES} bytes.")
        if len(scope["path"]) + len(scope["query_string"]) > LONGEST_TARGET:
            raise Refusal(413, f"An address may have at most {LONGEST_TARGET} characters.")

    # -- tokens --------------------------------------------------------------------------------------------------------
    def _may_enter(self, scope: Scope, headers: Headers) -> bool:
        """With the token everywhere; with an invitation to the page, to what draws boards, and to that game."""
        scheme, _, credentials = headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer" and self._is_token(credentials):
            return True
        cookies = cookie_parser(headers.get("cookie", ""))
        if self._is_token(cookies.get(self._cookie, "")):
            return True
        games, path = self._games_of_guest(cookies), scope["path"]
        if not games or {"invite", "token"} & _query(scope).keys():  # those are exchanged first
            return False
        if not path.startswith(API):
            return True
        named = GAME_PATH.fullmatch(path)
        return (scope["method"] == "GET" and path in OPEN_TO_GUESTS) or (named is not None and named[1] in games)

    def _games_of_guest(self, cookies: dict[str, str]) -> dict[str, str]:
        """The games that a browser was invited to, and the invitations."""
        kept = (entry.partition(".") for entry in cookies.get(self._guest, "").split("~")[-MOST_INVITATIONS:])
        return {game: invitation for game, _, invitation in kept if self._is_invitation(game, invitation)}

    def _is_invitation(self, game: str, text: str) -> bool:
        return bool(game) and self._token is not None and is_same_secret(text, invitation_to(game, self._token))

    def _is_token(self, text: str) -> bool:
        assert self._token is not None
        return is_same_secret(text, self._token)

    async def _exchange_or_ask(self, scope: Scope, headers: Headers, send: Send) -> None:
        """A token or an invitation in a link becomes a cookie; whoever has neither is asked for the token."""
        cookies, path = cookie_parser(headers.get("cookie", "")), scope["path"]
        games = self._games_of_guest(cookies)
        if path.startswith(API):
            if games:
                raise Refusal(403, "An invitation leads to its own game only; for anything else this server needs its token.")
            raise Refusal(401, "This server needs its token: open the address that it printed when it started.")
        query = _query(scope)
        given, invitation = query.pop("token", ""), query.pop("invite", "")
        named = GAME_PATH.fullmatch(path)
        if self._is_token(given):
            await _go_on(send, path, query, f"{self._cookie}={self._token}")
        elif named is not None and self._is_invitation(named[1], invitation):
            games = {**{game: kept for game, kept in games.items() if game != named[1]}, named[1]: invitation}
            entries = [f"{game}.{kept}" for game, kept in games.items()]
            await _go_on(send, path, query, f"{self._guest}={'~'.join(entries[-MOST_INVITATIONS:])}")
        else:
            await _answer(send, 401, _token_page(path, query), [("content-type", "text/html; charset=utf-8")])


async def _go_on(send: Send, path: str, query: dict[str, str], cookie: str) -> None:
    """To the same place again, where the cookie lets in; the secret is no longer in the address."""
    # The path begins with exactly one slash: `//elsewhere` would be another site.
    target = "/" + path.lstrip("/\\") + (f"?{urlencode(query)}" if query else "")
    kept = f"{cookie}; Path=/; HttpOnly; SameSite=Lax; Max-Age={YEAR_SECONDS}"
    await _answer(send, 303, b"", [("location", _quoted(target)), ("set-cookie", kept)])


def _token_page(path: str, query: dict[str, str]) -> bytes:
    """query: what else the address says, which the form must not lose."""
    hidden = "".join(
        f'<input type="hidden" name="{html.escape(name)}" value="{html.escape(value)}">' for name, value in query.items()
    )
    return (
        '<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
        '<title>boardzero</title><body style="font: 1rem system-ui; margin: 3rem auto; max-width: 24rem; padding: 0 1rem">'
        f'<h1>boardzero</h1><form action="{html.escape(_quoted("/" + path.lstrip("/")))}" method="get">{hidden}'
        '<p><label for="token">This server needs its token, which it printed when it started.</label></p>'
        '<p><input id="token" name="token" autocomplete="off" required> <button>Enter</button></p></form></body></html>'
    ).encode()


def _query(scope: Scope) -> dict[str, str]:
    return dict(parse_qsl(scope["query_string"].decode("latin-1")))


def _quoted(path: str) -> str:
    return quote(path, safe="/?=&%:,-._~+")


async def _answer_json(send: Send, status: int, sentence: str) -> None:
    body = json.dumps({"error": sentence}).encode()
    await _answer(send, status, body, [("content-type", "application/json"), ("cache-control", "no-store")])


async def _answer(send: Send, status: int, body: bytes, headers: list[tuple[str, str]]) -> None:
    encoded = [(name.encode(), value.encode("latin-1")) for name, value in [*headers, ("content-length", str(len(body)))]]
    await send({"type": "http.response.start", "status": status, "headers": encoded})
    await send({"type": "http.response.body", "body": body})


def _host_name(host: str) -> str:
    """`localhost:8000` → `localhost`, `[::1]:8000` → `::1`."""
    host = host.strip().lower()
    if host.startswith("["):
        return host[1:].partition("]")[0]
    return host.rpartition(":")[0] if ":" in host else host


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True
