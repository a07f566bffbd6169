"""Everything that a training run is made of."""

from typing import Any, Literal

from pydantic import Field, field_validator, model_validator

from boardzero.settings.curriculum import Stage, order_refusal, stages_from_text
from boardzero.settings.evaluation import EvaluationSettings
from boardzero.settings.gate import GateSettings
from boardzero.settings.growth import GrowthSettings
from boardzero.settings.network import NetworkSettings
from boardzero.settings.replay import ReplaySettings, WindowSettings
from boardzero.settings.search import SearchSettings
from boardzero.settings.selfplay import SelfPlaySettings
from boardzero.settings.specification import Parameters
from boardzero.settings.training import TrainingSettings


class RunSettings(Parameters):
    """A run is repeatable from these: alternating, with one worker and a number of generations, bit for bit."""

    game: str = Field("connect4", description="the game that is learned")
    curriculum: tuple[Stage, ...] = Field(
        (), description="other games on the way, as `0.2 gomoku:size=7; 1 gomoku:size=9 gomoku`; none: only the one"
    )
    seed: int = Field(1, ge=0, description="all random choices follow from it")
    minutes: float | None = Field(None, gt=0, description="how long to learn; the learning rate falls over this time")
    generations: int | None = Field(None, ge=1, description="how many generations to learn, instead of minutes")
    network: NetworkSettings = Field(NetworkSettings(), description="the network's shape")
    growth: GrowthSettings = Field(GrowthSettings(), description="a larger network from some point of the run on")
    search: SearchSettings = Field(SearchSettings(), description="the search in self-play")
    selfplay: SelfPlaySettings = Field(SelfPlaySettings(), description="how games are played")
    replay: ReplaySettings = Field(
        ReplaySettings(window=WindowSettings(kind="growing", growing_least=60_000, growing_most=500_000)),
        description="which games are learned from",
    )
    training: TrainingSettings = Field(TrainingSettings(), description="how the network learns from them")
    mode: Literal["alternating", "concurrent"] = Field(
        "alternating", description="play and learn in turn, with all cores each; or at the same time, where there are cores"
    )
    gate: GateSettings = Field(GateSettings(), description="when a new network takes over self-play")
    evaluation: EvaluationSettings = Field(EvaluationSettings(), description="how strength is measured on the way")
    keep_every: int = Field(
        10, ge=1, description="one network in this many generations is kept for good; the newest and those promoted always"
    )

    @field_validator("curriculum", mode="before")
    @classmethod
    def read_stages(cls, value: Any) -> Any:
        """A text, as on a command line; `none` is no curriculum."""
        return () if value is None else stages_from_text(value) if isinstance(value, str) else value

    @model_validator(mode="after")
    def curriculum_is_possible(self) -> "RunSettings":
        if sentence := order_refusal(self.curriculum):
            raise ValueError(sentence)
        one_game_only = self.mode != "alternating" or self.gate.kind != "none" or self.training.epochs > 0
        if self.curriculum and one_game_only:
            raise ValueError(
                "A curriculum goes with mode=alternating, gate.kind=none and training.epochs=0;"
                " curriculum=none plays one game only."
            )
        return self

    @model_validator(mode="after")
    def network_can_grow(self) -> "RunSettings":
        if self.growth.share and (sentence := self.growth.refusal(self.network)):
            raise ValueError(f"{sentence.removesuffix('.')}; growth.share=0 lets it stay as it is.")
        return self

    @model_validator(mode="after")
    def a_cleared_window_fills_again(self) -> "RunSettings":
        """Training waits for first_positions in a window that was cleared: it must be able to hold so many."""
        window, first = self.replay.window, self.training.first_positions
        room = {"positions": window.positions, "growing": window.growing_least, "all": first}.get(window.kind, 0)
        if window.clear_on_promotion and room < first:
            raise ValueError(
                f"replay.window.clear_on_promotion needs a window that surely holds training.first_positions={first} positions:"
                " kind=all, or kind=positions or growing with as many."
            )
        return self
