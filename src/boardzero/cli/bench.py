"""`boardzero bench`: how fast the parts are, compared with something else in the same run."""

from typing import Annotated

import typer

from boardzero.cli.output import AsJson, let_interrupt_end_the_process, print_json

app = typer.Typer(help="Measure the speed of a part of boardzero.", no_args_is_help=True)


@app.callback()
def bench() -> None:
    """Measure the speed of a part of boardzero."""


@app.command("games")
def bench_games(
    names: Annotated[list[str] | None, typer.Argument(metavar="[GAME]...", help="Which games (default: all five).")] = None,
    seconds: Annotated[float, typer.Option(min=0.1, help="How long to play each game, compiled and interpreted.")] = 3.0,
    as_json: AsJson = False,
) -> None:
    """Random games and moves a second on one core, compiled and with the same rules interpreted by plain Python."""
    from boardzero.games.benchmark import STANDARD_GAMES, compare_speeds
    from boardzero.games.catalogue import find_game

    let_interrupt_end_the_process()
    games = [find_game(name) for name in names or STANDARD_GAMES]
    speeds = [compare_speeds(game, seconds) for game in games]
    if as_json:
        print_json([speed.as_dict() for speed in speeds])
        return
    from rich.console import Console
    from rich.table import Table

    table = Table("game", box=None, pad_edge=False, header_style="bold")
    for heading in ("games/s", "moves/s", "moves a game", "interpreted moves/s", "ratio"):
        table.add_column(heading, justify="right")
    for speed in speeds:
        table.add_row(
            speed.game,
            f"{speed.games_per_second:,.0f}",
            f"{speed.moves_per_second:,.0f}",
            f"{speed.moves_per_second / speed.games_per_second:.1f}",
            f"{speed.interpreted_moves_per_second:,.0f}",
            f"{speed.ratio:,.0f} ×",
        )
    Console().print(table)
