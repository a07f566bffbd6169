"""A run's folder in object storage, or anywhere else that fsspec reaches: `s3://bucket/run`, `gs://…`, `file:///mnt/…`.

The run itself works in a folder of this machine, and everything in it is copied there every few seconds: first games and
networks, then the checkpoint that refers to them. So what is there can be resumed from at any time, on any machine.
"""

import json
import os
import socket
import threading
import time
from pathlib import Path
from types import TracebackType
from typing import Any

from boardzero.errors import BadInput

COPY_SECONDS = 10.0
ALIVE_SECONDS = 60.0  # for which nobody else takes over a run whose driver was heard of
LOCK = "lock"  # stays on the machine
OWNER = "owner.json"  # who works on the run, and when that was last known
LAST = ("promotions.json", "checkpoint-before.safetensors", "checkpoint.safetensors")  # copied after what they refer to
UNFINISHED = (".part", ".partial")


def is_remote(text: str) -> bool:
    return "://" in text


def local_folder(url: str) -> Path:
    """Where a run of this address is worked on here."""
    return Path("runs") / "".join(letter if letter.isalnum() or letter in ".-" else "-" for letter in url.partition("://")[2])


def refuse_existing(url: str) -> None:
    """Refuse (BadInput) to begin a run where there is one."""
    storage, root = _storage(url)
    if storage.exists(f"{root}/settings.json"):
        raise BadInput(f"There is a run in '{url}' already; go on with it by: boardzero resume {url}")


class Mirror:
    """with Mirror(url, folder) as mirror:   # brings what is there here, then copies what changes
    ...                                # work in folder
    """

    def __init__(self, url: str, folder: Path) -> None:
        self._storage, self._root = _storage(url)
        self.url, self._folder = url, folder
        self._copied: dict[str, tuple[int, int]] = {}  # file → size and time of what was copied last
        self._closing = threading.Event()
        self._failure: Exception | None = None
        self._thread = threading.Thread(target=self._copy_again_and_again, daemon=True)
        self._owner = f"{socket.gethostname()}:{os.getpid()}"

    def __enter__(self) -> "Mirror":
        try:
            self._refuse_others()
            self.fetch()
        except OSError as error:
            raise BadInput(f"'{self.url}' cannot be reached: {error}.") from None
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._closing.set()
        self._thread.join()
        self.copy()
        self._storage.rm_file(self._at(OWNER))

    def fetch(self) -> None:
        """Bring files here that are not here, or not complete; what is here and newer stays."""
        for name, size in self._there().items():
            path = self._folder / name
            if name != OWNER and (not path.is_file() or path.stat().st_size < size):
                path.parent.mkdir(parents=True, exist_ok=True)
                temporary = path.with_name(path.name + UNFINISHED[1])
                temporary.write_bytes(self._storage.cat_file(self._at(name)))
                temporary.replace(path)

    def copy(self) -> None:
        """Copy what has changed, and remove there what is not here any more."""
        names = self._here()
        for name in sorted(names, key=lambda name: (LAST.index(name) + 1 if name in LAST else 0, name)):
            path = self._folder / name
            try:
                status = path.stat()
                mark = status.st_size, status.st_mtime_ns
                if self._copied.get(name) != mark:
                    self._storage.pipe_file(self._at(name), path.read_bytes())
                    self._copied[name] = mark
            except FileNotFoundError:  # sealed, pruned or forgotten meanwhile
                continue
        for name in set(self._there()) - set(self._here()) - {OWNER}:
            self._storage.rm_file(self._at(name))
            self._copied.pop(name, None)
        self._sign()

    def raise_failure(self) -> None:
        """What went wrong with the last copy, if anything did."""
        if self._failure is not None:
            raise BadInput(f"The run cannot be copied to '{self.url}': {self._failure}.")

    def _copy_again_and_again(self) -> None:
        while not self._closing.wait(COPY_SECONDS):
            try:
                self.copy()
                self._failure = None
            except Exception as error:  # storages have errors of their own; the next copy may succeed
                self._failure = error

    # -- what is where ---------------------------------------------------------------------------------------------------
    def _here(self) -> list[str]:
        files = (path for path in self._folder.rglob("*") if path.is_file())
        names = [path.relative_to(self._folder).as_posix() for path in files if not path.name.endswith(UNFINISHED)]
        return [name for name in names if name != LOCK]

    def _there(self) -> dict[str, int]:
        if not self._storage.exists(self._root):
            return {}
        self._storage.invalidate_cache()
        found = self._storage.find(self._root, detail=True)
        return {path.removeprefix(self._root).lstrip("/"): int(entry["size"]) for path, entry in found.items()}

    def _at(self, name: str) -> str:
        return f"{self._root}/{name}"

    # -- one driver at a time --------------------------------------------------------------------------------------------
    def _sign(self) -> None:
        content = json.dumps({"owner": self._owner, "seconds": time.time()})
        self._storage.pipe_file(self._at(OWNER), content.encode())

    def _refuse_others(self) -> None:
        if self._storage.exists(self._at(OWNER)):
            content = json.loads(self._storage.cat_file(self._at(OWNER)))
            if content["owner"] != self._owner and time.time() - content["seconds"] < ALIVE_SECONDS:
                raise BadInput(
                    f"{content['owner']} is training in '{self.url}'; stop it first, or wait a minute if it was killed."
                )
        self._sign()


def _storage(url: str) -> tuple[Any, str]:
    """What fsspec makes of an address: a file system, and a path in it."""
    try:
        import fsspec  # type: ignore[import-untyped]
    except ImportError:
        raise BadInput(f"'{url}' needs fsspec, which is not installed: pip install 'boardzero[cluster]'") from None
    try:
        options = {"auto_mkdir": True} if url.startswith("file:") else {}
        storage, root = fsspec.core.url_to_fs(url, **options)
    except (ImportError, ValueError) as error:
        raise BadInput(f"'{url}' cannot be reached: {' '.join(str(error).split())}.") from None
    return storage, root.rstrip("/")
