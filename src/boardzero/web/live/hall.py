"""All live games: those in use in memory, all of them on disk."""

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


class Hall:
    """Finds tables by their ids, opens new ones, and enters finished games in the log."""

    def __init__(self, store: LiveStore, pool: ThinkingPool, shelf: NetworkShelf, log: GameLog) -> None:
        self.store, self.pool, self.shelf, self.log = store, pool, shelf, log
        self._tables: OrderedDict[str, Table] = OrderedDict()

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
        if table.over and stored.log is None and table.position.actions:
            await self.enter_in_log(table)

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
