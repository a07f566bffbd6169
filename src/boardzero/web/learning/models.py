"""Trainings in JSON."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field, model_validator

from boardzero.web.limits import LARGEST_SEED, SPECIFICATION_LENGTH
from boardzero.web.live.models import Request

MOST_MINUTES = 7 * 24 * 60
MOST_GENERATIONS = 100_000
RunState = Literal["starting", "running", "stopped", "finished", "failed"]
Change = Annotated[str, Field(max_length=100, pattern=r"^[a-z_.]+=[A-Za-z0-9_.+-]+$", examples=["network.blocks=4"])]


class NewRun(Request):
    """Begin a training."""

    game: str = Field("connect4", max_length=SPECIFICATION_LENGTH)
    minutes: float | None = Field(None, gt=0, le=MOST_MINUTES)
    generations: int | None = Field(None, ge=1, le=MOST_GENERATIONS)
    seed: int = Field(1, ge=0, le=LARGEST_SEED)
    settings: list[Change] = Field([], max_length=40, description="changed settings, like network.blocks=4")

    @model_validator(mode="after")
    def one_end(self) -> "NewRun":
        if (self.minutes is None) == (self.generations is None):
            raise ValueError("a training ends after a number of minutes or of generations: say one of them")
        return self


class Run(BaseModel):
    """A training and how far it is."""

    id: str
    title: str
    game: str
    state: RunState
    mine: bool = Field(description="can it be stopped from here?")
    minutes: float | None
    generations: int | None
    generation: int
    seconds: float
    games: int
    positions: int
    share: float = Field(description="of the whole training, 0 to 1")
    network_generations: list[int] = Field(description="those whose networks can be played")
    trouble: str


class Runs(BaseModel):
    """All trainings, the newest first."""

    runs: list[Run]
    can_train: bool
    running: str | None


class WholeRun(Run):
    """A training with all that happened in it."""

    events: list[dict[str, Any]]
    settings: dict[str, Any]


class WatchedGame(BaseModel):
    """A finished game of self-play."""

    number: int
    generation: int
    game: str
    start: str | None
    moves: str
    result: Literal["first", "second", "draw"]
    plies: int
    values: list[float | None] = Field(description="win probability of the first side before each move, where it was searched")
