"""`boardzero games-log`: look through stored games, replay them, take them out and bring others in."""

from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from boardzero.cli.log_option import AskedDatabase, asked_database
from boardzero.cli.output import AsJson, print_json

if TYPE_CHECKING:
    from boardzero.storage.entries import StoredGame
    from boardzero.storage.queries import GameFilter


class ListByDefault(TyperGroup):
    """What names no command is a list: `games-log --player mcts` means `games-log list --player mcts`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if not args or (args[0].startswith("-") and args[0] not in ("--help", "-h")):
            args = ["list", *args]
        return super().parse_args(ctx, args)


app = typer.Typer(cls=ListByDefault, help="Look through stored games, replay, export and import them.")

Game = Annotated[str | None, typer.Option(help="Games of this name, like connect4 (of any size) or othello:size=6.")]
Player = Annotated[str | None, typer.Option(help="This player on either side: mcts (any), mcts:sims=100, 'alphazero*'.")]
First = Annotated[str | None, typer.Option(help="This player on the first side.")]
Second = Annotated[str | None, typer.Option(help="This player on the second side.")]
Result = Annotated[str | None, typer.Option(help="first, second, draw or unfinished; with --player also won or lost.")]
Source = Annotated[str | None, typer.Option(help="Where it was played: match, tournament, play, self-play, import, …")]
Since = Annotated[str | None, typer.Option(metavar="DATE", help="From this day, month or year (UTC), like 2031-01-31.")]
Until = Annotated[str | None, typer.Option(metavar="DATE", help="Up to this day, month or year, included.")]
Shortest = Annotated[int | None, typer.Option(min=0, metavar="PLIES", help="At least so many moves.")]
Longest = Annotated[int | None, typer.Option(min=0, metavar="PLIES", help="At most so many moves.")]
Run = Annotated[str | None, typer.Option(metavar="ID", help="Of this training run (the beginning of its id).")]
Match = Annotated[str | None, typer.Option(metavar="ID", help="Of this match (the beginning of its id).")]
GameId = Annotated[str, typer.Argument(metavar="ID", help="The game's id, or its beginning.")]
Format = Annotated[
    str | None, typer.Option("--format", help="text, json, parquet, sgf, ggf or psq; the file's ending tells it.")
]


@app.command("list")
def list_games(
    game: Game = None,
    player: Player = None,
    first: First = None,
    second: Second = None,
    result: Result = None,
    source: Source = None,
    since: Since = None,
    until: Until = None,
    shortest: Shortest = None,
    longest: Longest = None,
    run: Run = None,
    match: Match = None,
    limit: Annotated[int, typer.Option(min=1, help="How many to show.")] = 20,
    skip: Annotated[int, typer.Option(min=0, help="Begin after so many.")] = 0,
    database: AskedDatabase = None,
    as_json: AsJson = False,
) -> None:
    """List games, the newest first; all that is asked for must hold."""
    from boardzero.storage import queries

    which = queries.GameFilter(game, player, first, second, result, source, since, until, shortest, longest, run, match)
    with asked_database(database) as opened, opened.reading() as connection:
        games, total = queries.games_page(connection, which, limit, skip)
    if as_json:
        print_json({"total": total, "games": [_as_dict(game) for game in games]})
        return
    if not games:
        print("No game in the log fits." if total == 0 else f"There are only {total:,} such games.")
        return
    _show_list(games)
    print(
        f"{total:,} {'game' if total == 1 else 'games'}" + (f", shown {skip + 1:,} to {skip + len(games):,}" * (total > limit))
    )


@app.command("show")
def show(
    game_id: GameId,
    ply: Annotated[int | None, typer.Option(min=0, help="The board after so many moves (otherwise the last).")] = None,
    database: AskedDatabase = None,
    as_json: AsJson = False,
) -> None:
    """Everything about one game, and its board."""
    from boardzero.cli.games_log_replay import boards_of, print_board, print_facts

    game = _find(game_id, database)
    boards = boards_of(game.record, ply)
    if as_json:
        print_json({**_as_dict(game), "boards": [position.board for position in boards]})
        return
    print_facts(game)
    print_board(boards[-1])


@app.command("replay")
def replay(
    game_id: GameId,
    seconds: Annotated[
        float | None, typer.Option(min=0, max=3600, help="Wait so long after each board, instead of for Enter.")
    ] = None,
    database: AskedDatabase = None,
) -> None:
    """A game as boards, move by move; on a terminal Enter shows the next one."""
    from boardzero.cli.games_log_replay import replay_game

    replay_game(_find(game_id, database), seconds)


@app.command("export")
def export(
    out: Annotated[str, typer.Argument(metavar="FILE", help="Where to; - for standard output; a folder for many PSQ files.")],
    game: Game = None,
    player: Player = None,
    first: First = None,
    second: Second = None,
    result: Result = None,
    source: Source = None,
    since: Since = None,
    until: Until = None,
    shortest: Shortest = None,
    longest: Longest = None,
    run: Run = None,
    match: Match = None,
    form: Format = None,
    database: AskedDatabase = None,
    as_json: AsJson = False,
) -> None:
    """Write games to a file: plain text, JSON lines, Parquet, SGF, GGF (Othello) or PSQ (Gomoku)."""
    from boardzero.cli.games_log_files import export_games, tell_exported
    from boardzero.storage.queries import GameFilter

    which = GameFilter(game, player, first, second, result, source, since, until, shortest, longest, run, match)
    tell_exported(export_games(_all_games(which, database), out, form), out, as_json)


@app.command("import")
def import_(
    files: Annotated[list[str], typer.Argument(metavar="FILE...", help="Files of games.")],
    form: Format = None,
    trust: Annotated[
        bool, typer.Option("--trust", help="Also games whose rules are a Python file, which is run to check them.")
    ] = False,
    database: AskedDatabase = None,
    as_json: AsJson = False,
) -> None:
    """Bring games from files into the log; each is played through, and what is damaged is named and left out."""
    from boardzero.cli.games_log_files import import_files, tell_imported

    with asked_database(database, make=True) as opened:
        answer = import_files(opened, files, form, trust)
    tell_imported(answer, as_json)


@app.command("matches")
def list_matches(
    limit: Annotated[int, typer.Option(min=1, help="How many to show.")] = 20,
    database: AskedDatabase = None,
    as_json: AsJson = False,
) -> None:
    """List matches and what they came to, the newest first."""
    from boardzero.storage import queries

    with asked_database(database) as opened, opened.reading() as connection:
        rows = queries.list_matches(connection, limit)
    columns = ("id", "begun", "game", "player", "opponent", "wins", "draws", "losses", "games")
    _show_rows(rows, columns, "There is no match in the log.", as_json)


@app.command("runs")
def list_runs(
    limit: Annotated[int, typer.Option(min=1, help="How many to show.")] = 20,
    database: AskedDatabase = None,
    as_json: AsJson = False,
) -> None:
    """List training runs and how far they came, the newest first."""
    from boardzero.storage import queries

    with asked_database(database) as opened, opened.reading() as connection:
        rows = queries.list_runs(connection, limit)
    columns = ("id", "begun", "game", "folder", "generation", "seconds", "games")
    _show_rows(rows, columns, "There is no training run in the log.", as_json)


@app.command("ratings")
def list_ratings(
    game: Annotated[str | None, typer.Option(help="In exactly this game; otherwise in any.")] = None,
    every: Annotated[bool, typer.Option("--all", help="Those that were fitted before, too, the newest first.")] = False,
    database: AskedDatabase = None,
    as_json: AsJson = False,
) -> None:
    """Show the ratings that were fitted last, the best player first."""
    from boardzero.storage import queries

    with asked_database(database) as opened, opened.reading() as connection:
        rows = (queries.all_ratings if every else queries.newest_ratings)(connection, game)
    if as_json:
        print_json(rows)
    elif not rows:
        print("There are no ratings in the log." if game is None else f"There are no ratings of {game} in the log.")
    else:
        for _, fit in groupby(rows, key=itemgetter("fit")):
            _show_ratings(list(fit))


@app.command("evaluations")
def list_evaluations(
    run: Annotated[str, typer.Argument(metavar="RUN", help="The run's id, or its beginning; `games-log runs` lists them.")],
    database: AskedDatabase = None,
    as_json: AsJson = False,
) -> None:
    """Show how strong a training run was found to be, generation by generation."""
    from boardzero.storage import queries

    with asked_database(database) as opened, opened.reading() as connection:
        rows = queries.list_evaluations(connection, run)
    if as_json:
        print_json(rows)
    elif not rows:
        print(f"There are no evaluations of the training run '{run}' in the log.")
    else:
        shown = [{**row, "minutes": f"{row['seconds'] / 60:.1f}", "result": _evaluated(row["report"])} for row in rows]
        _print_table(shown, ("generation", "minutes", "opponent", "result"))


def _show_ratings(fit: list[dict[str, Any]]) -> None:
    """Of players that were rated together."""
    print(f"{fit[0]['game']}, {fit[0]['scale']}, {_moment(fit[0]['made'])}")
    shown = [{**row, "95 % interval": _interval(row)} for row in fit]
    _print_table(shown, ("player", "rating", "95 % interval", "games"))


def _interval(row: dict[str, Any]) -> str:
    return "fixed" if row["low"] is None else f"{row['low']:.0f} to {row['high']:.0f}"


def _evaluated(report: dict[str, Any]) -> str:
    """What a measurement found, in a few words."""
    if "mistakes" in report:
        return f"{report['mistakes'] / max(1, report['positions']):.1%} mistakes of {report['positions']} positions"
    if "promoted" in report:
        won, drawn, lost = (report[key] for key in ("wins", "draws", "losses"))
        return f"{won} won, {drawn} drawn, {lost} lost: {'taken' if report['promoted'] else 'turned down'}"
    all_games, first, second = (
        f"{report[f'{which}score']:.0%} ({report[f'{which}interval'][0]:.0%} to {report[f'{which}interval'][1]:.0%})"
        for which in ("", "first_", "second_")
    )
    return f"{all_games}; moving first {first}, second {second}"


def _find(game_id: str, database: str | None) -> "StoredGame":
    from boardzero.storage.queries import find_stored_game

    with asked_database(database) as opened, opened.reading() as connection:
        return find_stored_game(connection, game_id)


def _all_games(which: "GameFilter", database: str | None) -> "list[StoredGame]":
    """The oldest first, as files have them."""
    from boardzero.storage.queries import list_games

    with asked_database(database) as opened, opened.reading() as connection:
        return list_games(connection, which)[::-1]


def _as_dict(game: "StoredGame") -> dict[str, Any]:
    from boardzero.storage.entries import game_entry

    return game_entry(game).values


def _show_list(games: "list[StoredGame]") -> None:
    rows = [
        {
            "id": game.id[:8],
            "ended": _moment(game.record.ended),
            "game": game.record.game,
            "first": game.record.players[0],
            "second": game.record.players[1],
            "result": game.record.result + ("" if game.record.reason in ("rules", "stopped") else f" ({game.record.reason})"),
            "plies": game.record.plies,
            "source": game.source,
        }
        for game in games
    ]
    _print_table(rows, tuple(rows[0]))


def _show_rows(rows: list[dict[str, Any]], columns: tuple[str, ...], none: str, as_json: bool) -> None:
    if as_json:
        print_json(rows)
    elif not rows:
        print(none)
    else:
        _print_table([{**row, "id": row["id"][:8], "begun": _moment(row["begun"])} for row in rows], columns)


def _print_table(rows: list[dict[str, Any]], columns: tuple[str, ...]) -> None:
    from rich.table import Table
    from rich.text import Text

    from boardzero.cli.arena_options import wide_console

    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in columns:
        is_number = isinstance(rows[0][column], int | float)
        table.add_column(column, justify="right" if is_number else "left", no_wrap=column in ("id", "ended", "begun"))
    for row in rows:
        table.add_row(*(Text(_cell(row[column])) for column in columns))
    wide_console().print(table)


def _moment(text: str) -> str:
    return text.replace("T", " ").removesuffix("Z")


def _cell(value: Any) -> str:
    return "" if value is None else f"{value:,.0f}" if isinstance(value, float) else str(value)
