"""Everything that a training run is made of."""

from pydantic import Field

from boardzero.settings.network import NetworkSettings
from boardzero.settings.replay import ReplaySettings, WindowSettings
from boardzero.settings.search import SearchSettings
from boardzero.settings.selfplay import SelfPlaySettings
from boardzero.settings.specification import Parameters
from boardzero.settings.training import TrainingSettings


class RunSettings(Parameters):
    """A run is repeatable from these: with one worker and a number of generations, bit for bit."""

    game: str = Field("connect4", description="the game that is learned")
    seed: int = Field(1, ge=0, description="all random choices follow from it")
    minutes: float | None = Field(None, gt=0, description="how long to learn; the learning rate falls over this time")
    generations: int | None = Field(None, ge=1, description="how many generations to learn, instead of minutes")
    network: NetworkSettings = Field(NetworkSettings(), description="the network's shape")
    search: SearchSettings = Field(SearchSettings(), description="the search in self-play")
    selfplay: SelfPlaySettings = Field(SelfPlaySettings(), description="how games are played")
    replay: ReplaySettings = Field(
        ReplaySettings(window=WindowSettings(kind="growing", growing_least=60_000, growing_most=500_000)),
        description="which games are learned from",
    )
    training: TrainingSettings = Field(TrainingSettings(), description="how the network learns from them")
    keep_every: int = Field(10, ge=1, description="one network in this many generations is kept for good; the newest always")
    evaluate_every: int = Field(5, ge=0, description="generations between two comparisons with perfect play; 0: none")
