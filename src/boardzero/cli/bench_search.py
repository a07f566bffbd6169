"""The report of `boardzero bench search` for people."""

from typing import Any

from rich.console import Console
from rich.table import Table


def print_report(report: dict[str, Any]) -> None:
    console = Console()
    forests = _table("the forest, free evaluator", "trees", "simulations/s", "plain Python/s", "ratio", "bytes a node")
    for speed in report["forest"]:
        forests.add_row(
            speed["game"],
            str(speed["batch"]),
            f"{speed['simulations_per_second']:,.0f}",
            f"{speed['reference_simulations_per_second']:,.0f}",
            f"{speed['ratio']:,.0f} ×",
            f"{speed['bytes_per_node']:,.0f}",
        )
    console.print(forests)
    rollouts = _table("rollouts", "simulations/s")
    for game, speed in report["rollouts_per_second"].items():
        rollouts.add_row(game, f"{speed:,.0f}")
    console.print(rollouts)
    growth = _table(f"one tree of {report['growth']['game']}", "ms per 1000 simulations")
    for step in report["growth"]["steps"]:
        growth.add_row(f"after {step['simulations']:,}", f"{1000 * step['seconds_per_thousand']:.2f}")
    console.print(growth)
    threads = _table(f"threads, {report['threads']['game']}, 64 trees each", "simulations/s")
    for count, speed in report["threads"]["simulations_per_second"].items():
        threads.add_row(str(count), f"{speed:,.0f}")
    console.print(threads)


def _table(*headings: str) -> Table:
    table = Table(headings[0], box=None, pad_edge=False, header_style="bold")
    for heading in headings[1:]:
        table.add_column(heading, justify="right")
    return table
