"""Speaking with another program through its standard input and output, without ever waiting for it forever."""

import math
import os
import queue
import shlex
import shutil
import signal
import subprocess
import threading
import time
from contextlib import suppress
from typing import IO, Protocol

from boardzero.errors import BadInput
from boardzero.players.engine_lines import lines_with_moments, read_line

ENDING_SECONDS = 1.0  # that a program has to end by itself when it was asked to
KILLED_SECONDS = 30.0  # that the system has to end it
MOST_UNREAD = 10_000  # lines that wait to be read; who says more is not listened to any longer


class EngineFault(Exception):
    """The other program did what its protocol forbids, or nothing at all. It loses its game."""


class EngineSilence(EngineFault):
    """It did not answer in time."""


class Transport(Protocol):
    """Lines to and from another program."""

    seconds: float  # from what was sent to what came, summed over all exchanges; whoever wants it from now on sets it to 0

    def send(self, line: str) -> None:
        """EngineFault if nobody reads any more."""

    def receive(self, seconds: float) -> str:
        """The next line; EngineSilence if none comes in this time, EngineFault if none can come.

        Of time that is over (seconds below 0) lines are still given that came within it, however late we get to read them.
        """

    def forget(self) -> None:
        """Drop what has come and was not asked for."""

    def close(self, farewell: str = "") -> None:
        """End the other program, by a last line if it listens, otherwise by force."""


class ProcessTransport:
    """A program that was started here."""

    def __init__(self, command: str) -> None:
        self.command = command
        self.seconds = self._sent = 0.0
        self._lines: queue.SimpleQueue[tuple[str, float] | None] = queue.SimpleQueue()  # and the moments at which they came
        self._last_words = ""
        self._says_too_much = False
        try:
            self._process = subprocess.Popen(
                command if os.name == "nt" else shlex.split(command),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,  # Ctrl-C is for us, and whoever it starts can be ended with it
            )
        except OSError as error:
            raise BadInput(f"'{command}' cannot be started: {error.strerror or error}.") from None
        assert self._process.stdin and self._process.stdout and self._process.stderr
        self._input: IO[bytes] = self._process.stdin
        self._complaints = threading.Thread(target=self._read_complaints, daemon=True)
        for thread in (threading.Thread(target=self._read_answers, daemon=True), self._complaints):
            thread.start()

    def send(self, line: str) -> None:
        self._sent = time.perf_counter()
        try:
            self._input.write(line.encode() + b"\n")
            self._input.flush()
        except (OSError, ValueError):
            raise EngineFault(f"{self._ending()} before '{line[:60]}'") from None

    def receive(self, seconds: float) -> str:
        deadline = time.perf_counter() + seconds
        try:
            entry = self._lines.get(timeout=min(max(0.0, seconds), threading.TIMEOUT_MAX))
        except queue.Empty:
            entry = "", math.inf
        if entry is None:
            self._lines.put(None)
            raise EngineFault(self._ending())
        line, came = entry
        if came > deadline:
            raise EngineSilence(f"gave no answer within {max(0.0, seconds):.3g} seconds")
        self.seconds += max(0.0, came - self._sent)
        self._sent = max(came, self._sent)
        return line

    def forget(self) -> None:
        with suppress(queue.Empty):
            while True:
                if self._lines.get_nowait() is None:
                    self._lines.put(None)
                    return

    def close(self, farewell: str = "") -> None:
        with suppress(EngineFault, OSError, ValueError):
            if farewell:
                self.send(farewell)
            self._input.close()
        with suppress(subprocess.TimeoutExpired):
            if farewell:
                self._process.wait(ENDING_SECONDS)
        self._kill()

    def _kill(self) -> None:
        """The program and whatever it has started."""
        with suppress(OSError):
            if os.name == "posix":
                os.killpg(self._process.pid, signal.SIGKILL)
            else:
                self._process.kill()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(KILLED_SECONDS)

    def _ending(self) -> str:
        """How it ended, with the last that it complained of."""
        if self._says_too_much:
            return f"said more than {MOST_UNREAD} lines that were no answer"
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(ENDING_SECONDS)
        self._complaints.join(ENDING_SECONDS)  # lets the last words be heard
        code = self._process.returncode
        how = "closed its output" if code is None else f"ended with code {code}"
        return f"{how} ({self._last_words})" if self._last_words else how

    def _read_answers(self) -> None:
        assert self._process.stdout
        with suppress(OSError, ValueError):
            for line, moment in lines_with_moments(self._process.stdout):
                self._says_too_much = self._lines.qsize() >= MOST_UNREAD
                self._lines.put((line.decode(errors="replace").rstrip("\r\n"), moment))
                if self._says_too_much:
                    break
        self._lines.put(None)

    def _read_complaints(self) -> None:
        assert self._process.stderr
        with suppress(OSError, ValueError):
            while line := read_line(self._process.stderr):
                said = " ".join(line.decode(errors="replace").split())
                self._last_words = said[:200] or self._last_words


def check_command(command: str) -> None:
    """Refuse (BadInput) a command whose program cannot be found."""
    if not command.strip():
        raise BadInput("An engine needs a command that starts it: engine:PROTOCOL:COMMAND.")
    try:
        words = shlex.split(command, posix=os.name == "posix")
    except ValueError as error:
        raise BadInput(f"The command '{command}' cannot be split into words: {error}.") from None
    if not words or shutil.which(words[0].strip('"')) is None:
        raise BadInput(f"There is no program '{words[0] if words else ''}' to run as an engine.")
