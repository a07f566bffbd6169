"""`boardzero perfect`: how often a player chooses a worse move than it could."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from boardzero.cli.output import AsJson, print_json

if TYPE_CHECKING:
    from boardzero.arena.perfect_play import Chooser
    from boardzero.arena.solved_games import SolvedPosition
    from boardzero.games.rules import Game

    PositionSets = dict[str, Sequence[SolvedPosition]]


def compare(
    game: Annotated[
        str | None,
        typer.Argument(
            help="A solved game: connect4 (up to 64 bits), tictactoe, othello (its last moves); or a run, as with --run."
        ),
    ] = None,
    more: Annotated[list[Path] | None, typer.Argument(metavar="[FILE]...", help="Further files of --positions.")] = None,
    player: Annotated[str | None, typer.Option(help="Who chooses, like alphazero:network=RUN,sims=100.")] = None,
    run: Annotated[
        Path | None, typer.Option(metavar="RUN", help="Instead of a game and a player: every network of a run.")
    ] = None,
    sims: Annotated[int, typer.Option(min=1, help="With --run: simulations a move; 1 is the network alone.")] = 100,
    positions: Annotated[
        list[Path] | None, typer.Option(metavar="FILE...", help="Positions: moves or JSON lines; several, if you like.")
    ] = None,
    draw: Annotated[int, typer.Option(min=1, help="Without files: how many positions to draw at random.")] = 500,
    seed: Annotated[int, typer.Option(min=0, help="Drawn positions follow from it.")] = 0,
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="With --run: where to draw the curve (default: perfect.html of the run)."),
    ] = None,
    png: Annotated[bool, typer.Option("--png", help="With --run: also the charts as PNG files beside it.")] = False,
    as_json: AsJson = False,
) -> None:
    """Count the mistakes of a player: positions in which another move has a better result than the one chosen."""
    from boardzero.errors import BadInput
    from boardzero.games.catalogue import find_game

    files = [*(positions or []), *(more or [])]
    if more and not positions:
        raise BadInput(f"'{more[0]}' is one argument too many; files of positions follow --positions.")
    if run is None and player is None and game is not None and _is_run(Path(game)):
        run, game = Path(game), None
    if run is not None:
        if game is not None and positions:  # --run RUN --positions FILE FILE: this is no game
            files = [*positions, Path(game), *(more or [])]
            game = None
        if game is not None or player is not None:
            raise BadInput("--run stands instead of a game and --player: it names both.")
        _compare_run(run, sims, files, (draw, seed), (out, png), as_json)
        return
    if out is not None or png:
        raise BadInput("--out and --png go with --run: they are about its curve.")
    if game is None or player is None:
        raise BadInput("Name a game and --player PLAYER, or --run RUN.")
    from boardzero.arena.perfect_play import chooser_of
    from boardzero.players.catalogue import find_player

    rules = find_game(game)
    choose = chooser_of(find_player(player, rules))
    answer = _mistakes(choose, _position_sets(rules, files, draw, seed), as_json)
    if as_json:
        print_json(answer)


def _is_run(path: Path) -> bool:
    from boardzero.training.run_folder import RunFolder

    return RunFolder(path).exists


def _compare_run(
    run: Path, sims: int, files: list[Path], drawn: tuple[int, int], curve: tuple[Path | None, bool], as_json: bool
) -> None:
    """The same for each network that the run has kept, and the habits of each; the curve of them is drawn.

    drawn: how many positions to draw, and the seed; curve: where to draw it, and whether as pictures too.
    """
    from boardzero.evaluation.perfect_run import UNFINISHED, answers, measure_networks, write_curve
    from boardzero.evaluation.run_history import PERFECT, keep
    from boardzero.games.catalogue import find_game
    from boardzero.training.run_folder import RunFolder

    folder = RunFolder(run)
    rules = find_game(folder.settings().game)
    folder.newest_network()  # refuses a run without networks
    sets = _position_sets(rules, files, *drawn)
    habits = next(iter(sets.values())) if not files else _drawn_positions(rules, *drawn)
    networks: list[dict[str, Any]] = []
    for network in measure_networks(folder, sims, sets, habits, _left_out):
        networks.append(network)
        keep(folder.path / UNFINISHED, {"networks": networks})
        if not as_json:
            print(f"generation {network['generation']}", flush=True)
            for file in network["files"]:
                _print_mistakes(file)
    pages = []
    if networks:
        keep(folder.path / PERFECT, {"networks": networks})
        (folder.path / UNFINISHED).unlink(missing_ok=True)
        pages = write_curve(run, *curve) if folder.events.is_file() else []
    if as_json:
        print_json({"networks": networks, "curve": [str(path) for path in pages]})
        return
    if networks:
        print(*answers(networks[-1]["habits"]), sep="\n")
    for path in pages:
        print(f"Drawn: {path}")


def _left_out(sentence: str) -> None:
    typer.echo(f"boardzero: left out: {sentence}", err=True)


def _position_sets(rules: "Game", files: list[Path], draw: int, seed: int) -> "PositionSets":
    from boardzero.arena.perfect_play import read_positions
    from boardzero.arena.solved_games import find_solver

    if files:
        solver = find_solver(rules)
        return {str(path): read_positions(path, rules, solver) for path in files}
    drawn = _drawn_positions(rules, draw, seed)
    return {f"{len(drawn)} drawn positions": drawn}


def _drawn_positions(rules: "Game", draw: int, seed: int) -> "Sequence[SolvedPosition]":
    """Those that were asked for, or as many as are found, which is said; none at all is refused."""
    from boardzero.arena.perfect_play import draw_solved_positions
    from boardzero.errors import BadInput

    drawn = draw_solved_positions(rules, draw, seed)
    if not drawn:
        raise BadInput(f"No positions of {rules.specification} were found that leave a choice and are soon solved.")
    if len(drawn) < draw:
        typer.echo(f"boardzero: only {len(drawn)} of {draw} positions of {rules.specification} were found.", err=True)
    return drawn


def _mistakes(choose: "Chooser", sets: "PositionSets", quiet: bool) -> dict[str, Any]:
    """Positions and mistakes of each set and of all together; each is printed when it is known, unless quiet."""
    from boardzero.arena.perfect_play import count_mistakes

    files: list[dict[str, Any]] = []
    for name, entries in sets.items():
        mistakes = count_mistakes(choose, entries)
        files.append({"file": name, "positions": len(entries), "mistakes": mistakes})
        if not quiet:
            _print_mistakes(files[-1])
    return {"files": files, **{key: sum(entry[key] for entry in files) for key in ("positions", "mistakes")}}


def _print_mistakes(file: dict[str, Any]) -> None:
    share = 100 * file["mistakes"] / max(1, file["positions"])
    print(f"{file['file']}: {share:.1f} % mistakes ({file['mistakes']} of {file['positions']})", flush=True)
