"""`boardzero bench`: how fast the parts are, compared with something else in the same run."""

from pathlib import Path
from typing import Annotated

import typer

from boardzero.cli import bench_cluster, bench_engine, bench_serve, bench_shipped
from boardzero.cli.output import AsJson, let_interrupt_end_the_process, print_json
from boardzero.cores import usable_cores

app = typer.Typer(help="Measure the speed of a part of boardzero.", no_args_is_help=True)


@app.callback()
def bench() -> None:
    """Measure the speed of a part of boardzero."""


app.command("serve")(bench_serve.bench_serve)
app.command("engine")(bench_engine.bench_engine)
app.command("shipped")(bench_shipped.bench_shipped)


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


@app.command("search")
def bench_search(
    names: Annotated[list[str] | None, typer.Argument(metavar="[GAME]...", help="Which games (default: all five).")] = None,
    seconds: Annotated[float, typer.Option(min=0.1, help="How long to run each measurement.")] = 2.0,
    batches: Annotated[str, typer.Option(help="Numbers of trees that advance together.")] = "1,16,64,256",
    growth: Annotated[int, typer.Option(min=10_000, help="Simulations that one tree grows to.")] = 100_000,
    network: Annotated[bool, typer.Option(help="Measure growth with a network of 4 × 32, too.")] = True,
    as_json: AsJson = False,
) -> None:
    """Simulations a second of the forest with a free evaluator (against its plain twin) and of rollouts; growth; threads."""

    from boardzero.cli.bench_search import new_network_evaluator, print_report
    from boardzero.games.benchmark import STANDARD_GAMES
    from boardzero.games.catalogue import find_game
    from boardzero.search import benchmark

    let_interrupt_end_the_process()
    sizes = whole_numbers("--batches", batches)
    games = [find_game(name) for name in names or STANDARD_GAMES]
    forests, rollouts = [], {}
    for game in games:
        reference = benchmark.measure_reference(game, seconds)
        forests += [benchmark.measure_forest(game, size, seconds, reference) for size in sizes]
        rollouts[game.specification] = benchmark.measure_rollouts(game, seconds)
    chosen = games[0] if names else find_game("connect4")
    steps = {"free evaluator": benchmark.measure_growth(chosen, growth)}
    if network:
        steps["network of 4 × 32"] = benchmark.measure_growth(chosen, growth, new_network_evaluator(chosen))
    threads = sorted({1, 2, len(usable_cores())})
    scaling = {count: benchmark.measure_threads(chosen, max(sizes), seconds, count) for count in threads}
    report = {
        "forest": [{**vars(speed), "ratio": speed.ratio} for speed in forests],
        "rollouts_per_second": rollouts,
        "growth": {"game": chosen.specification} | {name: [vars(step) for step in row] for name, row in steps.items()},
        "threads": {"game": chosen.specification, "trees": max(sizes), "simulations_per_second": scaling},
    }
    if as_json:
        print_json(report)
    else:
        print_report(report)


@app.command("solvers")
def bench_solvers(
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="Connect Four `moves score` lines, or Othello OBF.")],
    as_json: AsJson = False,
) -> None:
    """Exact solvers on positions with known scores: how many are right, and how fast."""
    from boardzero.search.solver_benchmark import measure_solver

    let_interrupt_end_the_process()
    speeds = []
    for file in files:
        speeds.append(measure_solver(file))
        if not as_json:
            speed = speeds[-1]
            print(
                f"{speed.file}: {speed.positions} positions, {speed.wrong} wrong, {speed.seconds:.2f} s"
                f" (slowest {speed.slowest:.2f} s), {speed.nodes_per_second / 1e6:.1f} M nodes/s",
                flush=True,
            )
    if as_json:
        print_json([vars(speed) for speed in speeds])


@app.command("network")
def bench_network(
    name: Annotated[str | None, typer.Argument(metavar="[GAME]", help="Which game (default: connect4, or the file's).")] = None,
    blocks: Annotated[int | None, typer.Option(help="Residual blocks of a new network.")] = None,
    channels: Annotated[int | None, typer.Option(help="Channels of a new network.")] = None,
    changes: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="A setting of a new network, like kind=convolutional; repeatable."),
    ] = None,
    preset: Annotated[str | None, typer.Option(help="A network of the source documents: slavka-gomoku, …")] = None,
    file: Annotated[Path | None, typer.Option(metavar="NETWORK", help="A network file (.safetensors).")] = None,
    seconds: Annotated[float, typer.Option(min=0.01, help="How long to run each measurement.")] = 1.0,
    batches: Annotated[str, typer.Option(help="Numbers of positions that are evaluated together.")] = "1,16,64,256",
    threads: Annotated[str | None, typer.Option(help="Numbers of threads (default: 1 and all cores).")] = None,
    as_json: AsJson = False,
) -> None:
    """Size and arithmetic of a network, and positions a second with ONNX Runtime against PyTorch."""

    from boardzero.cli.bench_network import chosen_network, print_report

    let_interrupt_end_the_process()
    sizes = whole_numbers("--batches", batches)
    counts = whole_numbers("--threads", threads) if threads else sorted({1, len(usable_cores())})

    from boardzero.network.benchmark import measure_network  # PyTorch takes seconds: refuse bad options before

    network, game = chosen_network(name, blocks, channels, preset, file, changes or [])
    report = measure_network(network, game, sizes, counts, seconds)
    if as_json:
        print_json(report)
    else:
        print_report(report)


@app.command("selfplay")
def bench_selfplay(
    name: Annotated[str, typer.Argument(metavar="[GAME]", help="Which game.")] = "connect4",
    network: Annotated[
        Path | None,
        typer.Option(metavar="NETWORK", help="A network file (.safetensors); default: an untrained one of the usual shape."),
    ] = None,
    changes: Annotated[
        list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="Change a setting of the run; repeatable.")
    ] = None,
    seconds: Annotated[float, typer.Option(min=0.1, help="How long to run each measurement.")] = 10.0,
    threads: Annotated[str | None, typer.Option(help="Numbers of threads (default: 1 and all cores).")] = None,
    as_json: AsJson = False,
) -> None:
    """Evaluations and simulations a second in self-play, against the network alone in the same run."""

    from boardzero.cli.bench_selfplay import print_report
    from boardzero.games.catalogue import find_game
    from boardzero.settings.changes import apply_changes
    from boardzero.settings.presets import default_values
    from boardzero.settings.run import RunSettings

    let_interrupt_end_the_process()
    counts = whole_numbers("--threads", threads) if threads else sorted({1, len(usable_cores())})
    game = find_game(name)
    settings = apply_changes(RunSettings, {**default_values(game.specification), "game": game.specification}, changes or [])

    from boardzero.selfplay.benchmark import measure_selfplay, new_model, read_model

    model = read_model(network, game) if network else new_model(game, settings.network)
    speeds = [measure_selfplay(game, settings, model, count, seconds) for count in counts]
    if as_json:
        print_json([{**vars(speed), "use": speed.use, "gain": speed.gain} for speed in speeds])
    else:
        print_report(speeds)


app.command("cluster")(bench_cluster.bench_cluster)


def whole_numbers(option: str, text: str) -> list[int]:
    """`1,16` → [1, 16]."""
    from boardzero.errors import BadInput

    numbers = [int(number) for number in text.split(",") if number.strip().isdecimal() and int(number) > 0]
    if len(numbers) != len(text.split(",")):
        raise BadInput(f"{option} is '{text}'; it takes whole numbers from 1, separated by commas.")
    return numbers
