"""`boardzero serve`: the page, and the API behind it."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from boardzero.web.services import ServerSettings

TOKEN_VARIABLE = "BOARDZERO_TOKEN"


def serve(
    host: Annotated[str, typer.Option(help="The address to listen at; 0.0.0.0 lets other machines in.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port to listen at; 0 takes a free one.")] = 8000,
    runs: Annotated[Path, typer.Option(metavar="DIR", help="The folder of training runs.")] = Path("runs"),
    log: Annotated[bool, typer.Option(help="Keep finished games in the game log, or only those that somebody saves?")] = True,
    database: Annotated[
        str | None, typer.Option(metavar="URL", help="The game log (default: $BOARDZERO_DATABASE, or a file of yours).")
    ] = None,
    live: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Where games being played are kept (default: beside the game log).")
    ] = None,
    token: Annotated[
        str | None,
        typer.Option(envvar=TOKEN_VARIABLE, help="What clients must know; beyond this machine one is needed, and made up."),
    ] = None,
    allow_host: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="A name that this server may be called by; repeatable.")
    ] = None,
    training: Annotated[bool, typer.Option(help="May clients start and stop trainings?")] = True,
    threads: Annotated[int | None, typer.Option(min=1, max=1024, help="Threads that think (default: one a core).")] = None,
    engine: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=engine:PROTOCOL:COMMAND", help="Another program that visitors may play, by this name; repeatable."
        ),
    ] = None,
    lobby: Annotated[str | None, typer.Option(metavar="URL", help="Announce this server to a lobby.")] = None,
    lobby_token: Annotated[
        str | None, typer.Option(envvar="BOARDZERO_LOBBY_TOKEN", help="What the lobby wants to know of a server.")
    ] = None,
    public_url: Annotated[
        str | None, typer.Option(metavar="URL", help="Where clients find this server (for the lobby).")
    ] = None,
    open_page: Annotated[bool, typer.Option("--open", help="Open the page in the browser.")] = False,
) -> None:
    """Open the page: play, study, and watch it learn."""
    from boardzero.storage.places import data_folder
    from boardzero.web.application import create_application
    from boardzero.web.events import EventStreams
    from boardzero.web.players import parse_engines
    from boardzero.web.security import is_loopback, kept_token
    from boardzero.web.serving import Announcer, listen_at, page_address, run

    beyond = not is_loopback(host)
    if beyond and not token:
        token = kept_token(data_folder())
    settings = _settings(runs, log, database, live, training, threads, token, allow_host or [], beyond, public_url)
    settings = replace(settings, engines=parse_engines(engine or []))
    streams = EventStreams()
    announcer = Announcer(lobby, lobby_token, public_url, lambda: streams.open) if lobby else None
    socket = listen_at(host, port)
    address = page_address(host, socket.getsockname()[1], token)
    if beyond:
        settings = replace(settings, address=public_url or page_address(host, socket.getsockname()[1], None))
    print(f"boardzero is at {address}", flush=True)
    if beyond:
        print("Whoever has this address, with its token, may play and train here; it stays the same.", flush=True)
        print("A friend needs none of it: Share, beside a game, makes a link that leads into that game only.", flush=True)
    print("Ctrl-C ends it; games being played and trainings can be gone on with.", flush=True)
    if open_page:
        import webbrowser

        webbrowser.open(address)
    run(create_application(settings, streams), socket, announcer, streams.close)


def _settings(
    runs: Path,
    log: bool,
    database: str | None,
    live: Path | None,
    training: bool,
    threads: int | None,
    token: str | None,
    hosts: list[str],
    beyond: bool,
    public_url: str | None,
) -> "ServerSettings":
    import sys
    from urllib.parse import urlsplit

    from boardzero.errors import BadInput
    from boardzero.storage.database import Database
    from boardzero.storage.places import data_folder, usual_database
    from boardzero.web.live.store import LiveStore
    from boardzero.web.security import is_token_text
    from boardzero.web.services import ServerSettings

    if token is not None and not is_token_text(token):
        raise BadInput("The token must have at least 8 characters: letters, digits, - and _.")
    if runs.exists() and not runs.is_dir():
        raise BadInput(f"'{runs}' is not a folder; --runs names the folder of training runs.")
    live, database = live or data_folder() / "live.sqlite", database or usual_database()
    LiveStore(live).close()  # what cannot be opened is refused now
    Database(database).close()
    public = urlsplit(public_url).hostname if public_url else None
    return ServerSettings(
        runs=runs,
        live_games=live,
        database=database,
        log_games=log,
        training=training,
        token=token,
        hosts=(*hosts, *([public] if public else [])),
        beyond_loopback=beyond,
        threads=threads,
        say=lambda sentence: print(f"boardzero: {sentence}", file=sys.stderr, flush=True),
    )
