"""A run that says on standard output what it does, for those who kill it: each game as it ends, and each event.

python reported_run.py FOLDER LAST

It kills itself just before its LAST-th change of the disk (a file is forced to it, renamed or removed); 0: never.
"""

import os
import signal
import sys
import time
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

from boardzero.events.training import TrainingEvent
from boardzero.replay.record import SelfPlayGame
from boardzero.search.forest import Evaluator
from boardzero.selfplay.worker import SelfPlayWorker
from boardzero.training.loop import Training
from boardzero.training.run_folder import RunFolder


def say(*words: object) -> None:
    """A line at once, and whole."""
    os.write(1, (" ".join(map(str, words)) + "\n").encode())


def report_games() -> None:
    """Every worker says when a game has ended, before it hands it over."""
    run = SelfPlayWorker.run

    def reporting(
        self: SelfPlayWorker,
        evaluate: Evaluator,
        generation: int,
        on_game: Callable[[SelfPlayGame], None],
        stop: Callable[[], bool],
    ) -> None:
        def report(game: SelfPlayGame) -> None:
            say("game", game.number, time.time())
            on_game(game)

        run(self, evaluate, generation, report, stop)

    SelfPlayWorker.run = reporting  # type: ignore[method-assign]


def tell(event: TrainingEvent) -> None:
    say(type(event).__name__)


def die_before_change(last: int) -> None:
    """Whichever thread it is that makes it."""
    changes = count(1)

    def counted(change: Callable[..., Any]) -> Callable[..., Any]:
        def count_and_change(*arguments: Any, **options: Any) -> Any:
            if next(changes) == last:
                say("dead", 0, time.time())
                os.kill(os.getpid(), signal.SIGKILL)
            return change(*arguments, **options)

        return count_and_change

    for name in ("fsync", "replace", "unlink"):
        setattr(os, name, counted(getattr(os, name)))


if __name__ == "__main__":
    report_games()
    die_before_change(int(sys.argv[2]))
    with Training(RunFolder(Path(sys.argv[1])), tell) as training:
        training.run()
