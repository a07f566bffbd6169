"""What a run does at the moment, in a small file beside its events: those who only see the folder can tell how far it is."""

import json
import os
from contextlib import suppress
from dataclasses import asdict

from boardzero.events.training import LearningProgress, Listener, SelfPlayProgress, TrainingEvent
from boardzero.training.run_folder import RunFolder


class ProgressFile:
    """Hears all events and hands them on; the newest report on what is under way is in progress.json, whole at any time."""

    def __init__(self, folder: RunFolder, listen: Listener) -> None:
        self._file, self._listen = folder.progress, listen
        self.remove()

    def __call__(self, event: TrainingEvent) -> None:
        if isinstance(event, SelfPlayProgress | LearningProgress):
            self._write(event)
        self._listen(event)

    def remove(self) -> None:
        """Nothing is under way."""
        with suppress(OSError):
            self._file.unlink(missing_ok=True)

    def _write(self, event: SelfPlayProgress | LearningProgress) -> None:
        """Not forced to the disk: after a crash nothing is under way. A training never ends because this fails."""
        unfinished = self._file.with_name(f".{self._file.name}.part")
        with suppress(OSError):
            unfinished.write_text(json.dumps({"event": type(event).__name__, **asdict(event)}), encoding="utf-8")
            os.replace(unfinished, self._file)
