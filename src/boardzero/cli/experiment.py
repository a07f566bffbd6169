"""`boardzero experiment`: variants of a training, compared fairly."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from boardzero.cli.arena_options import INTERRUPTED
from boardzero.cli.log_option import LogDatabase, LogGames, game_log, match_log
from boardzero.cli.output import AsJson, print_json

if TYPE_CHECKING:
    from boardzero.evaluation.comparison import Comparison
    from boardzero.evaluation.experiment import ExperimentRuns
    from boardzero.events.games import GameRecord
    from boardzero.storage.log import GameLog


def run_experiment(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A TOML file, or a shipped experiment; `list` names those.")],
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Where everything is kept (default: experiments/NAME).")
    ] = None,
    parallel: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="How many runs train at the same time, each on its share of cores (default: as many as have a core for "
            "each of their workers).",
        ),
    ] = None,
    log: LogGames = False,
    database: LogDatabase = None,
    as_json: AsJson = False,
) -> None:
    """Train every variant with every seed, then compare them; the same command again goes on where it stopped."""
    from boardzero.evaluation.experiment import ExperimentRuns, usual_parallel
    from boardzero.evaluation.experiment_file import read_experiment, shipped_experiments
    from boardzero.evaluation.experiment_report import as_text, write_results

    if file == "list":
        titles = {name: read_experiment(name).title for name in shipped_experiments()}
        if as_json:
            print_json([{"name": name, "title": title} for name, title in titles.items()])
            return
        for name, title in titles.items():
            print(f"{name:28} {title}")
        return
    experiment = read_experiment(file)
    runs = ExperimentRuns(experiment, out or Path("experiments") / Path(file).stem)
    options = [*(["--log"] if log else []), *(["--database", database] if database is not None else [])]
    try:
        with game_log(log, database) as logged:
            runs.train(parallel or usual_parallel(experiment), _say, options)
            comparison = _conclude(runs, logged)
    except KeyboardInterrupt:
        _say("Stopped; what was finished is kept, and so are games of training and ratings. The same command goes on.")
        raise typer.Exit(INTERRUPTED) from None
    paths = write_results(comparison, runs.path)
    if as_json:
        print_json({**comparison.as_dict(), "files": [str(path) for path in paths]})
        return
    print(as_text(comparison))
    for path in paths:
        print(path)


def _conclude(runs: "ExperimentRuns", logged: "GameLog | None") -> "Comparison":
    """Play matches and ratings; what is played now, and ratings that follow from it, go to the log, if there is one."""
    from boardzero.evaluation.experiment_report import conclude

    matches = runs.play_matches(_say, match_log(logged, "experiment"))
    if logged is None:
        return conclude(runs, matches, _say)
    from boardzero.storage.rating_log import RatingLog

    ratings, played = RatingLog(logged), 0

    def hear(record: "GameRecord") -> None:
        nonlocal played
        played += 1
        ratings(record)

    comparison = conclude(runs, matches, _say, hear)
    if played and comparison.ratings is not None:
        ratings.fitted(comparison.ratings)
    return comparison


def _say(text: str) -> None:
    typer.echo(text, err=True)
