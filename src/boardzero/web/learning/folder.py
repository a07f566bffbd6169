"""What the folder of a run tells, read while somebody else may be writing it."""

import json
import time
from pathlib import Path
from typing import Any

from boardzero.errors import BadInput
from boardzero.training.lock import FolderLock
from boardzero.web.learning.models import Run, RunState
from boardzero.web.networks import generations_in, run_settings

MOST_EVENT_BYTES = 8_000_000  # of events.jsonl that are read; the newest, if there are more


class RunView:
    """One run's folder, read only."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def settings(self) -> dict[str, Any]:
        """Empty where they cannot be read."""
        return run_settings(self.path) or {}

    def events(self) -> list[dict[str, Any]]:
        return EventTail(self.path).read()

    def is_locked(self) -> bool:
        """Does a process train here?"""
        if not (self.path / "lock").is_file():
            return False
        try:
            FolderLock(self.path).release()
        except (BadInput, OSError):
            return True
        return False

    def is_finished(self) -> bool:
        return _share(self.settings(), self._newest()) >= 1

    def describe(self, identity: str, state: RunState, mine: bool, trouble: str) -> Run:
        settings, newest = self.settings(), self._newest()
        share = 1.0 if state == "finished" else min(1.0, self._share_now(settings, newest, state))
        return Run(
            id=identity,
            title=self.path.name,
            game=str(settings.get("game", "")),
            state=state,
            mine=mine,
            minutes=settings.get("minutes"),
            generations=settings.get("generations"),
            generation=int(newest.get("generation", 0)),
            seconds=float(newest.get("seconds", 0.0)),
            games=int(newest.get("games", 0)),
            positions=int(newest.get("positions", 0)),
            share=share,
            network_generations=generations_in(self.path),
            trouble=trouble or ("" if settings else "Its settings cannot be read."),
        )

    def _share_now(self, settings: dict[str, Any], newest: dict[str, Any], state: RunState) -> float:
        """Between two generations a running training has gone on since the last one."""
        share = _share(settings, newest)
        if state == "running" and settings.get("minutes"):
            file = self.path / ("events.jsonl" if newest else "settings.json")
            share += max(0.0, time.time() - file.stat().st_mtime) / (60 * settings["minutes"])
        return share

    def _newest(self) -> dict[str, Any]:
        """The last complete generation."""
        return next((event for event in reversed(self.events()) if event.get("event") == "GenerationDone"), {})


def _share(settings: dict[str, Any], newest: dict[str, Any]) -> float:
    """How much of a run is done, at its newest generation."""
    if settings.get("minutes"):
        return float(newest.get("seconds", 0.0)) / (60 * settings["minutes"])
    return float(newest.get("generation", 0)) / (settings.get("generations") or 1)


class EventTail:
    """Reads a run's events as they are written: each call gives those that came since the last."""

    def __init__(self, run: Path) -> None:
        self._file = run / "events.jsonl"
        self._offset: int | None = None

    def read(self) -> list[dict[str, Any]]:
        try:
            with self._file.open("rb") as file:
                size = file.seek(0, 2)
                if self._offset is None:
                    self._offset = max(0, size - MOST_EVENT_BYTES)
                file.seek(self._offset)
                text = file.read(MOST_EVENT_BYTES)
        except OSError:
            return []
        complete, newline, _ = text.rpartition(b"\n")  # a line that is being written is read next time
        self._offset += len(complete) + len(newline)
        return [event for event in map(_parse, complete.splitlines()) if event is not None]


class ProgressTail:
    """What a run says is under way; each call gives it if it is news."""

    def __init__(self, run: Path) -> None:
        self._file = run / "progress.json"
        self._seen = b""

    def read(self) -> dict[str, Any] | None:
        try:
            content = self._file.read_bytes()
        except OSError:
            return None
        if content == self._seen:
            return None
        self._seen = content
        return _parse(content)


def _parse(line: bytes) -> dict[str, Any] | None:
    try:
        event = json.loads(line)
    except ValueError:
        return None
    return event if isinstance(event, dict) else None
