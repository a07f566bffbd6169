"""Stored games on the terminal."""

import sys
import time
from typing import TYPE_CHECKING

from boardzero.errors import BadInput

if TYPE_CHECKING:
    from boardzero.events.games import GameRecord
    from boardzero.games.position import Position
    from boardzero.storage.entries import StoredGame


def boards_of(record: "GameRecord", ply: int | None = None) -> "list[Position]":
    """The position before the first move and after each, up to a ply."""
    from boardzero.games.catalogue import find_game
    from boardzero.games.position import Position

    if ply is not None and ply > record.plies:
        raise BadInput(f"The game has {record.plies} moves; there is no board after {ply}.")
    game = find_game(record.game)
    position = Position(game, board=record.start)
    boards = [position.copy()]
    for action in game.moves_from_text(record.moves)[:ply]:
        position.play(action)
        boards.append(position.copy())
    return boards


def print_facts(game: "StoredGame") -> None:
    record = game.record
    facts = {
        "id": game.id,
        "game": record.game,
        "first": record.players[0],
        "second": record.players[1],
        "result": _result(record),
        "ended": record.ended.replace("T", " "),
        "source": game.source,
        "logged by": game.who,
        "match": f"{game.match[:8]}, game {game.number}" if game.match else "",
        "run": f"{game.run[:8]}, generation {game.generation}" if game.run else "",
        "thought": f"{record.seconds[0]:g} s and {record.seconds[1]:g} s" if any(record.seconds) else "",
        "opening": f"{record.opening} moves" if record.opening else "",
        "remark": record.remark,
        "moves": record.moves,
    }
    for name, value in facts.items():
        if value:
            print(f"{name:10}{value}")


def print_board(position: "Position") -> None:
    from rich.console import Console

    from boardzero.games.drawing import draw

    Console().print(draw(position), crop=False, overflow="ignore", no_wrap=True, end="")


def replay_game(game: "StoredGame", seconds: float | None) -> None:
    """Board by board: Enter goes on where a person sits at a terminal, otherwise they follow at once."""
    record = game.record
    print(f"{record.players[0]} against {record.players[1]}, {record.game}, {record.ended.replace('T', ' ')}")
    asks = seconds is None and sys.stdin.isatty() and sys.stdout.isatty()
    boards = boards_of(record)
    for number, position in enumerate(boards):
        if number:
            rules = position.game
            mover = rules.turn(boards[number - 1].state)
            print(
                f"{number}. {rules.players[mover]} ({record.players[mover]}) plays {rules.action_to_text(position.actions[-1])}"
            )
        print_board(position)
        if number < len(boards) - 1 and not _goes_on(asks, seconds):
            return
    print(_result(record))


def _goes_on(asks: bool, seconds: float | None) -> bool:
    if asks:
        try:
            return input("Enter: next move, q: stop ").strip().lower() not in ("q", "quit")
        except EOFError:
            print()
            return False
    sys.stdout.flush()
    time.sleep(seconds or 0)
    return True


def _result(record: "GameRecord") -> str:
    if record.winner is not None:
        won = f"{('first', 'second')[record.winner]} side won ({record.players[record.winner]})"
        return won if record.reason == "rules" else f"{won}: {record.reason}"
    return "draw" if record.result == "draw" else f"unfinished after {record.plies} moves"
