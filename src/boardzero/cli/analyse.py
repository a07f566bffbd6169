"""`boardzero analyse`: what a player thinks of a position, move by move."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from boardzero.cli.arena_options import USUAL_PLAYER, USUAL_SECONDS, GameName, machine, usual_player, wide_console
from boardzero.cli.output import AsJson, let_interrupt_end_the_process, print_json

if TYPE_CHECKING:
    from boardzero.games.position import Position
    from boardzero.players.player import Analysis

SHOWN_PLIES = 10  # of an expected continuation


def analyse_position(
    game: GameName,
    moves: Annotated[str, typer.Argument(help="The moves that lead to the position, like 4453; none is the start.")] = "",
    board: Annotated[str | None, typer.Option(help="Begin from this board, like '.../.X./... O'.")] = None,
    player: Annotated[
        str | None, typer.Option(help=f"Who thinks, like mcts:sims=10000 or perfect ({USUAL_PLAYER}, for a second).")
    ] = None,
    seconds: Annotated[float | None, typer.Option(help="Think at most this long.")] = None,
    seed: Annotated[int, typer.Option(min=0, help="Random choices follow from it.")] = 0,
    as_json: AsJson = False,
) -> None:
    """Show every legal move with what a player thinks of it; every value is for the side to move."""
    from boardzero.errors import BadInput
    from boardzero.games.catalogue import find_game
    from boardzero.games.position import Position

    if seconds is not None and not 0 < seconds < float("inf"):
        raise BadInput(f"The seconds are {seconds:g}; they must be more than 0.")
    rules = find_game(game)
    position = Position(rules, moves, board=board)
    if position.over:
        raise BadInput(f"The game is over there ({position.result_text}); there is nothing to analyse.")
    analyst = machine(player or usual_player(rules, USUAL_SECONDS if seconds is None else seconds), rules, seed)
    let_interrupt_end_the_process()
    try:
        answer = _answer(position, analyst.specification, analyst.analyse(position, seconds))
    finally:
        analyst.close()
    if as_json:
        print_json(answer)
    else:
        _show(position, answer)


def _answer(position: "Position", player: str, analysis: "Analysis") -> dict[str, Any]:
    """All that the analysis says, in plain values."""
    game = position.game
    return {
        "game": game.specification,
        "position": position.moves,
        "board": position.board,
        "to_move": game.players[position.turn],
        "player": player,
        "value": analysis.value,
        "win_probability": _probability(analysis.value),
        "exact": analysis.exact,
        "remarks": list(analysis.remarks),
        "moves": [
            {
                "move": game.action_to_text(opinion.action),
                "action": opinion.action,
                "visits": opinion.visits,
                "value": opinion.value,
                "win_probability": _probability(opinion.value),
                "prior": opinion.prior,
                "exact": opinion.exact,
                "score": opinion.score,
                "line": [game.action_to_text(action) for action in opinion.line],
            }
            for opinion in analysis.moves
        ],
    }


def _probability(value: float | None) -> float | None:
    """The share of a point that a value expects, a draw counting one half."""
    return None if value is None else (value + 1) / 2


def _show(position: "Position", answer: dict[str, Any]) -> None:
    from rich.table import Table

    from boardzero.games.drawing import draw

    headings = {
        "visits": "{:,}",
        "value": "{:+.3f}",
        "win_probability": "{:.1%}",
        "prior": "{:.1%}",
        "exact": "",
        "score": "{:+d}",
    }
    console = wide_console()
    console.print(draw(position), crop=False, overflow="ignore", no_wrap=True)
    table = Table("move", box=None, pad_edge=False, header_style="bold")
    for heading in headings:
        table.add_column(heading.replace("_", " "), justify="right")
    table.add_column("line")
    for opinion in answer["moves"]:
        cells = [_cell(key, form, opinion[key]) for key, form in headings.items()]
        table.add_row(opinion["move"], *cells, position.game.move_separator.join(opinion["line"][:SHOWN_PLIES]))
    console.print(table)
    thought = _cell("value", "{:+.3f}", answer["value"]) or "–"
    exact = _cell("exact", "", answer["exact"])
    print(f"\n{answer['player']}: value {thought} for {answer['to_move']}{f' (proven {exact})' if exact else ''}")
    for remark in answer["remarks"]:
        print(remark)


def _cell(key: str, form: str, value: Any) -> str:
    if value is None:
        return ""
    return {-1: "loss", 0: "draw", 1: "win"}[value] if key == "exact" else form.format(value)
