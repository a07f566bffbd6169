"""`boardzero rate`: how strong networks and players are, on one scale, and how sure that is."""

import math
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from boardzero.cli.arena_options import INTERRUPTED, Seed, wide_console
from boardzero.cli.log_option import LogDatabase, LogGames, game_log
from boardzero.cli.output import AsJson, print_json

if TYPE_CHECKING:
    from boardzero.evaluation.entrants import Entrant
    from boardzero.evaluation.rating import Matrix, Rating, Ratings
    from boardzero.evaluation.rating_scales import Scale
    from boardzero.events.games import GameRecord
    from boardzero.storage.log import GameLog
    from boardzero.storage.rating_log import RatingLog

FILE = "ratings.jsonl"
MATRIX_GAMES = 10
NO_OPENINGS = "No openings are left that these players have not played"
UNTIL_GAMES = 64  # that are played before it is looked whether intervals are small enough


def rate(
    players: Annotated[
        list[str], typer.Argument(metavar="RUN|PLAYER...", help="Folders of runs, and players like mcts:sims=1000.")
    ],
    game: Annotated[str | None, typer.Option(help="The game, if not the runs' own: another size or rule.")] = None,
    games: Annotated[int, typer.Option(min=0, help="How many more games to play; 0 only fits what there is.")] = 200,
    until: Annotated[
        float | None, typer.Option(help="Instead of --games: play until every interval is at most ± this wide.")
    ] = None,
    sims: Annotated[int, typer.Option(min=1, help="Simulations a move of the runs' networks.")] = 100,
    networks: Annotated[int, typer.Option(min=1, help="At most this many networks of a run, evenly spread.")] = 12,
    anchors: Annotated[
        bool, typer.Option("--anchors/--no-anchors", help="Also random, mcts at several strengths, minimax and perfect play.")
    ] = True,
    anchor: Annotated[
        str | None, typer.Option(metavar="PLAYER[=RATING]", help="Who has a fixed rating (random=0; wandhoven: untrained=100).")
    ] = None,
    scale: Annotated[
        Literal["elo", "wandhoven"], typer.Option(help="Base 10, or base e with the untrained network at 100.")
    ] = ("elo"),
    matrix: Annotated[bool, typer.Option("--matrix", help="Let every network meet every other, and show the scores.")] = False,
    matrix_games: Annotated[int, typer.Option(min=2, help="With --matrix: games of each two networks.")] = MATRIX_GAMES,
    file: Annotated[
        Path | None, typer.Option(help=f"Where new games go (default: {FILE} of the first run). Those of all runs count, too.")
    ] = None,
    seed: Seed = 0,
    log: LogGames = False,
    database: LogDatabase = None,
    as_json: AsJson = False,
) -> None:
    """Rate the networks of runs and other players: plays the games that tell most and fits all of them together."""
    from boardzero.errors import BadInput
    from boardzero.evaluation.entrants import closing_players, gather, is_run
    from boardzero.evaluation.rating import Rating
    from boardzero.evaluation.rating_games import RatingGames
    from boardzero.evaluation.rating_scales import scale_named
    from boardzero.games.catalogue import find_game

    if until is not None and not until > 0:
        raise BadInput(f"--until is {until:g}; it should be more than 0 points.")
    runs = [Path(one) for one in players if is_run(one)]
    left_out = _LeftOut()
    rules, entrants = gather(players, sims, networks, None if anchors else [], find_game(game) if game else None, left_out)
    number, fixed = _anchor(anchor, entrants, scale)
    chosen = scale_named(scale, fixed)
    kept = [run / FILE for run in runs]
    games_file = RatingGames(file or (kept[0] if kept else Path(FILE)), rules.specification, kept)
    for path, lines in games_file.damaged.items():
        print(f"Damaged lines of '{path}' that were skipped: {lines}.", file=sys.stderr)
    rating = Rating(rules, entrants, games_file, number, seed)
    interrupted, missed = False, None
    with ExitStack() as stack:
        stack.enter_context(closing_players(entrants))
        logged = _rating_log(stack.enter_context(game_log(log, database)))
        with _Progress(as_json, logged) as hear:
            try:
                if matrix:
                    rating.complete_matrix(matrix_games, hear)
                missed = _play_until(rating, chosen, until, hear) if until else _play_more(rating, games, hear)
            except KeyboardInterrupt:
                interrupted = True
        answer = rating.ratings(chosen)
        _keep(answer, rating.matrix(), runs)
        if logged is not None:
            logged.fitted(answer)
    if as_json:
        shown = {"matrix": rating.matrix().as_dict()} if matrix else {}
        more = {"faults": hear.faults, "left_out": left_out.sentences, "file": str(games_file.path), "interrupted": interrupted}
        print_json({**answer.as_dict(), **shown, **more})
    else:
        _show(answer)
        if matrix:
            _show_matrix(rating.matrix())
        print(f"Games are kept in {games_file.path}; the same command again plays on from them.")
        if logged is not None:
            print("New games and the ratings go to the game log; boardzero serve shows them under Study, Position, Open log.")
    if missed is not None:
        print(missed, file=sys.stderr)
    if interrupted:
        raise typer.Exit(INTERRUPTED)


