"""Boards for the terminal: colour, coordinates, the last move in brackets."""

from rich.text import Text

from boardzero.games.notation import COLUMN_NAMES, FILE_NAMES
from boardzero.games.position import Position
from boardzero.games.rules import Game, State


def draw(position: Position, show_legal: bool = False) -> Text:
    """The board with coordinates; the cell of the last move is bracketed; legal cells are marked if asked for."""
    game = position.game
    picture = game.picture(position.state)
    if picture is not None:
        return Text(f"{picture.rstrip()}\n{position.result_text}\n")
    cells = game.cells(position.state)
    marked = last_cells(game, position.state, position.actions[-1]) if position.actions else set()
    targets: set[int] = set()
    if show_legal:
        for action in position.legal_actions():
            targets |= target_cells(game, action)
    by_column = game.policy.parts[0].kind == "columns"
    text = Text()
    for row in range(game.rows):
        rank = row + 1 if game.rank_one_on_top else game.rows - row
        text.append("   " if by_column else f"{rank:2} ", "dim")
        for column in range(game.columns):
            cell = row * game.columns + column
            piece = game.pieces[cells[row, column]]
            legal = cell in targets and cells[row, column] == 0
            glyph, style = ("+", "green") if legal else (piece.letter, piece.style)
            left, right = ("[", "]") if cell in marked else (" ", " ")
            text.append(left, "bold cyan").append(glyph, style).append(right, "bold cyan")
        text.append("\n")
    names = COLUMN_NAMES if by_column else FILE_NAMES
    text.append("   " + "".join(f" {names[column]} " for column in range(game.columns)), "dim")
    return text.append(f"\n   {position.result_text}\n")


def last_cells(game: Game, state: State, action: int) -> set[int]:
    """The cells that the last action touched, to be marked."""
    part, index = game.policy.locate(action)
    if part.kind == "columns":
        stones = [row for row in range(game.rows) if game.cells(state)[row, index]]
        return {stones[0] * game.columns + index} if stones else set()
    return target_cells(game, action)


def target_cells(game: Game, action: int) -> set[int]:
    """The cells where an action ends, as far as the action itself tells."""
    part, index = game.policy.locate(action)
    match part.kind:
        case "cells":
            return {index}
        case "moves":
            return {index % (game.rows * game.columns)}
        case _:
            return set()
