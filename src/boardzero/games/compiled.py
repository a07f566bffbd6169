"""How rules and search are compiled: Numba, once, cached on disk, without the GIL.

Numba notices an edited file only by the file that holds the function itself, not by the files of the helpers it calls. So the
functions of a file are cached in a folder named after the text of that file and of all of boardzero that it imports: after any
edit, upgrade or move they are compiled anew, and stale machine code is never run. The folders are in the user's cache folder,
or among temporary files where that cannot be written. `NUMBA_CACHE_DIR`, where set, takes their place.
"""

import hashlib
import os
import re
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, cast

import numba

Function = TypeVar("Function", bound=Callable[..., Any])

UNUSED_DAYS = 14  # after which a cached folder is removed

config: Any = numba.config


def compiled(signature: Any = None) -> Callable[[Function], Function]:
    """Compile a function: with a signature at once (so that it can be passed on as a value), without one on first use.

    Division by zero gives infinity as in NumPy: compiled rules must not raise.
    """
    return _compile_with(signature)


def compiled_without_allocation(signature: Any = None) -> Callable[[Function], Function]:
    """The same for code that never makes an array: what it is given is not reference-counted, and helpers are inlined.

    The search is written so; passing its many arrays from function to function would cost several times the work itself.
    """
    return _compile_with(signature, _nrt=False, forceinline=signature is None)


def _compile_with(signature: Any, **options: Any) -> Callable[[Function], Function]:
    def decorate(function: Function) -> Function:
        if not _cache_is_chosen_by_user:
            config.CACHE_DIR = str(_cache_folder(Path(function.__code__.co_filename)))
        return cast(Function, numba.njit(signature, cache=True, nogil=True, error_model="numpy", **options)(function))

    return decorate


# -- where compiled code is kept -----------------------------------------------------------------------------------------
_cache_is_chosen_by_user = bool(config.CACHE_DIR)
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
    for root in (_user_cache_folder() / "boardzero", Path(tempfile.gettempdir()) / "boardzero-cache"):
        try:
            root.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=root):
                pass
        except OSError:
            continue
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
