"""Runs lessons in full and writes each as a page of docs/lessons: prose, code, what it printed, its pictures.

python lessons/render.py            all of them
python lessons/render.py 5_mcts     one
"""

import contextlib
import io
import re
import sys
import time
from pathlib import Path
from types import ModuleType

import jupytext
import toolbox

LESSONS = sorted(path.stem for path in toolbox.HERE.glob("[0-9]*.py"))


def render(lesson: str, folder: Path) -> str:
    """The page of a lesson, whose pictures are written on the way."""
    notebook = jupytext.read(toolbox.lesson_path(lesson))
    module = ModuleType("__main__")
    parts = [f"*This page was written by running [`lessons/{lesson}.py`](../../lessons/{lesson}.py).*"]
    with toolbox.pictures_in(folder) as pictures:
        for cell in notebook.cells:
            if cell.cell_type == "markdown":
                parts.append(_for_page(cell.source))
                continue
            shown, printed = len(pictures), io.StringIO()
            with contextlib.redirect_stdout(printed):
                exec(compile(cell.source, str(toolbox.lesson_path(lesson)), "exec"), module.__dict__)
            parts.append(f"```python\n{cell.source.strip()}\n```")
            if printed.getvalue():
                parts.append(f"```text\n{printed.getvalue().rstrip()}\n```")
            parts += [f"![{path.stem}]({path.name})" for path in pictures[shown:]]
    return "\n\n".join(parts) + "\n"


def _for_page(text: str) -> str:
    """Links between lessons become links between pages; others are one folder further away."""
    text = re.sub(r"\]\((\d_\w+)\.py\)", r"](\1.md)", text)
    return text.replace("](../docs/", "](../").replace("](../src/", "](../../src/")


def main(wanted: list[str]) -> None:
    unknown = set(wanted) - set(LESSONS)
    if unknown:
        sys.exit(f"There is no lesson {', '.join(sorted(unknown))}; there are {', '.join(LESSONS)}.")
    folder = toolbox.pictures_folder
    for lesson in wanted or LESSONS:
        begin = time.perf_counter()
        page = render(lesson, folder)
        (folder / f"{lesson}.md").write_text(page, encoding="utf-8")
        print(f"{lesson}: {time.perf_counter() - begin:.0f} s, docs/lessons/{lesson}.md", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
