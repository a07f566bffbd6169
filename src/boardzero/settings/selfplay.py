"""How games are played for learning: one line of meaning for each setting."""

from pydantic import Field

from boardzero.settings.precision import Precision
from boardzero.settings.search import MoveSettings, PlayoutCap
from boardzero.settings.specification import Parameters


class SelfPlaySettings(Parameters):
    """The defaults are first guesses for two cores; Connect Four has its own, chosen by measurement: see defaults."""

    workers: int = Field(0, ge=0, le=1024, description="threads that play; 0 means one a core")
    games: int = Field(128, ge=1, le=65_536, description="games in flight in each worker, evaluated as one batch")
    precision: Precision = Field(
        "auto",
        description="of evaluations: 32 bits, or 8 in the network's tower; auto: 8 where the processor is fast with them",
    )
    cap: PlayoutCap = Field(PlayoutCap(full_probability=0.5, full_simulations=100, fast_simulations=25))
    growth: float = Field(
        1, ge=1, le=100, description="simulations grow over the run, up to this many times: early games need less thought"
    )
    moves: MoveSettings = Field(MoveSettings(temperature=1, temperature_plies=10))
    noise: bool = Field(True, description="noise at the root of full searches")
    keep_tree: bool = Field(True, description="go on with the subtree of the move that was played")
    cache: int = Field(1 << 17, ge=0, description="evaluations that each worker remembers until the network changes; 0: none")
    opening_share: float = Field(0, ge=0, le=1, description="share of games that begin with random moves")
    opening_plies: int = Field(8, ge=1, le=1000, description="at most this many of them")
    end_when_proven: bool = Field(False, description="end a game with its result as soon as the search has proven it")
    resign_below: float = Field(
        -1, ge=-1, le=0, description="resign when the value stays below this for two own moves; -1: never"
    )
    resign_checked_share: float = Field(
        0.1, ge=0, le=1, description="share of games that are played on, to measure how often resigning would be wrong"
    )
