"""The game log and the ratings: readable whether or not anybody thinks."""

from typing import Annotated, Literal

from fastapi import APIRouter, Path, Query
from pydantic import BaseModel, Field

from boardzero.arena.game import SIDES, record_of
from boardzero.storage.entries import StoredGame
from boardzero.storage.queries import GameFilter
from boardzero.web.describing.position import find_position
from boardzero.web.limits import BOARD_LENGTH, MOVES_LENGTH, NAME_LENGTH, SPECIFICATION_LENGTH
from boardzero.web.live.models import Request, Saved
from boardzero.web.routes.problems import PROBLEMS
from boardzero.web.services import Server

router = APIRouter(prefix="/api", tags=["log"], responses=PROBLEMS)

Name = Annotated[str, Field(min_length=1, max_length=NAME_LENGTH, pattern=r"^[^\x00-\x1f\x7f]*$")]


class LoggedGame(BaseModel):
    """A game of the log, in short."""

    id: str
    game: str
    players: tuple[str, str]
    result: Literal["first", "second", "draw", "unfinished"]
    reason: str
    plies: int
    ended: str
    source: str


class LoggedGames(BaseModel):
    """A page of the log, the newest first."""

    games: list[LoggedGame]
    next: int | None = Field(description="`skip` of the following page")
    total: int


class WholeGame(LoggedGame):
    """A game of the log with its moves."""

    start: str
    moves: str
    opening: int
    seconds: tuple[float, float]
    remark: str


class NewEntry(Request):
    """A game to be saved."""

    game: str = Field(max_length=SPECIFICATION_LENGTH)
    players: tuple[Name, Name] = ("human", "human")
    moves: str = Field("", max_length=MOVES_LENGTH)
    start: str | None = Field(None, max_length=BOARD_LENGTH)


class Rating(BaseModel):
    """A player's rating and its 95 % interval; the anchor, whose rating is fixed, has none."""

    player: str
    rating: float
    low: float | None
    high: float | None
    games: int


class Ratings(BaseModel):
    """The newest ratings of a game, the best player first."""

    players: list[Rating]
    remark: str


@router.get("/log")
async def entries(
    server: Server,
    game: Annotated[str | None, Query(max_length=SPECIFICATION_LENGTH)] = None,
    player: Annotated[str | None, Query(max_length=SPECIFICATION_LENGTH, description="on either side")] = None,
    result: Annotated[Literal["first", "second", "draw", "unfinished"] | None, Query()] = None,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
    skip: Annotated[int, Query(ge=0, le=10_000_000)] = 0,
) -> LoggedGames:
    """Games of the log, the newest first."""
    which = GameFilter(game=game or None, player=player or None, result=result)
    games, total = await server.log.games(which, limit, skip)
    following = skip + len(games)
    return LoggedGames(games=[_short(each) for each in games], next=following if following < total else None, total=total)


@router.get("/log/{id}")
async def entry(server: Server, identity: Annotated[str, Path(alias="id", pattern="^[0-9a-f]{1,32}$")]) -> WholeGame:
    """One game of the log, with its moves."""
    stored = await server.log.find(identity)
    record = stored.record
    return WholeGame(
        **_short(stored).model_dump(),
        start=record.start,
        moves=record.moves,
        opening=record.opening,
        seconds=record.seconds,
        remark=record.remark,
    )


@router.post("/log", status_code=201)
async def save(server: Server, wish: NewEntry) -> Saved:
    """Save a game that was studied; its moves are checked."""
    position = find_position(wish.game, wish.moves, wish.start)
    if not position.over:
        return Saved(log=await server.log.add(record_of(position, wish.players)))
    result = "draw" if position.winner is None else SIDES[position.winner]
    return Saved(log=await server.log.add(record_of(position, wish.players, result=result, reason="rules")))


@router.get("/ratings")
async def ratings(server: Server, game: Annotated[str, Query(max_length=SPECIFICATION_LENGTH)]) -> Ratings:
    """How strong players are, as far as anybody has rated them."""
    rows = await server.log.ratings(game)
    players = [Rating.model_validate({key: row[key] for key in Rating.model_fields}) for row in rows]
    remark = "" if players else f"No ratings of {game} are in the log."
    return Ratings(players=players, remark=remark)


def _short(stored: StoredGame) -> LoggedGame:
    record = stored.record
    return LoggedGame(
        id=stored.id,
        game=record.game,
        players=record.players,
        result=record.result,
        reason=record.reason,
        plies=record.plies,
        ended=record.ended,
        source=stored.source,
    )
