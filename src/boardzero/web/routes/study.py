"""Analysis, review and search trees."""

import re
from typing import Annotated

from fastapi import APIRouter, Path, Query
from fastapi.responses import StreamingResponse

from boardzero.errors import BadInput
from boardzero.web.describing.position import find_position
from boardzero.web.limits import MOST_ANALYSIS_SECONDS, MOST_REVIEW_SIMULATIONS, SPECIFICATION_LENGTH
from boardzero.web.routes.positions import GameText, MovesText, StartText
from boardzero.web.routes.problems import PROBLEMS, NotFound
from boardzero.web.services import Server
from boardzero.web.study.models import ExactReport, JudgedMove, NewTree, PolicyReport, TreeNode, TreeReport

router = APIRouter(prefix="/api", tags=["study"], responses=PROBLEMS)

PlayerName = Annotated[
    str | None, Query(max_length=SPECIFICATION_LENGTH, description="who thinks; none: the game's usual analyst")
]
Simulations = Annotated[int | None, Query(ge=1, le=MOST_REVIEW_SIMULATIONS, description="for each position")]


@router.get("/analysis", response_class=StreamingResponse, responses={200: {"content": {"text/event-stream": {}}}})
async def analysis(
    server: Server,
    game: GameText,
    moves: MovesText = "",
    start: StartText = None,
    player: PlayerName = None,
    seconds: Annotated[float, Query(gt=0, le=MOST_ANALYSIS_SECONDS)] = 10.0,
) -> StreamingResponse:
    """Server-sent events: `analysis` again and again, the last one final; `exact` where a solver knows."""
    return server.streams.answer(server.analyst.live(find_position(game, moves, start), player, seconds))


@router.get("/exact")
async def exact(server: Server, game: GameText, moves: MovesText = "", start: StartText = None) -> ExactReport:
    """The exact result of every move, where a solver knows it."""
    return await server.analyst.exact(find_position(game, moves, start))


@router.get("/policy")
async def policy(
    server: Server,
    game: GameText,
    moves: MovesText = "",
    start: StartText = None,
    network: Annotated[str, Query(max_length=100, description="the id of a network; none: the shipped one")] = "",
) -> PolicyReport:
    """What the network alone thinks, before any search."""
    return await server.analyst.policy(find_position(game, moves, start), network)


@router.get("/review", response_class=StreamingResponse, responses={200: {"content": {"text/event-stream": {}}}})
async def review(
    server: Server,
    game: GameText,
    moves: MovesText = "",
    start: StartText = None,
    player: PlayerName = None,
    simulations: Simulations = None,
) -> StreamingResponse:
    """Server-sent events: `ply` for every position as it becomes known, then `summary`."""
    return server.streams.answer(server.reviewer.review(find_position(game, moves, start), player, simulations))


@router.get("/judge")
async def judge(
    server: Server,
    game: GameText,
    move: Annotated[str, Query(max_length=20, description="the move to judge")],
    moves: MovesText = "",
    start: StartText = None,
    player: PlayerName = None,
    simulations: Simulations = None,
) -> JudgedMove:
    """What one move would cost."""
    return await server.reviewer.judge(find_position(game, moves, start), move, player, simulations)


@router.post("/trees", status_code=201)
async def grow(server: Server, wish: NewTree) -> TreeReport:
    """Search a position and keep the tree, to look into it."""
    return await server.trees.make(wish)


@router.get("/trees/{id}")
async def look(
    server: Server,
    identity: Annotated[str, Path(alias="id", pattern="^[A-Za-z0-9_-]{1,40}$")],
    path: Annotated[str, Query(max_length=4000, description="actions from the root, with commas between them")] = "",
) -> TreeNode:
    """A node of a tree and its children."""
    if not re.fullmatch(r"([0-9]{1,6}(,[0-9]{1,6})*)?", path):
        raise BadInput("A path is a row of actions with commas between them, like 3,4,2.")
    try:
        return server.trees.find(identity, [int(action) for action in path.split(",")] if path else [])
    except KeyError:
        raise NotFound("This tree was forgotten; ask for a new one.") from None