class _LeftOut:
    """Says, on standard error, which networks are left out and why, and remembers it."""

    def __init__(self) -> None:
        self.sentences: list[str] = []

    def __call__(self, sentence: str) -> None:
        self.sentences.append(sentence)
        print(f"boardzero: left out: {sentence}", file=sys.stderr, flush=True)


def _anchor(text: str | None, entrants: "list[Entrant]", scale: str) -> tuple[int, float | None]:
    """The number of the player whose rating is fixed, and that rating where one is given."""
    from boardzero.errors import BadInput

    names = [entrant.name for entrant in entrants]
    if text is None:
        untrained = [number for number, entrant in enumerate(entrants) if any(at == 0 for _, at in entrant.places)]
        if scale == "wandhoven":
            if not untrained:
                raise BadInput("The wandhoven scale begins at an untrained network (generation 0), and none is rated here.")
            return untrained[0], None
        return names.index("random") if "random" in names else (untrained or [0])[0], None
    name, rating = text, None
    if name not in names and "=" in text:
        name, _, number = text.rpartition("=")
        try:
            rating = float(number)
        except ValueError:
            rating = math.nan
        if not math.isfinite(rating):
            raise BadInput(f"'{number}' in --anchor {text} is not a rating.")
    if name not in names:
        raise BadInput(f"'{name}' is not rated here, so it cannot be the anchor; there are {', '.join(names)}.")
    return names.index(name), rating


def _play_more(rating: "Rating", games: int, hear: "_Progress") -> str | None:
    """So many more games; a sentence if openings run out before."""
    before = rating.games
    rating.play(games, hear)
    played = rating.games - before
    return None if played >= games else f"{NO_OPENINGS}: {played} of {games} games were played."


def _play_until(rating: "Rating", scale: "Scale", half_width: float, hear: "_Progress") -> str | None:
    """Batches of games until every interval, as it is printed, is small enough; a sentence if openings run out before.

    Intervals by bootstrap take a while, and are never narrower than the normal ones: these are looked at first.
    """
    while True:
        before = rating.games
        narrow = before > 0 and 1.96 * scale.points * rating.fit().errors.max() <= half_width
        if narrow and max(one.half_width for one in rating.ratings(scale).rated) <= half_width:
            return None
        rating.play(UNTIL_GAMES, hear)
        if rating.games == before:
            widest = max(rating.ratings(scale).rated, key=lambda one: one.half_width)
            return (
                f"{NO_OPENINGS}: intervals are at most ± {widest.half_width:.0f} ({widest.entrant.name}), not ± {half_width:g}."
            )


class _Progress:
    """Says now and then, on standard error, how many games have been played, and at once who lost one by a fault.

    The log, if there is one, hears of each game.
    """

    def __init__(self, quiet: bool, logged: "RatingLog | None") -> None:
        self.quiet, self._logged = quiet, logged
        self.played, self._told = 0, 0.0
        self.faults: list[str] = []

    def __call__(self, record: "GameRecord") -> None:
        import time

        if self._logged is not None:
            self._logged(record)
        self.played += 1
        if record.is_fault:
            self.faults.append(f"{' – '.join(record.players)}: {record.remark}.")
            if not self.quiet:
                print(f"A game was lost by a fault: {record.remark}.", file=sys.stderr, flush=True)
        step = 0.2 if sys.stderr.isatty() else 10.0
        if not self.quiet and time.monotonic() - self._told > step:
            self._told = time.monotonic()
            end = "\r" if sys.stderr.isatty() else "\n"
            print(f"{self.played} game{'s' * (self.played > 1)} played", end=end, file=sys.stderr, flush=True)

    def __enter__(self) -> "_Progress":
        return self

    def __exit__(self, *_: object) -> None:
        if not self.quiet and sys.stderr.isatty():
            print(" " * 40, end="\r", file=sys.stderr, flush=True)


