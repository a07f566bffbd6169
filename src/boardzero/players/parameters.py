"""What may be said of each player, apart from what plays: it is checked before anything compiled is loaded."""

from typing import Literal

from pydantic import Field, model_validator

from boardzero.settings.precision import Precision
from boardzero.settings.search import MOST_HALVED, USUAL_WIDTH, WIDE, width_for_play
from boardzero.settings.specification import Parameters

DEEPEST_LOOK = 1023  # plies that alpha-beta's table can hold
USUAL_NODES = 2_000_000  # of the tree of rollouts


class ForestParameters(Parameters):
    """How long to search and how. With both limits the first one reached ends the search."""

    sims: int | None = Field(None, ge=1, le=100_000_000, description="simulations a move")
    seconds: float | None = Field(None, gt=0, le=86_400, description="seconds a move")
    noise: bool = Field(False, description="noise at the root, as in self-play: Dirichlet's, or Gumbel's with halving")
    temperature: float = Field(0, ge=0, le=100, description="moves are drawn by visits ^ (1 / temperature); 0 takes the best")
    memory: int = Field(1024, ge=1, le=1_000_000, description="megabytes that the tree may take")
    widest: int | None = Field(
        None,
        ge=0,
        le=100_000,
        description=f"moves that a position below the root keeps, the likeliest; 0: all; "
        f"unless said {USUAL_WIDTH} in games with more than {WIDE} moves, otherwise all",
    )

    def width(self, moves: int) -> int:
        """`widest` in a game with so many moves at most."""
        return width_for_play(moves) if self.widest is None else self.widest


class AlphaZeroParameters(ForestParameters):
    """Search limits, and where the network is."""

    network: str = Field("", description="a run's folder (its newest network) or a network file; nothing: the shipped one")
    value_spread: float | None = Field(
        None,
        gt=0,
        le=1,
        description="how far apart the network's values are: the less, the more a small difference counts; unless said, as the"
        " network notes",
    )
    draws: Literal["auto", "shared", "lost"] = Field(
        "auto",
        description="lost: think as if a draw were lost, and so attack, in games that know such odds (Latrunculi); auto: with"
        " networks that have learned to",
    )
    threads: int = Field(1, ge=1, le=1024, description="threads that evaluate positions, each its part of a batch")
    precision: Precision = Field(
        "auto", description="32 bits, or 8 in the network's tower; auto: 8 where the processor is fast with them"
    )
    leaves: int = Field(
        0, ge=0, le=256, description="leaves that are evaluated together; 0: 4 against a clock, 1 (better moves) otherwise"
    )
    root: Literal["auto", "puct", "gumbel"] = Field(
        "auto",
        description="how simulations are shared out among the moves: by Gumbel's halving, which needs to know how many there"
        " will be, or by PUCT; auto: halving, but PUCT against a clock, with a temperature, and with more than "
        f"{MOST_HALVED} simulations where there are many moves",
    )
    look_ahead: bool = Field(
        True, description="ask the rules, before a position is evaluated, whether its player to move wins at once"
    )

    def must_win(self, knows_odds: bool = False) -> bool:
        """Does it think that a draw would be lost, with a network that has learned such odds, or has not?"""
        return self.draws == "lost" or (self.draws == "auto" and knows_odds)

    @model_validator(mode="after")
    def halving_knows_its_simulations(self) -> "AlphaZeroParameters":
        if self.root == "gumbel" and self.seconds is not None:
            raise ValueError("root=gumbel needs a number of simulations that is known before (sims=400), not seconds.")
        if self.root == "gumbel" and self.temperature:
            raise ValueError("root=gumbel chooses one move, so that a temperature has no meaning with it; root=puct draws.")
        return self


class HeuristicParameters(ForestParameters):
    """Search limits, and what Slávka's Gomoku program set for its own."""

    c: float = Field(4.0, ge=0, le=1000, description="exploration: how much the prior counts against the value")
    leaves: int = Field(
        1, ge=1, le=256, description="leaves that are evaluated together: more are faster, and a little less exact"
    )


class MinimaxParameters(Parameters):
    """How far to look. With both limits the first one reached ends the search; with none, one second does."""

    depth: int | None = Field(None, ge=1, le=DEEPEST_LOOK, description="plies to look ahead")
    seconds: float | None = Field(None, gt=0, le=86_400, description="seconds a move")


class RolloutParameters(Parameters):
    """How long to search and how. With both limits the first one reached ends the search; with none, 1000 simulations do."""

    sims: int | None = Field(None, ge=1, le=1_000_000_000, description="simulations a move")
    seconds: float | None = Field(None, gt=0, le=86_400, description="seconds a move")
    c: float = Field(1.4, ge=0, le=1000, description="weight of exploration in UCB1: mean + c · √(ln N / n)")
    variant: Literal["uct", "every-child"] = Field(
        "uct", description="uct: a rollout a simulation, most visits win; every-child: one from each child, highest U wins"
    )
    nodes: int = Field(USUAL_NODES, ge=1000, le=100_000_000, description="largest size of the tree")
