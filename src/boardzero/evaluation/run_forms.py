"""The form of what is kept in a run's folder, as far as reports and cards read it, so that another form is told at once.

Whatever else stands in a file, like figures of later versions, is of no concern here.
"""

import json
from collections.abc import Mapping
from typing import Any, ClassVar, get_args

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError, model_validator

from boardzero.evaluation.rating_scales import ScaleName
from boardzero.events.training import Measurement

EVENTS: dict[str, TypeAdapter[Any]] = {kind.__name__: TypeAdapter(kind) for kind in get_args(Measurement)}


def is_event(event: Mapping[str, Any]) -> bool:
    """Has it all that an event of its name says?"""
    try:
        EVENTS[event["event"]].validate_json(json.dumps(event, allow_nan=False), strict=True)
    except ValueError:  # of pydantic, or a figure that is none
        return False
    return True


class Form(BaseModel):
    """Part of a file: types must be right, and figures finite."""

    model_config = ConfigDict(strict=True, allow_inf_nan=False)


class KeptFile(Form):
    """A whole file."""

    command: ClassVar[str]  # that writes it

    @classmethod
    def fits(cls, content: bytes) -> bool:
        try:
            cls.model_validate_json(content)
        except ValidationError:
            return False
        return True


# -- ratings.json -----------------------------------------------------------------------------------------------------------
class RatedPlayer(Form):
    name: str
    run: str | None
    generation: int | None
    rating: float
    interval: tuple[float, float]
    games: int
    simulations: int | None = None
    places: list[tuple[str, int]] = []


class KeptMatrix(Form):
    players: list[str]
    scores: list[list[float | None]]
    games: list[list[int]]

    @model_validator(mode="after")
    def is_square(self) -> "KeptMatrix":
        size = len(self.players)
        if any(len(rows) != size or any(len(row) != size for row in rows) for rows in (self.scores, self.games)):
            raise ValueError("a matrix has a row and a column for each player.")
        return self


class KeptRatings(KeptFile):
    command = "boardzero rate"

    game: str
    games: int
    scale: ScaleName
    anchor: str = ""
    anchor_rating: float = 0.0
    players: list[RatedPlayer]
    matrix: KeptMatrix | None = None


# -- perfect.json -----------------------------------------------------------------------------------------------------------
class CountedMistakes(Form):
    file: str
    positions: int
    mistakes: int


class CountedMisses(Form):
    positions: int
    missed: int
    costly: int


class KeptHabits(Form):
    moves: list[str]
    chosen: list[float]
    perfect: list[float]
    favourite: str
    favourite_chance: float | None = None
    missed_wins: CountedMisses
    missed_blocks: CountedMisses

    @model_validator(mode="after")
    def is_about_its_moves(self) -> "KeptHabits":
        if not len(self.moves) == len(self.chosen) == len(self.perfect) or self.favourite not in self.moves:
            raise ValueError("every move has a share, and one of them is the favourite.")
        return self


class MeasuredNetwork(Form):
    generation: int
    simulations: int
    files: list[CountedMistakes]
    positions: int
    mistakes: int
    habits: KeptHabits | None = None
    key: str = ""  # of weights and question


class KeptPerfectPlay(KeptFile):
    command = "boardzero perfect --run"

    networks: list[MeasuredNetwork] = Field(min_length=1)

    @model_validator(mode="after")
    def has_the_same_sets_throughout(self) -> "KeptPerfectPlay":
        if len({len(network.files) for network in self.networks}) > 1:
            raise ValueError("every network has the same sets of positions.")
        return self
