"""Self-play, training and comparison at the same time, where there are cores for all of them.

Only the main thread takes games in, decides, and writes where the run stands; one thread trains, one plays matches, and the
workers play games. So everything that a kill may interrupt is as it is when they take turns.
"""

import time
from concurrent.futures import Future, ThreadPoolExecutor
from queue import SimpleQueue
from typing import TYPE_CHECKING

from boardzero.selfplay.source import ContinuousGames
from boardzero.training.learner import LossReport
from boardzero.training.matches import MatchScore
from boardzero.training.strength import Told

if TYPE_CHECKING:
    from boardzero.training.loop import Training

LOOK_SECONDS = 0.1  # between two looks at what the other threads have done


class _Loop:
    """What is under way in the other threads."""

    def __init__(self, training: "Training", play: ContinuousGames, threads: ThreadPoolExecutor) -> None:
        self.training, self.play, self._threads = training, play, threads
        self.learning: Future[LossReport] | None = None
        self.comparing: Future[MatchScore] | None = None
        self.measuring: Future[None] | None = None
        self._learning_begun = self._comparing_begun = 0.0
        self._compared = (0, 0)
        self._measured: SimpleQueue[Told] = SimpleQueue()

    @property
    def is_idle(self) -> bool:
        return self.learning is None and self.comparing is None and self.measuring is None

    @property
    def is_untrained(self) -> bool:
        """Has nothing been learned yet? A run whose time is up then learns from what there is, as it would taking turns."""
        return self.training.progress.generation == 0

    def turn(self) -> None:
        """Look at everything once: take in what is done, begin what is due."""
        training = self.training
        training.check()
        time.sleep(LOOK_SECONDS)
        training.take_in(self.play.finished())
        self.play.hold(training.quota.is_far_passed)
        self._end_learning()
        self._end_comparing()
        self._end_measuring()
        if training.share_done >= 1 and not (self.is_untrained and training.is_over()):
            return
        if self.learning is None and (training.quota.is_reached() or training.share_done >= 1):
            training.quota.begin_training()
            self._learning_begun = time.perf_counter()
            self.learning = self._threads.submit(training.learn)
        if self.comparing is None and self.measuring is None and training.is_comparison_due():
            self._compared, self._comparing_begun = (training.progress.generation, training.best), time.perf_counter()
            training.in_use = set(self._compared)
            self.comparing = self._threads.submit(training.gate.compare, *self._compared, training.check)

    def _end_learning(self) -> None:
        if self.learning is None or not self.learning.done():
            return
        training, report = self.training, self.learning.result()
        self.learning = None
        training.complete_generation(report, training.speeds.since_restart(), time.perf_counter() - self._learning_begun)
        training.speeds.restart()
        self._exchange()  # behind a gate the same network goes on, with searches that have grown
        generation, seconds = training.progress.generation, training.seconds
        if self.measuring is None and self.comparing is None and training.strength.is_due(generation, seconds):
            training.in_use = {generation}
            self.measuring = self._threads.submit(training.strength.measure, generation, seconds, self._measured.put)

    def _end_comparing(self) -> None:
        """Not while it trains: the window that it trains on may be cleared."""
        if self.comparing is None or not self.comparing.done() or self.learning is not None:
            return
        best = self.training.best
        self.training.judge(*self._compared, self.comparing.result(), time.perf_counter() - self._comparing_begun)
        self.comparing = None
        self.training.in_use = set()
        if self.training.best != best:
            self._exchange()

    def _end_measuring(self) -> None:
        while not self._measured.empty():
            self.training.tell(self._measured.get())
        if self.measuring is not None and self.measuring.done():
            self.measuring.result()
            self.measuring = None
            self.training.in_use = set()

    def _exchange(self) -> None:
        self.play.use(self.training.best, self.training.share_done)


def learn_while_playing(training: "Training") -> None:
    """Until the run is over; what is under way then is brought to its end."""
    training.speeds.restart()
    with ThreadPoolExecutor(2) as threads:
        play = training.selfplay.begin(training.best, training.share_done)
        try:
            with training.stopwatch.part("self-play, training and matches"):
                loop = _Loop(training, play, threads)
                while training.share_done < 1 or not loop.is_idle or loop.is_untrained:
                    loop.turn()
        except BaseException:
            training.stop()  # the other threads hear of it and end, too
            raise
        finally:
            play.close()
            training.take_in(play.finished())
