"""What is remembered of self-play and how it is learned from: one line of meaning for each setting."""

from typing import Literal

from pydantic import Field, model_validator

from boardzero.settings.specification import Parameters


class WindowSettings(Parameters):
    """Which of the games played so far are learned from: always the newest, up to a limit that its kind gives."""

    kind: Literal["positions", "games", "growing", "generations", "all"] = Field(
        "positions", description="what the limit counts; growing: a share of all positions ever; all: no limit"
    )
    positions: int = Field(200_000, ge=1, description="positions: the fewest newest games that hold this many")
    games: int = Field(1000, ge=1, description="games: this many")
    growing_fraction: float = Field(0.5, gt=0, le=1, description="growing: share of all positions ever played")
    growing_least: int = Field(20_000, ge=1, description="growing: at least this many positions")
    growing_most: int = Field(2_000_000, ge=1, description="growing: at most this many positions")
    generations: int = Field(4, ge=1, description="generations: this many at first")
    generations_step: int = Field(2, ge=0, description="generations: one more after every so many generations; 0: never")
    generations_most: int = Field(20, ge=1, description="generations: never more than this")
    clear_on_promotion: bool = Field(False, description="forget everything when a new best network is chosen")

    @model_validator(mode="after")
    def limits_are_in_order(self) -> "WindowSettings":
        if self.growing_least > self.growing_most:
            raise ValueError(f"growing_least={self.growing_least} should be at most growing_most={self.growing_most}.")
        if self.generations > self.generations_most:
            raise ValueError(f"generations={self.generations} should be at most generations_most={self.generations_most}.")
        return self

    def generations_at(self, newest: int) -> int:
        """How many generations are in the window while the newest is this one (they count from 0)."""
        grown = newest // self.generations_step if self.generations_step else 0
        return min(self.generations + grown, self.generations_most)


class ReplaySettings(Parameters):
    """Storage and sampling of the games of self-play."""

    window: WindowSettings = Field(default_factory=WindowSettings, description="which games are learned from")
    draw: Literal["positions", "games"] = Field(
        "positions", description="evenly from all positions; or a game in proportion to its length, then one of its positions"
    )
    symmetries: bool = Field(True, description="turn or mirror every sampled position at random, where the game allows it")
    duplicates: Literal["keep", "merge"] = Field(
        "keep", description="merge: equal positions become one, with the mean of their policies, results and values"
    )
    merged_weight: float = Field(
        0, ge=0, le=1, description="merge: a position seen n times weighs n to this power (0: 1; 1: as if kept apart)"
    )
    value_decay: float = Field(
        0, ge=0, le=1, description="q looks ahead: how much each later search of the game, and last its result, counts for it"
    )
    horizon: float = Field(
        0,
        ge=0,
        description="z looks so many plies ahead: boards on the way count, and a result that is near; 0: only the result",
    )
    board_worth: float = Field(
        0.5, ge=0, lt=1, description="with a horizon: what a board is worth at most to the side that has more pieces on it"
    )
    shard_games: int = Field(1000, ge=1, description="a journal of this many games is sealed into a shard")
    disk_bytes: int = Field(
        2_000_000_000, ge=0, description="older shards beyond this many bytes are deleted, if they are out of the window"
    )

    @model_validator(mode="after")
    def merged_positions_have_no_game(self) -> "ReplaySettings":
        if self.duplicates == "merge" and self.draw == "games":
            raise ValueError("duplicates=merge goes with draw=positions only: a merged position is of several games.")
        return self

    @model_validator(mode="after")
    def horizon_is_ahead(self) -> "ReplaySettings":
        if 0 < self.horizon < 1:
            raise ValueError(f"horizon={self.horizon} is less than a ply; it is 0 or at least 1.")
        return self
