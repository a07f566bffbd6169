"""`boardzero games`: which games there are, and whether a game keeps the contract."""

from typing import Annotated, Any

import typer

from boardzero.cli.output import AsJson, print_json


def list_games(
    as_json: AsJson = False,
    check: Annotated[
        str | None, typer.Option(metavar="GAME", help="Check that a game (path/to/game.py, say) keeps the contract.")
    ] = None,
    seeds: Annotated[int, typer.Option(min=1, help="How many random games --check plays.")] = 20,
) -> None:
    """List the games with their variants and sizes, or check one."""
    if check is not None:
        _check(check, seeds)
        return
    descriptions = _describe()
    if as_json:
        print_json(descriptions)
        return
    from rich.console import Console
    from rich.table import Table

    table = Table("game", "parameters", "meaning", box=None, pad_edge=False, header_style="bold")
    for description in descriptions:
        table.add_row(description["name"], "", description["title"], style="bold")
        for parameter in description["parameters"]:
            table.add_row("", f"{parameter['name']}={parameter['default']}", f"{parameter['meaning']}: {parameter['allowed']}")
    table.add_row("openspiel:NAME", "", "any two-player, deterministic, perfect-information game of OpenSpiel", style="bold")
    table.add_row("path/to/game.py", "", "a game of your own in one file (docs/add-a-game.md)", style="bold")
    console = Console()
    console.print(table)
    console.print("\nA game is named like connect4, connect4:rows=5,columns=6,connect=4 or othello:size=6.")


def _describe() -> list[dict[str, Any]]:
    from boardzero.games.catalogue import BUILT_IN, game_class
    from boardzero.settings.specification import describe_field

    answer = []
    for name in BUILT_IN:
        kind = game_class(name)
        fields = kind.Parameters.model_fields
        parameters = [describe_field(key, field) for key, field in fields.items()]
        answer.append({"name": name, "title": kind.title, "parameters": parameters})
    return answer


def _check(specification: str, seeds: int) -> None:
    from boardzero.errors import BadInput
    from boardzero.games.catalogue import find_game
    from boardzero.games.conformance import check_game

    game = find_game(specification)
    try:
        check_game(game, range(seeds))
    except AssertionError as error:
        raise BadInput(f"{game.specification} breaks the contract; this should hold: {error}.") from None
    print(f"{game.specification} keeps the contract ({seeds} random games).")
