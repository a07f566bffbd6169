"""`boardzero tournament`: everyone meets everyone."""

from contextlib import ExitStack
from typing import TYPE_CHECKING, Annotated

import typer

from boardzero.cli.arena_options import (
    INTERRUPTED,
    GameName,
    SaveFile,
    SecondsPerGame,
    SecondsPerMove,
    Seed,
    listening,
    machine,
    wide_console,
)
from boardzero.cli.log_option import LogDatabase, LogGames, game_log, match_log
from boardzero.cli.output import AsJson, print_json

if TYPE_CHECKING:
    from boardzero.arena.tournament import TournamentResult


def play_tournament(
    game: GameName,
    players: Annotated[list[str], typer.Argument(metavar="PLAYER...", help="Two players or more, like mcts:sims=1000.")],
    games: Annotated[int, typer.Option(help="How many games each two of them play.")] = 20,
    seconds_per_move: SecondsPerMove = None,
    seconds_per_game: SecondsPerGame = None,
    seed: Seed = 0,
    save: SaveFile = None,
    log: LogGames = False,
    database: LogDatabase = None,
    as_json: AsJson = False,
) -> None:
    """A round robin of any number of players, with a table of who scored how much against whom."""
    from boardzero.arena.clock import Clock
    from boardzero.arena.match import MatchSettings
    from boardzero.arena.tournament import Tournament
    from boardzero.errors import BadInput
    from boardzero.games.catalogue import find_game

    settings = MatchSettings(games, seed, Clock(seconds_per_move, seconds_per_game))
    rules = find_game(game)
    if len(players) < 2:
        raise BadInput("A tournament needs at least two players.")
    entrants = [machine(specification, rules, seed) for specification in players]
    interrupted = False
    with ExitStack() as stack:
        for entrant in entrants:
            stack.callback(entrant.close)
        planned = games * len(entrants) * (len(entrants) - 1) // 2
        logged = match_log(stack.enter_context(game_log(log, database)), "tournament")
        hear = stack.enter_context(listening(planned, save, as_json, logged))
        tournament = Tournament(entrants, settings, on_game=hear)
        try:
            tournament.play()
        except KeyboardInterrupt:
            interrupted = True
    result = tournament.result()
    if as_json:
        print_json({**result.as_dict(), "interrupted": interrupted})
    else:
        _show(result)
    if interrupted:
        raise typer.Exit(INTERRUPTED)


def _show(result: "TournamentResult") -> None:
    from rich.table import Table

    table = Table("", "player", box=None, pad_edge=False, header_style="bold")
    for heading in ("points", "games", "score", "95 % interval", *map(str, range(1, len(result.standings) + 1))):
        table.add_column(heading, justify="right")
    for rank, standing in enumerate(result.standings, 1):
        low, high = standing.interval
        score = "" if standing.total.score is None else f"{standing.total.score:.1%}"
        against = [standing.against.get(other.player) for other in result.standings]
        table.add_row(
            str(rank),
            standing.player,
            f"{standing.total.points:g}",
            str(standing.total.games),
            score,
            f"{low:.1%} to {high:.1%}",
            *("·" if tally is None else f"{tally.points:g}" for tally in against),
        )
    print(result.game)
    wide_console().print(table)
    for fault in result.faults:
        print(fault)
