"""`boardzero bench serve`: many people playing on the page at once."""

from typing import Annotated, Any

import typer

from boardzero.cli.output import AsJson, print_json


def bench_serve(
    people: Annotated[int, typer.Option(min=1, max=5000, help="How many people play at once.")] = 200,
    sims: Annotated[int, typer.Option(min=1, max=20_000, help="Simulations of each of the machine's moves.")] = 100,
    seconds: Annotated[float, typer.Option(min=1, help="How long they play.")] = 60.0,
    think: Annotated[float, typer.Option(min=0, help="Seconds that a person thinks about a move, on average.")] = 1.0,
    as_json: AsJson = False,
) -> None:
    """People playing Connect Four at once: how long they wait, whether all is right, how quick the page stays.

    It ends with code 1 if there was an error, if the median move took 2 s or the page 50 ms, or (in two minutes or more) if
    memory grew.
    """
    from boardzero.web.benchmark import measure

    report = measure(people, sims, seconds, think)
    if as_json:
        print_json(report)
    else:
        _show(report)
    if report["missed"]:
        raise typer.Exit(1)


def _show(report: dict[str, Any]) -> None:
    from rich.console import Console
    from rich.table import Table

    print(
        f"{report['people']} people, {report['simulations']} simulations a move ({report['network']} network),"
        f" {report['seconds']:g} seconds, {report['think']:g} s of thought a move:"
        f" {report['moves']:,} moves ({report['moves_per_second']:.0f} a second), {report['games']:,} whole games"
    )
    table = Table("seconds", box=None, pad_edge=False, header_style="bold")
    for heading in ("median", "95 % within", "longest"):
        table.add_column(heading, justify="right")
    for name, key in (
        ("a move and its reply", "move_seconds"),
        ("the page", "page_seconds"),
        ("a position", "position_seconds"),
    ):
        table.add_row(name, *(f"{value:.3f}" for value in report[key].values()))
    Console().print(table)
    memory = report["memory"]
    print(f"memory: {memory['first']:.0f} MB at first, {memory['middle']:.0f} in the middle, {memory['last']:.0f} at the end")
    used = report["server_cpu_seconds"]
    if used is not None and report["moves"]:
        milliseconds = 1000 * used / report["moves"]
        print(f"the server used {used / report['seconds']:.2f} cores, {milliseconds:.1f} ms for a move and its reply")
    for sentence in report["missed"]:
        print(f"missed: {sentence}")
    print(f"errors: {report['errors']}" + "".join(f"\n  {example}" for example in report["error_examples"]))
