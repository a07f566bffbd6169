"""Running a server: the socket, uvicorn, and word to a lobby that it is up."""

import asyncio
import ipaddress
import json
import socket as sockets
import sys
import urllib.error
import urllib.request
from collections.abc import Callable
from contextlib import suppress
from urllib.parse import urlsplit

import uvicorn
from starlette.types import ASGIApp

from boardzero.errors import BadInput

ANNOUNCE_SECONDS = 10.0
ANSWER_SECONDS = 5.0
LONGEST_HEAD = 128_000  # bytes of a request's address and headers; the guard refuses long addresses with a sentence
SOMEWHERE = "192.0.2.1"  # an address that is set aside for examples
CLOSE_SECONDS = 3  # that open connections have when the server stops


def listen_at(host: str, port: int) -> sockets.socket:
    """A socket that listens; where that is not possible, one sentence (BadInput)."""
    try:
        family, _, _, _, address = sockets.getaddrinfo(host, port, type=sockets.SOCK_STREAM)[0]
        # Said to be TCP, so that asyncio turns off its habit of collecting small answers, which costs 40 ms each.
        listening = sockets.socket(family, sockets.SOCK_STREAM, sockets.IPPROTO_TCP)
        if sys.platform != "win32":
            listening.setsockopt(sockets.SOL_SOCKET, sockets.SO_REUSEADDR, 1)
        listening.bind(address)
        listening.listen(1024)
    except OSError as error:
        raise BadInput(f"The server cannot listen at {host}:{port}: {error.strerror or error}.") from None
    return listening


def own_address() -> str:
    """This machine in the network around it; its name where it has no address there."""
    with sockets.socket(sockets.AF_INET, sockets.SOCK_DGRAM) as asking:
        try:
            asking.connect((SOMEWHERE, 9))  # nothing is sent: the system only says which of its addresses it would use
            return str(asking.getsockname()[0])
        except OSError:
            return sockets.gethostname()


def page_address(host: str, port: int, token: str | None) -> str:
    """The address to open in a browser, here or on another machine."""
    name = host
    try:
        address = ipaddress.ip_address(host)
        if address.is_unspecified:
            name = own_address()
        elif address.version == 6:
            name = f"[{host}]"
    except ValueError:
        pass
    return f"http://{name}:{port}/{f'?token={token}' if token else ''}"


class Announcer:
    """Tells a lobby, again and again, that this server is up."""

    def __init__(self, lobby: str, token: str | None, public_url: str | None, visitors: Callable[[], int]) -> None:
        """visitors: how many listen to this server now."""
        if urlsplit(lobby).scheme not in ("http", "https"):
            raise BadInput(f"'{lobby}' is not the address of a lobby; it is like http://host:8100.")
        if not token:
            raise BadInput("A lobby wants its token: give it with --lobby-token or in BOARDZERO_LOBBY_TOKEN.")
        if not public_url or urlsplit(public_url).scheme not in ("http", "https"):
            raise BadInput("A lobby sends clients to this server: say where they find it with --public-url http://….")
        self._address = lobby.rstrip("/") + "/api/servers"
        self._token, self._public_url, self._visitors = token, public_url, visitors
        self._was_told = True

    async def run(self) -> None:
        while True:
            await asyncio.to_thread(self._announce)
            await asyncio.sleep(ANNOUNCE_SECONDS)

    def _announce(self) -> None:
        body = json.dumps({"url": self._public_url, "visitors": self._visitors()}).encode()
        headers = {"Content-Type": "application/json", "Authorization": f"Bearer {self._token}"}
        request = urllib.request.Request(self._address, body, headers)
        try:
            urllib.request.urlopen(request, timeout=ANSWER_SECONDS).close()
            told = True
        except (urllib.error.URLError, OSError) as error:
            told = False
            if self._was_told:
                print(f"boardzero: The lobby does not answer ({error}); it is asked again.", file=sys.stderr, flush=True)
        self._was_told = told


def configuration(application: ASGIApp) -> uvicorn.Config:
    return uvicorn.Config(
        application,
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=CLOSE_SECONDS,
        lifespan="on",
        h11_max_incomplete_event_size=LONGEST_HEAD,
    )


class _Server(uvicorn.Server):
    """uvicorn, which lets streams end by themselves before it waits for what is open."""

    def __init__(self, config: uvicorn.Config, before_end: Callable[[], None]) -> None:
        super().__init__(config)
        self._before_end = before_end

    async def shutdown(self, sockets: list[sockets.socket] | None = None) -> None:
        self._before_end()
        await super().shutdown(sockets)


def run(
    application: ASGIApp,
    socket: sockets.socket,
    announcer: Announcer | None = None,
    before_end: Callable[[], None] = lambda: None,
) -> None:
    """Serve until Ctrl-C or a signal to end."""
    server = _Server(configuration(application), before_end)

    async def serve() -> None:
        announcing = asyncio.create_task(announcer.run()) if announcer else None
        try:
            await server.serve(sockets=[socket])
        finally:
            if announcing is not None:
                announcing.cancel()

    with suppress(KeyboardInterrupt):
        asyncio.run(serve())
