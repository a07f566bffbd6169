"""Games and positions: nothing here is remembered, everything follows from what is asked."""

import asyncio
from importlib.metadata import version
from typing import Annotated

from fastapi import APIRouter, Query

from boardzero.web.describing.game import describe_catalogue, describe_game
from boardzero.web.describing.looks import find_page_game
from boardzero.web.describing.models import Catalogue, GameDescription, PositionDescription, PositionRow
from boardzero.web.describing.position import describe_position, find_position, glance_at_all
from boardzero.web.limits import BOARD_LENGTH, MOVES_LENGTH, SPECIFICATION_LENGTH
from boardzero.web.routes.problems import PROBLEMS
from boardzero.web.services import Server

router = APIRouter(prefix="/api", tags=["positions"], responses=PROBLEMS)

GameText = Annotated[
    str, Query(max_length=SPECIFICATION_LENGTH, description="a game: `connect4`, `othello:size=6`", examples=["connect4"])
]
MovesText = Annotated[str, Query(max_length=MOVES_LENGTH, description="the moves so far, in the game's notation")]
StartText = Annotated[
    str | None, Query(max_length=BOARD_LENGTH, description="the board before the first move, where it is not the usual one")
]


@router.get("/catalogue")
async def catalogue(server: Server) -> Catalogue:
    """The games that can be played here, with their usual sizes, and how much may be asked for."""
    return describe_catalogue(server.shelf, version("boardzero"), server.settings.training)


@router.get("/board")
async def board(server: Server, game: GameText) -> GameDescription:
    """All that is needed to draw one game and to offer its players."""
    return describe_game(find_page_game(game), server.shelf)


@router.get("/position")
async def position(game: GameText, moves: MovesText = "", start: StartText = None) -> PositionDescription:
    """A position with its legal moves. Impossible boards and illegal moves are refused with a sentence."""
    return await asyncio.to_thread(lambda: describe_position(find_position(game, moves, start)))


@router.get("/positions")
async def positions(game: GameText, moves: MovesText = "", start: StartText = None) -> PositionRow:
    """Every position of a game, from its start."""
    return PositionRow(positions=await asyncio.to_thread(lambda: glance_at_all(find_position(game, moves, start))))
