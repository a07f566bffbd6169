"""What the lessons share: keeping pictures, borrowing from an earlier lesson, and running one with other parameters.

A lesson is a script of cells (`# %%`) that is read from top to bottom; what may be changed stands in its cell of parameters.
"""

import ast
import contextlib
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import matplotlib
import matplotlib.pyplot as plt
from matplotlib.figure import Figure

HERE = Path(__file__).resolve().parent
NOTEBOOK = "ipykernel" in sys.modules
if not NOTEBOOK:
    matplotlib.use("Agg")

plt.rcParams.update(
    {
        "figure.dpi": 100,
        "font.size": 10,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.titlesize": 11,
        "axes.grid": False,
        "legend.frameon": False,
    }
)
BLUE, ORANGE, GREEN, RED, GREY = "#2b6cb0", "#dd7a1f", "#2f855a", "#c53030", "#8a94a6"

pictures_folder = HERE.parent / "docs" / "lessons"
saved_pictures: list[Path] = []


# -- pictures ----------------------------------------------------------------------------------------------------------
def picture_path(name: str) -> Path:
    """Where a picture of this name is kept; it is noted as saved."""
    pictures_folder.mkdir(parents=True, exist_ok=True)
    path = pictures_folder / name
    saved_pictures.append(path)
    return path


def save_picture(figure: Figure, name: str) -> None:
    """Keep a picture as a file; a notebook also shows it below the cell."""
    figure.savefig(picture_path(name), dpi=figure.dpi, bbox_inches="tight", facecolor="white")
    if not NOTEBOOK:
        plt.close(figure)


@contextlib.contextmanager
def pictures_in(folder: Path) -> Iterator[list[Path]]:
    """Keep the pictures in another folder for a while; gives the list that they are noted in."""
    global pictures_folder, saved_pictures
    before = pictures_folder, saved_pictures
    pictures_folder, saved_pictures = folder, []
    try:
        yield saved_pictures
    finally:
        pictures_folder, saved_pictures = before


# -- lessons as modules ------------------------------------------------------------------------------------------------
def lesson_path(name: str) -> Path:
    return HERE / f"{name}.py"


def definitions(lesson: str) -> ModuleType:
    """The imports, functions, classes and constants of a lesson, without running its examples."""
    tree = ast.parse(lesson_path(lesson).read_text(encoding="utf-8"))
    kept = [
        node
        for node in tree.body
        if isinstance(node, ast.Import | ast.ImportFrom | ast.FunctionDef | ast.ClassDef) or _assigns_constant(node)
    ]
    module = ModuleType(lesson)
    module.__file__ = str(lesson_path(lesson))
    sys.modules[lesson] = module  # dataclasses look their module up
    exec(compile(ast.Module(kept, []), module.__file__, "exec"), module.__dict__)
    return module


def run(lesson: str, pictures: Path, **parameters: Any) -> dict[str, Any]:
    """Run a lesson from top to bottom with other parameters; gives all its variables."""
    tree = ast.parse(lesson_path(lesson).read_text(encoding="utf-8"))
    unknown = set(parameters) - {_assigned_name(node) for node in tree.body}
    if unknown:
        raise ValueError(f"lesson {lesson} has no parameter {', '.join(sorted(unknown))}")
    module = ModuleType("__main__")
    module.__file__ = str(lesson_path(lesson))
    sys.modules[f"lesson {lesson}"] = module
    for node in tree.body:
        name = _assigned_name(node)
        if name in parameters and isinstance(node, ast.Assign):
            node.value = ast.copy_location(ast.parse(repr(parameters[name]), mode="eval").body, node.value)
    ast.fix_missing_locations(tree)
    with pictures_in(pictures):
        exec(compile(tree, module.__file__, "exec"), module.__dict__)
    return module.__dict__


def _assigned_name(node: ast.stmt) -> str:
    """The single name that a statement assigns, or nothing."""
    if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
        return node.targets[0].id
    return ""


def _assigns_constant(node: ast.stmt) -> bool:
    """A single letter is one of the document's variables, not a constant."""
    name = _assigned_name(node)
    return len(name) > 2 and name.isupper()
