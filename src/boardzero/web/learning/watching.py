"""A run as it happens: its events, its state, and games of its self-play as they end."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import numpy as np

from boardzero.errors import BadInput
from boardzero.games.catalogue import find_game
from boardzero.replay.journal import parse_journal
from boardzero.replay.record import SelfPlayGame
from boardzero.web.events import Message
from boardzero.web.learning.folder import EventTail, ProgressTail
from boardzero.web.learning.keeper import RunKeeper
from boardzero.web.learning.models import WatchedGame

LOOK_SECONDS = 1.0  # between two looks at the files
STATE_LOOKS = 3  # looks between two reports of the state
TAIL_BYTES = 300_000  # of the newest journal in which a game is looked for


async def watch_run(keeper: RunKeeper, identity: str) -> AsyncIterator[Message]:
    """`run`, all `training` events so far, then what comes and what is under way; `selfplay` when a new game has ended."""
    path = keeper.shelf.path(identity)
    tail, progress, games, look = EventTail(path), ProgressTail(path), GameTail(path), 0
    last_run = await asyncio.to_thread(keeper.find, identity)
    yield "run", last_run
    while True:
        for event in await asyncio.to_thread(tail.read):
            yield "training", event
        doing = await asyncio.to_thread(progress.read)
        if doing is not None and last_run.state == "running":
            yield "training", doing
        game = await asyncio.to_thread(games.newest)
        if game is not None:
            yield "selfplay", game
        look += 1
        if look % STATE_LOOKS == 0:
            run = await asyncio.to_thread(keeper.find, identity)
            if run != last_run:
                yield "run", run
                last_run = run
        await asyncio.sleep(LOOK_SECONDS)


class GameTail:
    """The newest finished game in a run's journals."""

    def __init__(self, run: Path) -> None:
        self._folder = run / "games"
        self._seen: tuple[Path, int] | None = None  # the journal, and how long it was

    def newest(self) -> WatchedGame | None:
        """None if there is no new one."""
        try:
            journals = {path: path.stat() for path in self._folder.rglob("*.journal")}
            if not journals:
                return None
            journal = max(journals, key=lambda path: (journals[path].st_mtime_ns, path.name))
            size = journals[journal].st_size
            if self._seen == (journal, size):
                return None
            self._seen = (journal, size)
            with journal.open("rb") as file:
                file.seek(max(0, size - TAIL_BYTES))
                content = parse_journal(file.read(TAIL_BYTES))
        except OSError:
            return None
        return None if content.games is None else describe_game(content.games[len(content.games) - 1])


def describe_game(record: SelfPlayGame) -> WatchedGame | None:
    """A game of self-play in the game's notation; None if it is of a game that cannot be found here."""
    try:
        game = find_game(record.game)
    except BadInput:
        return None
    usual = bool(np.array_equal(record.start, game.initial_state()))
    first = 1 if game.turn(record.start) == 0 else -1
    signs = [first * (1 - 2 * (ply % 2)) for ply in range(record.plies)]  # play alternates
    values = [
        None if np.isnan(value) else round(float(sign * value + 1) / 2, 4)
        for sign, value in zip(signs, record.values, strict=True)
    ]
    return WatchedGame(
        number=record.number,
        generation=record.generation,
        game=record.game,
        start=None if usual else game.board_to_text(record.start),
        moves=game.moves_to_text([int(action) for action in record.actions]),
        result=("draw", "first", "second")[record.result],
        plies=record.plies,
        values=values,
    )
