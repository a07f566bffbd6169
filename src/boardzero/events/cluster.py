"""How a cluster is doing that plays for a run."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class MachineState:
    """One machine of the cluster, over the last seconds."""

    name: str
    cores: int
    gpus: int
    players: int
    games_per_second: float
    simulations_per_second: float
    busy: float  # share of its players' time that they spent on orders
    generation: int  # of the oldest network that any of its players used last
    lag: int  # generations behind the newest network


@dataclass(frozen=True)
class ClusterState:
    """All machines, and what is under way between them and the driver."""

    generation: int  # of the newest network that plays
    machines: tuple[MachineState, ...]
    players: int
    playing: int  # players that have answered and whose machine is there
    orders: int  # given and not answered yet
    restarts: int  # players that had to be started anew
    games: int  # that have come in since the driver began
    held: bool  # are the players waiting for the learner?
    backlog: int = 0  # positions (or games, as `unit` says) since the last training began
    wanted: int = 0  # until the next one
    unit: str = "positions"

    @property
    def games_per_second(self) -> float:
        return sum(machine.games_per_second for machine in self.machines)

    @property
    def lag(self) -> int:
        return max((machine.lag for machine in self.machines if machine.players), default=0)


ClusterListener = Callable[[ClusterState], None]
