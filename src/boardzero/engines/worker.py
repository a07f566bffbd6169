"""A thread that thinks, so that whoever asked it can stop waiting: at a deadline, or because there is no need any more."""

import time
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import Any, TypeVar

from boardzero.engines.timing import NoAnswer

Result = TypeVar("Result")


class Worker:
    """Runs one thing after another in a thread of its own."""

    def __init__(self) -> None:
        self._executor = ThreadPoolExecutor(1, thread_name_prefix="thinking")
        self._dismissed: Future[Any] = Future()

    def begin(self, task: Callable[[], object], patience: float = 0.0) -> None:
        """Do this as soon as all before it is done, and wait for it so many seconds; how it ends does not matter."""
        wait([self._executor.submit(task)], patience)

    def ask(self, task: Callable[[], Result], deadline: float | None) -> Result:
        """The result of a task, if it comes before the deadline (on the clock of time.perf_counter); otherwise NoAnswer."""
        self._dismissed = Future()
        thought = self._executor.submit(task)
        seconds = None if deadline is None else max(0.0, deadline - time.perf_counter())
        wait([thought, self._dismissed], seconds, FIRST_COMPLETED)
        if not thought.done():
            thought.cancel()
            raise NoAnswer
        return thought.result()

    def dismiss(self) -> None:
        """Said by another thread: whoever waits for an answer needs it no longer."""
        if not self._dismissed.done():
            self._dismissed.set_result(None)

    def close(self) -> None:
        """Take nothing more; what is under way ends by itself."""
        self._executor.shutdown(wait=False, cancel_futures=True)