def _rating_log(log: "GameLog | None") -> "RatingLog | None":
    if log is None:
        return None
    from boardzero.storage.rating_log import RatingLog

    return RatingLog(log)


def _keep(answer: "Ratings", matrix: "Matrix", runs: list[Path]) -> None:
    """In the runs' folders, where their reports find the ratings; in a folder that may only be read they need not be.

    What was found out about a run before is not given up for a fit that says nothing about what it learned.
    """
    from boardzero.errors import BadInput
    from boardzero.evaluation.run_history import RATINGS, keep

    for run in runs:
        if not answer.rates_trained_networks_of(run):
            print(f"No trained network of '{run}' is rated, so nothing is written to its {RATINGS}.", file=sys.stderr)
            continue
        try:
            keep(run / RATINGS, {**answer.as_dict(), "matrix": matrix.as_dict()})
        except BadInput as error:
            print(error, file=sys.stderr)


def _show(answer: "Ratings") -> None:
    from rich.table import Table

    from boardzero.evaluation.figures import percent

    table = Table("", "player", box=None, pad_edge=False, header_style="bold")
    for heading in (answer.scale.name.capitalize(), "95 % interval", "above next", "games", "score"):
        table.add_column(heading, justify="right")
    for rank, one in enumerate(answer.rated, 1):
        fixed = one.entrant.name == answer.anchor
        interval = "fixed" if fixed else f"{one.interval[0]:.0f} to {one.interval[1]:.0f}"
        score = percent(one.points / one.games, 1)
        above = "" if one.stronger is None else _chance(one.stronger)
        table.add_row(str(rank), one.entrant.name, f"{one.rating:.0f}", interval, above, str(one.games), score)
    for other in answer.not_rated:
        table.add_row("", other.entrant.name, "not rated", "", "", str(other.games), "")
    print(", ".join(filter(None, (answer.game, f"{answer.games} games", answer.said_simulations()))))
    wide_console().print(table)
    scatter = f"Pairs of games scatter {answer.scatter:.1f} × as much as single games say." if answer.scatter > 1.05 else ""
    said = [
        "Above next: the chance that a player is stronger than the one below it.",
        f"Moving first is worth {answer.advantage:+.0f} points; {percent(answer.draw_share, 1)} of the games were drawn.",
        answer.said_stretch(),
        scatter,
        f"Not rated: who has no games that lead, if only over others, to {answer.anchor}." if answer.not_rated else "",
    ]
    print(" ".join(filter(None, said)))
    if answer.scale.name == "wandhoven":
        _show_steps(answer)


def _chance(share: float) -> str:
    """Never surer than it can be said."""
    from boardzero.evaluation.figures import percent

    return "> 99 %" if share > 0.99 else percent(share)


def _show_steps(answer: "Ratings") -> None:
    """Wandhoven's Δr = −400 · ln((1 − s) / s), from each network's match with the one before it."""
    if not answer.steps:
        return
    print("\nΔr from one version to the next: by all games, and by their own match, Δr = −400 · ln((1 − s) / s)")
    for step in answer.steps:
        met = "have not met" if step.score is None else f"s = {step.score:.3f}, Δr = {step.by_match:+.0f}".replace("inf", "∞")
        print(f"  {Path(step.run).name} {step.before} → {step.after}: {step.fitted:+.0f}; {met}")
    mean = sum(step.fitted for step in answer.steps) / len(answer.steps)
    print(f"  mean {mean:+.0f} a version (a gate of 1.3 wins to a loss asks for 400 · ln 1.3 ≈ +105)")


def _show_matrix(matrix: "Matrix") -> None:
    from rich.table import Table

    table = Table("score of row against column, %", box=None, pad_edge=False, header_style="bold")
    for name in matrix.names:
        table.add_column(name.split()[-1] if len({n.rsplit(" ", 1)[0] for n in matrix.names}) == 1 else name, justify="right")
    for row, name in enumerate(matrix.names):
        cells = [
            "·" if games == 0 else f"{100 * score:.0f}"
            for score, games in zip(matrix.scores[row], matrix.games[row], strict=True)
        ]
        table.add_row(name, *cells)
    wide_console().print(table)
    if matrix.first_score is not None:
        print(f"In these games, who moved first scored {100 * matrix.first_score:.1f} %.")
