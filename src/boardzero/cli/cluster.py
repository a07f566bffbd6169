"""`boardzero cluster`, and what `boardzero train --cluster` needs of it."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from boardzero.cli.output import AsJson, print_json

if TYPE_CHECKING:
    from pathlib import Path

    from rich.console import Console
    from rich.table import Table

    from boardzero.cli.training_view import TrainingView
    from boardzero.cluster.status import RunOnCluster
    from boardzero.events.cluster import ClusterState
    from boardzero.events.training import Listener
    from boardzero.training.loop import Training
    from boardzero.training.run_folder import RunFolder

app = typer.Typer(help="Train on many machines.", no_args_is_help=True)

OnCluster = Annotated[
    str | None,
    typer.Option(
        "--cluster",
        metavar="ADDRESS",
        help="Play on many machines by Ray: local:N for N processes here, auto, or HOST:PORT of a cluster.",
    ),
]


@app.callback()
def cluster() -> None:
    """Train on many machines."""


@app.command("status")
def status(
    address: Annotated[str, typer.Argument(help="HOST:PORT of the cluster, or auto for the one on this machine.")] = "auto",
    as_json: AsJson = False,
) -> None:
    """The machines of a cluster, and how the runs on it are doing: workers, games a second, queue, lag."""
    from boardzero.cluster.connection import ClusterAddress, connected
    from boardzero.errors import BadInput

    where = ClusterAddress.parse(address)
    if where.local_workers is not None:
        raise BadInput("local:N is a cluster that a training starts for itself; ask about a running one by: auto")
    with connected(where) as ray:
        from boardzero.cluster.status import runs_on
        from boardzero.cluster.workforce import machines_of

        machines, runs = machines_of(ray), runs_on(ray)
    if as_json:
        print_json({"machines": [asdict(machine) for machine in machines], "runs": [asdict(run) for run in runs]})
        return
    from rich.console import Console

    console = Console()
    cores, gpus = sum(machine.cores for machine in machines), sum(machine.gpus for machine in machines)
    also = f", {_many(gpus, 'GPU')}" if gpus else ""
    console.print(f"{_many(len(machines), 'machine')}, {_many(cores, 'core')}{also}", highlight=False)
    for run in runs:
        _print_run(run, console)
    if not runs:
        for machine in machines:
            console.print(f"  {machine.name}: {_many(machine.cores, 'core')}", highlight=False)
        console.print("No run is under way. Begin one: boardzero train GAME --cluster auto", highlight=False)


def _print_run(run: "RunOnCluster", console: "Console") -> None:
    from rich.markup import escape

    console.print(f"\n[bold]{escape(run.game)}[/bold] in {escape(run.run)}, as of {run.age:.0f} s ago", highlight=False)
    console.print(machine_table(run.state))
    console.print(summary(run.state), highlight=False)


def machine_table(state: "ClusterState") -> "Table":
    """A row for each machine."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    table = Table("machine", box=SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for heading in ("cores", "workers", "games/s", "simulations/s", "busy", "lag"):
        table.add_column(heading, justify="right")
    for machine in state.machines:
        table.add_row(
            machine.name,
            f"{machine.cores}" + (f" + {machine.gpus} GPU" if machine.gpus else ""),
            str(machine.players),
            f"{machine.games_per_second:,.1f}",
            f"{machine.simulations_per_second:,.0f}",
            f"{100 * min(1.0, machine.busy):.0f} %",
            str(machine.lag),
        )
    return table


def summary(state: "ClusterState") -> str:
    """All of it in one line."""
    waiting = "; the workers wait for the learner" if state.held else ""
    restarts = f", {_many(state.restarts, 'restart')}" if state.restarts else ""
    return (
        f"{state.playing} of {_many(state.players, 'worker')} on {_many(len(state.machines), 'machine')} play,"
        f" {state.games_per_second:,.1f} games/s, {_many(state.orders, 'order')} under way,"
        f" {state.backlog:,} of {state.wanted:,} {state.unit} for the next training,"
        f" at most {_many(state.lag, 'generation')} behind network {state.generation}{restarts}{waiting}"
    )


def _many(count: int, thing: str) -> str:
    return f"{count:,} {thing}{'' if count == 1 else 's'}"


def other_machines(address: str) -> bool:
    """Does a cluster have machines of its own? An address where none answers is refused (BadInput)."""
    from boardzero.cluster.connection import ClusterAddress, check_answers

    where = ClusterAddress.parse(address)
    check_answers(where)
    return where.local_workers is None


# -- for `boardzero train` and `boardzero resume` -----------------------------------------------------------------------
def folder_of_new_run(run: str) -> "Path":
    """Where it is worked on here; an address where there is a run already is refused (BadInput)."""
    from pathlib import Path

    from boardzero.cluster.mirror import is_remote, local_folder, refuse_existing

    if not is_remote(run):
        return Path(run)
    refuse_existing(run)
    return local_folder(run)


@contextmanager
def copied_folder(run: str, listen: "Listener") -> Iterator["Path"]:
    """The folder of a run; if it is an address in other storage, a folder here that is copied there all the time.

    Should somebody else take the run over there, this process ends as if it had been interrupted.
    """
    from _thread import interrupt_main
    from pathlib import Path

    from boardzero.cluster.mirror import Mirror, is_remote, local_folder
    from boardzero.events.training import DamageFound

    if not is_remote(run):
        yield Path(run)
        return
    with Mirror(run, local_folder(run), lambda sentence: listen(DamageFound(sentence)), interrupt_main):
        yield local_folder(run)


@contextmanager
def opened_training(folder: "RunFolder", listen: "Listener", view: "TrainingView", address: str | None) -> Iterator["Training"]:
    """The training of a folder, on this machine or on a cluster."""
    from boardzero.training.loop import Training

    if address is None:
        with Training(folder, listen) as training:
            yield training
        return
    from boardzero.cluster.connection import ClusterAddress, connected

    where = ClusterAddress.parse(address)
    settings = folder.settings()  # refuses what is no run before Ray is started
    if where.local_workers is None and settings.mode == "alternating":
        view.console.print(
            "This run plays and learns in turns, so all machines wait while it learns;"
            f' "mode": "concurrent" in {folder.path / "settings.json"} changes that.',
            highlight=False,
            markup=False,
        )
    with connected(where) as ray:
        from boardzero.cluster.training import ClusterTraining

        with ClusterTraining(folder, listen, ray, where.local_workers or 0, view.show) as training:
            yield training
