"""How the network-guided search behaves: one line of meaning for each setting."""

from typing import Literal

from pydantic import Field, model_validator

from boardzero.settings.specification import Parameters


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
    noise_fraction: float = Field(0.25, ge=0, le=1, description="share of Dirichlet noise in the root's priors, where noise is on")
    noise_alpha: float = Field(0, ge=0, description="α of that noise; 0 means 10 / number of legal moves")
    forced_playouts: float = Field(
        0, ge=0, description="k of forced root playouts, √(k · prior · simulations); 0 is off, KataGo uses 2"
    )
    considered: int = Field(16, ge=1, description="Gumbel: how many root moves enter sequential halving")
    gumbel_visits: float = Field(50, ge=0, description="Gumbel: c_visit, the weight of values before any visit")
    gumbel_scale: float = Field(1.0, gt=0, description="Gumbel: c_scale, the weight of values (0 to 1) against logits")
    leaves: int = Field(1, ge=1, le=256, description="leaves of one tree that are evaluated together")
    virtual_loss: float = Field(1.0, ge=0, description="losses that a leaf under evaluation counts for")
    exact: bool = Field(True, description="back up proven wins, draws and losses as bounds")
    transpositions: bool = Field(False, description="one node for a position, however it is reached; statistics stay on edges")
    update_all_parents: bool = Field(False, description="with transpositions: a simulation counts on every way to its leaf")

    @model_validator(mode="after")
    def parents_need_transpositions(self) -> "SearchSettings":
        if self.update_all_parents and not self.transpositions:
            raise ValueError("update_all_parents needs transpositions=true.")
        return self
