"""One live game: what people and machines do at it. Everything here runs in the event loop."""

import asyncio
import time
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

from boardzero.arena.game import SIDES
from boardzero.errors import BadInput
from boardzero.events.games import Reason, Result
from boardzero.games.position import Position
from boardzero.players.answers import Resigned
from boardzero.players.engine_process import EngineFault
from boardzero.web.describing.looks import side_names
from boardzero.web.describing.position import describe_position, find_position
from boardzero.web.live.models import GameState, Opinion
from boardzero.web.live.store import StoredGame
from boardzero.web.players import PlayerChoice, parse_player
from boardzero.web.thinking.engine_room import reason_of
from boardzero.web.thinking.jobs import Busy
from boardzero.web.thinking.pool import Choice, ThinkingPool

BUSY_SECONDS = 1.0  # before a machine that found the queue full asks again


class Stale(Exception):
    """The sender has not seen the newest moves."""


class Table:
    """A live game, whoever watches it, and the machine that thinks about it."""

    def __init__(
        self,
        stored: StoredGame,
        pool: ThinkingPool,
        keep: Callable[["Table"], Awaitable[None]],
        rest: Callable[["Table"], None] = lambda _: None,
    ) -> None:
        """keep: writes the game to disk; rest: hears that nobody does anything here at the moment."""
        self.stored, self.pool, self._keep, self._rest = stored, pool, keep, rest
        self.position = find_position(stored.game, " ".join(stored.moves), stored.start)
        self.thinking = False
        self.trouble = ""
        self._watchers: set[asyncio.Event] = set()
        self._thought: asyncio.Task[None] | None = None
        self._turn = asyncio.Lock()  # one change after the other
        self._wishes = 0  # changes that are made, or wait for their turn
        self._kept = self._describe()  # what is safe on disk: the only thing that anybody is told

    # -- what it looks like --------------------------------------------------------------------------------------------
    @property
    def watchers(self) -> int:
        return len(self._watchers)

    @property
    def is_idle(self) -> bool:
        """Nobody looks, and nothing is under way: it may be forgotten until somebody asks for it."""
        return not self.thinking and not self._watchers and not self._wishes

    @property
    def choices(self) -> tuple[PlayerChoice, PlayerChoice]:
        return parse_player(self.stored.players[0]), parse_player(self.stored.players[1])

    @property
    def over(self) -> bool:
        return self.position.over or self.stored.resigned is not None

    @property
    def ending(self) -> tuple[Result, Reason]:
        """Who won, and by what; a game that goes on is unfinished."""
        if self.stored.resigned is not None:
            return SIDES[1 - self.stored.resigned], self.stored.lost_by
        if not self.position.over:
            return "unfinished", "stopped"
        winner = self.position.winner
        return ("draw" if winner is None else SIDES[winner]), "rules"

    @property
    def fault(self) -> str:
        """What the engine did that has lost; empty if none has. Without a full stop, as in records of games."""
        stored = self.stored
        return f"{stored.players[stored.resigned]} {stored.fault}" if stored.resigned is not None and stored.fault else ""

    def state(self) -> GameState:
        """The game as it was kept last, and what happens at the moment."""
        trouble = self.trouble or (f"{self.fault}." if self.fault else "")
        now = {"thinking": self.thinking, "trouble": trouble, "watchers": self.watchers, "log": self.stored.log}
        return self._kept.model_copy(update=now)

    def _describe(self) -> GameState:
        stored, position = self.stored, describe_position(self.position)
        first, second = self.choices
        result, reason = self.ending
        if stored.resigned is not None:
            names = side_names(self.position.game)
            position.legal = []
            did = "lost by a fault" if stored.fault else "resigned"
            position.sentence = f"{names[stored.resigned]} {did}; {names[1 - stored.resigned]} won."
        return GameState.model_validate(
            {
                "id": stored.id,
                "version": stored.version,
                "players": (first.text, second.text),
                "titles": (first.title, second.title),
                "position": position,
                "redo": stored.redo[::-1],
                "thinking": self.thinking,
                "paused": stored.paused,
                "trouble": self.trouble,
                "result": result,
                "reason": reason,
                "watchers": self.watchers,
                "log": stored.log,
                "created": stored.created,
                "opinion": stored.opinion,
            }
        )

    # -- what people do ------------------------------------------------------------------------------------------------
    async def play(self, move: str, ply: int) -> None:
        async with self._changing():
            if ply != len(self.position.actions):
                raise Stale(f"The game has {len(self.position.actions)} moves by now, not {ply}.")
            self._refuse_over()
            if not self.choices[self.position.turn].is_human:
                raise BadInput(f"{side_names(self.position.game)[self.position.turn]} is played by the computer.")
            await self._played(self.position.game.action_from_text(move))

    async def take_back(self, plies: int | None) -> None:
        async with self._changing():
            if self.stored.resigned is not None:
                self.stored.resigned = None  # the first thing to take back
            else:
                await self._go_to(len(self.position.actions) - (plies or self._plies_to_take_back()))
            await self._changed()

    async def redo(self) -> None:
        """As many moves as `take_back` took back."""
        async with self._changing():
            if not self.stored.redo:
                raise BadInput("There is no move to play again.")
            target = len(self.position.actions) + 1
            machine_replies = [choice.is_human for choice in self.choices].count(True) == 1 and len(self.stored.redo) > 1
            await self._go_to(target + machine_replies)
            await self._changed()

    async def go_to(self, ply: int) -> None:
        async with self._changing():
            self.stored.resigned = None
            await self._go_to(ply)
            if not all(choice.is_human for choice in self.choices):
                self.stored.paused = bool(self.stored.redo)  # otherwise a machine would move at once and end the looking back
            await self._changed()

    async def restart(self) -> None:
        async with self._changing():
            self._stop_thinking()
            while len(self.position.actions) > self.stored.opening:
                self.position.undo()
            self.stored.redo, self.stored.resigned, self.stored.log = [], None, None
            self.stored.opinion, self.stored.paused, self.stored.seconds = None, False, [0.0, 0.0]
            await self._changed()

    async def resign(self, side: int) -> None:
        async with self._changing():
            self._refuse_over()
            self._stop_thinking()
            await self._lost(side, "resignation")

    async def _lost(self, side: int, reason: Reason, fault: str = "") -> None:
        """A side gives up, or its engine has done what loses."""
        self.stored.resigned, self.stored.lost_by = side, reason
        self.stored.fault = " ".join(fault.split()).rstrip(".:")
        await self._changed()

    async def seat(self, players: tuple[str, str]) -> None:
        async with self._changing():
            self._stop_thinking()
            self.stored.players = [parse_player(player).text for player in players]
            await self._changed()

    async def pause(self, paused: bool) -> None:
        async with self._changing():
            if paused:
                self._stop_thinking()
            self.stored.paused = paused
            await self._changed()

    # -- watching ------------------------------------------------------------------------------------------------------
    async def watch(self) -> AsyncGenerator[GameState, None]:
        """The game now, and again after every change (changes that come together are told once).

        A machine that could not move tries once more for everyone who opens the game.
        """
        changed = asyncio.Event()
        self._watchers.add(changed)
        self.trouble = ""
        self.announce()
        self.go_on()
        try:
            while True:
                changed.clear()
                yield self.state()
                await changed.wait()
        finally:
            self._watchers.discard(changed)
            self.announce()
            self._rest_if_idle()

    async def wait_beyond(self, version: int, seconds: float) -> None:
        """Until the game has a newer version than this, or the time is up."""
        changed = asyncio.Event()
        self._watchers.add(changed)
        self.go_on()
        deadline = time.monotonic() + seconds
        try:
            while self._kept.version <= version and (left := deadline - time.monotonic()) > 0:
                changed.clear()
                try:
                    await asyncio.wait_for(changed.wait(), left)
                except TimeoutError:
                    return
        finally:
            self._watchers.discard(changed)
            self._rest_if_idle()

    def announce(self) -> None:
        for watcher in self._watchers:
            watcher.set()

    # -- machines ------------------------------------------------------------------------------------------------------
    def go_on(self) -> None:
        """Let the machine think, if it is its turn."""
        if self.thinking or self.over or self.stored.paused or self.trouble:
            return
        choices = self.choices
        if choices[self.position.turn].is_human or not (any(choice.is_human for choice in choices) or self._watchers):
            return
        self.thinking = True
        self._thought = asyncio.create_task(self._think(choices[self.position.turn]))

    async def _think(self, choice: PlayerChoice) -> None:
        position, version = self.position.copy(), self.stored.version
        try:
            if not any(other.is_human for other in self.choices) and position.actions:
                await asyncio.sleep(self.stored.pause_seconds)
            chosen = await self._ask(choice, position)
            async with self._changing():
                if self.stored.version == version:
                    self._note(chosen)
                    await self._played(chosen.action)
        except (EngineFault, Resigned) as error:
            async with self._changing():
                if self.stored.version == version:
                    await self._lost(position.turn, reason_of(error), "" if isinstance(error, Resigned) else str(error))
        except BadInput as error:
            self.thinking, self.trouble = False, str(error)
            self.announce()
        except Exception as error:
            self.thinking, self.trouble = False, f"The player failed: {type(error).__name__}."
            self.announce()
            raise

    async def _ask(self, choice: PlayerChoice, position: Position) -> Choice:
        while True:
            try:
                return await self.pool.choose(choice, position, (self.stored.id, position.turn))
            except Busy:
                await asyncio.sleep(BUSY_SECONDS)

    def _note(self, chosen: Choice) -> None:
        """Keep what the machine thought."""
        side, ply, game = self.position.turn, len(self.position.actions), self.position.game
        self.stored.seconds[side] += chosen.seconds
        self.stored.opinion = Opinion(
            side=side,
            ply=ply,
            value=chosen.value,
            win_probability=None if chosen.value is None else (chosen.value + 1) / 2,
            exact=chosen.exact,
            simulations=chosen.simulations,
            seconds=round(chosen.seconds, 3),
            line=[game.action_to_text(action) for action in chosen.line],
        ).model_dump()

    def _stop_thinking(self) -> None:
        if self._thought is not None and self.thinking:
            self._thought.cancel()
        self.thinking, self.trouble = False, ""

    # -- changes -------------------------------------------------------------------------------------------------------
    @asynccontextmanager
    async def _changing(self) -> AsyncIterator[None]:
        self._wishes += 1
        try:
            async with self._turn:
                yield
        finally:
            self._wishes -= 1
            self._rest_if_idle()

    def _rest_if_idle(self) -> None:
        if self.is_idle:
            self._rest(self)

    async def _played(self, action: int) -> None:
        self.position.play(action)
        move = self.position.game.action_to_text(action)
        if self.stored.redo and self.stored.redo[-1] == move:
            self.stored.redo.pop()
        else:
            self.stored.redo = []
        await self._changed()

    async def _changed(self) -> None:
        """Keep the new state on disk, then tell everyone; then it may be a machine's turn."""
        game = self.position.game
        self.stored.moves = [game.action_to_text(action) for action in self.position.actions]
        self.stored.version += 1
        self.trouble = ""
        await self._keep(self)
        if self.over:
            self.pool.engines.dismiss(self.stored.id)
        self._kept = self._describe()
        self.thinking = False
        self.go_on()
        self.announce()

    async def _go_to(self, ply: int) -> None:
        if not 0 <= ply <= len(self.position.actions) + len(self.stored.redo):
            raise BadInput(f"There is no move {ply} in this game to go to.")
        self._stop_thinking()
        while len(self.position.actions) > ply:
            self.stored.redo.append(self.position.game.action_to_text(self.position.actions[-1]))
            self.position.undo()
        while len(self.position.actions) < ply:
            self.position.play(self.stored.redo.pop())

    def _plies_to_take_back(self) -> int:
        """Against a machine: back to where the person moved last; otherwise one move."""
        played, people = len(self.position.actions), [choice.is_human for choice in self.choices]
        if not played:
            raise BadInput("There is no move to take back.")
        if people.count(True) != 1 or not people[self.position.turn]:
            return 1
        if played < 2:
            raise BadInput("There is no move of yours to take back.")
        return 2

    def _refuse_over(self) -> None:
        if self.over:
            raise BadInput(f"The game is over ({self.position.result_text}).")
