"""What a larger cluster would do: a model with few numbers, all of them measured, and with its assumptions said.

Games are played at so many a second and core, on as many cores as there are, until something that there is only one of is
saturated: the learner, the driver that takes games in, or its network link.
"""

from dataclasses import dataclass

SIZES = (10, 30, 100, 300, 1000, 3000, 10_000)  # cores


@dataclass(frozen=True)
class Measured:
    """What was measured on one machine."""

    games_per_core: float  # a second
    simulations_per_game: float
    positions_per_game: float  # to learn from
    bytes_per_game: float  # as they come over the network
    driver_seconds_per_game: float  # to take one in: check it, play it again, write it
    learner_positions: float  # a second that the learner trains on, each use counted
    network_bytes: int  # of a generation's network as it is sent


@dataclass(frozen=True)
class Assumptions:
    """What was not measured."""

    cores_per_machine: int = 16
    link_bytes: float = 125e6  # a second through the driver's network link: 1 Gbit/s
    passes: float = 4.0  # how often each position is learned from
    positions_per_generation: int = 12_000
    learner_factor: float = 1.0  # how much faster the learner is than the one that was measured


@dataclass(frozen=True)
class Prediction:
    """Of one size of cluster."""

    cores: int
    games: float  # a second
    limit: str  # what is saturated
    shares: dict[str, float]  # how much of each limit is used, from 0 to 1


def limits(measured: Measured, assumed: Assumptions, cores: int) -> dict[str, float]:
    """Games a second that each part could bear if it were the only limit."""
    positions = measured.learner_positions * assumed.learner_factor / assumed.passes
    machines = max(1, -(-cores // assumed.cores_per_machine))
    # Every machine fetches each generation's network once; in the worst case all of them from the driver.
    sent_per_game = measured.network_bytes * machines * measured.positions_per_game / assumed.positions_per_generation
    return {
        "players": measured.games_per_core * cores,
        "learner": positions / measured.positions_per_game,
        "driver": 1 / measured.driver_seconds_per_game,
        "network link": assumed.link_bytes / (measured.bytes_per_game + sent_per_game),
    }


def predict(measured: Measured, assumed: Assumptions, cores: int) -> Prediction:
    bearable = limits(measured, assumed, cores)
    limit = min(bearable, key=lambda name: bearable[name])
    games = bearable[limit]
    return Prediction(cores, games, limit, {name: games / most for name, most in bearable.items()})


def saturating_cores(measured: Measured, assumed: Assumptions) -> dict[str, float]:
    """Cores at which each part other than the players is saturated, if it were the only limit."""
    found: dict[str, float] = {}
    for name in ("learner", "driver", "network link"):
        low, high = 1, 10**7
        while low < high:
            middle = (low + high) // 2
            bearable = limits(measured, assumed, middle)
            low, high = (low, middle) if bearable["players"] >= bearable[name] else (middle + 1, high)
        found[name] = low
    return found


def fit_rate(speeds: dict[int, float], cores: int) -> float:
    """What a core does a second, from the speeds of several numbers of players: least squares, players beyond cores free."""
    used = {players: min(players, cores) for players in speeds}
    return sum(speeds[players] * used[players] for players in speeds) / sum(count**2 for count in used.values())
