"""What happened in a training run."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from boardzero.events.cluster import ClusterState
from boardzero.events.games import PlayedGame


@dataclass(frozen=True)
class SelfPlayProgress:
    """Self-play is under way."""

    generation: int  # of the network that plays
    positions: int  # to learn from (or games, as `unit` says), since the last training began
    wanted: int
    games: int  # in all
    seconds: float  # since the generation began
    simulations: int  # since the generation began, as are the following
    evaluations: int
    cache_hits: int
    finished: int  # games
    unit: str = "positions"  # what is counted until the next training


@dataclass(frozen=True)
class LearningProgress:
    """Training is under way."""

    generation: int  # of the network that will come of it
    step: int  # of this training
    steps: int


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
    games_per_second: float = 0.0
    positions_per_second: float = 0.0
    best: int = 0  # generation of the network that played
    validation_loss: float | None = None  # on what was held out, of the weights that were kept
    resignable: int = 0  # games that were played on although one side would have resigned
    wrongly_resignable: int = 0  # those of them that this side did not lose
    game: str = ""  # that was played, where a run plays several
    plies_left_loss: float | None = None  # if the network learns that besides
    drawn: float = 0.0  # share of the generation's games
    final_board_loss: float | None = None  # if the network learns that besides, and some games of the window were played out


@dataclass(frozen=True)
class PerfectPlayMeasured:
    """The newest network against perfect play, on positions that are the same for every run, and usually every evaluation."""

    generation: int
    seconds: float  # of the run so far
    simulations: int
    positions: int
    mistakes: int


@dataclass(frozen=True)
class NetworksCompared:
    """The newest network met the one that plays; with enough wins it takes its place. All is counted for the newest."""

    generation: int  # of the newest network
    best: int  # generation of the network that it met
    seconds: float  # of the run so far
    wins: int
    draws: int
    losses: int
    promoted: bool
    match_seconds: float


@dataclass(frozen=True)
class StrengthMeasured:
    """The newest network met an opponent; all is counted for the network. Scores are points a game, 0 to 1."""

    generation: int
    seconds: float  # of the run so far
    opponent: str  # a player, or `generation 20`
    kind: str  # `random`, `mcts`, `minimax`, `previous`, …: what opponents of different evaluations have in common
    simulations: int  # a move, of the network
    moving_first: tuple[int, int, int]  # wins, draws, losses
    moving_second: tuple[int, int, int]
    score: float
    interval: tuple[float, float]  # 95 %
    first_score: float
    first_interval: tuple[float, float]
    second_score: float
    second_interval: tuple[float, float]
    match_seconds: float


@dataclass(frozen=True)
class MatchPlayed:
    """The games of a match of the newest network, for those who log games: the run itself keeps only what they came to."""

    source: Literal["gate", "evaluation"]
    generation: int  # of the newest network, which has the first side in games 0, 2, 4, …
    opponent: str  # a player, or `generation 20`
    opponent_generation: int | None  # of the network, where it is one of the run
    simulations: int  # a move, of networks of the run
    games: tuple[PlayedGame, ...]


@dataclass(frozen=True)
class DamageFound:
    """Something is wrong that the run goes on without: a file set aside, a machine that cannot play, a failing copy."""

    sentence: str


@dataclass(frozen=True)
class Remark:
    """Something that whoever waits for the run should know."""

    sentence: str


Measurement = GenerationDone | PerfectPlayMeasured | NetworksCompared | StrengthMeasured  # what is kept of a run
TrainingEvent = SelfPlayProgress | LearningProgress | Measurement | MatchPlayed | DamageFound | Remark | ClusterState
Listener = Callable[[TrainingEvent], None]
