"""`boardzero bench engine`: how soon engines answer, and how much of its time the search has in a game."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from boardzero.cli.output import AsJson, let_interrupt_end_the_process, print_json

if TYPE_CHECKING:
    from boardzero.engines.benchmark import FirstAnswer, GameSpeed


def bench_engine(
    seconds: Annotated[float, typer.Option(min=0.5, help="Seconds a move.")] = 5.0,
    moves: Annotated[int, typer.Option(min=1, max=200, help="Moves of the engine in the measured game.")] = 12,
    size: Annotated[int, typer.Option(min=5, max=20, help="Rows and columns of the board of that game.")] = 13,
    player: Annotated[
        str | None, typer.Option(metavar="PLAYER", help="Who thinks in that game (the strongest there is).")
    ] = None,
    start: Annotated[bool, typer.Option(help="Measure how soon engines answer when they are started?")] = True,
    cold: Annotated[bool, typer.Option(help="Also with nothing compiled? It takes a minute or two.")] = True,
    as_json: AsJson = False,
) -> None:
    """First answers of the three engines, and a game of Gomoku beside one tree that is searched alone."""
    if player is not None:
        from boardzero.players.specifications import check_machine

        check_machine(player)

    from boardzero.engines.benchmark import measure_first_answers, measure_game

    let_interrupt_end_the_process()
    answers = measure_first_answers(seconds, cold) if start else []
    speed = measure_game(size, seconds, moves, player)
    if as_json:
        print_json({"first_answers": [vars(answer) for answer in answers], "game": {**vars(speed), "ratio": speed.ratio}})
    else:
        _show(answers, speed)


def _show(answers: "list[FirstAnswer]", speed: "GameSpeed") -> None:
    from rich.console import Console

    console = Console()
    if answers:
        table = _table("started", "compiled code", "first answer after", "first move after")
        for answer in answers:
            state = "none" if answer.is_cold else "in the cache"
            table.add_row(answer.protocol, state, f"{answer.answer:.2f} s", f"{answer.move:.2f} s")
        console.print(table)
    table = _table(f"{speed.game}, {speed.player}, {speed.moves} moves", "evaluations/s", "simulations/s")
    for name, evaluations, simulations in (
        (f"the engine, {speed.seconds:g} s a move", speed.evaluations_per_second, speed.simulations_per_second),
        ("one tree alone", speed.alone_evaluations_per_second, speed.alone_simulations_per_second),
    ):
        table.add_row(name, f"{evaluations:,.0f}", f"{simulations:,.0f}")
    console.print(table)
    print(f"Both evaluate {speed.leaves} leaves together, on {speed.threads} {'thread' if speed.threads == 1 else 'threads'}.")
    full = "was full" if speed.is_full else "was never full"
    print(
        f"The engine has {speed.ratio:.0%} of the evaluations of one tree alone; its longest move took {speed.longest:.2f} s,"
        f" its tree had {speed.nodes:,} nodes at the end and {full}."
    )


def _table(*headings: str) -> Any:
    from rich.table import Table

    table = Table(headings[0], box=None, pad_edge=False, header_style="bold")
    for heading in headings[1:]:
        table.add_column(heading, justify="right")
    return table
