"""The bounded queue in front of everyone who thinks; all of it is called from the event loop."""

import asyncio
import secrets
import time
from collections.abc import AsyncGenerator, Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

from boardzero.cores import usable_cores
from boardzero.errors import BadInput
from boardzero.games.position import Position
from boardzero.games.rules import Game, State
from boardzero.players.player import Analysis, MoveOpinion, Player
from boardzero.search.forest import Evaluator
from boardzero.web.limits import MOST_SECONDS, MOST_SIMULATIONS, MOST_WAITING
from boardzero.web.networks import NetworkShelf
from boardzero.web.players import PlayerChoice
from boardzero.web.thinking.engine_room import EngineRoom, Seat
from boardzero.web.thinking.jobs import Busy, SearchJob, SearchKey, SearchReport
from boardzero.web.thinking.solvers import Solvers
from boardzero.web.thinking.thinker import Thinker, load_evaluator

ResultT = TypeVar("ResultT")
SHARED = ("alphazero", "heuristic")  # players whose searches share batches


@dataclass(frozen=True)
class Load:
    """How busy the pool is."""

    waiting: int
    running: int
    room: int
    simulations: int  # since the start


class ThinkingPool:
    """Threads that search many games at once, and a few more for players who think alone."""

    def __init__(
        self,
        shelf: NetworkShelf,
        threads: int | None = None,
        room: int = MOST_WAITING,
        load: Callable[[SearchKey], Evaluator] = load_evaluator,
    ) -> None:
        self.shelf, self.room = shelf, room
        count = threads or len(usable_cores())
        self._thinkers = [Thinker(f"thinking-{index}", load) for index in range(count)]
        self._alone = ThreadPoolExecutor(count, thread_name_prefix="player")
        self._alone_load = 0
        self.solvers = Solvers()
        self.engines = EngineRoom(shelf.engines)

    def close(self) -> None:
        for thinker in self._thinkers:
            thinker.close()
        self._alone.shutdown(wait=False, cancel_futures=True)
        self.solvers.close()
        self.engines.close()

    def warm_up(self, choice: PlayerChoice, game: Game) -> None:
        """Let every thread load what it needs for a player, so that nobody waits for it later."""
        for thinker in self._thinkers:
            thinker.submit(SearchJob(self.key_of(choice, game), game.initial_state(), simulations=1))

    def load(self) -> Load:
        shared = sum(thinker.load for thinker in self._thinkers)
        total = shared + self._alone_load
        running = min(total, shared + len(self._thinkers))
        return Load(total - running, running, self.room, sum(thinker.simulations for thinker in self._thinkers))

    # -- searches that share batches -----------------------------------------------------------------------------------
    def key_of(self, choice: PlayerChoice, game: Game) -> SearchKey:
        network: Path | None = None
        if choice.name == "alphazero":
            network = self.shelf.find(choice.network, game).path
        return SearchKey(game, network)

    def submit(self, job: SearchJob) -> "asyncio.Future[SearchReport]":
        """Begin a search. If nobody waits for the answer any more (the future is cancelled), the search ends."""
        self._refuse_when_full()
        chosen = min(self._thinkers, key=lambda thinker: (thinker.load, job.key not in thinker.groves))
        chosen.submit(job)
        future = asyncio.wrap_future(job.future)
        future.add_done_callback(lambda done: job.cancel() if done.cancelled() else None)
        return future

    async def watch(self, job: SearchJob) -> AsyncGenerator[SearchReport, None]:
        """Reports of a search while it goes on, the final one last; whoever stops listening ends the search.

        A slow listener gets the newest report, not all that came meanwhile.
        """
        loop, reports = asyncio.get_running_loop(), asyncio.Queue[SearchReport]()

        def hear(report: SearchReport) -> None:
            loop.call_soon_threadsafe(reports.put_nowait, report)

        job.listen = hear
        final = self.submit(job)
        next_report = asyncio.ensure_future(reports.get())
        try:
            while not final.done():
                await asyncio.wait((next_report, final), return_when=asyncio.FIRST_COMPLETED)
                if next_report.done():
                    newest = next_report.result()
                    while not reports.empty():
                        newest = reports.get_nowait()
                    next_report = asyncio.ensure_future(reports.get())
                    yield newest
            yield await final
        finally:
            next_report.cancel()
            job.cancel()

    # -- players who think alone ---------------------------------------------------------------------------------------
    async def run_alone(self, choice: PlayerChoice, game: Game, ask: Callable[[Player], ResultT]) -> ResultT:
        """Ask a player something long in a thread, when one is free; when nobody waits any more, it ends soon."""
        self._refuse_when_full()
        self._alone_load += 1
        thought = LoneThought(choice, game, ask)
        try:
            return await asyncio.get_running_loop().run_in_executor(self._alone, thought.run)
        finally:
            thought.give_up()
            self._alone_load -= 1

    async def analyse(self, choice: PlayerChoice, position: Position, seconds: float | None = None) -> Analysis:
        """What a player who thinks alone (mcts, minimax, random) thinks of every move."""
        limit = min(seconds or MOST_SECONDS, MOST_SECONDS)
        return await self.run_alone(choice, position.game, lambda player: player.analyse(position, limit))

    # -- moves ---------------------------------------------------------------------------------------------------------
    async def choose(self, choice: PlayerChoice, position: Position, seat: Seat = ("", 0)) -> "Choice":
        """A move of any player but a person; seat: where an engine sits, which may raise EngineFault or Resigned."""
        begun = time.perf_counter()
        if choice.engine is not None:
            action, taken = await self.engines.choose(choice.engine, position.copy(), seat)
            return Choice(action, None, None, None, taken, (action,))
        if choice.name in SHARED:
            job = self.job_for(choice, position.game, position.state)
            job.is_move = True
            report = await self.submit(job)
            line = report.lines[report.action]
            return Choice(report.action, report.value, report.exact, report.simulations, time.perf_counter() - begun, line)
        if choice.name == "perfect":
            action, exact = await self.solvers.choose(position)
            return Choice(action, float(exact), exact, None, time.perf_counter() - begun, (action,))
        copy = position.copy()
        best = await self.run_alone(choice, position.game, lambda player: _chosen(choice, player, copy))
        return Choice(best.action, best.value, best.exact, best.visits, time.perf_counter() - begun, best.line)

    def job_for(
        self, choice: PlayerChoice, game: Game, state: State, simulations: int | None = None, seconds: float | None = None
    ) -> SearchJob:
        """A search as this player would do it, or with these limits instead of its own."""
        if simulations is None and seconds is None:
            simulations, seconds = choice.simulations, choice.seconds
        return SearchJob(
            key=self.key_of(choice, game),
            state=state.copy(),
            simulations=min(simulations or MOST_SIMULATIONS, MOST_SIMULATIONS),
            seconds=min(seconds or MOST_SECONDS, 2 * MOST_SECONDS),
            temperature=choice.temperature,
            seed=secrets.randbits(31),
        )

    def _refuse_when_full(self) -> None:
        if sum(thinker.load for thinker in self._thinkers) + self._alone_load >= self.room:
            raise Busy(f"The server is thinking about {self.room} positions already; try again in a few seconds.")


