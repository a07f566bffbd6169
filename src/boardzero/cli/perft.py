"""`boardzero perft`: how many move sequences, or different positions, the rules allow."""

from typing import Annotated

import typer

from boardzero.cli.output import AsJson, let_interrupt_end_the_process, print_json


def count(
    game: Annotated[str, typer.Argument(help="A game, like connect4 or othello:size=6.")],
    depth: Annotated[int, typer.Argument(min=0, help="How many plies deep.")],
    positions: Annotated[bool, typer.Option("--positions", help="Count different positions, not move sequences.")] = False,
    as_json: AsJson = False,
) -> None:
    """Count the move sequences (or positions) of 0 to DEPTH plies; a finished game counts nowhere beyond its last ply."""
    from boardzero.games.catalogue import find_game
    from boardzero.games.counting import count_positions, count_sequences

    rules = find_game(game)
    let_interrupt_end_the_process()
    what = "positions" if positions else "sequences"
    counter = count_positions(rules, depth) if positions else (count_sequences(rules, ply) for ply in range(depth + 1))
    counts = []
    for ply, number in enumerate(counter):
        counts.append(number)
        if not as_json:
            print(f"{ply:3} plies: {number:,} {what}", flush=True)
    if as_json:
        print_json({"game": rules.specification, "depth": depth, what: counts})
