"""Searches of many people at once: they share batches, none changes another, none blocks another."""

import asyncio
import threading
import time
from collections.abc import AsyncGenerator, Iterator
from contextlib import aclosing
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from boardzero.errors import BadInput
from boardzero.games.catalogue import find_game
from boardzero.games.position import Position
from boardzero.games.rules import State
from boardzero.network.shipped import shipped_network
from boardzero.search.forest import Forest
from boardzero.search.slices import OutOfTime
from boardzero.web.events import Message, merged
from boardzero.web.networks import NetworkShelf, RunShelf
from boardzero.web.players import parse_player
from boardzero.web.study.analysis import Analyst
from boardzero.web.thinking import solvers as solvers_module
from boardzero.web.thinking.grove import LONG_LANES
from boardzero.web.thinking.jobs import Busy, SearchJob, SearchKey
from boardzero.web.thinking.pool import ThinkingPool
from boardzero.web.thinking.solvers import MOST_WAITING as SOLVER_ROOM
from boardzero.web.thinking.solvers import Solvers, Urgency
from boardzero.web.thinking.thinker import search_settings

GAME = find_game("connect4")
KEY = SearchKey(GAME, shipped_network(GAME))  # for its header: the evaluator is given
Floats = npt.NDArray[np.float32]
PATIENCE = 120.0  # seconds; only what fails takes so long


class Counting:
    """An evaluator whose answers follow from the position alone; it counts its batches, and can be held up."""

    def __init__(self) -> None:
        self.batches: list[int] = []
        self.seconds = 0.0
        self.fails = False
        self.free = threading.Event()
        self.free.set()

    def __call__(self, planes: Floats) -> tuple[Floats, Floats]:
        if self.fails:
            raise RuntimeError("the evaluator broke")
        self.batches.append(len(planes))
        self.free.wait(PATIENCE)
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
    evaluator.free.set()
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
        searches = [pool.submit(job(opening)) for opening in OPENINGS]
        evaluator.free.set()
        await asyncio.gather(*searches)

    evaluator.free.clear()  # all of them are there before the second batch
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


def test_a_move_does_not_wait_for_those_who_study(pool: ThinkingPool, evaluator: Counting) -> None:
    evaluator.seconds = 0.002

    async def all_at_once() -> list[bool]:
        studies = [asyncio.ensure_future(pool.submit(job("", 20_000, seconds=60.0))) for _ in range(LONG_LANES)]
        while not evaluator.batches:
            await asyncio.sleep(0.01)
        await pool.submit(job("44", 2000, seconds=0.2, is_move=True))
        done = [study.done() for study in studies]
        for study in studies:
            study.cancel()
        await asyncio.gather(*studies, return_exceptions=True)
        return done

    assert asyncio.run(asyncio.wait_for(all_at_once(), PATIENCE)) == [False] * LONG_LANES


@pytest.mark.parametrize("player", ["mcts:seconds=30", "mcts:sims=1000000", "minimax:seconds=30"])  # half a minute each
def test_a_player_that_nobody_waits_for_makes_room_for_others(pool: ThinkingPool, player: str) -> None:
    position = Position(find_game("othello"))

    async def give_up_and_ask_again() -> int:
        long = asyncio.ensure_future(pool.analyse(parse_player(player), position))
        await asyncio.sleep(0.3)
        long.cancel()
        await asyncio.gather(long, return_exceptions=True)
        return (await pool.analyse(parse_player("random"), position)).action  # there is one thread

    asyncio.run(give_up_and_ask_again())  # so that everything is compiled
    begun = time.perf_counter()
    assert asyncio.run(give_up_and_ask_again()) in position.legal_actions()
    assert time.perf_counter() - begun < 25


# -- solvers -----------------------------------------------------------------------------------------------------------
class HeldSolvers(Solvers):
    """Answers when it is told to; keeps the order of questions."""

    def __init__(self) -> None:
        super().__init__()
        self.free = threading.Event()
        self.asked: list[str] = []

    def _solve(self, position: Position, seconds: float) -> dict[int, int]:
        self.free.wait(PATIENCE)
        self.asked.append(position.moves)
        return dict.fromkeys(position.legal_actions(), 0)


def test_moves_are_solved_before_what_others_look_at_and_that_before_reviews() -> None:
    solvers = HeldSolvers()

    async def ask() -> None:
        first = asyncio.ensure_future(solvers.scores(Position(GAME, "7"), urgency=Urgency.REVIEW))
        await asyncio.sleep(0)
        urgencies = (Urgency.REVIEW, Urgency.LOOK, Urgency.REVIEW, Urgency.MOVE)
        others = [
            asyncio.ensure_future(solvers.scores(Position(GAME, str(number)), urgency=urgency))
            for number, urgency in enumerate(urgencies, start=1)
        ]
        await asyncio.sleep(0)
        others[2].cancel()
        solvers.free.set()
        await asyncio.gather(first, *others, return_exceptions=True)

    asyncio.run(ask())
    solvers.close()
    assert solvers.asked == ["7", "4", "2", "1"]


