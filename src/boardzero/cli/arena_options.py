"""What the commands that let players meet have in common: options, players by name, progress."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING, Annotated

import typer

from boardzero.errors import BadInput

if TYPE_CHECKING:
    from rich.console import Console

    from boardzero.events.games import GameListener, GamePlayed
    from boardzero.games.rules import Game
    from boardzero.players.player import Player

USUAL_SECONDS = 1.0  # a move, of the usual opponent, adviser and analyst
USUAL_PLAYER = "alphazero where a network is shipped, otherwise heuristic (Gomoku) or mcts"
INTERRUPTED = 130  # the usual exit code after Ctrl-C
WIDE = 200  # columns of a table that no terminal limits

GameName = Annotated[str, typer.Argument(metavar="GAME", help="A game, like connect4 or othello:size=6.")]
SecondsPerMove = Annotated[float | None, typer.Option(help="Who thinks longer about a move loses the game.")]
SecondsPerGame = Annotated[float | None, typer.Option(help="Who thinks longer in one game, all moves together, loses it.")]
Seed = Annotated[int, typer.Option(min=0, help="Openings and random choices follow from it.")]
SaveFile = Annotated[str | None, typer.Option("--save", metavar="FILE", help="Append each game to a file, a JSON line each.")]


def machine(specification: str, game: "Game", seed: int) -> "Player":
    """A player that needs nobody at the keyboard."""
    from boardzero.players.catalogue import find_player

    player = find_player(specification, game, seed)
    if player.needs_person:
        raise BadInput(f"The player '{specification}' needs a person, who plays with 'boardzero play'.")
    tell_caution(player)
    return player


def tell_caution(player: "Player") -> None:
    if player.caution:
        print(f"{player.specification}: {player.caution}", file=sys.stderr)


def usual_player(game: "Game", seconds: float = USUAL_SECONDS) -> str:
    """The usual opponent, adviser and analyst: the strongest that plays this game without being told more."""
    from boardzero.network.shipped import shipped_network

    name = "alphazero" if shipped_network(game) else "heuristic" if game.name == "gomoku" else "mcts"
    return f"{name}:seconds={seconds:g}"


def wide_console() -> "Console":
    """For tables: as wide as the terminal, or wide enough where there is none."""
    from rich.console import Console

    console = Console()
    return console if console.is_terminal else Console(width=WIDE)


@contextmanager
def listening(total: int, save: str | None, quiet: bool, log: "GameListener | None" = None) -> Iterator["GameListener"]:
    """A listener that saves each game, if a file is named, gives it to the log, if there is one, and shows how far they are.

    Progress goes to standard error: a bar on a terminal, otherwise a line now and then (none if quiet).
    """
    from boardzero.arena.saved_games import SavedGames

    saved = SavedGames(save) if save else None
    with _bar(total) if sys.stderr.isatty() else nullcontext(_Lines(total, quiet)) as show:

        def hear(event: "GamePlayed") -> None:
            if saved:
                saved.append(event.record)
            if log:
                log(event)
            show(event)

        yield hear


@contextmanager
def _bar(total: int) -> Iterator["GameListener"]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(), TextColumn("{task.description}", markup=False))
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=total)

        def show(event: "GamePlayed") -> None:
            bar.update(task, advance=1, description=_score_line(event))
            if event.record.is_fault:
                bar.console.print(_fault_line(event), markup=False, highlight=False)

        yield show


class _Lines:
    """Plain lines: every tenth of the games, and whenever a player goes wrong."""

    def __init__(self, total: int, quiet: bool) -> None:
        self.total, self.quiet, self.played = total, quiet, 0

    def __call__(self, event: "GamePlayed") -> None:
        self.played += 1
        if self.quiet:
            return
        if event.record.is_fault:
            print(_fault_line(event), file=sys.stderr, flush=True)
        if self.played * 10 // self.total > (self.played - 1) * 10 // self.total:
            print(f"{self.played} of {self.total} games; {_score_line(event)}", file=sys.stderr, flush=True)


def _score_line(event: "GamePlayed") -> str:
    return f"{event.players[0]} {event.points[0]:g} : {event.points[1]:g} {event.players[1]}"


def _fault_line(event: "GamePlayed") -> str:
    return f"Game {event.number} of {' – '.join(event.players)} was lost by a fault: {event.record.remark}."
