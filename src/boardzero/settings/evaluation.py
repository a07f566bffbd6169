"""How a run finds out, while it learns, how strong it is: one line of meaning for each setting."""

from typing import Any

from pydantic import Field, field_validator

from boardzero.settings.specification import Parameters

PREVIOUS = "previous"  # the opponent `previous:5`: the five networks before that are kept for good


class EvaluationSettings(Parameters):
    """Matches of the newest network, and its mistakes against perfect play, in a time budget of their own.

    Positions for perfect play are usually the same for every evaluation and every run of a game, so that curves can be
    compared; what is said of the end of a run is better measured on others (`boardzero perfect --run RUN --seed 7`). Fresh
    ones for each evaluation have luck of their own in every point of a curve, and none that all its points share.
    """

    every: int = Field(5, ge=0, description="generations between two evaluations; 0: only at the end")
    minutes: float | None = Field(None, gt=0, description="minutes between two evaluations, instead of generations")
    share: float = Field(
        0.04, ge=0, le=1, description="most of the run's time that they may take; what would take more waits; 0: none at all"
    )
    games: int = Field(30, ge=2, le=10_000, description="games against each opponent, half of them with each side")
    simulations: int = Field(0, ge=0, description="a move; 0: as many as a full search of self-play")
    opponents: tuple[str, ...] = Field(
        ("random", "mcts", "minimax:depth=2", "previous:5"),
        description="players, separated by spaces; mcts has equal simulations, previous:5 are the last five networks kept",
    )
    positions: int = Field(200, ge=0, description="positions to compare with perfect play, where it is known; 0: none")
    fresh_positions: bool = Field(False, description="are they drawn anew for every evaluation, by the generation's number?")
    position_simulations: int = Field(100, ge=1, description="a move, in those positions")

    @field_validator("opponents", mode="before")
    @classmethod
    def split_words(cls, value: Any) -> Any:
        """`random mcts:sims=50` on a command line is a list; `none` is an empty one."""
        return () if value is None else tuple(value.split()) if isinstance(value, str) else value
