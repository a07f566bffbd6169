"""Several workers, each in a thread of its own: the search and ONNX Runtime both leave Python's lock to the others."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from queue import Empty, SimpleQueue
from threading import Event

from boardzero.replay.record import SelfPlayGame
from boardzero.search.forest import Evaluator
from boardzero.selfplay.worker import SelfPlayWorker

WAIT_SECONDS = 0.2  # between two looks at what the workers have finished

# Takes the games that were finished since it was called last (none, perhaps), and says whether there are enough now.
TakeIn = Callable[[list[SelfPlayGame]], bool]


def play_games(workers: Sequence[SelfPlayWorker], evaluator: Callable[[], Evaluator], generation: int, take_in: TakeIn) -> None:
    """Play until there are enough games. Each is handed over exactly once, in the caller's thread, whatever happens."""
    finished: SimpleQueue[SelfPlayGame] = SimpleQueue()
    if len(workers) == 1:  # in this very thread, so that the order of events is always the same
        try:
            workers[0].run(evaluator(), generation, finished.put, lambda: take_in(_all_of(finished)))
        finally:
            if not finished.empty():  # it has failed
                take_in(_all_of(finished))
        return
    enough = Event()
    evaluators = [evaluator() for _ in workers]  # all of them, before anybody begins
    with ThreadPoolExecutor(len(workers)) as threads:
        jobs = [
            threads.submit(worker.run, evaluate, generation, finished.put, enough.is_set)
            for worker, evaluate in zip(workers, evaluators, strict=True)
        ]
        try:
            while not take_in(_all_of(finished, WAIT_SECONDS)) and not any(job.done() for job in jobs):
                pass
        finally:
            enough.set()
            wait(jobs)
            take_in(_all_of(finished))
        for job in jobs:
            job.result()  # a worker that failed says so here


def _all_of(finished: SimpleQueue[SelfPlayGame], seconds: float = 0) -> list[SelfPlayGame]:
    """What is in the queue; if that is nothing, wait so long for the first game."""
    games = []
    try:
        games.append(finished.get(timeout=seconds) if seconds else finished.get_nowait())
        while True:
            games.append(finished.get_nowait())
    except Empty:
        return games
