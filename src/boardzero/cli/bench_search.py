"""The report of `boardzero bench search` for people."""

from typing import Any

from rich.console import Console
from rich.table import Table

from boardzero.games.rules import Game
from boardzero.search.forest import Evaluator


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
    rows = {name: steps for name, steps in report["growth"].items() if name != "game"}
    growth = _table(f"one tree of {report['growth']['game']}, ms per 1000 simulations", *rows)
    for steps in zip(*rows.values(), strict=True):
        times = [f"{1000 * step['seconds_per_thousand']:.2f}" for step in steps]
        growth.add_row(f"after {steps[0]['simulations']:,}", *times)
    console.print(growth)
    threads = _table(f"threads, {report['threads']['game']}, {report['threads']['trees']} trees each", "simulations/s")
    for count, speed in report["threads"]["simulations_per_second"].items():
        threads.add_row(str(count), f"{speed:,.0f}")
    console.print(threads)


def new_network_evaluator(game: Game) -> Evaluator:
    """An untrained network of the default shape in ONNX Runtime, on one thread."""
    from boardzero.network.build import build_network
    from boardzero.network.evaluator import OnnxEvaluator
    from boardzero.network.onnx_export import export_onnx
    from boardzero.settings.network import NetworkSettings

    return OnnxEvaluator(export_onnx(build_network(NetworkSettings(), game).eval(), game))


def _table(*headings: str) -> Table:
    table = Table(headings[0], box=None, pad_edge=False, header_style="bold")
    for heading in headings[1:]:
        table.add_column(heading, justify="right")
    return table
