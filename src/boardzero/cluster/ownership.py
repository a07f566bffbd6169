"""Who works on a run that lies in other storage: one driver at a time."""

import json
import os
import socket
import time
from pathlib import Path
from typing import Any
from uuid import uuid4

from boardzero.errors import BadInput

ALIVE_SECONDS = 60.0  # for which nobody else takes over a run whose driver was heard of
OWNER = "owner.json"  # there alone: who works on the run, and when that was last known
TOKEN = "copy.json"  # there and here: another one for each who took the run over, so that a folder is known by it


class TakenOver(Exception):
    """Somebody else works on the run now."""


class Ownership:
    """This process as the owner of a run's copy."""

    def __init__(self, storage: Any, root: str, url: str) -> None:
        self._storage, self._owner_path, self._token_path, self._url = storage, f"{root}/{OWNER}", f"{root}/{TOKEN}", url
        self._name, self._token = f"{socket.gethostname()}:{os.getpid()}", uuid4().hex

    def refuse_others(self) -> None:
        """Refuse (BadInput) while another driver is alive; afterwards the run is this one's."""
        owner = self._read(self._owner_path)
        if owner and time.time() - owner["seconds"] < ALIVE_SECONDS:
            raise BadInput(f"{owner['owner']} is training in '{self._url}'; stop it first, or wait a minute if it was killed.")
        self._write_owner()

    def was_last(self, folder: Path) -> bool:
        """Was it this folder that the copy was made from?"""
        there, here = self._read(self._token_path), folder / TOKEN
        return bool(there) and here.is_file() and here.read_text() == json.dumps(there)

    def take(self, folder: Path) -> None:
        """Whatever folder worked on the run before, it is this one now."""
        folder.mkdir(parents=True, exist_ok=True)
        content = json.dumps({"token": self._token})
        (folder / TOKEN).write_text(content)
        self._storage.pipe_file(self._token_path, content.encode())

    def sign(self) -> None:
        """Say that this driver is alive; raises TakenOver if another one took it for dead."""
        owner = self._read(self._owner_path)
        if owner and owner.get("token") != self._token:
            raise TakenOver(f"{owner['owner']} has taken over '{self._url}': nothing more is copied there, and this run ends.")
        self._write_owner()

    def release(self) -> None:
        self._storage.rm_file(self._owner_path)

    def _write_owner(self) -> None:
        content = json.dumps({"owner": self._name, "token": self._token, "seconds": time.time()})
        self._storage.pipe_file(self._owner_path, content.encode())

    def _read(self, path: str) -> dict[str, Any]:
        self._storage.invalidate_cache()
        content: dict[str, Any] = json.loads(self._storage.cat_file(path)) if self._storage.exists(path) else {}
        return content
