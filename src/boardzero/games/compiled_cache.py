"""Where compiled code is kept, so that it is never stale, and so that processes never disturb each other.

Numba notices an edited file only by the file that holds the function itself, not by the files of the helpers it calls. So the
functions of a file are cached in a folder named after the text of that file and of all of boardzero that it imports: after any
edit, upgrade or move they are compiled anew, and stale machine code is never run. The folders are in the user's cache folder,
or among temporary files where that cannot be written. `NUMBA_CACHE_DIR`, where set, takes their place.

Numba itself keeps an index of each function, which is read, changed and written again: of two processes that compile it for
different types at the same moment one loses its entry, or has it point to the machine code of the other. Here every
combination of types has a file of its own, whose name says which it is. Whoever writes puts a whole file into place: nobody
ever waits for another, and one who is killed harms nobody.
"""

import hashlib
import os
import pickle
import re
import shutil
import sys
import tempfile
import time
import uuid
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import numba
from numba.core.caching import CompileResultCacheImpl, FunctionCache, InTreeCacheLocator
from numba.core.serialize import dumps

from boardzero.games.compiling import turn

UNUSED_DAYS = 14  # after which a cached folder is removed
DIGEST_BYTES = hashlib.sha256().digest_size

config: Any = numba.config


# -- files ---------------------------------------------------------------------------------------------------------------
class CompiledFiles:
    """The files of one function, in place of Numba's index. Each begins with a digest: one that is broken is not used.

    A key has the types of the arguments, the processor and the function's byte code.
    """

    def __init__(self, folder: Path, name: str) -> None:
        self._folder = folder
        self._name = name

    def save(self, key: Any, data: Any) -> None:
        contents = dumps((key, data))
        path = self._path(key)
        unfinished = path.with_name(f"{path.name}.{uuid.uuid4().hex[:16]}")
        self._folder.mkdir(parents=True, exist_ok=True)  # somebody may have emptied the cache
        try:
            unfinished.write_bytes(hashlib.sha256(contents).digest() + contents)
            os.replace(unfinished, path)
        except BaseException:
            unfinished.unlink(missing_ok=True)
            raise

    def load(self, key: Any) -> Any:
        """None where there is nothing of use."""
        try:
            stored = self._path(key).read_bytes()
        except OSError:
            return None
        digest, contents = stored[:DIGEST_BYTES], stored[DIGEST_BYTES:]
        if digest != hashlib.sha256(contents).digest():
            return None
        stored_key, data = pickle.loads(contents)
        return data if stored_key == key else None

    def flush(self) -> None:
        for path in self._folder.iterdir():
            if path.name.startswith(f"{self._name}."):
                path.unlink(missing_ok=True)

    def _path(self, key: Any) -> Path:
        """Every process names types alike."""
        return self._folder / f"{self._name}.{hashlib.sha256(repr(key).encode()).hexdigest()[:16]}.nbc"


class _Locator(InTreeCacheLocator):
    def get_cache_path(self) -> str:
        return str(_cache_folder(Path(self._py_file)))

    def ensure_cache_path(self) -> None:
        """Whether files can be written has been tried once for all functions."""


class _Implementation(CompileResultCacheImpl):
    _locator_classes: list[Any] = [_Locator]  # noqa: RUF012


class CompiledCache(FunctionCache):
    """What Numba asks for compiled code. Where it cannot be kept (a full disk, say), it is compiled again another time."""

    _impl_class = _Implementation

    def __init__(self, function: Any) -> None:
        super().__init__(function)  # type: ignore[no-untyped-call]
        folder = _cache_folder(Path(function.__code__.co_filename))  # also where Numba is told of other locators
        self._cache_file: Any = CompiledFiles(folder, self._impl.filename_base)

    def load_overload(self, signature: Any, context: Any) -> Any:
        found = super().load_overload(signature, context)  # type: ignore[no-untyped-call]
        if found is None and turn.wait():
            found = super().load_overload(signature, context)  # type: ignore[no-untyped-call]
        return found

    def save_overload(self, signature: Any, result: Any) -> None:
        with suppress(OSError):
            super().save_overload(signature, result)  # type: ignore[no-untyped-call]


# -- folders -------------------------------------------------------------------------------------------------------------
_package = Path(__file__).resolve().parents[1]
_imported = re.compile(r"^(?:from (boardzero[\w.]*) import (?:\(([^)]*)\)|([\w ,]+))|import (boardzero[\w.]*))", re.MULTILINE)


@cache
def _cache_folder(source: Path) -> Path:
    """The folder for the functions of one source file, as it is now."""
    source = source.resolve()
    digest = hashlib.sha256(f"{numba.__version__} {sys.version} {source}".encode())
    for path in sorted(_with_imports(source)):
        digest.update(path.read_bytes())
    folder = _cache_root() / f"{source.stem}-{digest.hexdigest()[:16]}"
    folder.mkdir(parents=True, exist_ok=True)
    os.utime(folder)
    return folder


def _with_imports(source: Path) -> set[Path]:
    """A file and all files of boardzero that it imports, directly or not."""
    found, waiting = {source}, [source]
    while waiting:
        for path in _imports(waiting.pop()):
            if path not in found:
                found.add(path)
                waiting.append(path)
    return found


@cache
def _imports(source: Path) -> tuple[Path, ...]:
    return tuple(path for path in _possible_imports(source.read_text(encoding="utf-8")) if path.is_file())


def _possible_imports(text: str) -> Iterator[Path]:
    for match in _imported.finditer(text):
        module = match[1] or match[4]
        names = [name.split()[0] for name in (match[2] or match[3] or "").split(",") if name.strip()]
        base = _package.joinpath(*module.split(".")[1:])
        yield base.with_suffix(".py")
        yield from (base / f"{name}.py" for name in names)


@cache
def _cache_root() -> Path:
    user = os.getuid() if hasattr(os, "getuid") else 0
    temporary = Path(tempfile.gettempdir()) / f"boardzero-cache-{user}"
    own = (_user_cache_folder() / "boardzero", temporary)
    for root in (Path(config.CACHE_DIR), *own) if config.CACHE_DIR else own:
        try:
            root.mkdir(parents=True, exist_ok=True)
            if root == temporary and root.stat().st_uid != user:  # what is in there would be run
                continue
            with tempfile.TemporaryFile(dir=root):
                pass
        except OSError:
            continue
        if root in own:
            _remove_unused(root)
        return root
    return Path(tempfile.mkdtemp(prefix="boardzero-cache-"))


def _user_cache_folder() -> Path:
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")


def _remove_unused(root: Path) -> None:
    """Every use of a folder renews its date."""
    oldest = time.time() - UNUSED_DAYS * 24 * 3600
    for folder in root.iterdir():
        try:
            if folder.stat().st_mtime < oldest:
                shutil.rmtree(folder, ignore_errors=True)
        except OSError:  # another process has just removed it
            continue
