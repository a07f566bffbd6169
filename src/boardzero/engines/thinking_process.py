"""A process that thinks, apart from the one that answers.

Where others want the cores too, a system makes whoever has computed a lot wait for its turn, tenths of a second if it must, and
Linux so delays all threads of the process and all processes of its session (autogroups). So nothing computes where answers are
given: that process sleeps, and is woken within milliseconds when a line comes or the time is up. The one that thinks is in a
session of its own.

Messages go through pipes, pickled: (number, task, arguments) to the thinker, Reply back.
"""

from __future__ import annotations

import math
import os
import pickle
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from enum import Enum
from typing import IO, Any, NamedTuple, Protocol

from boardzero.errors import BadInput

INTERRUPT = "interrupt"  # the one task that does not wait for those before it
INSISTING_SECONDS = 0.02  # after which a task that goes on is interrupted again


class NoAnswer(Exception):
    """The thought was not finished in time, or nobody waits for it any more."""


class ThoughtFailed(Exception):
    """The thinker raised an error; the message names it."""


class Kind(Enum):
    """What a reply is."""

    FIRST = "first thought"  # to be used if the time ends before the result comes
    RESULT = "result"
    FAILURE = "failure"  # the thinker has raised what the value says, or has ended
    DISMISSAL = "dismissal"  # nobody waits for any result any more


class Reply(NamedTuple):
    number: int
    kind: Kind
    value: Any


class Mind(Protocol):
    """What runs in the process: each other method is a task."""

    tell: Callable[[Any], None]  # called by a task that knows a first, rough result

    def interrupt(self) -> None:
        """Said by another thread, again and again until the task ends: let it end, with its best result."""


# -- in the answering process ------------------------------------------------------------------------------------------
class ThinkingProcess:
    """Tasks for the thinker, one after another. One that has ended, whatever the cause, is started anew for the next task."""

    def __init__(self, specification: str | None) -> None:
        """specification: the player that thinks (None: the strongest)."""
        self._specification = specification
        self._number = 0
        self._is_dismissed = False
        self._turn = threading.Lock()  # tasks come from one thread, interrupts from another
        self._open()

    def begin(self, task: str, *arguments: Any) -> None:
        """Let this be done as soon as all before it is done; how it ends does not matter."""
        self._number += 1
        self._send(task, *arguments)

    def ask(self, deadline: float | None, task: str, *arguments: Any) -> Any:
        """The result of a task, or its first thought if that is all there is at the deadline.

        deadline: a moment (time.perf_counter), None for none. NoAnswer if there is nothing at all by then; ThoughtFailed.
        """
        self.begin(task, *arguments)
        if self._is_dismissed:
            raise NoAnswer
        found: list[Any] = []
        last = math.inf if deadline is None else deadline
        while True:
            try:
                reply = self._replies.get(timeout=min(max(0.0, last - time.perf_counter()), threading.TIMEOUT_MAX))
            except queue.Empty:
                reply = Reply(self._number, Kind.DISMISSAL, None)
            if reply.number != self._number and reply.kind is not Kind.DISMISSAL:  # too late: for a task that is given up
                continue
            match reply.kind:
                case Kind.RESULT:
                    return reply.value
                case Kind.FIRST:
                    found = [reply.value]
                case Kind.FAILURE:
                    raise ThoughtFailed(reply.value)
                case Kind.DISMISSAL if found:
                    return found[0]
                case Kind.DISMISSAL:
                    raise NoAnswer

    def interrupt(self) -> None:
        """Let the last task that was begun, and those before it, end now, with their best results."""
        self._send(INTERRUPT)

    def dismiss(self) -> None:
        """Said by another thread: from now on nobody waits for a result, neither of this task nor of a later one."""
        self._is_dismissed = True  # first this, which is looked at after a task was begun: so none is waited for
        self._replies.put(Reply(self._number, Kind.DISMISSAL, None))

    def close(self) -> None:
        """End the thinker, whatever it does."""
        self._process.kill()
        self._process.wait()

    def _start(self) -> tuple[IO[bytes], IO[bytes]]:
        """Where tasks are written and replies are read."""
        named = [] if self._specification is None else [self._specification]
        words = [sys.executable, "-P", "-c", f"from {__name__} import main; main()", *named]
        self._process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True)
        assert self._process.stdin and self._process.stdout
        return self._process.stdin, self._process.stdout

    def _open(self) -> None:
        self._tasks, replies = self._start()
        self._replies: queue.SimpleQueue[Reply] = queue.SimpleQueue()
        self._has_ended = self.is_ready = False  # ready: the thinker has loaded what it needs and finished a task
        threading.Thread(target=self._read, args=(replies, self._replies), daemon=True).start()

    def _read(self, stream: IO[bytes], replies: queue.SimpleQueue[Reply]) -> None:
        with suppress(OSError, EOFError, ValueError, pickle.UnpicklingError):
            while True:
                reply = Reply(*pickle.load(stream))
                self.is_ready |= reply.kind is Kind.RESULT
                replies.put(reply)
        self._has_ended = True
        replies.put(Reply(self._number, Kind.FAILURE, "the thinking process has ended"))

    def _send(self, task: str, *arguments: Any) -> None:
        with self._turn:
            if self._has_ended and task != INTERRUPT:
                self.close()
                self._open()
            with suppress(OSError, ValueError):  # it has just ended: the reading thread says so
                pickle.dump((self._number, task, arguments), self._tasks)
                self._tasks.flush()


# -- in the thinking process -------------------------------------------------------------------------------------------
def think(mind: Mind, tasks: IO[bytes], replies: IO[bytes], at_end: Callable[[], None]) -> None:
    """Do the tasks that come, until no more can come: then the thread that reads them calls `at_end` at once."""
    waiting: queue.SimpleQueue[tuple[int, str, tuple[Any, ...]] | None] = queue.SimpleQueue()
    done = hurried = 0  # numbers of the last task that has ended, and of the last that was interrupted
    ending = threading.Lock()  # no task is interrupted in place of the one before it

    def read() -> None:
        nonlocal hurried
        with suppress(EOFError, OSError):
            while True:
                number, task, arguments = pickle.load(tasks)
                if task != INTERRUPT:
                    waiting.put((number, task, arguments))
                elif number > hurried:
                    hurried = number
                    threading.Thread(target=insist, args=(number,), daemon=True).start()
        at_end()
        waiting.put(None)

    def insist(number: int) -> None:
        """A task may not have begun, or be between two searches of which the next forgets what the last was told."""
        while True:
            with ending:
                if done >= number:
                    return
                mind.interrupt()
            time.sleep(INSISTING_SECONDS)

    def reply(number: int, kind: Kind, value: Any) -> None:
        pickle.dump((number, kind, value), replies)
        replies.flush()

    threading.Thread(target=read, daemon=True).start()
    while (entry := waiting.get()) is not None:
        number, task, arguments = entry
        mind.tell = lambda value, number=number: reply(number, Kind.FIRST, value)  # type: ignore[misc]
        try:
            reply(number, Kind.RESULT, getattr(mind, task)(*arguments))
        except BrokenPipeError:
            return
        except BadInput as error:  # a sentence for people
            reply(number, Kind.FAILURE, str(error))
        except Exception as error:
            reply(number, Kind.FAILURE, f"{type(error).__name__}: {error}")
        finally:
            with ending:
                done = number


def main() -> None:
    from boardzero.games.compiling import compiling_alone

    with compiling_alone():
        from boardzero.engines.mind import PlayerMind

    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever is printed is no reply
    think(PlayerMind(*sys.argv[1:]), sys.stdin.buffer, replies, at_end=lambda: os._exit(0))
