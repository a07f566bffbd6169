"""A sensible move by the rules alone, for the games of GTP and NBoard: what is answered where nothing better is known in time.

It wins where it can, leaves the other side no win and otherwise few moves, and in Othello takes corners and gives none away. Of
what is compiled it needs the rules only, which the process that answers has.
"""

from typing import TYPE_CHECKING

from boardzero.engines.plain_moves import plain_move
from boardzero.games.position import Position
from boardzero.games.rules import Game, Outcome, State
from boardzero.protocols.gomocup import Board, Point

if TYPE_CHECKING:
    from boardzero.games.gomoku import Gomoku

# From best to worst: how a move leaves the game, if it ends it or lets the other side win at once.
WON, GOES_ON, DRAWN, LEAVES_WIN, LOST = 4, 3, 2, 1, 0
ENDS = {Outcome.MOVER_WON: WON, Outcome.DRAW: DRAWN, Outcome.MOVER_LOST: LOST}


def plain_action(position: Position) -> int:
    """The position is not over."""
    game, state = position.game, position.state
    if game.name == "gomoku":  # has far too many replies to look at them all
        from boardzero.games.gomoku import Gomoku  # only here: it is compiled where it is imported

        assert isinstance(game, Gomoku)
        return _plain_stone(game, state, position.turn)
    return max(position.legal_actions(), key=lambda action: _promise(game, state, action))


def _promise(game: Game, state: State, action: int) -> tuple[int, ...]:
    """Greater is better."""
    after = game.next_state(state, action)
    outcome = game.outcome(after)
    if outcome is not Outcome.GOING_ON:
        return (ENDS[outcome],)
    replies = game.legal_actions(after)
    if any(game.outcome(game.next_state(after, reply)) is Outcome.MOVER_WON for reply in replies):
        return (LEAVES_WIN,)
    corners = _corners(game)
    return GOES_ON, (action in corners) - len(corners.intersection(replies)), -len(replies)


def _corners(game: Game) -> set[int]:
    """The actions that no later move can undo; there are such in Othello."""
    last_row = (game.rows - 1) * game.columns
    return {0, game.columns - 1, last_row, last_row + game.columns - 1} if game.name == "othello" else set()


def _plain_stone(game: "Gomoku", state: State, turn: int) -> int:
    pieces = enumerate(map(int, game.cells(state).reshape(-1)))
    stones = {Point(cell % game.size, cell // game.size): piece == turn + 1 for cell, piece in pieces if piece}
    point = plain_move(Board(game.size, stones), game.exact)
    assert point is not None
    return point.y * game.size + point.x
