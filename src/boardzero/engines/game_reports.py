"""Games that an engine has played, on their way into the game log.

A process of its own writes them, in a session of its own. So the one that answers loads nothing for the log, never waits for a
database, and may be ended at once: the writer goes on until every game is in the database, or on disk for it. It loads what it
needs when the first game is over.

A report is a line of JSON. What the sessions know is told as it is: positions (GTP, NBoard) or stones (Gomocup).
"""

import json
import os
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

GameReport = dict[str, Any]
Reporter = Callable[[GameReport], None]  # hears of each game when it is over

NICENESS = 5  # the writer leaves the cores to those who think


def unreported(_: GameReport) -> None:
    """Nobody asked for the games."""


# -- in the answering process ------------------------------------------------------------------------------------------
class GameReports:
    """A `Reporter` that hands the games to the writer, which ends after this process; several conversations may share it."""

    def __init__(self, database: str, protocol: str, player: str | None) -> None:
        """database: where the log is; player: who thinks, as it was named (None: the strongest)."""
        self._turn = threading.Lock()
        words = [sys.executable, "-P", "-c", f"from {__name__} import main; main()"]
        self._process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, start_new_session=True)
        self._write({"database": database, "protocol": protocol, "player": player})

    def __call__(self, report: GameReport) -> None:
        """Returns at once; a writer that has ended is not waited for."""
        self._write({**report, "ended": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())})

    def _write(self, content: dict[str, Any]) -> None:
        assert self._process.stdin
        with self._turn, suppress(OSError, ValueError):
            self._process.stdin.write(json.dumps(content).encode() + b"\n")
            self._process.stdin.flush()


# -- in the writing process --------------------------------------------------------------------------------------------
def main() -> None:
    _give_way()
    write_reports(sys.stdin.buffer)


def _give_way() -> None:
    """Linux weighs whole sessions against one another (autogroups) before the processes in them."""
    if hasattr(os, "nice"):
        os.nice(NICENESS)
    if sys.platform == "linux":
        with suppress(OSError):
            Path("/proc/self/autogroup").write_text(str(NICENESS))


def write_reports(stream: IO[bytes]) -> None:
    """Write the games that come, until no more can come. Lines are read while others are written: nobody waits for us."""
    line = stream.readline()
    if not line:
        return
    conversation = json.loads(line)
    reports: queue.SimpleQueue[GameReport | None] = queue.SimpleQueue()

    def read() -> None:
        for line in stream:
            with suppress(ValueError):  # a line may be torn where the engine was killed
                reports.put(json.loads(line))
        reports.put(None)

    threading.Thread(target=read, daemon=True).start()
    report = reports.get()
    if report is None:
        return
    from boardzero.engines.reported_games import log_reports

    log_reports(conversation, report, reports.get)
