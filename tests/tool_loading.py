"""The programs of tools/, which are no package, as modules."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

TOOLS = Path(__file__).parent.parent / "tools"
sys.path.append(str(TOOLS))  # where a program finds its own modules when it is run


def load_tool(name: str) -> ModuleType:
    """It stays among the modules, so that processes that it starts can find it."""
    specification = importlib.util.spec_from_file_location(name, TOOLS / f"{name}.py")
    assert specification is not None and specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    sys.modules[name] = module
    specification.loader.exec_module(module)
    return module
