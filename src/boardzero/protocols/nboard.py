"""NBoard's protocol for Othello engines (version 2): moves, games as NBoard sends them (GGF), and answers.

A move is two letters, `F5` or `PA` (pass), with what it was thought to be worth and the seconds it took behind slashes:
`F5/1.20/3.5`. Rows count from the top.
"""

from boardzero.errors import BadInput
from boardzero.games.othello import Othello
from boardzero.games.position import Position
from boardzero.protocols.ggf import board_text, moves_text, parse_move, read_position
from boardzero.protocols.property_lists import Damaged

VERSION = 2
PASS = "PA"


def move_to_text(action: int, game: Othello) -> str:
    move = game.action_to_text(action)
    return PASS if move == "pass" else move.upper()


def action_from_text(text: str, game: Othello) -> int:
    """The action of `F5/1.20/3.5`, and of what engines write behind a space; BadInput where it names none."""
    word, *_ = text.split() or [""]
    return game.action_from_text(parse_move(word)[0])


def game_to_text(position: Position) -> str:
    """A game as `set game` takes it: the board that it began with, and its moves."""
    game = position.game
    assert isinstance(game, Othello)
    start = game.board_to_text(position.start)
    moves = moves_text(game, start, [move_to_text(action, game) for action in position.actions])
    board = f"{game.rows} {board_text(start, between='')}"
    return f"(;GM[Othello]PC[boardzero]PB[black]PW[white]RE[?]TI[0]TY[{game.rows}]BO[{board}]{moves};)"


def game_from_text(text: str) -> Position:
    """The game of a `set game` line, played through; BadInput where it is damaged."""
    try:
        return read_position(text)
    except Damaged as error:
        raise BadInput(f"The game cannot be read: {error}.") from None
