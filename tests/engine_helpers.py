"""Engines without processes: sessions that are told lines directly, and transports that follow a script."""

import os
import re
import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO

import pytest

from boardzero.engines.conversation import Answer, Session
from boardzero.engines.gomocup import GomocupSession
from boardzero.engines.mind import PlayerMind
from boardzero.engines.thinking_process import ThinkingProcess, think
from boardzero.players.engine_process import EngineFault, EngineSilence

ENGINE = [sys.executable, "-c", "from boardzero.cli.main import main; main()", "engine"]
FAR_TOO_LONG = 60.0  # seconds
LONG = 600_000  # milliseconds a move: nobody is late, on any machine
MOVE = re.compile(r"\d{1,2},\d{1,2}")
on_linux = pytest.mark.skipif(not Path("/proc/self/schedstat").exists(), reason="Linux tells of processes under /proc")


def wait_until(true: Callable[[], bool]) -> bool:
    deadline = time.perf_counter() + FAR_TOO_LONG
    while not true() and time.perf_counter() < deadline:
        time.sleep(0.02)
    return true()


class ThinkingThread(ThinkingProcess):
    """Thinks in this process, which has all loaded already; everything else is as in a process of its own."""

    def _start(self) -> tuple[IO[bytes], IO[bytes]]:
        self.mind = PlayerMind(self._specification)
        (tasks_end, tasks), (replies, replies_end) = os.pipe(), os.pipe()
        streams = os.fdopen(tasks_end, "rb"), os.fdopen(replies_end, "wb")
        threading.Thread(target=self._think, args=streams, daemon=True).start()
        return os.fdopen(tasks, "wb"), os.fdopen(replies, "rb")

    def _think(self, tasks: IO[bytes], replies: IO[bytes]) -> None:
        with tasks, replies:
            think(self.mind, tasks, replies, at_end=self.mind.interrupt)

    def close(self) -> None:
        self._tasks.close()


def gomocup_session(answer: Answer, player: str = "heuristic:sims=20", seconds: float = 5.0) -> GomocupSession:
    return GomocupSession(answer, ThinkingThread(player), seconds)


class Talk:
    """A session under test: every line is answered before the next is said."""

    def __init__(self, new_session: Callable[[Answer], Session]) -> None:
        self.answers: list[str] = []
        self.session = new_session(self.answers.append)
        self.goes_on = True

    def say(self, *lines: str) -> list[str]:
        """All answers to these lines."""
        before = len(self.answers)
        for line in lines:
            if self.goes_on:
                self.session.overhear(line)
                self.goes_on = self.session.take(line, time.perf_counter())
        return self.answers[before:]

    def last(self, *lines: str) -> str:
        """The last answer to these lines that is not only said aside; empty if there is none."""
        said = [answer for answer in self.say(*lines) if not answer.startswith(("MESSAGE", "DEBUG", "status"))]
        return said[-1] if said else ""


def brain(player: str = "heuristic:sims=20") -> Talk:
    """A brain that has got all the time it needs to load its player."""

    def new_session(answer: Answer) -> GomocupSession:
        session = gomocup_session(answer, player)
        session.limits.turn = LONG
        return session

    return Talk(new_session)


class SessionTransport:
    """Lines to and from a session in this process, as a player speaks with an engine."""

    def __init__(self, new_session: Callable[[Answer], Session]) -> None:
        self.talk = Talk(new_session)
        self.transcript: list[str] = []
        self.seconds = 0.0
        self._waiting: list[str] = []

    def send(self, line: str) -> None:
        self.transcript.append(f"> {line}")
        for answer in self.talk.say(line):
            lines = [*answer.split("\n")] if "\n" in answer else [answer]
            self._waiting += lines
            self.transcript += [f"< {one}" for one in lines]

    def receive(self, seconds: float) -> str:
        if not self._waiting:
            raise EngineSilence(f"gave no answer within {seconds:.3g} seconds")
        return self._waiting.pop(0)

    def forget(self) -> None:
        self._waiting.clear()

    def close(self, farewell: str = "") -> None:
        self.talk.session.close()


class Script:
    """A transport that knows the whole dialogue: `> line` must be sent next, `< line` comes next."""

    def __init__(self, dialogue: Sequence[str]) -> None:
        self.dialogue = list(dialogue)
        self.closed: str | None = None
        self.seconds = 0.0

    def send(self, line: str) -> None:
        assert self.dialogue and self.dialogue[0] == f"> {line}", (line, self.dialogue[:1])
        self.dialogue.pop(0)

    def receive(self, seconds: float) -> str:
        if not self.dialogue:
            raise EngineFault("ended with code 1")
        if not self.dialogue[0].startswith("<"):
            raise EngineSilence(f"gave no answer within {seconds:.3g} seconds")
        return self.dialogue.pop(0)[2:]

    def forget(self) -> None:
        """Nothing comes unasked."""

    def close(self, farewell: str = "") -> None:
        self.closed = farewell
