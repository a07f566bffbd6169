"""`boardzero perfect`: how often a player chooses a worse move than it could."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from boardzero.cli.output import AsJson, print_json

if TYPE_CHECKING:
    from boardzero.arena.perfect_play import Chooser, SolvedPosition
    from boardzero.games.rules import Game

    PositionSets = dict[str, Sequence[SolvedPosition]]


def compare(
    game: Annotated[str | None, typer.Argument(help="A game that is solved: connect4 up to 64 bits.")] = None,
    player: Annotated[str | None, typer.Option(help="Who chooses, like alphazero:network=RUN,sims=100.")] = None,
    run: Annotated[
        Path | None, typer.Option(metavar="RUN", help="Instead of a game and a player: every network of a run.")
    ] = None,
    sims: Annotated[int, typer.Option(min=1, help="With --run: simulations a move; 1 is the network alone.")] = 100,
    positions: Annotated[
        list[Path] | None, typer.Option(metavar="FILE", help="Positions: `moves score` or JSON lines; repeatable.")
    ] = None,
    draw: Annotated[int, typer.Option(min=1, help="Without files: how many positions to draw at random.")] = 500,
    seed: Annotated[int, typer.Option(min=0, help="Drawn positions follow from it.")] = 0,
    as_json: AsJson = False,
) -> None:
    """Count the mistakes of a player: positions in which another move has a better result than the one chosen."""
    from boardzero.errors import BadInput
    from boardzero.games.catalogue import find_game

    if run is not None:
        if game is not None or player is not None:
            raise BadInput("--run stands instead of a game and --player: it names both.")
        _compare_run(run, sims, positions or [], draw, seed, as_json)
        return
    if game is None or player is None:
        raise BadInput("Name a game and --player PLAYER, or --run RUN.")
    from boardzero.arena.perfect_play import chooser_of
    from boardzero.players.catalogue import find_player

    rules = find_game(game)
    choose = chooser_of(find_player(player, rules))
    answer = _mistakes(choose, _position_sets(rules, positions or [], draw, seed), as_json)
    if as_json:
        print_json(answer)


def _compare_run(run: Path, sims: int, files: list[Path], draw: int, seed: int, as_json: bool) -> None:
    """The same for each network that the run has kept; one that cannot be read is named and left out."""
    from boardzero.arena.perfect_play import search_chooser
    from boardzero.errors import BadInput
    from boardzero.games.catalogue import find_game
    from boardzero.network.evaluator import find_evaluator
    from boardzero.settings.search import SearchSettings
    from boardzero.training.run_folder import RunFolder

    folder = RunFolder(run)
    rules = find_game(folder.settings().game)
    folder.newest_network()  # refuses a run without networks
    sets = _position_sets(rules, files, draw, seed)
    networks: list[dict[str, Any]] = []
    for generation in folder.network_generations():
        try:
            evaluate = find_evaluator(folder.network(generation), rules)
        except BadInput as error:
            typer.echo(f"boardzero: left out: {error}", err=True)
            continue
        if not as_json:
            print(f"generation {generation}", flush=True)
        choose = search_chooser(rules, evaluate, sims, SearchSettings())
        networks.append({"generation": generation, "simulations": sims, **_mistakes(choose, sets, as_json)})
    if as_json:
        print_json({"networks": networks})


def _position_sets(rules: "Game", files: list[Path], draw: int, seed: int) -> "PositionSets":
    from boardzero.arena.perfect_play import Solver, draw_solved_positions, read_positions

    solver = Solver(rules)
    if files:
        return {str(path): read_positions(path, rules, solver) for path in files}
    return {f"{draw} drawn positions": draw_solved_positions(rules, draw, seed)}


def _mistakes(choose: "Chooser", sets: "PositionSets", quiet: bool) -> dict[str, Any]:
    """Positions and mistakes of each set and of all together; each is printed when it is known, unless quiet."""
    from boardzero.arena.perfect_play import count_mistakes

    files: list[dict[str, Any]] = []
    for name, entries in sets.items():
        mistakes = count_mistakes(choose, entries)
        files.append({"file": name, "positions": len(entries), "mistakes": mistakes})
        if not quiet:
            print(f"{name}: {100 * mistakes / max(1, len(entries)):.1f} % mistakes ({mistakes} of {len(entries)})", flush=True)
    return {"files": files, **{key: sum(entry[key] for entry in files) for key in ("positions", "mistakes")}}
