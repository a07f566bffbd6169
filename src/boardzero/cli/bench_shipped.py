"""`boardzero bench shipped`: how large the shipped networks are, and how soon each has made its first move."""

from boardzero.cli.output import AsJson, let_interrupt_end_the_process, print_json


def bench_shipped(as_json: AsJson = False) -> None:
    """Bytes of the shipped networks, and seconds from a new process to the first move of each."""
    from boardzero.players.shipped_benchmark import SIMULATIONS, measure_first_move, shipped_names

    let_interrupt_end_the_process()
    moves = [measure_first_move(name) for name in shipped_names()]
    total = sum(move.bytes for move in moves)
    if as_json:
        print_json({"networks": [vars(move) for move in moves], "bytes": total, "simulations": SIMULATIONS})
        return
    from rich.console import Console
    from rich.table import Table

    table = Table("network", "game", box=None, pad_edge=False, header_style="bold")
    for heading in ("MB", "loaded and moved after", "whole process", "move"):
        table.add_column(heading, justify="right")
    for move in moves:
        seconds = f"{move.seconds:.2f} s", f"{move.process_seconds:.2f} s"
        table.add_row(move.network, move.game, f"{move.bytes / 1e6:.2f}", *seconds, move.move)
    console = Console()
    console.print(table)
    console.print(f"All together {total / 1e6:.2f} MB; first moves with {SIMULATIONS} simulations.", highlight=False)
