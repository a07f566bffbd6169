"""Live games: begun, played, taken back, watched."""

from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Annotated

from fastapi import APIRouter, Path, Query
from fastapi.responses import StreamingResponse

from boardzero.web.events import Message
from boardzero.web.limits import MOST_WAIT_SECONDS
from boardzero.web.live.models import (
    GameState,
    GoTo,
    Invitation,
    NewGame,
    NewMove,
    NewPlayers,
    Nothing,
    Pause,
    Resignation,
    Saved,
    TakeBack,
)
from boardzero.web.live.table import Table
from boardzero.web.routes.problems import PROBLEMS, NotFound
from boardzero.web.security import invitation_to
from boardzero.web.services import Server, Services

router = APIRouter(prefix="/api/games", tags=["games"], responses=PROBLEMS)

GameId = Annotated[str, Path(alias="id", pattern="^[A-Za-z0-9]{1,40}$", description="the id of a live game")]


def table_of(server: Services, identity: str) -> Table:
    try:
        return server.hall.find(identity)
    except KeyError:
        raise NotFound(f"There is no game '{identity}' on this server.") from None


@router.post("", status_code=201)
async def begin(server: Server, wish: NewGame) -> GameState:
    """Begin a game; the server plays the machines' sides."""
    return (await server.hall.open(wish)).state()


@router.get("/{id}")
async def show(
    server: Server,
    identity: GameId,
    beyond: Annotated[int | None, Query(ge=0, le=2**53, description="wait for a newer version than this")] = None,
    wait: Annotated[float, Query(ge=0, le=MOST_WAIT_SECONDS, description="seconds, at most")] = MOST_WAIT_SECONDS,
) -> GameState:
    """The game as it stands, or, with `beyond`, as soon as it has changed."""
    table = table_of(server, identity)
    if beyond is not None:
        await server.streams.unless_closing(table.wait_beyond(beyond, wait))
    server.hall.let_go(table)
    return table.state()


@router.get("/{id}/events", response_class=StreamingResponse, responses={200: {"content": {"text/event-stream": {}}}})
async def watch(server: Server, identity: GameId) -> StreamingResponse:
    """Server-sent events: `game`, now and after every change."""
    table_of(server, identity)

    async def messages() -> AsyncIterator[Message]:
        async with aclosing(table_of(server, identity).watch()) as states:  # found anew: it may have been let go meanwhile
            async for state in states:
                yield "game", state

    return server.streams.answer(messages())


@router.post("/{id}/moves")
async def move(server: Server, identity: GameId, wish: NewMove) -> GameState:
    """Make a person's move."""
    table = table_of(server, identity)
    await table.play(wish.move, wish.ply)
    return table.state()


@router.post("/{id}/undo")
async def undo(server: Server, identity: GameId, wish: TakeBack) -> GameState:
    """Take back: against a machine both moves."""
    table = table_of(server, identity)
    await table.take_back(wish.plies)
    return table.state()


@router.post("/{id}/redo")
async def redo(server: Server, identity: GameId, _: Nothing) -> GameState:
    """Play again what was taken back."""
    table = table_of(server, identity)
    await table.redo()
    return table.state()


@router.post("/{id}/goto")
async def go_to(server: Server, identity: GameId, wish: GoTo) -> GameState:
    """Go back or forth to a move; machines wait (`paused`) while one looks back."""
    table = table_of(server, identity)
    await table.go_to(wish.ply)
    return table.state()


@router.post("/{id}/restart")
async def restart(server: Server, identity: GameId, _: Nothing) -> GameState:
    """Begin the same game again."""
    table = table_of(server, identity)
    await table.restart()
    return table.state()


@router.post("/{id}/resign")
async def resign(server: Server, identity: GameId, wish: Resignation) -> GameState:
    """Give the game up for a side."""
    table = table_of(server, identity)
    await table.resign(wish.side)
    return table.state()


@router.post("/{id}/players")
async def seat(server: Server, identity: GameId, wish: NewPlayers) -> GameState:
    """Change who plays."""
    table = table_of(server, identity)
    server.hall.refuse_players(wish.players, table.stored.game)
    await table.seat(wish.players)
    return table.state()


@router.post("/{id}/pause")
async def pause(server: Server, identity: GameId, wish: Pause) -> GameState:
    """Let the machines wait, or go on."""
    table = table_of(server, identity)
    await table.pause(wish.paused)
    return table.state()


@router.get("/{id}/invitation")
async def invite(server: Server, identity: GameId) -> Invitation:
    """What lets others into this game, and into nothing else."""
    server.hall.let_go(table_of(server, identity))
    token = server.settings.token
    return Invitation(invite=token and invitation_to(identity, token), address=server.settings.address)


@router.post("/{id}/save")
async def save(server: Server, identity: GameId, _: Nothing) -> Saved:
    """Save the game to the log, finished or not."""
    return Saved(log=await server.hall.enter_in_log(table_of(server, identity)))
