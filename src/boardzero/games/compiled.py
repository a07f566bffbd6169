"""How rules and search are compiled: Numba, once, cached on disk, without the GIL.

Numba notices an edited file only by the file that holds the function itself, not by the files of the helpers it calls.
So the cache lives in a folder named after the text of all of boardzero's compiled sources: any edit, upgrade or move to
a machine where the package folder cannot be written gets a folder of its own, and stale machine code is never run.
`NUMBA_CACHE_DIR`, where set, is respected.
"""

import hashlib
import os
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
import numpy as np

Function = TypeVar("Function", bound=Callable[..., Any])

KEPT_CACHES = 4

config: Any = numba.config


def compiled(signature: Any = None) -> Callable[[Function], Function]:
    """Compile a function: with a signature at once (so that it can be passed on as a value), without one on first use.

    Division by zero gives infinity as in NumPy: compiled rules must not raise.
    """

    def decorate(function: Function) -> Function:
        return cast(Function, numba.njit(signature, cache=True, nogil=True, error_model="numpy")(function))

    return decorate


def compiled_without_allocation(signature: Any = None) -> Callable[[Function], Function]:
    """The same for code that never makes an array: what it is given is not reference-counted, and helpers are inlined.

    The search is written so; passing its many arrays from function to function would cost several times the work itself.
    """

    def decorate(function: Function) -> Function:
        inline = signature is None
        options: Any = {"_nrt": False, "forceinline": inline}
        return cast(Function, numba.njit(signature, cache=True, nogil=True, error_model="numpy", **options)(function))

    return decorate


def _user_cache_folder() -> Path:
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")


def _sources_key() -> str:
    """Names the state of every source file whose functions may be compiled into one another."""
    package = Path(__file__).resolve().parents[1]
    digest = hashlib.sha256(f"{numba.__version__} {np.__version__} {sys.version} {package}".encode())
    for folder in ("games", "search"):
        for path in sorted((package / folder).glob("*.py")):
            digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()[:16]


def _choose_cache_folder() -> Path:
    key = _sources_key()
    for root in (_user_cache_folder() / "boardzero", Path(tempfile.gettempdir()) / "boardzero-cache"):
        folder = root / f"numba-{key}"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=folder):
                pass
        except OSError:
            continue
        os.utime(folder)
        _remove_old_caches(root, keep=folder)
        return folder
    return Path(tempfile.mkdtemp(prefix="boardzero-cache-"))


def _remove_old_caches(root: Path, keep: Path) -> None:
    """The newest few stay, since several checkouts or versions may be in use side by side."""
    folders = [folder for folder in root.glob("numba-*") if folder != keep]
    try:
        folders.sort(key=lambda folder: folder.stat().st_mtime, reverse=True)
    except OSError:  # another process is removing them at this moment
        return
    for folder in folders[KEPT_CACHES - 1 :]:
        shutil.rmtree(folder, ignore_errors=True)


if not config.CACHE_DIR:
    config.CACHE_DIR = str(_choose_cache_folder())
