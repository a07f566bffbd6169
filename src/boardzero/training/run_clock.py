"""How long a run has been at work, over all the processes that have worked on it."""

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager

from boardzero.network.weights import write_whole
from boardzero.replay.shards import set_aside
from boardzero.training.run_folder import RunFolder, Say

CLOCK = "clock.json"  # in a run's folder: how long it had been at work when it last took in games
KEPT_EVERY = 5.0  # seconds between two notes of that


class RunClock:
    """Counts on from what was counted before; it can be made to stand still."""

    def __init__(self, folder: RunFolder, seconds: float) -> None:
        self._folder = folder
        self._begun = time.perf_counter() - seconds
        self._stopped_at: float | None = None
        self._played_until = self._kept = seconds  # when games were last taken in, and what the folder knows of it

    @property
    def seconds(self) -> float:
        return (self._stopped_at or time.perf_counter()) - self._begun

    @contextmanager
    def stopped(self) -> Iterator[None]:
        """What happens inside takes no time."""
        self._stopped_at = begun = time.perf_counter()
        try:
            yield
        finally:
            self._begun += time.perf_counter() - begun
            self._stopped_at = None

    def note_games(self) -> None:
        """Games have just been taken in; from time to time the folder is told."""
        self._played_until = self.seconds
        if self._played_until - self._kept > KEPT_EVERY:
            self.keep()

    def keep(self) -> None:
        """Let the folder know when games were last taken in."""
        self._kept = self._played_until
        keep_seconds(self._folder, self._played_until)


def keep_seconds(folder: RunFolder, seconds: float) -> None:
    write_whole(folder.path / CLOCK, json.dumps({"seconds": seconds}).encode())


def kept_seconds(folder: RunFolder, say: Say) -> float:
    """What the folder knows; 0 if that is nothing. A damaged file is set aside, and a sentence is said about it."""
    path = folder.path / CLOCK
    if not path.is_file():
        return 0.0
    try:
        return float(json.loads(path.read_bytes())["seconds"])
    except (ValueError, KeyError, TypeError) as error:
        aside = set_aside(path).name
        say(f"The clock '{path}' is damaged ({error}); it was renamed to '{aside}': time counts from the last checkpoint on.")
        return 0.0
