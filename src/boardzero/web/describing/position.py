"""A position as the page draws it: cells, legal moves with their cells, the winning line, and a sentence."""

import numpy as np
import numpy.typing as npt

from boardzero.errors import BadInput
from boardzero.games.connect4 import ConnectFour
from boardzero.games.gomoku import LINE, Gomoku
from boardzero.games.latrunculi import WINNERS_OF_DRAWS, Latrunculi
from boardzero.games.odds import has_odds
from boardzero.games.othello import Othello
from boardzero.games.owners import SECOND, owner_rule
from boardzero.games.position import Position
from boardzero.games.rules import Game, State
from boardzero.games.tictactoe import TicTacToe
from boardzero.web.describing.looks import find_page_game, side_names
from boardzero.web.describing.models import Board, MoveDescription, PlayedMove, PositionDescription, PositionGlance
from boardzero.web.limits import BOARD_LENGTH, MOVES_LENGTH

Cells = npt.NDArray[np.int8]
DIRECTIONS = ((0, 1), (1, 0), (1, 1), (1, -1))


def find_position(game: str, moves: str = "", start: str | None = None) -> Position:
    """The position that three texts from a client name; what is too long, impossible or illegal is refused (BadInput)."""
    rules = find_page_game(game)
    if len(moves) > MOVES_LENGTH:
        raise BadInput(f"The moves are {len(moves)} characters long; at most {MOVES_LENGTH} are allowed.")
    if start is not None and len(start) > BOARD_LENGTH:
        raise BadInput(f"The board is {len(start)} characters long; at most {BOARD_LENGTH} are allowed.")
    return Position(rules, moves, board=start or None)


def describe_position(position: Position) -> PositionDescription:
    game, state = position.game, position.state
    cells = game.cells(state)
    return PositionDescription(
        game=game.specification,
        start=unusual_start(position),
        moves=position.moves,
        plies=len(position.actions),
        board=Board(text=position.board, cells=_flat(cells), details=game.details(state)),
        turn=position.turn,
        over=position.over,
        winner=position.winner,
        result=position.result_text,
        sentence=sentence_about(position),
        legal=[describe_move(game, state, cells, action) for action in position.legal_actions()],
        last=_last_move(position, len(position.actions)),
        lines=winning_lines(game, cells, position.winner),
        stones=_count_stones(cells),
        remarks=_remarks(position),
    )


def glance_at_all(position: Position) -> list[PositionGlance]:
    """Every position of the game so far."""
    glances, replayed = [], Position(position.game, board=position.game.board_to_text(position.start))
    for ply, action in enumerate([None, *position.actions]):
        if action is not None:
            replayed.play(action)
        glances.append(
            PositionGlance(
                ply=ply,
                cells=_flat(position.game.cells(replayed.state)),
                board=replayed.board,
                last=_last_move(replayed, ply),
                turn=replayed.turn,
                over=replayed.over,
                winner=replayed.winner,
                result=replayed.result_text,
            )
        )
    return glances


def unusual_start(position: Position) -> str | None:
    """The start as text, unless it is the game's own."""
    usual = bool(np.array_equal(position.start, position.game.initial_state()))
    return None if usual else position.game.board_to_text(position.start)


# -- moves -------------------------------------------------------------------------------------------------------------
def describe_move(game: Game, state: State, cells: Cells, action: int) -> MoveDescription:
    """A legal action in a state whose cells these are."""
    move = locate_move(game, cells, action)
    if isinstance(game, Othello | Latrunculi) and move.kind in ("place", "move") and not _is_placing(game, state):
        after = game.cells(game.next_state(state, action)).reshape(-1)
        own = {move.source, move.target}
        move.changes = [int(cell) for cell in np.flatnonzero(after != cells.reshape(-1)) if cell not in own]
    return move


def locate_move(game: Game, cells: Cells, action: int) -> MoveDescription:
    """Where a move happens, without what it changes elsewhere."""
    part, index = game.policy.locate(action)
    text = game.action_to_text(action)
    match part.kind:
        case "columns":
            row = int(np.count_nonzero(cells[:, index] == 0)) - 1
            return MoveDescription(action=action, move=text, kind="drop", target=row * game.columns + index, column=index)
        case "moves":
            source, target = divmod(index, game.rows * game.columns)
            path = _jumps(cells, source, target)
            return MoveDescription(
                action=action, move=text, kind="move", source=source, target=target, jump=bool(path), path=path
            )
        case "cells":
            return MoveDescription(action=action, move=text, kind="remove" if part.text == "x" else "place", target=index)
        case "single":
            return MoveDescription(action=action, move=text, kind="pass")
        case "flat":
            return MoveDescription(action=action, move=text, kind="other")


def _is_placing(game: Game, state: State) -> bool:
    return isinstance(game, Latrunculi) and "hand" in game.details(state)


