"""Lessons are scripts beside the package: how tests load and run them."""

import importlib.util
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

import pytest
import torch

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "lessons"
LESSONS = sorted(path.stem for path in FOLDER.glob("[0-9]*.py"))


@contextmanager
def lessons_at_hand() -> Iterator[ModuleType]:
    """Their toolbox; their folder is on the path, and whatever they change in other libraries is put back at the end."""
    threads = torch.get_num_threads()
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(FOLDER))
        specification = importlib.util.spec_from_file_location("toolbox", FOLDER / "toolbox.py")
        assert specification is not None and specification.loader is not None
        module = importlib.util.module_from_spec(specification)
        patch.setitem(sys.modules, "toolbox", module)
        specification.loader.exec_module(module)
        yield module
    torch.set_num_threads(threads)
