"""Live games in JSON."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from boardzero.events.games import Reason
from boardzero.web.describing.models import PositionDescription
from boardzero.web.limits import BOARD_LENGTH, MOVES_LENGTH, SPECIFICATION_LENGTH

PlayerText = Annotated[str, Field(max_length=SPECIFICATION_LENGTH, description="like human or mcts:sims=1000")]


class Request(BaseModel):
    """What a client sends: unknown fields are refused."""

    model_config = ConfigDict(extra="forbid")


class NewGame(Request):
    """Begin a game, or go on with one of the log."""

    game: str = Field("connect4", max_length=SPECIFICATION_LENGTH)
    players: tuple[PlayerText, PlayerText] = ("human", "human")
    moves: str = Field("", max_length=MOVES_LENGTH)
    start: str | None = Field(None, max_length=BOARD_LENGTH)
    log: str | None = Field(None, pattern="^[0-9a-f]{1,32}$", description="go on with this game of the log instead")
    pause_seconds: float = Field(0.6, ge=0, le=10, description="between two moves of machines that play each other")


class NewMove(Request):
    move: str = Field(max_length=20)
    ply: int = Field(ge=0, le=100_000, description="how many moves the sender has seen")


class TakeBack(Request):
    plies: int | None = Field(None, ge=1, le=100_000, description="none: back to the person's last turn")


class GoTo(Request):
    ply: int = Field(ge=0, le=100_000)


class NewPlayers(Request):
    players: tuple[PlayerText, PlayerText]


class Pause(Request):
    paused: bool


class Resignation(Request):
    side: int = Field(ge=0, le=1)


class Nothing(Request):
    """An empty body."""


class Opinion(BaseModel):
    """What a machine thought when it moved; the value is for that side."""

    side: int
    ply: int = Field(description="how many moves had been played before it")
    value: float | None
    win_probability: float | None
    exact: int | None
    simulations: int | None
    seconds: float
    line: list[str]


class GameState(BaseModel):
    """A live game. Its version grows with every change."""

    id: str
    version: int
    players: tuple[str, str]
    titles: tuple[str, str]
    position: PositionDescription
    redo: list[str] = Field(description="moves that were taken back, the next one first")
    thinking: bool
    paused: bool
    trouble: str = Field(description="why the machine does not move, if it does not")
    result: Literal["unfinished", "first", "second", "draw"]
    reason: Reason
    watchers: int
    log: str | None
    created: str
    opinion: Opinion | None


class Invitation(BaseModel):
    """How others get into a game."""

    invite: str | None = Field(description="to be given in the link; none where the server wants no token")
    address: str | None = Field(description="where other machines find the server, if it is known")


class Saved(BaseModel):
    """Where a game is in the log."""

    log: str
