"""How the network-guided search behaves: one line of meaning for each setting."""

from typing import Literal

from pydantic import Field, model_validator

from boardzero.settings.specification import Parameters

MOST_HALVED = 1000  # simulations that are shared out by halving among some of the moves; 600 were as good as PUCT on 13×13
WIDE, USUAL_WIDTH = 128, 64  # a game with more moves than this is wide; what its positions then keep of them in play


class SearchSettings(Parameters):
    """Settings of the forest; the defaults suit play, self-play adds noise."""

    root: Literal["puct", "gumbel"] = Field("puct", description="how simulations are shared out among the moves of the root")
    exploration: float = Field(1.5, ge=0, description="c of PUCT: how much the prior counts against the value")
    exploration_base: float = Field(
        0, ge=0, description="0: c stays; otherwise c grows by ln((1 + N + base) / base) as in AlphaZero (19652)"
    )
    first_play: Literal["value", "reduction"] = Field(
        "reduction", description="an unvisited move is worth a fixed value, or its parent's less a reduction"
    )
    first_play_value: float = Field(
        0.25, ge=-1, le=1, description="that value, or the reduction times the root of the visited prior mass"
    )
    noise_fraction: float = Field(
        0.25, ge=0, le=1, description="share of Dirichlet noise in the root's priors, where noise is on"
    )
    noise_alpha: float = Field(0, ge=0, description="α of that noise; 0 means 10 / number of legal moves")
    forced_playouts: float = Field(
        0, ge=0, description="k of forced root playouts, √(k · prior · simulations); 0 is off, KataGo uses 2"
    )
    considered: int = Field(16, ge=1, description="Gumbel: how many root moves enter sequential halving")
    gumbel_visits: float = Field(50, ge=0, description="Gumbel: c_visit, the weight of values before any visit")
    gumbel_scale: float = Field(1.0, gt=0, description="Gumbel: c_scale, the weight of values (0 to 1) against logits")
    value_spread: float = Field(
        1,
        gt=0,
        le=1,
        description="how far apart the values of good and bad moves are, 1 where games are won and lost; below it the search"
        " heeds smaller differences: exploration, first-play reduction and virtual loss times this, gumbel_scale divided by it",
    )
    leaves: int = Field(1, ge=1, le=256, description="leaves of one tree that are evaluated together")
    widest: int = Field(
        0, ge=0, description="moves that a position below the root keeps at most, the likeliest, to save memory; 0: all"
    )
    virtual_loss: float = Field(1.0, ge=0, description="losses that a leaf under evaluation counts for")
    exact: bool = Field(True, description="back up proven wins, draws and losses as bounds")
    look_ahead: bool = Field(
        False, description="ask the rules, before a position is evaluated, whether its player to move wins at once"
    )
    transpositions: bool = Field(False, description="one node for a position, however it is reached; statistics stay on edges")
    update_all_parents: bool = Field(False, description="with transpositions: a simulation counts on every way to its leaf")

    @model_validator(mode="after")
    def parents_need_transpositions(self) -> "SearchSettings":
        if self.update_all_parents and not self.transpositions:
            raise ValueError("update_all_parents needs transpositions=true.")
        return self

    @model_validator(mode="after")
    def exploration_can_be_scaled(self) -> "SearchSettings":
        if self.exploration_base and self.value_spread != 1:
            raise ValueError("value_spread goes with exploration_base=0 only: an exploration that grows is not scaled by it.")
        return self

    def scaled(self) -> "SearchSettings":
        """The same search with value_spread=1: what the spread means to the other settings is in them."""
        changes = {
            "exploration": self.exploration * self.value_spread,
            "gumbel_scale": self.gumbel_scale / self.value_spread,
            "virtual_loss": self.virtual_loss * self.value_spread,
            "value_spread": 1.0,
        }
        if self.first_play == "reduction":
            changes["first_play_value"] = self.first_play_value * self.value_spread
        return self.model_copy(update=changes)


def width_for_play(moves: int) -> int:
    """`widest` for play, in a game with so many moves at most: docs/search.md has the matches that it was chosen by."""
    return USUAL_WIDTH if moves > WIDE else 0


def settings_for_play(moves: int, simulations: int | None, leaves: int = 1, value_spread: float = 1) -> SearchSettings:
    """How a network plays best in a game with so many moves at most; simulations: of a move, None where a clock ends it.

    By Gumbel's halving, if the number of simulations is known before, and it is not large or all moves can be considered;
    otherwise by PUCT. docs/training.md has the mistakes of both, and docs/search.md their games against each other.
    """
    settings = SearchSettings(value_spread=value_spread, leaves=leaves, widest=width_for_play(moves), look_ahead=True)
    halving = simulations is not None and (moves <= settings.considered or simulations <= MOST_HALVED)
    return settings.model_copy(update={"root": "gumbel"}) if halving else settings


class MoveSettings(Parameters):
    """How a move is drawn from what the search found; the defaults always take the best."""

    temperature: float = Field(0, ge=0, description="moves are drawn by visits ^ (1 / temperature); 0 takes the most visited")
    temperature_plies: int = Field(10, ge=0, description="for this many plies; then late_temperature rules")
    late_temperature: float = Field(0, ge=0, description="the temperature after that")
    softmax_beta: float = Field(0, ge=0, description="above 0: while the temperature rules, draw by softmax of beta · visits")

    def temperature_at(self, ply: int) -> float:
        """The temperature for the move after this many plies."""
        return self.temperature if ply < self.temperature_plies else self.late_temperature


class PlayoutCap(Parameters):
    """Playout-cap randomisation: some moves are searched fully, with noise, and learned from; the others only quickly."""

    full_probability: float = Field(1, gt=0, le=1, description="share of moves with a full search")
    full_simulations: int = Field(100, ge=1, description="simulations of a full search")
    fast_simulations: int = Field(25, ge=1, description="simulations of a fast search")
