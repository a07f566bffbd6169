"""The lobby: a list of thinking servers that announce themselves, and a door that leads to one that is up."""

import asyncio
import html
import json
import time
import urllib.error
import urllib.request
from dataclasses import dataclass
from typing import Annotated
from urllib.parse import urlsplit

from fastapi import FastAPI, Header, Query
from fastapi.responses import HTMLResponse, RedirectResponse
from pydantic import BaseModel, Field
from starlette.types import ASGIApp

from boardzero.errors import BadInput
from boardzero.web.live.models import Request
from boardzero.web.routes import problems
from boardzero.web.routes.problems import PROBLEMS
from boardzero.web.security import Guard, is_same_secret
from boardzero.web.thinking.jobs import Busy

FORGET_SECONDS = 30.0  # without an announcement
ASK_SECONDS = 2.0  # that a server has to answer that it is up
MOST_SERVERS = 100


# It begins with one slash: with two it would be another site.
PagePath = Annotated[str, Query(max_length=2000, pattern=r"^/([^/\\]|$)", description="a path of the page")]


class Unauthorized(Exception):
    """Only servers that know the token may announce themselves."""


class Announcement(Request):
    """A server says that it is up."""

    url: str = Field(max_length=200, description="where clients find it")
    visitors: int = Field(0, ge=0, le=1_000_000, description="how many listen to it now")


class KnownServer(BaseModel):
    """A server of the list."""

    url: str
    seen: float = Field(description="seconds since it announced itself last")
    visitors: int = Field(description="that it told of, and that were sent there since")


class KnownServers(BaseModel):
    """The servers that announced themselves lately, those with the fewest visitors first."""

    servers: list[KnownServer]


@dataclass
class Entry:
    url: str
    seen: float
    visitors: int = 0  # that it told of, and clients that were sent there since


class Lobby:
    """The list. A server that stops announcing itself is forgotten; one that does not answer is passed over."""

    def __init__(self, token: str) -> None:
        self._token = token
        self._entries: dict[str, Entry] = {}

    def announce(self, url: str, visitors: int, authorization: str) -> None:
        scheme, _, secret = authorization.partition(" ")
        if scheme.lower() != "bearer" or not is_same_secret(secret, self._token):
            raise Unauthorized("Only servers that know the lobby's token may announce themselves.")
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.username or parts.query or parts.fragment:
            raise BadInput(f"'{url}' is not the address of a server; it is like http://host:8000.")
        url = url.rstrip("/")
        if url not in self._entries and len(self.up()) >= MOST_SERVERS:
            raise Busy(f"The lobby knows {MOST_SERVERS} servers already.")
        entry = self._entries.setdefault(url, Entry(url, 0.0))
        entry.seen, entry.visitors = time.monotonic(), visitors

    def up(self) -> list[Entry]:
        """Those that announced themselves lately, the fewest visitors first."""
        now = time.monotonic()
        self._entries = {url: entry for url, entry in self._entries.items() if now - entry.seen < FORGET_SECONDS}
        return sorted(self._entries.values(), key=lambda entry: entry.visitors)

    async def choose(self) -> str:
        """A server that answers now."""
        for entry in self.up():
            if await asyncio.to_thread(answers, entry.url):
                entry.visitors += 1
                return entry.url
        raise Busy("No server is up at the moment; try again in a little while.")


def answers(url: str) -> bool:
    """Does a server say that it is up? One that asks for its token is up too."""
    try:
        with urllib.request.urlopen(f"{url}/api/status", timeout=ASK_SECONDS) as answer:
            return bool(json.loads(answer.read(100_000)).get("ok"))
    except urllib.error.HTTPError as error:
        return error.code == 401
    except (OSError, ValueError):
        return False


def create_lobby(token: str, hosts: tuple[str, ...] = (), beyond: bool = False) -> ASGIApp:
    """The lobby as an application."""
    lobby = Lobby(token)
    application = FastAPI(title="boardzero lobby", openapi_url="/api/openapi.json", docs_url=None, redoc_url=None)
    problems.install(application)
    problems.refuse(application, Unauthorized, 401)

    @application.post("/api/servers", responses=PROBLEMS)
    async def announce(announcement: Announcement, authorization: Annotated[str, Header()] = "") -> KnownServers:
        """A thinking server says that it is up; again every few seconds."""
        lobby.announce(announcement.url, announcement.visitors, authorization)
        return listed()

    @application.get("/api/servers", responses=PROBLEMS)
    async def servers() -> KnownServers:
        """The servers that are up."""
        return listed()

    @application.get("/go", status_code=307, response_class=RedirectResponse, responses=PROBLEMS)
    async def go(to: PagePath = "/") -> str:
        """To a server that is up; `to` is the path there."""
        return await lobby.choose() + to

    @application.get("/", response_class=HTMLResponse, include_in_schema=False)
    async def page() -> str:
        return lobby_page(listed().servers)

    def listed() -> KnownServers:
        now = time.monotonic()
        known = [KnownServer(url=entry.url, seen=round(now - entry.seen, 1), visitors=entry.visitors) for entry in lobby.up()]
        return KnownServers(servers=known)

    return Guard(application, hosts=hosts, beyond=beyond)


def lobby_page(servers: list[KnownServer]) -> str:
    """A small page for people."""
    links = "".join(f'<li><a href="{html.escape(each.url)}">{html.escape(each.url)}</a></li>' for each in servers)
    body = (
        f'<p><a href="/go">Go to a server that is up</a></p><p>All of them:</p><ul>{links}</ul>'
        if servers
        else "<p>No server is up at the moment; this page looks again by itself.</p>"
    )
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
        '<meta http-equiv="refresh" content="10"><title>boardzero: lobby</title></head>'
        '<body style="font: 1.1rem/1.5 system-ui; margin: 3rem auto; max-width: 32rem; color-scheme: light dark">'
        f"<h1>boardzero</h1>{body}</body></html>"
    )
