"""Files that are complete or absent, whatever happens: written under a temporary name, forced to disk, then renamed."""

import os
from pathlib import Path

TEMPORARY = ".partial"  # the ending of files that are being written; whoever finds one after a crash may delete it


def write_durably(path: Path, content: bytes) -> None:
    """When this returns, the file is on disk and so is its name; until then, what was there before is."""
    temporary = path.with_name(path.name + TEMPORARY)
    with temporary.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(path)
    sync_folder(path.parent)


def remove_durably(path: Path) -> None:
    path.unlink(missing_ok=True)
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Force the names in a folder to disk; Windows does this by itself and cannot be asked to."""
    if os.name == "nt":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
