"""What happened in a training run."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class SelfPlayProgress:
    """Self-play is under way."""

    generation: int  # of the network that plays
    positions: int  # to learn from, since the generation began
    wanted: int
    games: int  # in all
    seconds: float  # since the generation began
    evaluations: int  # since the generation began


@dataclass(frozen=True)
class GenerationDone:
    """Games were played, and a new network was trained on them."""

    generation: int  # of the new network
    seconds: float  # of the run so far
    games: int  # in all
    positions: int  # to learn from, in all
    window: int  # positions in the window
    mean_plies: float  # of the generation's games
    selfplay_seconds: float
    training_seconds: float
    simulations_per_second: float
    evaluations_per_second: float
    cache_hits: float  # share of leaves that needed no evaluation
    steps: int  # training steps in all
    policy_loss: float
    value_loss: float
    learning_rate: float


@dataclass(frozen=True)
class PerfectPlayMeasured:
    """The newest network against perfect play, on positions drawn afresh."""

    generation: int
    seconds: float  # of the run so far
    simulations: int
    positions: int
    mistakes: int


@dataclass(frozen=True)
class DamageFound:
    """A file could not be read; it was set aside, and the run goes on without it."""

    sentence: str


TrainingEvent = SelfPlayProgress | GenerationDone | PerfectPlayMeasured | DamageFound
Listener = Callable[[TrainingEvent], None]
