"""The game log as the page sees it. It needs no player: what was played stays readable while nobody thinks."""

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from sqlalchemy import Connection

from boardzero.events.games import GameRecord
from boardzero.storage.database import DatabaseDown
from boardzero.storage.entries import StoredGame
from boardzero.storage.listeners import log_game
from boardzero.storage.log import GameLog as Writer
from boardzero.storage.queries import GameFilter, find_stored_game, games_page, newest_ratings

ResultT = TypeVar("ResultT")
SOURCE = "page"
THREADS = 2


class LogDown(Exception):
    """The log's database does not answer."""


class GameLog:
    """Reads and writes the log in threads of their own; the database is opened when it is first needed."""

    def __init__(self, database: str, say: Callable[[str], None]) -> None:
        self._database, self.say = database, say
        self._writer: Writer | None = None
        self._opening = threading.Lock()
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="game-log")

    async def add(self, record: GameRecord) -> str:
        """Enter a game; its id. It is in the database, or kept on disk for it, when this returns."""
        return await self._in_thread(self._add, record)

    async def find(self, identity: str) -> StoredGame:
        return await self._read(lambda connection: find_stored_game(connection, identity))

    async def games(self, which: GameFilter, limit: int, skip: int) -> tuple[list[StoredGame], int]:
        """The newest first, and how many there are in all."""
        return await self._read(lambda connection: games_page(connection, which, limit, skip))

    async def ratings(self, game: str) -> list[dict[str, object]]:
        """Those that were fitted together last in exactly this game, the best player first."""
        return await self._read(lambda connection: newest_ratings(connection, game))

    def close(self) -> None:
        self._threads.shutdown(wait=True)
        if self._writer is not None:
            self._writer.close()

    def _add(self, record: GameRecord) -> str:
        writer = self._open()
        identity = log_game(writer, record, SOURCE)
        writer.flush()
        return identity

    async def _read(self, ask: Callable[[Connection], ResultT]) -> ResultT:
        def answer() -> ResultT:
            try:
                with self._open().database.reading() as connection:
                    return ask(connection)
            except DatabaseDown as error:
                raise LogDown(f"The game log does not answer ({error}); try again later.") from None

        return await self._in_thread(answer)

    async def _in_thread(self, work: Callable[..., ResultT], *arguments: object) -> ResultT:
        return await asyncio.get_running_loop().run_in_executor(self._threads, work, *arguments)

    def _open(self) -> Writer:
        with self._opening:
            if self._writer is None:
                self._writer = Writer(self._database, self.say, patient=True)
            return self._writer
