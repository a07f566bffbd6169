"""Trainings as processes of their own: `boardzero train` and `boardzero resume`, started, stopped and looked after.

What a run knows is in its folder; the keeper only remembers which processes it started. They end with the server, where
they can be resumed.
"""

import asyncio
import os
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import IO

from boardzero.errors import BadInput
from boardzero.settings.changes import apply_changes
from boardzero.settings.run import RunSettings
from boardzero.web.describing.looks import find_page_game
from boardzero.web.learning.folder import RunView
from boardzero.web.learning.models import NewRun, Run, Runs, RunState, WholeRun
from boardzero.web.networks import RunShelf, run_id

COMMAND = (sys.executable, "-c", "from boardzero.cli.main import main; main()")
START_SECONDS = 120.0  # for a new process to make its folder, on a machine that is busy with other things
STOP_SECONDS = 20.0  # for a process to end after it was asked to, when the server stops
BACKGROUND = 10  # niceness: the page comes first
LAST_WORDS = 2000  # characters of what a failed process said


class AlreadyTraining(Exception):
    """One training at a time."""


@dataclass
class Worker:
    """A process that trains in a folder."""

    run: str
    folder: Path
    process: "subprocess.Popen[bytes]"
    output: IO[bytes]  # what it says

    @property
    def alive(self) -> bool:
        return self.process.poll() is None

    def trouble(self) -> str:
        """Why it failed, in its own words."""
        code = self.process.poll()
        if code in (None, 0, 130, -signal.SIGINT):
            return ""
        self.output.seek(0, os.SEEK_END)
        self.output.seek(max(0, self.output.tell() - LAST_WORDS))
        lines = self.output.read().decode(errors="replace").strip().splitlines()
        said = next((line for line in reversed(lines) if line.startswith("boardzero: ")), lines[-1] if lines else "")
        return (
            f"The training ended with code {code}: {said.removeprefix('boardzero: ')}"
            if said
            else f"It ended with code {code}."
        )


class RunKeeper:
    """Starts, stops and lists trainings; one at a time."""

    def __init__(self, shelf: RunShelf) -> None:
        self.shelf = shelf
        self._workers: dict[str, Worker] = {}

    # -- looking -------------------------------------------------------------------------------------------------------
    def all(self, can_train: bool) -> Runs:
        runs = [self._describe(identity, RunView(path)) for identity, path in self.shelf.scan().items()]
        return Runs(runs=runs, can_train=can_train, running=self.running())

    def running(self) -> str | None:
        return next((worker.run for worker in self._workers.values() if worker.alive), None)

    def find(self, identity: str) -> Run:
        """KeyError if there is no such run."""
        return self._describe(identity, RunView(self.shelf.path(identity)))

    def whole(self, identity: str) -> WholeRun:
        view = RunView(self.shelf.path(identity))
        short = self._describe(identity, view)
        return WholeRun(**short.model_dump(), events=view.events(), settings=view.settings())

    # -- doing ---------------------------------------------------------------------------------------------------------
    async def start(self, wish: NewRun) -> Run:
        """A new run; wrong settings are refused (BadInput) before anything is made."""
        self._refuse_second()
        game = find_page_game(wish.game)
        values = {"game": game.specification, "seed": wish.seed, "minutes": wish.minutes, "generations": wish.generations}
        apply_changes(RunSettings, values, wish.settings)
        name = f"{game.specification.replace(':', '-').replace(',', '-').replace('=', '')}-{datetime.now():%Y%m%d-%H%M%S}"
        folder = self.shelf.folder / name
        end = ("--minutes", f"{wish.minutes:g}") if wish.minutes is not None else ("--generations", str(wish.generations))
        changes = [part for change in wish.settings for part in ("--set", change)]
        self.shelf.folder.mkdir(parents=True, exist_ok=True)
        worker = self._spawn(
            folder, ["train", game.specification, *end, "--seed", str(wish.seed), "--run", str(folder), *changes]
        )
        deadline = time.monotonic() + START_SECONDS
        while worker.alive and not (folder / "settings.json").is_file() and time.monotonic() < deadline:
            await asyncio.sleep(0.1)
        if not (folder / "settings.json").is_file():
            trouble = worker.trouble() or "It did not begin in time."
            self._end(worker)
            raise BadInput(f"The training could not be started. {trouble}")
        return self.find(worker.run)

    async def resume(self, identity: str) -> Run:
        self._refuse_second()
        folder = self.shelf.path(identity)
        if RunView(folder).is_locked():
            raise AlreadyTraining("Another process trains in this run already.")
        self._spawn(folder, ["resume", str(folder)])
        return self.find(identity)

    async def stop(self, identity: str) -> Run:
        """Ask a training to end; it writes what it has, and can be resumed."""
        self.shelf.path(identity)
        worker = self._workers.get(identity)
        if worker is None or not worker.alive:
            locked = RunView(self.shelf.path(identity)).is_locked()
            raise BadInput("It was not started from here; stop it where it was." if locked else "This training does not run.")
        worker.process.send_signal(signal.SIGINT if os.name == "posix" else signal.SIGTERM)
        return self.find(identity)

    def close(self) -> None:
        """End all trainings, gently first."""
        alive = [worker for worker in self._workers.values() if worker.alive]
        for worker in alive:
            worker.process.send_signal(signal.SIGINT if os.name == "posix" else signal.SIGTERM)
        for worker in alive:
            self._end(worker, STOP_SECONDS)

    # -- details -------------------------------------------------------------------------------------------------------
    def _describe(self, identity: str, view: RunView) -> Run:
        worker = self._workers.get(identity)
        mine = worker is not None and worker.alive
        trouble = worker.trouble() if worker is not None else ""
        return view.describe(identity, self._state(view, worker), mine, trouble)

    def _state(self, view: RunView, worker: Worker | None) -> RunState:
        if worker is not None and worker.alive:
            return "running" if view.is_locked() else "starting"
        if view.is_locked():
            return "running"
        if worker is not None and worker.trouble():
            return "failed"
        return "finished" if view.is_finished() else "stopped"

    def _refuse_second(self) -> None:
        running = self.running()
        if running is not None:
            raise AlreadyTraining(f"The training '{running}' runs already; stop it first.")

    def _spawn(self, folder: Path, arguments: list[str]) -> Worker:
        output = tempfile.TemporaryFile()  # noqa: SIM115 - read when the process has failed
        process = subprocess.Popen(
            [*COMMAND, *arguments],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,  # Ctrl-C at the server's terminal is told to it by the server, once
        )
        if os.name == "posix":
            os.setpriority(os.PRIO_PROCESS, process.pid, BACKGROUND)  # its threads, which come later, inherit it
        worker = Worker(run_id(folder.name), folder, process, output)
        self._workers[worker.run] = worker
        return worker

    def _end(self, worker: Worker, patience: float = 1.0) -> None:
        try:
            worker.process.wait(patience)
        except subprocess.TimeoutExpired:
            worker.process.kill()
            worker.process.wait()
