"""A thread that thinks: it takes every search it was given one round further, then the next, so that none blocks another."""

import os
import sys
import threading
import time
from collections.abc import Callable
from queue import Empty, SimpleQueue

from boardzero.errors import BadInput
from boardzero.search.forest import Evaluator
from boardzero.settings.search import SearchSettings, settings_for_play, width_for_play
from boardzero.web.thinking.grove import Grove
from boardzero.web.thinking.jobs import SearchJob, SearchKey

LEAVES = 4  # of one tree that are evaluated together, as the network player does against a clock
MOST_GROVES = 4  # that one thread keeps ready
IDLE_SECONDS = 300.0  # after which a grove that nobody asks is forgotten
BACKGROUND = 5  # how much more readily the page's own thread gets a core (niceness, where the system has it by thread)


def search_settings(key: SearchKey) -> SearchSettings:
    """The search that goes with the evaluator of a key: as the players of the same names do it against a clock."""
    moves = key.game.max_legal
    if key.network is None:
        return SearchSettings(exploration=4.0, first_play="value", first_play_value=0, widest=width_for_play(moves))
    from boardzero.network.evaluator import header_of

    return settings_for_play(moves, None, LEAVES, header_of(key.network).value_spread)


def must_win(key: SearchKey) -> bool:
    """Does the machine, when it moves, think that a draw would be lost, as the network player does?"""
    if key.network is None:
        return False
    from boardzero.network.evaluator import header_of

    return header_of(key.network).knows_odds


def load_evaluator(key: SearchKey) -> Evaluator:
    if key.network is None:
        from boardzero.search.line_heuristic import LineHeuristic

        return LineHeuristic(key.game)
    from boardzero.network.evaluator import find_evaluator

    return find_evaluator(key.network, key.game, precision="auto")


class Thinker:
    """One thread with its own forests and evaluators; everything in it but `submit` and `load` runs there."""

    def __init__(self, name: str, load: Callable[[SearchKey], Evaluator] = load_evaluator) -> None:
        self.load = 0  # searches that wait or run
        self.simulations = 0  # in all
        self.groves: dict[SearchKey, Grove] = {}
        self._load_evaluator = load
        self._inbox: SimpleQueue[SearchJob | None] = SimpleQueue()
        self._lock = threading.Lock()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    def submit(self, job: SearchJob) -> None:
        """Take a search on, from any thread."""
        with self._lock:
            self.load += 1
        job.future.add_done_callback(self._count_done)
        self._inbox.put(job)

    def close(self) -> None:
        """End the thread; what has not finished never will."""
        self._inbox.put(None)
        self._thread.join(timeout=10)

    def _count_done(self, _: object) -> None:
        with self._lock:
            self.load -= 1

    def _run(self) -> None:
        _let_others_first()
        while self._take_in():
            for key, grove in list(self.groves.items()):
                if len(grove):
                    self._step(key, grove)
            self._forget_idle()

    def _take_in(self) -> bool:
        """New searches; where there is nothing to do, wait for one. False: it is over."""
        busy = any(len(grove) for grove in self.groves.values())
        try:
            job = self._inbox.get_nowait() if busy else self._inbox.get(timeout=IDLE_SECONDS)
            while True:
                if job is None:
                    self._end_all()
                    return False
                self._add(job)
                job = self._inbox.get_nowait()
        except Empty:
            return True

    def _add(self, job: SearchJob) -> None:
        try:
            if job.key not in self.groves:
                self._make_room()
                self.groves[job.key] = Grove(
                    job.key.game, search_settings(job.key), self._load_evaluator(job.key), must_win(job.key)
                )
            self.groves[job.key].add(job)
        except Exception as error:
            job.fail(error)

    def _step(self, key: SearchKey, grove: Grove) -> None:
        before = grove.simulations()
        try:
            grove.step()
        except Exception as error:
            del self.groves[key]  # nothing is known of its trees any more
            reason = error if isinstance(error, BadInput) else BadInput(f"The search failed: {type(error).__name__}: {error}.")
            for job in grove.jobs():
                job.fail(reason)
            return
        self.simulations += grove.simulations() - before

    def _make_room(self) -> None:
        idle = sorted((key for key, grove in self.groves.items() if not len(grove)), key=lambda key: self.groves[key].used)
        for key in idle[: max(0, len(self.groves) + 1 - MOST_GROVES)]:
            del self.groves[key]

    def _forget_idle(self) -> None:
        now = time.monotonic()
        for key, grove in list(self.groves.items()):
            if len(grove):
                grove.used = now
            elif now - grove.used > IDLE_SECONDS:
                del self.groves[key]

    def _end_all(self) -> None:
        for grove in self.groves.values():
            for job in grove.jobs():
                job.fail(BadInput("The server is stopping."))
        self.groves.clear()


def _let_others_first() -> None:
    """Thinking fills the cores; the thread that answers the page comes first."""
    if sys.platform == "linux":
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), BACKGROUND)
