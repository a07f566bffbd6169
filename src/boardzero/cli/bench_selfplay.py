"""The report of `boardzero bench selfplay` for people."""

from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table

if TYPE_CHECKING:
    from boardzero.selfplay.benchmark import SelfPlaySpeed


def print_report(speeds: "list[SelfPlaySpeed]") -> None:
    table = Table("threads", box=None, pad_edge=False, header_style="bold")
    for heading in ("network alone/s (batch)", "evaluations/s", "ratio", "simulations/s", "ratio", "games/s"):
        table.add_column(heading, justify="right")
    for speed in speeds:
        table.add_row(
            str(speed.threads),
            f"{speed.ceiling:,.0f} ({speed.best_batch})",
            f"{speed.evaluations:,.0f}",
            f"{speed.use:.2f}",
            f"{speed.simulations:,.0f}",
            f"{speed.gain:.2f}",
            f"{speed.games:,.1f}",
        )
    console = Console()
    console.print(table)
    first, last = speeds[0], speeds[-1]
    if last is not first:
        console.print(
            f"{last.threads} threads against {first.threads}: evaluations {last.evaluations / first.evaluations:.2f} ×, "
            f"simulations {last.simulations / first.simulations:.2f} ×, network alone {last.ceiling / first.ceiling:.2f} ×",
            highlight=False,
        )
