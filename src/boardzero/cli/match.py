"""`boardzero match`: two players meet, and the score says how sure it is."""

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
    from boardzero.arena.match import MatchResult

GAMES, GAMES_OF_A_TEST = 100, 10_000


def play_match(
    game: GameName,
    player: Annotated[
        str, typer.Argument(metavar="PLAYER", help="A player, like mcts:sims=1000; the score is counted for it.")
    ],
    opponent: Annotated[str, typer.Argument(metavar="PLAYER", help="Whom it meets.")],
    games: Annotated[
        int | None, typer.Option(help=f"How many games ({GAMES}); with --sprt at most so many ({GAMES_OF_A_TEST:,}).")
    ] = None,
    seconds_per_move: SecondsPerMove = None,
    seconds_per_game: SecondsPerGame = None,
    sprt: Annotated[bool, typer.Option("--sprt", help="Stop as soon as a sequential test is decided.")] = False,
    elo0: Annotated[float, typer.Option(help="Sequential test: the rating difference to reject …")] = 0.0,
    elo1: Annotated[float, typer.Option(help="… and the one to prove.")] = 30.0,
    alpha: Annotated[float, typer.Option(help="Sequential test: how often elo1 may be accepted wrongly …")] = 0.05,
    beta: Annotated[float, typer.Option(help="… and elo0.")] = 0.05,
    seed: Seed = 0,
    save: SaveFile = None,
    log: LogGames = False,
    database: LogDatabase = None,
    as_json: AsJson = False,
) -> None:
    """Let two players play many games: colours swap, openings vary, and each opening is played from both sides."""
    from boardzero.arena.clock import Clock
    from boardzero.arena.match import Match, MatchSettings
    from boardzero.arena.sequential import SequentialTest
    from boardzero.arena.tournament import distinct_names
    from boardzero.games.catalogue import find_game

    test = SequentialTest(elo0, elo1, alpha, beta) if sprt else None
    count = games if games is not None else GAMES_OF_A_TEST if sprt else GAMES
    settings = MatchSettings(count, seed, Clock(seconds_per_move, seconds_per_game), test)
    rules = find_game(game)
    players = (machine(player, rules, seed), machine(opponent, rules, seed))
    first, second = distinct_names([one.specification for one in players])
    interrupted = False
    with ExitStack() as stack:
        for one in players:
            stack.callback(one.close)
        logged = match_log(stack.enter_context(game_log(log, database)), "match")
        hear = stack.enter_context(listening(count, save, as_json, logged))
        match = Match(players, settings, names=(first, second), on_game=hear)
        try:
            match.play()
        except KeyboardInterrupt:
            interrupted = True
    result = match.result()
    if as_json:
        print_json({**result.as_dict(), "interrupted": interrupted})
    else:
        _show(result)
    if interrupted:
        raise typer.Exit(INTERRUPTED)


def _show(result: "MatchResult") -> None:
    from rich.table import Table

    from boardzero.arena.scores import elo_from_score

    total = result.total
    if total.score is None:
        print("No game was finished.")
        return
    table = Table("", box=None, pad_edge=False, header_style="bold")
    for heading in ("wins", "draws", "losses", "points", "games"):
        table.add_column(heading, justify="right")
    for name, tally in (("moving first", result.moving_first), ("moving second", result.moving_second), ("in all", total)):
        table.add_row(name, *map(str, (tally.wins, tally.draws, tally.losses)), f"{tally.points:g}", str(tally.games))
    low, high = result.interval
    elo, *ends = (elo_from_score(value) for value in (total.score, low, high))
    print(f"{result.players[0]} against {result.players[1]}, {result.game}")
    wide_console().print(table)
    print(f"score {total.score:.1%}, 95 % interval {low:.1%} to {high:.1%} (by pairs of games)")
    print(f"rating difference {_elo(elo, total.score)}, 95 % interval {_elo(ends[0], low)} to {_elo(ends[1], high)} Elo")
    if result.verdict:
        print(f"sequential test {result.verdict}")
    if result.repeated_openings:
        print(f"Only {result.different_openings} different openings were found, so openings came again.")
    for fault in result.faults:
        print(fault)


def _elo(difference: float | None, score: float) -> str:
    return f"{difference:+.0f}" if difference is not None else "+∞" if score >= 1 else "−∞"
