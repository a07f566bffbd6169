"""Trainings: started, stopped, resumed and watched."""

import asyncio
from typing import Annotated

from fastapi import APIRouter, Path
from fastapi.responses import StreamingResponse

from boardzero.errors import BadInput
from boardzero.web.learning.models import NewRun, Run, Runs, WholeRun
from boardzero.web.learning.watching import watch_run
from boardzero.web.live.models import Nothing
from boardzero.web.routes.problems import PROBLEMS, NotFound
from boardzero.web.services import Server, Services

router = APIRouter(prefix="/api/runs", tags=["trainings"], responses=PROBLEMS)

RunId = Annotated[str, Path(alias="id", pattern="^[a-z0-9-]{1,80}$", description="the id of a run")]


@router.get("")
async def runs(server: Server) -> Runs:
    """All trainings in the server's folder, the newest first."""
    return await asyncio.to_thread(server.keeper.all, server.settings.training)


@router.get("/{id}")
async def run(server: Server, identity: RunId) -> WholeRun:
    """One training with its settings and all that happened in it."""
    _known(server, identity)
    return await asyncio.to_thread(server.keeper.whole, identity)


@router.get("/{id}/events", response_class=StreamingResponse, responses={200: {"content": {"text/event-stream": {}}}})
async def watch(server: Server, identity: RunId) -> StreamingResponse:
    """Server-sent events: `run`, `training` (all so far, then new ones) and `selfplay`."""
    _known(server, identity)
    return server.streams.answer(watch_run(server.keeper, identity))


@router.post("", status_code=201)
async def start(server: Server, wish: NewRun) -> Run:
    """Begin a training."""
    _allowed(server)
    return await server.keeper.start(wish)


@router.post("/{id}/stop")
async def stop(server: Server, identity: RunId, _: Nothing) -> Run:
    """Let a training end where it can be resumed."""
    _allowed(server)
    _known(server, identity)
    return await server.keeper.stop(identity)


@router.post("/{id}/resume")
async def resume(server: Server, identity: RunId, _: Nothing) -> Run:
    """Go on with a training."""
    _allowed(server)
    _known(server, identity)
    return await server.keeper.resume(identity)


def _known(server: Services, identity: str) -> None:
    try:
        server.runs.path(identity)
    except KeyError:
        raise NotFound(f"There is no run '{identity}' on this server.") from None


def _allowed(server: Services) -> None:
    if not server.settings.training:
        raise BadInput("Trainings cannot be started or stopped on this server (--no-training).")
