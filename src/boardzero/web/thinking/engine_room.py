"""Programs of others that the operator of a server has named, playing on the page: one program for each seat at a game.

Visitors choose them by their names. What a name stands for, a command that is run, is the operator's alone.
"""

import asyncio
import time
from collections import OrderedDict
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from boardzero.errors import BadInput
from boardzero.events.games import Reason
from boardzero.games.position import Position
from boardzero.games.rules import Game
from boardzero.players.answers import Resigned
from boardzero.players.engine import EnginePlayer
from boardzero.players.engine_name import EngineName
from boardzero.players.engine_process import EngineFault, EngineSilence
from boardzero.web.players import why_not_engine
from boardzero.web.thinking.jobs import Busy

MOST_ENGINES = 16  # programs that run at once
IDLE_SECONDS = 600.0  # after which a program that nobody asks is ended when another is started

Seat = tuple[str, int]  # a live game's id, and a side


class IllegalMove(EngineFault):
    """It made a move that the rules forbid."""


def reason_of(error: EngineFault | Resigned) -> Reason:
    """What ends the game of an engine that has raised this instead of making a move."""
    if isinstance(error, Resigned):
        return "resignation"
    return "time" if isinstance(error, EngineSilence) else "illegal move" if isinstance(error, IllegalMove) else "failure"


@dataclass
class Seated:
    """A program at its seat."""

    name: str
    player: EnginePlayer
    thinks: bool = False
    used: float = 0.0  # the moment (time.monotonic) of its last move


class EngineRoom:
    """Everything but the programs themselves runs in the event loop."""

    def __init__(self, engines: Mapping[str, EngineName]) -> None:
        self.engines = engines
        self._seats: OrderedDict[Seat, Seated] = OrderedDict()
        self._threads = ThreadPoolExecutor(2 * MOST_ENGINES, thread_name_prefix="engine")  # others may have to end

    async def choose(self, name: str, position: Position, seat: Seat) -> tuple[int, float]:
        """The engine's move, and the seconds it took. EngineFault: it has lost the game; it is started anew for the next."""
        seated = self._seated(name, position.game, seat)
        seated.thinks = True
        begun = time.perf_counter()
        try:
            action = await asyncio.get_running_loop().run_in_executor(self._threads, seated.player.choose, position)
        except BaseException:
            self._leave(seat)  # also where nobody waits any more: a late answer must not be mistaken for the next
            raise
        seated.thinks, seated.used = False, time.monotonic()
        if action not in position.legal_actions():
            self._leave(seat)
            raise IllegalMove(f"played {position.game.action_to_text(action)}, which is illegal")
        return action, time.perf_counter() - begun if seated.player.seconds_taken is None else seated.player.seconds_taken

    def dismiss(self, game: str) -> None:
        """A live game is over: its programs end."""
        for seat in [seat for seat in self._seats if seat[0] == game]:
            self._leave(seat)

    def close(self) -> None:
        for seated in self._seats.values():
            seated.player.close()
        self._seats.clear()
        self._threads.shutdown(wait=False, cancel_futures=True)

    def _seated(self, name: str, game: Game, seat: Seat) -> Seated:
        known = self._seats.get(seat)
        if known is not None and known.name == name and known.player.game.specification == game.specification:
            self._seats.move_to_end(seat)
            return known
        if reason := why_not_engine(name, game, self.engines):
            raise BadInput(reason)
        if known is not None:
            self._leave(seat)
        self._make_room()
        protocol, parameters, command = self.engines[name]
        self._seats[seat] = Seated(name, EnginePlayer(game, parameters, 0, protocol, command))
        return self._seats[seat]

    def _make_room(self) -> None:
        longest = time.monotonic() - IDLE_SECONDS
        for seat in [seat for seat, seated in self._seats.items() if not seated.thinks and seated.used < longest]:
            self._leave(seat)
        if len(self._seats) >= MOST_ENGINES:
            raise Busy(f"{MOST_ENGINES} engines are playing already; try again in a few minutes.")

    def _leave(self, seat: Seat) -> None:
        """Ending a program may take a second, which nobody waits for."""
        seated = self._seats.pop(seat, None)
        if seated is not None:
            self._threads.submit(seated.player.close)
