"""Workers that play without a pause, each in a thread of its own; they may be given another network at any time."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from queue import SimpleQueue
from threading import Event

from boardzero.errors import BadInput
from boardzero.replay.record import SelfPlayGame
from boardzero.search.forest import Evaluator
from boardzero.selfplay.worker import SelfPlayWorker


class ContinuousSelfPlay:
    """play = ContinuousSelfPlay(workers, evaluator_of, generation, share_done)
    games = play.finished()
    play.close()
    """

    def __init__(
        self,
        workers: Sequence[SelfPlayWorker],
        evaluator_of: Callable[[int], Callable[[], Evaluator]],
        generation: int,
        share_done: float,
    ) -> None:
        self._workers, self._evaluator_of = workers, evaluator_of
        self._network = evaluator_of(generation), generation
        self.use(generation, share_done)
        self._closing = Event()
        self._finished: SimpleQueue[SelfPlayGame] = SimpleQueue()
        self._threads = ThreadPoolExecutor(len(workers))
        self._jobs = [self._threads.submit(self._work, worker) for worker in workers]

    def use(self, generation: int, share_done: float) -> None:
        """Go on with another network; games under way go on with it, too. Searches grow with the share of the run."""
        for worker in self._workers:
            worker.set_share_done(share_done)
        if generation != self._network[1]:
            self._network = self._evaluator_of(generation), generation

    def finished(self) -> list[SelfPlayGame]:
        """Games that have ended since the last call. A worker that failed stops all, and is heard when no game is left."""
        ended = [job for job in self._jobs if job.done()]  # looked at first: what they finished is in the queue by then
        games = []
        while not self._finished.empty():
            games.append(self._finished.get())
        if ended:
            self._closing.set()
        for job in ended if not games else []:
            job.result()
        return games

    def hold(self, ahead: bool) -> None:
        """Threads share the cores with the learner: there is nothing to hold back that it could use."""

    def close(self) -> None:
        """Stop playing; what has ended until then waits in `finished`."""
        self._closing.set()
        self._threads.shutdown()

    def _work(self, worker: SelfPlayWorker) -> None:
        while not self._closing.is_set():
            make_evaluator, generation = network = self._network
            try:
                evaluate = make_evaluator()
            except (BadInput, OSError):
                if self._network is network:
                    raise
                continue  # it was forgotten before it could be read: there are newer ones
            worker.run(
                evaluate,
                generation,
                self._finished.put,
                lambda network=network: self._closing.is_set() or self._network is not network,  # type: ignore[misc]
            )
