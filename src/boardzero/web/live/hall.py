"""All live games: those in use in memory, all of them on disk."""

import asyncio
import secrets
from collections import OrderedDict
from contextlib import suppress
from datetime import UTC, datetime

from boardzero.arena.game import record_of
from boardzero.errors import BadInput
from boardzero.events.games import GameRecord
from boardzero.web.describing.position import find_position, unusual_start
from boardzero.web.game_log import GameLog
from boardzero.web.limits import MOST_GAMES_IN_MEMORY
from boardzero.web.live.models import NewGame
from boardzero.web.live.store import LiveStore, StoredGame
from boardzero.web.live.table import Table
from boardzero.web.networks import NetworkShelf
from boardzero.web.players import parse_player, refuse_impossible
from boardzero.web.thinking.pool import ThinkingPool

ID_BYTES = 9  # of randomness: whoever has the link may play
LOG_SECONDS = 1.0  # that the last move of a game waits for the log
MOST_RECOVERED = 100  # games that are looked at when the server starts


class Hall:
    """Finds tables by their ids, opens new ones, and enters finished games in the log."""

    def __init__(
        self, store: LiveStore, pool: ThinkingPool, shelf: NetworkShelf, log: GameLog, *, log_games: bool = True
    ) -> None:
        """log_games: enter every finished game; otherwise only those that somebody saves."""
        self.store, self.pool, self.shelf, self.log = store, pool, shelf, log
        self._log_games = log_games
        self._tables: OrderedDict[str, Table] = OrderedDict()
        self._entering: dict[str, asyncio.Task[None]] = {}  # finished games on their way into the log, by their ids

    def __len__(self) -> int:
        return len(self._tables)

    async def open(self, wish: NewGame) -> Table:
        """A new game. What cannot be played is refused before anything is kept."""
        game, moves, start = wish.game, wish.moves, wish.start
        if wish.log is not None:
            record = (await self.log.find(wish.log)).record
            game, moves, start = record.game, record.moves, record.start
        position = find_position(game, moves, start)
        self.refuse_players(wish.players, position.game.specification)
        rules = position.game
        stored = StoredGame(
            id=secrets.token_urlsafe(ID_BYTES).replace("_", "x").replace("-", "y"),
            game=rules.specification,
            start=unusual_start(position),
            moves=[rules.action_to_text(action) for action in position.actions],
            redo=[],
            players=[parse_player(player).text for player in wish.players],
            opening=0 if wish.log is not None else len(position.actions),
            created=datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
            pause_seconds=wish.pause_seconds,
        )
        await self.store.save(stored)
        table = self._place(stored)
        table.go_on()
        return table

    def find(self, identity: str) -> Table:
        """KeyError if there is no such game. One that was left in the middle goes on."""
        if identity in self._tables:
            self._tables.move_to_end(identity)
            return self._tables[identity]
        stored = self.store.load(identity)
        if stored is None:
            raise KeyError(identity)
        table = self._place(stored)
        table.go_on()
        if self._wants_logging(table) and identity not in self._entering:
            self._begin_entering(table)
        return table

    def let_go(self, table: Table) -> None:
        """A finished game that nobody looks at needs no memory; it is on the disk."""
        if table.over and self._may_go(table) and self._tables.get(table.stored.id) is table:
            del self._tables[table.stored.id]

    async def recover(self) -> None:
        """A server that was killed may have kept the last move of a game and not logged it: do that now."""
        for table in await asyncio.to_thread(self._unlogged):
            identity, now = table.stored.id, self.store.load(table.stored.id)
            if now is not None and now.log is None and identity not in self._tables and identity not in self._entering:
                self._begin_entering(table)

    def _unlogged(self) -> list[Table]:
        """Finished games that are not in the log."""
        found = []
        for stored in self.store.newest_unlogged(MOST_RECOVERED) if self._log_games else ():
            with suppress(BadInput):  # of a game that this version does not know
                found.append(Table(stored, self.pool, self._keep))
        return [table for table in found if self._wants_logging(table)]

    def refuse_players(self, players: tuple[str, str], game: str) -> None:
        rules = find_position(game).game
        for player in players:
            refuse_impossible(parse_player(player), rules, self.shelf)

    async def enter_in_log(self, table: Table) -> str:
        """Save a game to the log, as it stands; what is there already is not saved twice."""
        if (entering := self._entering.get(table.stored.id)) is not None:
            await asyncio.wait({entering})
        if table.stored.log is not None:
            return table.stored.log
        version = table.stored.version
        logged = await self.log.add(_record(table))
        await self._note_log(table.stored.id, version, logged)
        return logged

    async def _keep(self, table: Table) -> None:
        stored = table.stored
        if not table.over:
            stored.log = None  # it goes on: what the log has is another game
        try:
            await self.store.save(stored)
        except BadInput:
            self._tables.pop(stored.id, None)  # whoever asks next gets what is on the disk
            raise
        if self._wants_logging(table):  # usually it is in the log when this returns; a slow log is not waited for
            await asyncio.wait({self._begin_entering(table)}, timeout=LOG_SECONDS)

    def _wants_logging(self, table: Table) -> bool:
        return self._log_games and table.over and table.stored.log is None and bool(table.position.actions)

    def _begin_entering(self, table: Table) -> "asyncio.Task[None]":
        entering = asyncio.create_task(self._enter_finished(table.stored.id, _record(table), table.stored.version))
        self._entering[table.stored.id] = entering
        return entering

    async def _enter_finished(self, identity: str, record: GameRecord, version: int) -> None:
        try:
            await self._note_log(identity, version, await self.log.add(record))
        except BadInput as error:
            self.log.say(f"A finished game could not be logged: {error}")
        finally:
            if self._entering.get(identity) is asyncio.current_task():
                del self._entering[identity]
            if (table := self._tables.get(identity)) is not None:
                self.let_go(table)

    async def _note_log(self, identity: str, version: int, logged: str) -> None:
        """On disk and in memory, unless the game has gone on meanwhile."""
        await self.store.note_log(identity, version, logged)
        table = self._tables.get(identity)
        if table is not None and table.stored.version == version:
            table.stored.log = logged
            table.announce()

    def _place(self, stored: StoredGame) -> Table:
        table = self._tables[stored.id] = Table(stored, self.pool, self._keep, self.let_go)
        if len(self._tables) > MOST_GAMES_IN_MEMORY:
            idle = [key for key, other in self._tables.items() if other is not table and self._may_go(other)]
            for key in idle[: len(self._tables) - MOST_GAMES_IN_MEMORY]:
                del self._tables[key]
        return table

    def _may_go(self, table: Table) -> bool:
        """Two tables of one game would not know of each other: one that is in use stays."""
        return table.is_idle and table.stored.id not in self._entering


def _record(table: Table) -> GameRecord:
    return record_of(
        table.position, table.stored.players, table.stored.opening, table.stored.seconds, *table.ending, remark=table.fault
    )
