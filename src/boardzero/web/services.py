"""Everything that the routes share, made when the server starts and closed when it stops."""

import os
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

from fastapi import Depends, Request

from boardzero.games.rules import Game
from boardzero.network.shipped import shipped_network
from boardzero.players.engine_name import EngineName
from boardzero.web.describing.looks import find_page_game
from boardzero.web.events import EventStreams
from boardzero.web.game_log import GameLog
from boardzero.web.learning.keeper import RunKeeper
from boardzero.web.live.hall import Hall
from boardzero.web.live.store import LiveStore
from boardzero.web.networks import NetworkShelf, RunShelf
from boardzero.web.players import parse_player
from boardzero.web.study.analysis import Analyst
from boardzero.web.study.review import Reviewer
from boardzero.web.study.trees import Trees
from boardzero.web.thinking.pool import ThinkingPool

FIRST_GAME = "connect4"


@dataclass(frozen=True)
class ServerSettings:
    """How a server is set up."""

    runs: Path  # the folder of training runs
    live_games: Path | None  # the file of live games; None: in memory, lost at the end
    database: str  # of the game log
    log_games: bool = True  # do finished games go there by themselves?
    training: bool = True  # may clients start and stop trainings?
    token: str | None = None
    hosts: tuple[str, ...] = ()  # names that the server may be called by
    beyond_loopback: bool = False
    address: str | None = None  # where other machines find it; None: they do not, or nobody knows
    threads: int | None = None  # that think; None: one a core
    engines: Mapping[str, EngineName] = field(default_factory=dict)  # programs that visitors may choose by these names
    shipped: Callable[[Game], Path | None] = field(default=shipped_network)
    say: Callable[[str], None] = field(default=print)  # hears what the person who started the server should know


class Services:
    """The parts of one server."""

    def __init__(self, settings: ServerSettings, streams: EventStreams) -> None:
        self.settings, self.streams = settings, streams
        self.runs = RunShelf(settings.runs)
        self.shelf = NetworkShelf(self.runs, settings.shipped, settings.engines)
        self.pool = ThinkingPool(self.shelf, settings.threads)
        self.log = GameLog(settings.database, settings.say)
        self.store = LiveStore(settings.live_games)
        self.hall = Hall(self.store, self.pool, self.shelf, self.log, log_games=settings.log_games)
        self.analyst = Analyst(self.pool)
        self.reviewer = Reviewer(self.analyst)
        self.trees = Trees(self.analyst)
        self.keeper = RunKeeper(self.runs)
        self.speed = Speedometer()

    def warm_up(self) -> None:
        """Load the network that the first visitor is most likely to meet, beside everything else."""
        game = find_page_game(FIRST_GAME)
        if self.shelf.shipped_for(game) is not None:
            self.pool.warm_up(parse_player("alphazero"), game)

    def close(self) -> None:
        """Nothing is lost: moves are on disk, trainings end where they can be resumed."""
        self.streams.close()
        self.keeper.close()
        self.pool.close()
        self.store.close()
        self.log.close()


class Speedometer:
    """Simulations a second since it was read last."""

    def __init__(self) -> None:
        self._count, self._moment, self._speed = 0, time.monotonic(), 0.0

    def read(self, count: int) -> float:
        now = time.monotonic()
        if now - self._moment >= 1:
            self._speed = (count - self._count) / (now - self._moment)
            self._count, self._moment = count, now
        return self._speed


def memory_megabytes() -> float:
    """What this process holds in memory now (where only that can be known: at most so far)."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / 1e6
    except (OSError, ValueError, AttributeError):
        if sys.platform == "win32":
            return 0.0
        import resource

        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return peak / (1e6 if sys.platform == "darwin" else 1e3)


def services_of(request: Request) -> Services:
    found: Services = request.app.state.services
    return found


Server = Annotated[Services, Depends(services_of)]
