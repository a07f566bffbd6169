"""`boardzero bench cluster`: self-play on Ray here, and what larger clusters would do."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer

from boardzero.cli.output import AsJson, print_json
from boardzero.cores import usable_cores

if TYPE_CHECKING:
    from rich.console import Console

    from boardzero.cluster.benchmark import ClusterReport
    from boardzero.cluster.scaling import Assumptions, Measured


def bench_cluster(
    name: Annotated[str, typer.Argument(metavar="[GAME]", help="Which game.")] = "connect4",
    players: Annotated[str, typer.Option(help="Numbers of players on Ray.")] = "1,2,4,8",
    changes: Annotated[
        list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="Change a setting of the run; repeatable.")
    ] = None,
    seconds: Annotated[float, typer.Option(min=0.5, help="How long to run each measurement, after as long a warm-up.")] = 10.0,
    rounds: Annotated[int, typer.Option(min=1, help="How often to measure everything; medians count.")] = 3,
    nodes: Annotated[
        int, typer.Option(min=1, help="Share the players out over so many machines, each a Ray of its own here.")
    ] = 1,
    link: Annotated[float, typer.Option(min=0.001, help="Assumed: Gbit/s of the driver's network link.")] = 1.0,
    cores_per_machine: Annotated[int, typer.Option(min=1, help="Assumed: cores of each machine.")] = 16,
    learner_factor: Annotated[float, typer.Option(min=0.01, help="Assumed: learner's speed over this machine's.")] = 1.0,
    as_json: AsJson = False,
) -> None:
    """Self-play on Ray against as many threads, and a prediction for 10 to 10,000 cores."""
    from boardzero.cli.bench import whole_numbers
    from boardzero.games.catalogue import find_game
    from boardzero.settings.changes import apply_changes
    from boardzero.settings.presets import default_values
    from boardzero.settings.run import RunSettings

    counts = whole_numbers("--players", players)
    game = find_game(name)
    settings = apply_changes(RunSettings, {**default_values(game.specification), "game": game.specification}, changes or [])
    from rich.console import Console

    console = Console(stderr=True)
    with _cluster(max(counts), nodes) as ray:
        from boardzero.cluster.benchmark import ClusterBenchmark
        from boardzero.cluster.scaling import Assumptions

        say = partial(console.print, style="dim", markup=False)
        benchmark = ClusterBenchmark(ray, game, settings, len(usable_cores()), say)
        report = benchmark.run(counts, seconds, rounds)
    training = settings.training
    assumed = Assumptions(cores_per_machine, link * 125e6, training.passes, training.positions, learner_factor)
    if as_json:
        print_json({"nodes": nodes, **as_content(report, assumed)})
    else:
        print_report(report, assumed, Console())


@contextmanager
def _cluster(players: int, nodes: int) -> Iterator[Any]:
    """Ray with room for so many players, on one machine or shared out evenly over several."""
    if nodes == 1:
        from boardzero.cluster.connection import ClusterAddress, connected

        with connected(ClusterAddress(f"local:{players}", players)) as ray:
            yield ray
    else:
        from boardzero.cluster.simulated import simulated_machines

        with simulated_machines(*[-(-players // nodes)] * nodes) as (ray, _):
            yield ray


def as_content(report: "ClusterReport", assumed: "Assumptions") -> dict[str, object]:
    from boardzero.cluster.scaling import SIZES, predict, saturating_cores

    assert report.measured is not None
    return {
        **asdict(report),
        "assumed": asdict(assumed),
        "predictions": [asdict(predict(report.measured, assumed, cores)) for cores in SIZES],
        "saturated_at_cores": saturating_cores(report.measured, assumed),
    }


def print_report(report: "ClusterReport", assumed: "Assumptions", console: "Console") -> None:
    from rich.table import Table

    assert report.measured is not None
    measured = report.measured
    table = Table("players", box=None, pad_edge=False, header_style="bold")
    headings = ("threads", "Ray", "ratio", "threads a core", "Ray a core", "ratio", "predicted", "off by")
    for heading in headings:
        table.add_column(heading, justify="right")
    rate = measured.games_per_core * measured.simulations_per_game
    for count, speed in report.players.items():
        thread, predicted = report.threads.get(count), rate * min(count, report.cores)
        table.add_row(
            str(count),
            f"{thread.simulations:,.0f}" if thread else "",
            f"{speed.simulations:,.0f}",
            f"{report.ratio(count):.2f}" if thread else "",
            f"{thread.simulations_per_core:,.0f}" if thread else "",
            f"{speed.simulations_per_core:,.0f}",
            f"{report.ratio_per_core(count):.2f}" if thread else "",
            f"{predicted:,.0f}",
            f"{100 * (predicted / speed.simulations - 1):+.0f} %",
        )
    console.print("Simulations a second; a core: for each second of processor time.", highlight=False)
    console.print(table)
    _print_measured(measured, assumed, console)
    _print_predictions(measured, assumed, console)


def _print_measured(measured: "Measured", assumed: "Assumptions", console: "Console") -> None:
    lines = (
        "",
        f"Measured here: {measured.games_per_core:.2f} games/s a core ({measured.simulations_per_game:,.0f} simulations a"
        f" game), {measured.positions_per_game:.1f} positions to learn from and {measured.bytes_per_game:,.0f} bytes a game,",
        f"{1e3 * measured.driver_seconds_per_game:.2f} ms of the driver a game, {measured.learner_positions:,.0f} positions/s"
        f" learned, a network of {measured.network_bytes / 1e3:,.0f} kB.",
        f"Assumed: cores like these, {assumed.cores_per_machine} a machine, a link of {assumed.link_bytes / 125e6:g} Gbit/s,"
        f" {assumed.passes:g} passes, {assumed.positions_per_generation:,} positions a generation,",
        f"a learner {assumed.learner_factor:g} times as fast as all cores of this machine together, which do nothing else.",
        "",
    )
    for line in lines:
        console.print(line, highlight=False, soft_wrap=True)


def _print_predictions(measured: "Measured", assumed: "Assumptions", console: "Console") -> None:
    from rich.table import Table

    from boardzero.cluster.scaling import SIZES, predict, saturating_cores

    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("cores", "games/s", "limit", "players", "learner", "driver", "link"):
        table.add_column(heading, justify="left" if heading == "limit" else "right")
    for cores in SIZES:
        prediction = predict(measured, assumed, cores)
        shares = [f"{100 * share:.0f} %" for share in prediction.shares.values()]
        table.add_row(f"{cores:,}", f"{prediction.games:,.0f}", prediction.limit, *shares)
    console.print(table)
    full = ", ".join(f"{name} {cores:,.0f}" for name, cores in saturating_cores(measured, assumed).items())
    console.print(f"Saturated at so many cores: {full}", highlight=False)
