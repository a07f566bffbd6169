"""`boardzero lobby`: a list of thinking servers, and a door to one that is up."""

from typing import Annotated

import typer


def lobby(
    host: Annotated[str, typer.Option(help="The address to listen at; 0.0.0.0 lets other machines in.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port to listen at; 0 takes a free one.")] = 8100,
    token: Annotated[
        str | None,
        typer.Option(envvar="BOARDZERO_LOBBY_TOKEN", help="What servers must know (made up if not given)."),
    ] = None,
    allow_host: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="A name that this lobby may be called by; repeatable.")
    ] = None,
) -> None:
    """Keep a list of thinking servers that announce themselves, and send clients to one that is up."""
    from boardzero.errors import BadInput
    from boardzero.web.lobby import create_lobby
    from boardzero.web.security import is_loopback, new_token
    from boardzero.web.serving import listen_at, page_address, run

    if token is not None and len(token) < 8:
        raise BadInput("The lobby's token must have at least 8 characters.")
    secret = token or new_token()
    application = create_lobby(secret, tuple(allow_host or ()), beyond=not is_loopback(host))
    socket = listen_at(host, port)
    address = page_address(host, socket.getsockname()[1], None)
    print(f"The lobby is at {address}", flush=True)
    print(f"Servers announce themselves by: boardzero serve --lobby {address} --lobby-token TOKEN --public-url URL", flush=True)
    if token is None:
        print(f"The token is {secret}", flush=True)
    run(application, socket)
