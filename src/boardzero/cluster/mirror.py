"""A run's folder in object storage, or anywhere else that fsspec reaches: `s3://bucket/run`, `gs://…`, `file:///mnt/…`.

The run itself works in a folder of this machine, and everything in it is copied there every few seconds: first games and
networks, then the checkpoint that refers to them. So what is there can be resumed from at any time, on any machine.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any

from boardzero.cluster.ownership import OWNER, TOKEN, Ownership, TakenOver
from boardzero.errors import BadInput
from boardzero.training.lock import FolderLock

COPY_SECONDS = 10.0
SIGN_SECONDS = 15.0
LOCK = "lock"  # stays on the machine
LAST = ("promotions.json", "checkpoint-before.safetensors", "checkpoint.safetensors")  # copied after what they refer to
UNFINISHED = (".part", ".partial")


def is_remote(text: str) -> bool:
    return "://" in text


def local_folder(url: str) -> Path:
    """Where a run of this address is worked on here."""
    return Path("runs") / "".join(letter if letter.isalnum() or letter in ".-" else "-" for letter in url.replace("://", "-"))


def refuse_existing(url: str) -> None:
    """Refuse (BadInput) to begin a run where there is one."""
    storage, root = _storage(url)
    with _troubles_said(url):
        exists = storage.exists(f"{root}/settings.json")
    if exists:
        raise BadInput(f"There is a run in '{url}' already; go on with it by: boardzero resume {url}")


class Mirror:
    """with Mirror(url, folder, say, stop) as mirror:   # brings what is there here, then copies what changes
    ...                                                 # work in folder
    """

    def __init__(self, url: str, folder: Path, say: Callable[[str], None], stop: Callable[[], None]) -> None:
        """say: what goes wrong, from another thread; stop: is called when somebody else has taken the run over."""
        self._storage, self._root = _storage(url)
        self.url, self._folder, self._say, self._stop = url, folder, say, stop
        self._ownership = Ownership(self._storage, self._root, url)
        self._copied: dict[str, tuple[int, int]] = {}  # file → size and time of what was copied last
        self._closing, self._lost = threading.Event(), threading.Event()
        self._threads = [
            threading.Thread(target=self._repeat, args=arguments, daemon=True)
            for arguments in ((self.copy, COPY_SECONDS), (self._ownership.sign, SIGN_SECONDS))
        ]

    def __enter__(self) -> "Mirror":
        with _troubles_said(self.url):
            self._ownership.refuse_others()
            self._fetch()
            self._ownership.take(self._folder)
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._closing.set()
        for thread in self._threads:
            thread.join()
        if self._lost.is_set():
            return
        try:
            self.copy()
            self._ownership.release()
        except TakenOver as taken:
            self._say(str(taken))
        except Exception as trouble:  # storages have errors of their own
            self._say(
                f"The last changes could not be copied to '{self.url}' ({trouble}); they are in '{self._folder}', and"
                f" `boardzero resume {self.url}` on this machine goes on with them."
            )

    def copy(self) -> None:
        """Copy what has changed, and remove there what was not here any more when this began; raises TakenOver."""
        self._ownership.sign()
        names = self._here()
        for name in sorted(names, key=lambda name: (LAST.index(name) + 1 if name in LAST else 0, name)):
            if self._lost.is_set():
                return
            path = self._folder / name
            try:
                status = path.stat()
                mark = status.st_size, status.st_mtime_ns
                content = path.read_bytes() if self._copied.get(name) != mark else None
            except FileNotFoundError:  # sealed, pruned or forgotten meanwhile
                continue
            if content is not None:
                self._storage.pipe_file(self._at(name), content)
                self._copied[name] = mark
        for name in self._there() - set(names) - {OWNER, TOKEN}:
            self._storage.rm_file(self._at(name))
            self._copied.pop(name, None)

    def _repeat(self, work: Callable[[], None], seconds: float) -> None:
        """Again and again; trouble is said once, and the next time may succeed."""
        failing = False
        while not self._closing.wait(seconds) and not self._lost.is_set():
            try:
                work()
                failing = False
            except TakenOver as error:
                if not self._lost.is_set():
                    self._lost.set()
                    self._say(str(error))
                    self._stop()
            except Exception as error:  # storages have errors of their own
                if not failing:
                    failing = True
                    self._say(f"The run cannot be copied to '{self.url}' now ({error}); it goes on here, and tries again.")

    # -- what is where ---------------------------------------------------------------------------------------------------
    def _fetch(self) -> None:
        """Bring the run here, unless it was this folder that worked on it last: then what is here is newer, if anything."""
        names = self._there()
        if "settings.json" not in names or self._ownership.was_last(self._folder):
            return
        if self._folder.exists():
            self._set_aside()
        for name in sorted(names - {OWNER}):
            path = self._folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            temporary = path.with_name(path.name + UNFINISHED[1])
            temporary.write_bytes(self._storage.cat_file(self._at(name)))
            temporary.replace(path)

    def _set_aside(self) -> None:
        """The folder has another history than the copy, which counts."""
        FolderLock(self._folder).release()  # nobody may be working in it
        number = 1
        while (aside := self._folder.with_name(f"{self._folder.name}-before-{number}")).exists():
            number += 1
        self._folder.rename(aside)
        self._say(f"'{self._folder}' was not what is in '{self.url}'; it was renamed to '{aside.name}'.")

    def _here(self) -> list[str]:
        files = (path for path in self._folder.rglob("*") if path.is_file())
        names = [path.relative_to(self._folder).as_posix() for path in files if not path.name.endswith(UNFINISHED)]
        return [name for name in names if name not in (LOCK, TOKEN)]

    def _there(self) -> set[str]:
        self._storage.invalidate_cache()
        found = self._storage.find(self._root) if self._storage.exists(self._root) else []
        return {path.removeprefix(self._root).lstrip("/") for path in found}

    def _at(self, name: str) -> str:
        return f"{self._root}/{name}"


@contextmanager
def _troubles_said(url: str) -> Iterator[None]:
    """Whatever a storage raises ends in a sentence (BadInput)."""
    try:
        yield
    except BadInput:
        raise
    except Exception as error:  # storages have errors of their own
        raise BadInput(f"'{url}' cannot be reached: {' '.join(str(error).split()) or type(error).__name__}.") from error


def _storage(url: str) -> tuple[Any, str]:
    """What fsspec makes of an address: a file system, and a path in it."""
    try:
        import fsspec  # type: ignore[import-untyped]
    except ImportError:
        raise BadInput(f"'{url}' needs fsspec, which is not installed: pip install 'boardzero[cluster]'") from None
    with _troubles_said(url):
        options = {"auto_mkdir": True} if url.startswith("file:") else {}
        storage, root = fsspec.core.url_to_fs(url, **options)
    return storage, root.rstrip("/")
