"""NBoard's protocol for Othello engines (version 2): moves, games as NBoard sends them (GGF), and answers.

A move is two letters, `F5` or `PA` (pass), with what it was thought to be worth and the seconds it took behind slashes:
`F5/1.20/3.5`. Rows count from the top.
"""

import re

from boardzero.errors import BadInput
from boardzero.games.catalogue import find_game
from boardzero.games.othello import Othello
from boardzero.games.position import Position

VERSION = 2
PASS = "PA"
BLACK, WHITE, FREE = "*", "O", "-"  # discs in GGF
_property = re.compile(r"([A-Za-z]+)\s*\[((?:[^\]\\]|\\.)*)\]", re.DOTALL)


def move_to_text(action: int, game: Othello) -> str:
    move = game.action_to_text(action)
    return PASS if move == "pass" else move.upper()


def action_from_text(text: str, game: Othello) -> int:
    """The action of `F5/1.20/3.5`; BadInput where it names none."""
    words = re.split(r"[/\s]", text.strip())
    move = words[0].lower()
    return game.action_from_text("pass" if move in ("pa", "pass", "ps") else move)


def game_to_text(position: Position) -> str:
    """A game as `set game` takes it: the board that it began with, and its moves."""
    game = position.game
    assert isinstance(game, Othello)
    letters = {"X": BLACK, "O": WHITE, ".": FREE}
    cells = "".join(letters[game.pieces[cell].letter] for cell in game.cells(position.start).reshape(-1))
    turn = game.turn(position.start)
    colours = [letters[letter] for letter in game.players]
    moves = "".join(
        f"{'B' if colours[(turn + ply) % 2] == BLACK else 'W'}[{move_to_text(action, game)}]"
        for ply, action in enumerate(position.actions)
    )
    return (
        f"(;GM[Othello]PC[boardzero]PB[black]PW[white]RE[?]TI[0]TY[{game.rows}]BO[{game.rows} {cells} {colours[turn]}]{moves};)"
    )


def game_from_text(text: str) -> Position:
    """The game of a `set game` line, played through; BadInput where it is damaged.

    Passes that are not written are played: some programs leave them out.
    """
    found = [(name.upper(), value.strip()) for name, value in _property.findall(text)]
    boards = [value for name, value in found if name == "BO"]
    position = _start(boards[0]) if boards else Position(find_game("othello"))
    game = position.game
    assert isinstance(game, Othello)
    for name, value in found:
        if name in ("B", "W"):
            action = action_from_text(value, game)
            legal = position.legal_actions()
            if action not in legal and [game.action_to_text(only) for only in legal] == ["pass"]:
                position.play(legal[0])
            position.play(action)
    return position


def _start(text: str) -> Position:
    words = text.split()
    side = words[0] if words else ""
    cells, mover = "".join(words[1:-1]), words[-1] if len(words) > 2 else ""
    if side not in ("4", "6", "8") or len(cells) != int(side) ** 2 or mover not in (BLACK, WHITE):
        raise BadInput(f"BO[{text[:80]}] is not a board of Othello: it is a size (4, 6 or 8), its cells, and who is to move.")
    if set(cells) - {BLACK, WHITE, FREE}:
        raise BadInput(f"The cells of BO[{text[:80]}] are written with {BLACK}, {WHITE} and {FREE}.")
    game = find_game(f"othello:size={side}")
    letters = cells.translate(str.maketrans(BLACK + WHITE + FREE, "XO."))
    rows = "/".join(letters[first : first + int(side)] for first in range(0, len(letters), int(side)))
    return Position(game, board=f"{rows} {'X' if mover == BLACK else 'O'}")
