"""`boardzero experiment`: variants of a training, compared fairly."""

from pathlib import Path
from typing import Annotated

import typer

from boardzero.cli.arena_options import INTERRUPTED


def run_experiment(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A TOML file, or a shipped experiment; `list` names those.")],
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Where everything is kept (default: experiments/NAME).")
    ] = None,
    parallel: Annotated[int, typer.Option(min=1, help="How many runs train at the same time.")] = 1,
) -> None:
    """Train every variant with every seed, then compare them; the same command again goes on where it stopped."""
    from boardzero.evaluation.experiment import ExperimentRuns
    from boardzero.evaluation.experiment_file import read_experiment, shipped_experiments
    from boardzero.evaluation.experiment_report import as_text, conclude, write_results

    if file == "list":
        for name in shipped_experiments():
            print(f"{name:28} {read_experiment(name).title}")
        return
    experiment = read_experiment(file)
    runs = ExperimentRuns(experiment, out or Path("experiments") / Path(file).stem)

    def say(text: str) -> None:
        typer.echo(text, err=True)

    try:
        runs.train(parallel, say)
        comparison = conclude(runs, runs.play_matches(say), say)
    except KeyboardInterrupt:
        say("Stopped; nothing is lost. The same command goes on.")
        raise typer.Exit(INTERRUPTED) from None
    paths = write_results(comparison, runs.path)
    print(as_text(comparison))
    for path in paths:
        print(path)
