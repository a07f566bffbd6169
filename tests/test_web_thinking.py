"""Searches of many people at once: they share batches, none changes another, none blocks another."""

import asyncio
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from boardzero.errors import BadInput
from boardzero.games.catalogue import find_game
from boardzero.games.position import Position
from boardzero.search.forest import Forest
from boardzero.web.networks import NetworkShelf, RunShelf
from boardzero.web.thinking.jobs import SearchJob, SearchKey
from boardzero.web.thinking.pool import Busy, ThinkingPool
from boardzero.web.thinking.thinker import search_settings

GAME = find_game("connect4")
KEY = SearchKey(GAME, Path("no such file: the evaluator is given"))
Floats = npt.NDArray[np.float32]


class Counting:
    """An evaluator whose answers follow from the position alone; it counts its batches."""

    def __init__(self) -> None:
        self.batches: list[int] = []
        self.seconds = 0.0
        self.fails = False

    def __call__(self, planes: Floats) -> tuple[Floats, Floats]:
        if self.fails:
            raise RuntimeError("the evaluator broke")
        self.batches.append(len(planes))
        time.sleep(self.seconds)
        flat = planes.reshape(len(planes), -1)
        weights = np.sin(np.arange(flat.shape[1] * 8, dtype=np.float32)).reshape(flat.shape[1], 8)
        numbers = np.stack([row @ weights for row in flat]).astype(np.float32)  # row by row: no rounding by company
        return np.ascontiguousarray(numbers[:, :7]), np.tanh(numbers[:, 7])


@pytest.fixture
def evaluator() -> Counting:
    return Counting()


@pytest.fixture
def pool(tmp_path: Path, evaluator: Counting) -> Iterator[ThinkingPool]:
    made = ThinkingPool(NetworkShelf(RunShelf(tmp_path)), threads=1, room=300, load=lambda _: evaluator)
    yield made
    made.close()


def job(moves: str, simulations: int = 60, **more: float) -> SearchJob:
    return SearchJob(KEY, Position(GAME, moves).state, simulations, seed=5, **more)  # type: ignore[arg-type]


OPENINGS = [f"{first}{second}{third}" for first in range(1, 8) for second in range(1, 8) for third in (1, 4, 7)]


def test_searches_together_choose_what_each_chooses_alone(pool: ThinkingPool, evaluator: Counting) -> None:
    async def all_at_once() -> list[tuple[int, float, list[int]]]:
        reports = await asyncio.gather(*(pool.submit(job(opening)) for opening in OPENINGS))
        return [(each.action, each.value, [edge.visits for edge in each.edges]) for each in reports]

    together = asyncio.run(all_at_once())
    for opening, (action, value, visits) in zip(OPENINGS, together, strict=True):
        forest = Forest(GAME, search_settings(KEY), nodes=200, seed=5)
        forest.set_root(0, Position(GAME, opening).state)
        forest.search(evaluator, 60)
        edges = sorted(forest.root_edges(0), key=lambda edge: (edge.action != action, -edge.visits, -edge.prior))
        assert int(forest.choose()[0]) == action
        assert forest.root_value(0) == pytest.approx(value)
        assert [edge.visits for edge in edges] == visits


def test_searches_of_many_people_share_batches(pool: ThinkingPool, evaluator: Counting) -> None:
    async def all_at_once() -> None:
        await asyncio.gather(*(pool.submit(job(opening)) for opening in OPENINGS))

    evaluator.seconds = 0.002  # all of them are there before the second batch
    asyncio.run(all_at_once())
    assert max(evaluator.batches) >= 100
    assert len(evaluator.batches) < 5 * 60 / search_settings(KEY).leaves  # one after the other it would be 147 times 15


def test_a_long_search_lets_short_ones_through(pool: ThinkingPool, evaluator: Counting) -> None:
    evaluator.seconds = 0.002

    async def both() -> bool:
        long = asyncio.ensure_future(pool.submit(job("", 20_000, seconds=60.0)))
        while not evaluator.batches:
            await asyncio.sleep(0.01)
        await pool.submit(job("44"))
        long_is_done = long.done()
        long.cancel()
        await asyncio.gather(long, return_exceptions=True)
        return long_is_done

    assert not asyncio.run(both())


def test_a_full_queue_is_refused_with_a_sentence(pool: ThinkingPool, evaluator: Counting) -> None:
    evaluator.seconds = 0.5  # none is done before all have come

    async def too_many() -> None:
        waiting = [asyncio.ensure_future(pool.submit(job("4"))) for _ in range(300)]
        with pytest.raises(Busy, match="300 positions already"):
            pool.submit(job("4"))
        assert pool.load().waiting + pool.load().running == 300
        for each in waiting:
            each.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)

    asyncio.run(too_many())


def test_a_search_that_nobody_waits_for_ends(pool: ThinkingPool) -> None:
    async def give_up() -> None:
        waiting = pool.submit(job("4", 20_000, seconds=30.0))
        await asyncio.sleep(0.2)
        waiting.cancel()

    begun = time.perf_counter()
    asyncio.run(give_up())
    while pool.load().running:
        assert time.perf_counter() - begun < 20
        time.sleep(0.02)


def test_a_broken_evaluator_is_told_and_the_next_search_works(pool: ThinkingPool, evaluator: Counting) -> None:
    async def search() -> int:
        return (await pool.submit(job("4"))).simulations

    evaluator.fails = True
    with pytest.raises(BadInput, match="the evaluator broke"):
        asyncio.run(search())
    evaluator.fails = False
    assert asyncio.run(search()) == 60


def test_reports_come_while_a_search_goes_on(pool: ThinkingPool, evaluator: Counting) -> None:
    evaluator.seconds = 0.005

    async def watch() -> list[int]:
        return [report.simulations async for report in pool.watch(job("4", 20_000, seconds=0.6))]

    told = asyncio.run(watch())
    assert len(told) >= 3 and told == sorted(told)


def test_the_tree_of_a_search_can_be_taken_out(pool: ThinkingPool) -> None:
    async def search() -> tuple[int, int]:
        wish = job("4")
        wish.wants_tree = True
        report = await pool.submit(wish)
        assert report.tree is not None
        return int(report.tree.nodes[report.tree.root]["visits"]), report.simulations

    visits, simulations = asyncio.run(search())
    assert visits == simulations + 1