def _last_move(position: Position, ply: int) -> PlayedMove | None:
    """The last move, described in the position that it was played in."""
    if ply == 0:
        return None
    before = position.copy()
    action = before.actions[-1]
    before.undo()
    move = describe_move(position.game, before.state, position.game.cells(before.state), action)
    return PlayedMove(**move.model_dump(), side=before.turn)


def _jumps(cells: Cells, source: int, target: int) -> list[int]:
    """The shortest row of jumps from one cell to another: every landing, the target last; empty if it is a step."""
    rows, columns = cells.shape
    if abs(source // columns - target // columns) + abs(source % columns - target % columns) == 1:
        return []
    came_from, waiting = {source: source}, [source]
    for cell in waiting:
        row, column = divmod(cell, columns)
        for down, right in ((0, 1), (0, -1), (1, 0), (-1, 0)):
            landing_row, landing_column = row + 2 * down, column + 2 * right
            landing = landing_row * columns + landing_column
            if not (0 <= landing_row < rows and 0 <= landing_column < columns) or landing in came_from:
                continue
            if cells[row + down, column + right] and not cells[landing_row, landing_column]:
                came_from[landing] = cell
                waiting.append(landing)
    path = [target]
    while came_from[path[0]] != source:
        path.insert(0, came_from[path[0]])
    return path


# -- the board ---------------------------------------------------------------------------------------------------------
def winning_lines(game: Game, cells: Cells, winner: int | None) -> list[list[int]]:
    """The cells of every line that wins, where lines win; one move may complete several."""
    length, exact = _line_that_wins(game)
    if winner is None or not length:
        return []
    columns = cells.shape[1]
    own = cells == winner + 1
    found: list[list[int]] = []
    for row, column in zip(*np.nonzero(own), strict=True):
        for down, right in DIRECTIONS:
            if _has(own, row - down, column - right):
                continue  # the line begins earlier
            count = 1
            while _has(own, row + count * down, column + count * right):
                count += 1
            if count == length or (count > length and not exact):
                found.append([int((row + step * down) * columns + column + step * right) for step in range(count)])
    return found


def _line_that_wins(game: Game) -> tuple[int, bool]:
    """How many in a row win (0: lines do not win), and must it be exactly so many?"""
    match game:
        case ConnectFour():
            return game.connect, False
        case Gomoku():
            return LINE, game.exact
        case TicTacToe():
            return 3, False
        case _:
            return 0, False


def _has(own: npt.NDArray[np.bool_], row: int, column: int) -> bool:
    rows, columns = own.shape
    return 0 <= row < rows and 0 <= column < columns and bool(own[row, column])


def _flat(cells: Cells) -> list[int]:
    return cells.reshape(-1).tolist()


def _count_stones(cells: Cells) -> tuple[int, int]:
    return int(np.count_nonzero((cells == 1) | (cells == 3))), int(np.count_nonzero((cells == 2) | (cells == 4)))


# -- words -------------------------------------------------------------------------------------------------------------
def sentence_about(position: Position) -> str:
    """Whose turn it is and what may be done, or how the game ended."""
    names = side_names(position.game)
    if position.winner is not None:
        return f"{names[position.winner]} won{_score(position)}."
    if position.over:
        return f"The game is drawn{_score(position)}."
    mover = names[position.turn]
    moves = position.legal_moves()
    if moves == ["pass"]:
        return f"{mover} cannot move and must pass."
    if _is_placing(position.game, position.state):
        return f"{mover} to place a man."
    return f"{mover} to move."


def _score(position: Position) -> str:
    if isinstance(position.game, Latrunculi) and position.winner is not None:
        men = np.count_nonzero(owner_rule(position.game)(position.state) == SECOND - position.winner)  # of who lost
        return " what would be a draw" if men > position.game.least else ""
    if not isinstance(position.game, Othello):
        return ""
    first, second = _count_stones(position.game.cells(position.state))
    return f" {max(first, second)} to {min(first, second)}"


def _remarks(position: Position) -> list[str]:
    game, remarks = position.game, []
    names = side_names(game)
    if position.actions and game.action_to_text(position.actions[-1]) == "pass":
        remarks.append(f"{names[1 - position.turn]} passed: there was nothing else to do.")
    if isinstance(game, Latrunculi) and not position.over:
        details = game.details(position.state)
        if "hand" in details:
            hand = int(details["hand"])  # the side to move has the odd one
            remarks.append(
                f"{names[position.turn]} has {(hand + 1) // 2} men to place, {names[1 - position.turn]} {hand // 2}."
            )
        quiet = int(details.get("quiet", 0))
        if quiet >= game.quiet // 2:
            end = f"and {names[WINNERS_OF_DRAWS.index(game.draws) - 1]} wins" if has_odds(game) else "make a draw"
            remarks.append(f"{game.quiet - quiet} more moves without a removal {end}.")
    return remarks