def test_a_solver_that_has_no_room_says_that_it_is_busy() -> None:
    solvers = HeldSolvers()

    async def too_many() -> None:
        waiting = [asyncio.ensure_future(solvers.scores(Position(GAME, opening))) for opening in OPENINGS[:SOLVER_ROOM]]
        await asyncio.sleep(0)
        with pytest.raises(Busy, match="busy with other positions"):
            await solvers.scores(Position(GAME, "7654321"))
        solvers.free.set()
        await asyncio.gather(*waiting)
        assert await solvers.scores(Position(GAME, "7654321"))

    asyncio.run(too_many())
    solvers.close()


def test_what_a_solver_has_to_load_takes_none_of_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[float] = []

    def loading_at_first(_: State, seconds: float) -> dict[int, int]:
        given.append(seconds)
        if len(given) == 1:
            raise OutOfTime
        return {3: 1}

    monkeypatch.setattr(solvers_module, "exact_scores", lambda _: loading_at_first)
    solvers = Solvers()
    for moves in ("4", "44"):
        assert asyncio.run(solvers.scores(Position(GAME, moves), 5.0)) == {3: 1}
    solvers.close()
    assert given == [0.0, 5.0, 5.0]


# -- streams -----------------------------------------------------------------------------------------------------------
def test_whoever_leaves_an_analysis_ends_its_search_however_slowly_it_was_read(pool: ThinkingPool, evaluator: Counting) -> None:
    evaluator.seconds = 0.002
    position = Position(GAME, "444444333333222222")  # the solver knows it at once

    async def read_one_and_leave() -> None:
        messages = Analyst(pool).live(position, "heuristic", 60.0)
        await anext(messages)
        await asyncio.sleep(0.5)  # more reports come than anybody reads
        await asyncio.wait_for(messages.aclose(), 50)  # type: ignore[attr-defined]
        while pool.load().running:
            await asyncio.sleep(0.02)

    asyncio.run(asyncio.wait_for(read_one_and_leave(), 55))  # it would think for a minute


def test_sources_are_merged_as_they_come_and_all_end_with_the_reader() -> None:
    ended: list[str] = []

    async def source(name: str, pauses: list[float]) -> AsyncGenerator[Message, None]:
        try:
            for number, pause in enumerate(pauses):
                await asyncio.sleep(pause)
                yield name, {"number": number}
        finally:
            ended.append(name)

    async def read(*sources: AsyncGenerator[Message, None], most: int = 99) -> list[str]:
        told: list[str] = []
        async with aclosing(merged(sources)) as messages:
            async for name, _ in messages:
                told.append(name)
                if len(told) == most:
                    break
        return told

    assert sorted(asyncio.run(read(source("a", [0, 0]), source("b", [0])))) == ["a", "a", "b"]
    assert asyncio.run(read(source("c", [0] * 5), source("d", [60]), most=3)) == ["c", "c", "c"]
    assert sorted(ended) == ["a", "b", "c", "d"]


def test_a_full_queue_is_refused_with_a_sentence(pool: ThinkingPool, evaluator: Counting) -> None:
    evaluator.free.clear()  # none is done before all have come

    async def too_many() -> None:
        waiting = [asyncio.ensure_future(pool.submit(job("4"))) for _ in range(300)]
        with pytest.raises(Busy, match="300 positions already"):
            pool.submit(job("4"))
        assert pool.load().waiting + pool.load().running == 300
        for each in waiting:
            each.cancel()
        evaluator.free.set()
        await asyncio.gather(*waiting, return_exceptions=True)

    asyncio.run(too_many())


def test_a_search_that_nobody_waits_for_ends(pool: ThinkingPool, evaluator: Counting) -> None:
    async def give_up() -> None:
        waiting = pool.submit(job("4", 20_000, seconds=60.0))
        while not evaluator.batches:
            await asyncio.sleep(0.01)
        waiting.cancel()

    evaluator.seconds = 0.01  # all 20,000 would take far longer
    begun = time.perf_counter()
    asyncio.run(give_up())
    while pool.load().running:
        assert time.perf_counter() - begun < 50
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
        return [report.simulations async for report in pool.watch(job("4", 20_000, seconds=2.0))]

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
