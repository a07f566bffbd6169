"""How the server is."""

from importlib.metadata import version
from typing import Literal

from fastapi import APIRouter
from pydantic import BaseModel, Field

from boardzero.web.routes.problems import PROBLEMS
from boardzero.web.services import Server, memory_megabytes

router = APIRouter(prefix="/api", tags=["status"], responses=PROBLEMS)


class Thinking(BaseModel):
    """How busy the thinking pool is."""

    waiting: int
    running: int
    room: int
    simulations_per_second: float


class Status(BaseModel):
    """Is the server up, and how busy?"""

    ok: Literal[True] = True
    version: str
    thinking: Thinking
    games: int = Field(description="live games in memory")
    listeners: int = Field(description="open event streams")
    memory: float = Field(description="megabytes")


@router.get("/status")
async def status(server: Server) -> Status:
    """How busy the server is."""
    load = server.pool.load()
    thinking = Thinking(
        waiting=load.waiting,
        running=load.running,
        room=load.room,
        simulations_per_second=round(server.speed.read(load.simulations), 1),
    )
    return Status(
        version=version("boardzero"),
        thinking=thinking,
        games=len(server.hall),
        listeners=server.streams.open,
        memory=round(memory_megabytes(), 1),
    )
