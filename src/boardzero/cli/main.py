"""`boardzero`: every command in one place. Heavy imports belong inside the commands, so that `--help` answers at once."""

import sys
from typing import Annotated

import typer
from typer.exceptions import TyperException

from boardzero.cli import (
    analyse,
    bench,
    cluster,
    engine,
    experiment,
    export,
    games,
    games_log,
    lobby,
    match,
    perfect,
    perft,
    play,
    rate,
    report,
    serve,
    tournament,
    train,
)
from boardzero.errors import BadInput

app = typer.Typer(
    name="boardzero",
    help="Learns board games from their rules alone; lets you play, study and rate what it learned.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


def _tell_version(asked: bool) -> None:
    if asked:
        from importlib.metadata import version

        print(f"boardzero {version('boardzero')}")
        raise typer.Exit


@app.callback()
def _before_every_command(
    version: Annotated[
        bool, typer.Option("--version", callback=_tell_version, is_eager=True, help="Say which version this is.")
    ] = False,
) -> None:
    """Options that need no command answer in callbacks of their own."""


app.command("train")(train.train)
app.command("resume")(train.resume)
app.command("export")(export.export)
app.command("perfect")(perfect.compare)
app.command("rate")(rate.rate)
app.command("report")(report.report)
app.command("experiment")(experiment.run_experiment)
app.command("games")(games.list_games)
app.command("perft")(perft.count)
app.command("play")(play.play)
app.command("match")(match.play_match)
app.command("tournament")(tournament.play_tournament)
app.command("analyse")(analyse.analyse_position)
app.command("serve")(serve.serve)
app.command("lobby")(lobby.lobby)
app.add_typer(bench.app, name="bench")
app.add_typer(cluster.app, name="cluster")
app.add_typer(games_log.app, name="games-log")
app.add_typer(engine.app, name="engine")


def main() -> None:
    """The entry point: whatever the user got wrong is one line on standard error and exit code 2."""
    try:
        code = app(standalone_mode=False)
    except BadInput as error:
        code = _refuse(str(error))
    except TyperException as error:
        message = error.format_message() if hasattr(error, "format_message") else str(error)
        code = _refuse(message) if message else 2  # without a message: nothing was asked for, and the help has been shown
    except typer.Abort:
        code = 130
    except BrokenPipeError:  # the reader of our output is gone (`boardzero … | head`)
        sys.stderr.close()
        code = 0
    sys.exit(code)


def _refuse(message: str) -> int:
    print("boardzero: " + " ".join(message.split()), file=sys.stderr)
    return 2
