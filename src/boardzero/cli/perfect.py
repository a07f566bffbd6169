"""`boardzero perfect`: how often a player chooses a worse move than it could."""

from pathlib import Path
from typing import Annotated, Any

import typer

from boardzero.cli.output import AsJson, print_json


def compare(
    game: Annotated[str, typer.Argument(help="A game that is solved: connect4 up to 64 bits.")],
    player: Annotated[str, typer.Option(help="Who chooses, like alphazero:network=RUN,sims=100.")],
    positions: Annotated[
        list[Path] | None, typer.Option(metavar="FILE", help="Positions: `moves score` or JSON lines; repeatable.")
    ] = None,
    draw: Annotated[int, typer.Option(min=1, help="Without files: how many positions to draw at random.")] = 500,
    seed: Annotated[int, typer.Option(min=0, help="Drawn positions follow from it.")] = 0,
    as_json: AsJson = False,
) -> None:
    """Count the mistakes of a player: positions in which another move has a better result than the one chosen."""
    from boardzero.arena.perfect_play import Solver, chooser_of, count_mistakes, draw_solved_positions, read_positions
    from boardzero.games.catalogue import find_game
    from boardzero.players.catalogue import find_player

    rules = find_game(game)
    solver = Solver(rules)
    choose = chooser_of(find_player(player, rules))
    sets = (
        {str(path): read_positions(path, rules, solver) for path in positions}
        if positions
        else {f"{draw} drawn positions": draw_solved_positions(rules, draw, seed)}
    )
    files: list[dict[str, Any]] = []
    for name, entries in sets.items():
        files.append({"file": name, "positions": len(entries), "mistakes": count_mistakes(choose, entries)})
        if not as_json:
            share = 100 * files[-1]["mistakes"] / max(1, len(entries))
            print(f"{name}: {share:.1f} % mistakes ({files[-1]['mistakes']} of {len(entries)})", flush=True)
    if as_json:
        totals = {key: sum(entry[key] for entry in files) for key in ("positions", "mistakes")}
        print_json({"files": files, **totals})
