"""`boardzero engine`: boardzero inside other programs, in the protocols that they speak."""

import os
from typing import TYPE_CHECKING, Annotated

import typer

from boardzero.cli.arena_options import INTERRUPTED
from boardzero.cli.log_option import LogDatabase, LogGames

if TYPE_CHECKING:
    from collections.abc import Callable

    from boardzero.engines.conversation import Answer, Session
    from boardzero.engines.game_reports import Reporter

app = typer.Typer(help="Be an engine inside other programs.", no_args_is_help=True)

PlayerName = Annotated[
    str | None,
    typer.Option("--player", metavar="PLAYER", help="Who thinks, like alphazero:network=PATH (the strongest there is)."),
]
Seconds = Annotated[float, typer.Option(min=0.001, help="Seconds a move, where the other program sets no limit.")]
Port = Annotated[
    int | None,
    typer.Option("--listen", metavar="PORT", min=0, max=65535, help="Wait for connections to this port of this machine."),
]


@app.command()
def gomocup(
    player: PlayerName = None,
    seconds: Seconds = 5.0,
    port: Port = None,
    log: LogGames = False,
    database: LogDatabase = None,
) -> None:
    """A brain for Gomoku tournament managers (Piskvork, c-gomoku-cli), over standard input and output."""
    from boardzero.engines.gomocup import GomocupSession
    from boardzero.engines.thinking_process import ThinkingProcess

    _check_player(player)
    report = _reporter(log, database, "gomocup", player)
    _converse(lambda answer: GomocupSession(answer, ThinkingProcess(player), seconds, report), port)


@app.command()
def gtp(
    game: Annotated[str, typer.Option(metavar="GAME", help="What is played until set_game says otherwise.")] = "othello",
    player: PlayerName = None,
    seconds: Seconds = 5.0,
    port: Port = None,
    log: LogGames = False,
    database: LogDatabase = None,
) -> None:
    """An engine for managers that speak the Go Text Protocol, over standard input and output."""
    _check_player(player)

    # The process that answers compiles the rules at most, in a second or two, and does not wait for others that compile.
    from boardzero.engines.gtp import GtpSession
    from boardzero.engines.thinking_process import ThinkingProcess
    from boardzero.games.catalogue import find_game

    rules = find_game(game)
    report = _reporter(log, database, "gtp", player)
    _converse(lambda answer: GtpSession(answer, ThinkingProcess(player), rules, seconds, report), port)


@app.command()
def nboard(
    player: PlayerName = None,
    seconds: Seconds = 5.0,
    port: Port = None,
    log: LogGames = False,
    database: LogDatabase = None,
) -> None:
    """An engine for NBoard, a board for Othello, over standard input and output."""
    _check_player(player)

    from boardzero.engines.nboard import NBoardSession
    from boardzero.engines.thinking_process import ThinkingProcess

    report = _reporter(log, database, "nboard", player)
    _converse(lambda answer: NBoardSession(answer, ThinkingProcess(player), seconds, report), port)


@app.command()
def warm() -> None:
    """Compile everything now, so that the first game does not wait for it; once after each installation."""
    from boardzero.players.warm import warm_up

    warm_up()
    print("Everything is compiled.")


def _check_player(specification: str | None) -> None:
    """Refuse what cannot be a player before any game has begun, without loading it."""
    if specification is not None:
        from boardzero.players.specifications import check_machine

        check_machine(specification)


def _reporter(asked: bool, database: str | None, protocol: str, player: str | None) -> "Reporter":
    """Who hears of the games; a database that can never work is refused before any game has begun."""
    from boardzero.engines.game_reports import GameReports, unreported

    if not asked and database is None:
        return unreported
    from boardzero.storage.places import DATABASE_VARIABLE, usual_database

    if database is not None or DATABASE_VARIABLE in os.environ:
        from boardzero.storage.database import parse_url

        parse_url(database or usual_database())
    return GameReports(database or usual_database(), protocol, player)


def _converse(new_session: "Callable[[Answer], Session]", port: int | None) -> None:
    from boardzero.engines import conversation

    if port is None:
        conversation.converse_on_standard_streams(new_session)
        return
    try:
        conversation.listen(new_session, port, lambda number: print(f"Listening on 127.0.0.1:{number}.", flush=True))
    except OSError as error:
        from boardzero.errors import BadInput

        raise BadInput(f"Port {port} cannot be listened to: {error.strerror or error}.") from None
    except KeyboardInterrupt:
        os._exit(INTERRUPTED)  # at once: searches that nobody waits for must not keep the process
