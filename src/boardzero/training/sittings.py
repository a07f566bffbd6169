"""Who worked on a run: a line in its folder for every time that somebody began it or went on with it.

A network's card says from these lines by which command, on which machine and with which program it was learned.
"""

import json
import os
import platform
import shlex
import subprocess
import sys
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from boardzero.cores import usable_cores
from boardzero.training.run_folder import append_line

FILE = "sittings.jsonl"


@dataclass(frozen=True)
class Sitting:
    """One time that a run was worked on."""

    begun: str  # the moment, UTC
    command: str
    program: str  # its version, and the commit where it runs from a repository
    machine: str
    python: str


def this_sitting() -> Sitting:
    """Of this process."""
    begun = datetime.now(UTC).isoformat(timespec="seconds")
    return Sitting(begun, shlex.join(["boardzero", *sys.argv[1:]]), _program(), _machine(), platform.python_version())


def keep_sitting(run: Path, sitting: Sitting) -> None:
    append_line(run / FILE, asdict(sitting))


def read_sittings(run: Path) -> list[Sitting]:
    """Oldest first, without lines that a crash tore; none of runs that began without."""
    found: list[Sitting] = []
    with suppress(OSError):
        for line in (run / FILE).read_text(encoding="utf-8").splitlines():
            with suppress(ValueError, TypeError):
                found.append(Sitting(**json.loads(line)))
    return found


def _machine() -> str:
    cores = len(usable_cores())
    return f"{cores} core{'s' if cores > 1 else ''} of {_processor()}{_memory()}, {platform.system()}"


def _processor() -> str:
    """Its name where the system tells it, otherwise its kind."""
    with suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith("model name"):
                return " ".join(line.partition(":")[2].split())
    return platform.processor() or platform.machine()


def _memory() -> str:
    with suppress(AttributeError, ValueError, OSError):
        gibibytes = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
        return f" with {gibibytes:.0f} GiB"
    return ""


def _program() -> str:
    """`boardzero 0.1.0`, and the commit if it runs from its repository."""
    try:
        name = f"boardzero {version('boardzero')}"
    except PackageNotFoundError:
        name = "boardzero"
    repository = Path(__file__).parents[3]
    if not (repository / ".git").exists():
        return name
    with suppress(OSError, subprocess.SubprocessError):
        asked = ["git", "-C", str(repository), "describe", "--always", "--dirty", "--exclude", "*"]
        answer = subprocess.run(asked, capture_output=True, text=True, timeout=10, check=True).stdout.strip()
        return f"{name}, commit {answer}"
    return name
