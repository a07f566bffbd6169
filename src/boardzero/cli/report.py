"""`boardzero report`: what a training learned, as a page to look at."""

from pathlib import Path
from typing import Annotated

import typer


def report(
    runs: Annotated[list[Path], typer.Argument(metavar="RUN...", help="Folders of runs; several are laid over each other.")],
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Where to write it (default: report.html of the run; of several, comparison.html of the first).",
        ),
    ] = None,
    png: Annotated[bool, typer.Option("--png", help="Also each chart as a PNG file beside it.")] = False,
) -> None:
    """Write one self-contained HTML file: losses, ratings, win rates, mistakes, speeds and example games."""
    from boardzero.evaluation.report import write_report

    for path in write_report(runs, out, png):
        print(path)
