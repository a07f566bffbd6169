"""Tables of live games: when they are let go, what is kept of them, and what happens when two things happen at once."""

import asyncio
import sqlite3
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from boardzero.errors import BadInput
from boardzero.events.games import GameRecord
from boardzero.games.position import Position
from boardzero.web.live import hall as halls
from boardzero.web.live.hall import Hall
from boardzero.web.live.models import NewGame
from boardzero.web.live.store import KEPT_DAYS, LiveStore, StoredGame
from boardzero.web.live.table import Table
from boardzero.web.networks import NetworkShelf, RunShelf
from boardzero.web.players import PlayerChoice
from boardzero.web.thinking.pool import Choice


class Pool:
    """A machine that plays its first legal move, or fails."""

    def __init__(self) -> None:
        self.trouble = ""
        self.engines = SimpleNamespace(dismiss=lambda _: None)

    async def choose(self, _: PlayerChoice, position: Position, __: object) -> Choice:
        if self.trouble:
            raise BadInput(self.trouble)
        return Choice(position.legal_actions()[0], None, None, None, 0.0, ())


class Log:
    """A game log that answers when it is told to."""

    def __init__(self) -> None:
        self.free = asyncio.Event()
        self.records: list[GameRecord] = []

    async def add(self, record: GameRecord) -> str:
        await self.free.wait()
        self.records.append(record)
        return f"{len(self.records):x}"


class Scene:
    """A hall with a real store, and everything else made for tests."""

    def __init__(self, folder: Path) -> None:
        self.pool, self.log = Pool(), Log()
        self.store = LiveStore(folder / "live.sqlite")
        shelf = NetworkShelf(RunShelf(folder))
        self.hall = Hall(self.store, self.pool, shelf, self.log)  # type: ignore[arg-type]

    async def open(self, second: str = "human") -> Table:
        return await self.hall.open(NewGame(game="tictactoe", players=("human", second)))


def play_scene(folder: Path, act: Callable[[Scene], Any]) -> None:
    async def run() -> None:
        scene = Scene(folder)
        try:
            await act(scene)
        finally:
            scene.store.close()

    asyncio.run(asyncio.wait_for(run(), 120))


async def finish(table: Table) -> None:
    await table.play("a1", 0)
    await table.resign(1)


def test_a_game_on_its_way_into_the_log_stays_and_newer_moves_are_not_overwritten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(halls, "LOG_SECONDS", 0.01)
    monkeypatch.setattr(halls, "MOST_GAMES_IN_MEMORY", 1)

    async def act(scene: Scene) -> None:
        table = await scene.open()
        await finish(table)
        for _ in range(3):
            await scene.open()  # there is room for one
        assert scene.hall.find(table.stored.id) is table
        await table.take_back(None)
        await table.play("b2", 1)
        scene.log.free.set()
        while not scene.log.records:
            await asyncio.sleep(0.01)
        await asyncio.sleep(0.05)
        kept = scene.store.load(table.stored.id)
        assert kept is not None and kept.moves == ["a1", "b2"] and kept.log is None
        assert table.state().log is None

    play_scene(tmp_path, act)


def test_a_table_at_which_something_is_under_way_is_not_evicted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(halls, "MOST_GAMES_IN_MEMORY", 1)

    async def act(scene: Scene) -> None:
        table = await scene.open()
        await table._turn.acquire()
        waiting = asyncio.ensure_future(table.play("a1", 0))
        await asyncio.sleep(0)
        await scene.open()
        assert scene.hall.find(table.stored.id) is table
        table._turn.release()
        await scene.open()  # it is this one's turn by now, though nobody holds it yet
        assert scene.hall.find(table.stored.id) is table
        await waiting

    play_scene(tmp_path, act)


def test_a_finished_game_is_let_go_when_the_last_one_has_left(tmp_path: Path) -> None:
    async def act(scene: Scene) -> None:
        scene.log.free.set()
        table = await scene.open()
        watching = table.watch()
        await anext(watching)
        await finish(table)
        assert len(scene.hall) == 1
        await watching.aclose()
        assert len(scene.hall) == 0
        again = scene.hall.find(table.stored.id)
        assert again is not table and again.state().log == "1" and again.state().result == "first"
        assert len(scene.log.records) == 1

    play_scene(tmp_path, act)


def test_a_machine_that_could_not_move_tries_again_for_whoever_opens_the_game(tmp_path: Path) -> None:
    async def act(scene: Scene) -> None:
        scene.pool.trouble = "There was no time."
        table = await scene.open("random")
        await table.play("a1", 0)
        while table.thinking:
            await asyncio.sleep(0.01)
        assert table.state().trouble == "There was no time."
        scene.pool.trouble = ""
        await table.wait_beyond(99, 0.05)
        assert len(table.position.actions) == 1  # who only asks again and again starts nothing
        watching = table.watch()
        while (await anext(watching)).position.plies < 2:
            pass
        await watching.aclose()

    play_scene(tmp_path, act)


def test_what_the_log_says_is_noted_for_the_version_that_it_is_about(tmp_path: Path) -> None:
    store = LiveStore(tmp_path / "live.sqlite")
    game = StoredGame("abc", "tictactoe", None, ["a1"], [], ["human", "human"], version=7)

    async def act() -> list[str | None]:
        noted = []
        await store.save(game)
        for version, log in ((6, "old"), (7, "new")):
            await store.note_log("abc", version, log)
            loaded = store.load("abc")
            noted.append(None if loaded is None else loaded.log)
        return noted

    assert asyncio.run(act()) == [None, "new"]
    loaded = store.load("abc")
    assert loaded is not None and loaded.moves == ["a1"] and store.newest_unlogged(9) == []
    store.close()


def test_games_that_nobody_touched_for_a_season_are_forgotten(tmp_path: Path) -> None:
    store = LiveStore(tmp_path / "live.sqlite")

    async def save() -> None:
        for name in ("old", "new"):
            await store.save(StoredGame(name, "tictactoe", None, [], [], ["human", "human"]))

    asyncio.run(save())
    store.close()
    connection = sqlite3.connect(tmp_path / "live.sqlite")
    with connection:
        long_ago = datetime.now(UTC) - timedelta(days=KEPT_DAYS + 1)
        connection.execute("UPDATE live_games SET changed = ? WHERE id = 'old'", (long_ago.isoformat(),))
    connection.close()
    store = LiveStore(tmp_path / "live.sqlite")
    assert store.load("old") is None and store.load("new") is not None
    store.close()
