"""`boardzero train` and `boardzero resume`: learn a game from zero, or go on."""

from collections.abc import Mapping
from contextlib import ExitStack
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from boardzero.cli.cluster import OnCluster, copied_folder, folder_of_new_run, opened_training, other_machines
from boardzero.cli.log_option import LogDatabase, LogGames, game_log, refuse_bad_log, run_listener

if TYPE_CHECKING:
    from boardzero.training.loop import Training

Changes = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="Change a setting, like network.blocks=6; repeatable."),
]
Verbose = Annotated[bool, typer.Option("--verbose", help="Say more about every generation.")]
Timing = Annotated[bool, typer.Option("--timing", help="Say at the end what the time was spent on.")]


def train(
    game: Annotated[
        str | None, typer.Argument(help="A game, like connect4 or othello:size=6 (default: the preset's, or connect4).")
    ] = None,
    preset: Annotated[
        str | None, typer.Option(metavar="NAME", help="Train as a published system did; `--preset list` names them.")
    ] = None,
    minutes: Annotated[float | None, typer.Option(help="How long to learn (10, if nothing else is said).")] = None,
    generations: Annotated[int | None, typer.Option(help="How many generations to learn, instead of minutes.")] = None,
    run: Annotated[
        str | None,
        typer.Option(metavar="DIR", help="The folder of the run (default: runs/GAME-DATE), or an address like s3://…"),
    ] = None,
    seed: Annotated[int | None, typer.Option(help="All random choices follow from it (1, if nothing else is said).")] = None,
    changes: Changes = None,
    games_from: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Begin by learning from the games of another run.")
    ] = None,
    network_from: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Begin with this network, or with the newest of another run.")
    ] = None,
    cluster: OnCluster = None,
    log: LogGames = False,
    database: LogDatabase = None,
    verbose: Verbose = False,
    timing: Timing = False,
) -> None:
    """Learn a game from its rules alone, by self-play."""
    from boardzero.errors import BadInput
    from boardzero.games.catalogue import find_game
    from boardzero.settings.changes import apply_changes
    from boardzero.settings.presets import default_values, preset_values
    from boardzero.settings.run import RunSettings
    from boardzero.training import beginning
    from boardzero.training.curriculum import Curriculum
    from boardzero.training.run_folder import RunFolder, troubles_of_the_disk_said

    if preset == "list":
        _list_presets()
        return
    values: dict[str, Any]
    if preset is not None:
        values = preset_values(preset)
        rules = find_game(game or values["game"])
    else:
        rules = find_game(game or "connect4")
        values = default_values(rules.specification)
    stored = beginning.read_network(network_from, rules) if network_from else None
    games = beginning.read_games(games_from, rules) if games_from else []
    values["game"] = rules.specification
    if cluster is not None and other_machines(cluster):  # they would stand still while this one learns
        values["mode"] = values.get("mode", "concurrent") if preset else "concurrent"
    if cluster is not None:  # whose players know one game
        values["curriculum"] = ()
    if seed is not None:
        values["seed"] = seed
    if minutes is not None or generations is not None:  # instead of what the preset says about its end
        values |= {"minutes": minutes, "generations": generations}
    if stored is not None:
        values = beginning.with_shape_of(stored, values)
    settings = apply_changes(RunSettings, values, changes or [])
    if settings.minutes is not None and settings.generations is not None:
        raise BadInput("A run ends after a number of minutes or of generations, not both.")
    if settings.minutes is None and settings.generations is None:
        settings = settings.model_copy(update={"minutes": 10.0})
    if stored is not None and settings.network != stored.header.settings:
        raise BadInput(f"The network '{network_from}' has its own shape: settings of network cannot be changed with it.")
    if Curriculum(settings).has_stages and games:
        raise BadInput("--games-from goes with a run of one game: --set curriculum=none makes it one.")
    run = run or f"runs/{rules.specification.replace(':', '-')}-{datetime.now():%Y%m%d-%H%M%S}"
    folder = RunFolder(folder_of_new_run(run))
    folder.refuse_existing()
    refuse_bad_log(log, database)
    with troubles_of_the_disk_said(folder.path):
        if stored is not None:
            beginning.write_network(folder, stored, rules)
        if games:
            beginning.write_games(folder, games)
        folder.create(settings)
    _run(run, cluster, log, database, verbose=verbose, timing=timing)


def _list_presets() -> None:
    """Every preset with a line about it."""
    from rich.console import Console
    from rich.table import Table

    from boardzero.settings.presets import describe_preset, preset_names

    table = Table(box=None, pad_edge=False, padding=(0, 2), show_header=False)
    table.add_column(no_wrap=True, style="bold")
    table.add_column()
    for name in preset_names():
        table.add_row(name, describe_preset(name))
    Console().print(table)


def resume(
    run: Annotated[str, typer.Argument(metavar="DIR", help="The folder of the run, or its address in other storage.")],
    minutes: Annotated[float | None, typer.Option(help="Another end than it was begun with: so many minutes in all.")] = None,
    generations: Annotated[int | None, typer.Option(help="Another end: so many generations in all.")] = None,
    changes: Changes = None,
    cluster: OnCluster = None,
    log: LogGames = False,
    database: LogDatabase = None,
    verbose: Verbose = False,
    timing: Timing = False,
) -> None:
    """Go on with a run from where it stands, to its end or to another one, with its settings or others."""
    given = {"minutes": minutes, "generations": generations, "changes": changes or None}
    changed = {name: value for name, value in given.items() if value is not None}
    _run(run, cluster, log, database, verbose=verbose, timing=timing, changed=changed)


def _run(
    run: str,
    cluster: str | None,
    log: bool,
    database: str | None,
    *,
    verbose: bool,
    timing: bool,
    changed: Mapping[str, Any] | None = None,
) -> None:
    """changed: what `change_run` is to change of a run that has begun."""
    from boardzero.cli.training_view import TrainingView
    from boardzero.events.training import DamageFound
    from boardzero.training.changing import change_run
    from boardzero.training.run_folder import RunFolder, troubles_of_the_disk_said
    from boardzero.training.sittings import keep_sitting, this_sitting
    from boardzero.training.stopping import Stopped

    view = TrainingView(verbose)
    with ExitStack() as stack:
        path = stack.enter_context(copied_folder(run, view.show))
        stack.enter_context(troubles_of_the_disk_said(path))
        if changed:
            change_run(RunFolder(path), lambda sentence: view.show(DamageFound(sentence)), **changed)
        logged = stack.enter_context(game_log(log, database))
        listen = run_listener(view.show, logged, RunFolder(path))
        training = stack.enter_context(opened_training(RunFolder(path), listen, view, cluster))
        stack.enter_context(view.following(training))
        _stop_when_interrupted(training)
        keep_sitting(path, this_sitting())
        try:
            training.run()
            if not training.stopping:
                training.measure(final=True)
        except (KeyboardInterrupt, Stopped):  # the latter: while its strength was measured at the end
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
