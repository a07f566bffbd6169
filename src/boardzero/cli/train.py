"""`boardzero train` and `boardzero resume`: learn a game from zero, or go on."""

from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from boardzero.training.loop import Training
    from boardzero.training.run_folder import RunFolder

Verbose = Annotated[bool, typer.Option("--verbose", help="Say more about every generation.")]
Timing = Annotated[bool, typer.Option("--timing", help="Say at the end what the time was spent on.")]


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
    games_from: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Begin by learning from the games of another run.")
    ] = None,
    network_from: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Begin with this network, or with the newest of another run.")
    ] = None,
    verbose: Verbose = False,
    timing: Timing = False,
) -> None:
    """Learn a game from its rules alone, by self-play."""
    from boardzero.errors import BadInput
    from boardzero.games.catalogue import find_game
    from boardzero.settings.changes import apply_changes
    from boardzero.settings.run import RunSettings
    from boardzero.training import beginning
    from boardzero.training.run_folder import RunFolder, troubles_of_the_disk_said

    rules = find_game(game)
    stored = beginning.read_network(network_from, rules) if network_from else None
    games = beginning.read_games(games_from, rules) if games_from else []
    values: dict[str, Any] = {"game": rules.specification, "seed": seed, "minutes": minutes, "generations": generations}
    if stored is not None:
        values["network"] = stored.header.settings.model_dump()
    settings = apply_changes(RunSettings, values, changes or [])
    if settings.minutes is not None and settings.generations is not None:
        raise BadInput("A run ends after a number of minutes or of generations, not both.")
    if settings.minutes is None and settings.generations is None:
        settings = settings.model_copy(update={"minutes": 10.0})
    if stored is not None and settings.network != stored.header.settings:
        raise BadInput(f"The network '{network_from}' has its own shape: settings of network cannot be changed with it.")
    folder = RunFolder(run or Path("runs") / f"{rules.specification.replace(':', '-')}-{datetime.now():%Y%m%d-%H%M%S}")
    folder.refuse_existing()
    with troubles_of_the_disk_said(folder.path):
        if stored is not None:
            beginning.write_network(folder, stored, rules)
        if games:
            beginning.write_games(folder, games)
        folder.create(settings)
    _run(folder, verbose, timing)


def resume(
    run: Annotated[Path, typer.Argument(metavar="DIR", help="The folder of the run.")],
    verbose: Verbose = False,
    timing: Timing = False,
) -> None:
    """Go on with a run from where it stands."""
    from boardzero.training.run_folder import RunFolder

    _run(RunFolder(run), verbose, timing)


def _run(folder: "RunFolder", verbose: bool, timing: bool) -> None:
    from boardzero.cli.training_view import TrainingView
    from boardzero.training.loop import Training
    from boardzero.training.run_folder import troubles_of_the_disk_said

    view = TrainingView(verbose)
    with troubles_of_the_disk_said(folder.path), Training(folder, view.show) as training, view.following(training):
        _stop_when_interrupted(training)
        try:
            training.run()
            if not training.stopping:
                training.measure()
        except KeyboardInterrupt:
            training.stop()
        if timing:
            view.timing(training)
        if training.stopping:
            view.stopped()
            raise typer.Exit(130)
        view.finished()


def _stop_when_interrupted(training: "Training") -> None:
    """Ctrl-C lets the run finish what it is writing; a second one ends it at once."""
    import signal

    def stop(*_: object) -> None:
        if training.stopping:
            raise KeyboardInterrupt
        training.stop()

    signal.signal(signal.SIGINT, stop)
