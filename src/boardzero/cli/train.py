"""`boardzero train` and `boardzero resume`: learn a game from zero, or go on."""

from datetime import datetime
from pathlib import Path
from typing import Annotated

import typer

Verbose = Annotated[bool, typer.Option("--verbose", help="Say more about every generation.")]


def train(
    game: Annotated[str, typer.Argument(help="A game, like connect4 or othello:size=6.")] = "connect4",
    minutes: Annotated[float | None, typer.Option(help="How long to learn (10, if nothing else is said).")] = None,
    generations: Annotated[int | None, typer.Option(help="How many generations to learn, instead of minutes.")] = None,
    run: Annotated[Path | None, typer.Option(metavar="DIR", help="The folder of the run (default: runs/GAME-DATE).")] = None,
    seed: Annotated[int, typer.Option(help="All random choices follow from it.")] = 1,
    changes: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="Change a setting, like network.blocks=6; repeatable."),
    ] = None,
    verbose: Verbose = False,
) -> None:
    """Learn a game from its rules alone, by self-play."""
    from boardzero.errors import BadInput
    from boardzero.games.catalogue import find_game
    from boardzero.settings.changes import apply_changes
    from boardzero.settings.run import RunSettings
    from boardzero.training.run_folder import RunFolder

    if minutes is not None and generations is not None:
        raise BadInput("A run ends after --minutes or after --generations, not both.")
    specification = find_game(game).specification
    limits = {"generations": generations} if generations is not None else {"minutes": 10 if minutes is None else minutes}
    settings = apply_changes(RunSettings, {"game": specification, "seed": seed, **limits}, changes or [])
    folder = RunFolder(run or Path("runs") / f"{specification.replace(':', '-')}-{datetime.now():%Y%m%d-%H%M%S}")
    folder.create(settings)
    _run(folder, verbose)


def resume(
    run: Annotated[Path, typer.Argument(metavar="DIR", help="The folder of the run.")],
    verbose: Verbose = False,
) -> None:
    """Go on with a run from where it stands."""
    from boardzero.training.run_folder import RunFolder

    _run(RunFolder(run), verbose)


def _run(folder, verbose: bool) -> None:  # type: ignore[no-untyped-def]
    from boardzero.cli.training_view import TrainingView
    from boardzero.training.loop import Training

    view = TrainingView(verbose)
    training = Training(folder, view.show)
    view.begin(training)
    try:
        training.run()
        training.measure()
    except KeyboardInterrupt:
        view.stopped(folder.path)
        raise typer.Exit(130) from None
    view.finished(folder.path, training)