@dataclass(frozen=True)
class Choice:
    """A move, and what its player thought; the value is for the side that moves."""

    action: int
    value: float | None
    exact: int | None
    simulations: int | None
    seconds: float
    line: tuple[int, ...]


class LoneThought(Generic[ResultT]):
    """One question to a player of its own. `run` is called in a thread, `give_up` in another."""

    def __init__(self, choice: PlayerChoice, game: Game, ask: Callable[[Player], ResultT]) -> None:
        self._choice, self._game, self._ask = choice, game, ask
        self._player: Player | None = None
        self._given_up = False

    def run(self) -> ResultT:
        from boardzero.players.catalogue import find_player

        if self._choice.name in (*SHARED, "human", "perfect"):
            raise BadInput(f"'{self._choice.name}' does not think alone.")
        if self._given_up:
            raise BadInput("Nobody waits for this any more.")
        self._player = find_player(self._choice.text, self._game, secrets.randbits(31))
        return self._ask(self._player)

    def give_up(self) -> None:
        """Whatever is still thought about is of no use any more."""
        self._given_up = True
        if self._player is not None:
            self._player.interrupt()


def _chosen(choice: PlayerChoice, player: Player, position: Position) -> MoveOpinion:
    """Minimax only says which move it makes: to value the others as well would take it longer."""
    if choice.name == "minimax":
        return MoveOpinion(player.choose(position, MOST_SECONDS))
    return player.analyse(position, min(choice.seconds or MOST_SECONDS, MOST_SECONDS)).moves[0]
