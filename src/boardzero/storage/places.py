"""Where things are kept when nobody says otherwise."""

import os
import sys
import tempfile
from pathlib import Path

DATABASE_VARIABLE = "BOARDZERO_DATABASE"


def data_folder() -> Path:
    """The user's folder for boardzero's data, made if need be; in the temporary folder where home cannot be written."""
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Application Support"
    else:
        base = Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share")
    folder = base / "boardzero"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if os.access(folder, os.W_OK):
            return folder
    except OSError:
        pass
    folder = Path(tempfile.gettempdir()) / "boardzero"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def named_database() -> str | None:
    """What the environment names."""
    return os.environ.get(DATABASE_VARIABLE) or None


def usual_database() -> str:
    """What the environment names, or a SQLite file in the user's data folder."""
    return named_database() or str(data_folder() / "games.sqlite")
