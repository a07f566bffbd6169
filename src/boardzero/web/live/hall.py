"""All live games: those in use in memory, all of them on disk."""

import asyncio
import secrets
from collections import OrderedDict
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
        return table

    def refuse_players(self, players: tuple[str, str], game: str) -> None:
        rules = find_position(game).game
        for player in players:
            refuse_impossible(parse_player(player), rules, self.shelf)

    async def enter_in_log(self, table: Table) -> str:
        """Save a game to the log, as it stands; what is there already is not saved twice."""
        if (entering := self._entering.get(table.stored.id)) is not None:
            await asyncio.wait({entering})
        if table.stored.log is None:
            table.stored.log = await self.log.add(_record(table))
            await self.store.save(table.stored)
        return table.stored.log

    async def _keep(self, table: Table) -> None:
        stored = table.stored
        if not table.over:
            stored.log = None  # it goes on: what the log has is another game
        try:
            await self.store.save(stored)
        except BadInput:
            self._tables.pop(stored.id, None)  # whoever asks next gets what is on the disk
            raise
        if self._log_games and table.over and stored.log is None and table.position.actions:
            await self._log_finished(table)

    async def _log_finished(self, table: Table) -> None:
        """Usually it is in the log when this returns; a log that takes its time is not waited for."""
        entering = asyncio.create_task(self._enter_finished(table, _record(table), table.stored.version))
        self._entering[table.stored.id] = entering
        await asyncio.wait({entering}, timeout=LOG_SECONDS)

    async def _enter_finished(self, table: Table, record: GameRecord, version: int) -> None:
        try:
            logged = await self.log.add(record)
        except BadInput as error:
            self.log.say(f"A finished game could not be logged: {error}")
            return
        finally:
            if self._entering.get(table.stored.id) is asyncio.current_task():
                del self._entering[table.stored.id]
        if table.stored.version == version:  # it has not gone on meanwhile
            table.stored.log = logged
            await self.store.save(table.stored)
            table.announce()

    def _place(self, stored: StoredGame) -> Table:
        table = self._tables[stored.id] = Table(stored, self.pool, self._keep)
        if len(self._tables) > MOST_GAMES_IN_MEMORY:
            idle = [
                key for key, other in self._tables.items() if not other.thinking and not other.watchers and other is not table
            ]
            for key in idle[: len(self._tables) - MOST_GAMES_IN_MEMORY]:
                del self._tables[key]
        return table


def _record(table: Table) -> GameRecord:
    return record_of(table.position, table.stored.players, table.stored.opening, table.stored.seconds, *table.ending)
