"""What commands that play share for logging: `--log`, `--database`."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from boardzero.events.games import GameListener
    from boardzero.events.training import Listener, TrainingEvent
    from boardzero.storage.database import Database
    from boardzero.storage.log import GameLog
    from boardzero.training.run_folder import RunFolder

LogGames = Annotated[bool, typer.Option("--log", help="Keep the games in the game log; see boardzero games-log.")]
LogDatabase = Annotated[
    str | None,
    typer.Option(
        "--database",
        metavar="URL",
        help="The game log: a SQLite file or postgresql://…; implies --log. (BOARDZERO_DATABASE, or one of your own.)",
    ),
]
AskedDatabase = Annotated[
    str | None,
    typer.Option(
        "--database", metavar="URL", help="A SQLite file or postgresql://…; usually BOARDZERO_DATABASE, or your own log."
    ),
]


@contextmanager
def game_log(asked: bool, database: str | None) -> Iterator["GameLog | None"]:
    """The log that was asked for, if any; whatever it has to say goes to standard error."""
    if not asked and database is None:
        yield None
        return
    from boardzero.storage.log import GameLog
    from boardzero.storage.places import usual_database

    with GameLog(database or usual_database(), _say) as log:
        yield log


def refuse_bad_log(asked: bool, database: str | None) -> None:
    """For who leaves things behind before the log is opened: one that can never work is refused now (BadInput)."""
    if not asked and database is None:
        return
    from boardzero.storage.database import Database, DatabaseDown
    from boardzero.storage.places import usual_database

    opened = Database(database or usual_database())
    with suppress(DatabaseDown):
        opened.prepare_writing()
    opened.close()


def match_log(log: "GameLog | None", source: str) -> "GameListener | None":
    """Who hears the games of matches for the log, if there is one."""
    if log is None:
        return None
    from boardzero.storage.listeners import MatchLog

    return MatchLog(log, source)


def run_listener(show: "Listener", log: "GameLog | None", folder: "RunFolder") -> "Listener":
    """Who hears a training: whoever shows it, and the log, if there is one."""
    if log is None:
        return show
    from boardzero.storage.run_log import RunLog

    logged = RunLog(log, folder)

    def hear(event: "TrainingEvent") -> None:
        show(event)
        logged(event)

    return hear


@contextmanager
def asked_database(database: str | None, make: bool = False) -> Iterator["Database"]:
    """The database that is asked about, with all that was kept for it written; one that does not answer is refused.

    make: a file that the option or the environment names and that is not there is made; otherwise it is refused, as nobody
    asks for an empty log.
    """
    from boardzero.errors import BadInput
    from boardzero.storage.database import Database, DatabaseDown
    from boardzero.storage.log import store_rows
    from boardzero.storage.places import DATABASE_VARIABLE, data_folder, named_database, usual_database
    from boardzero.storage.spool import Spool

    opened = Database(database or usual_database())
    if (database or named_database()) and not make and opened.is_sqlite and not Path(opened.name).is_file():
        said = "" if database else f", which {DATABASE_VARIABLE} names"
        raise BadInput(f"There is no game log '{opened.name}'{said}.")
    try:
        opened.prepare()
        Spool(data_folder(), opened.name).empty_into(lambda rows: store_rows(opened, rows, _say))
        yield opened
    except DatabaseDown as error:
        raise BadInput(f"The database '{opened.name}' does not answer: {error}.") from None
    finally:
        opened.close()


def _say(sentence: str) -> None:
    print(sentence, file=sys.stderr, flush=True)
