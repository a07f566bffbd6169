"""Tic-tac-toe: what wins, what is drawn, and which boards are refused."""

import pytest

from boardzero.errors import BadInput
from boardzero.games.catalogue import find_game
from boardzero.games.position import Position

GAME = find_game("tictactoe")


@pytest.mark.parametrize(
    ("board", "move"),
    [
        ("XX./OO./... X", "c3"),
        ("OO./XX./... X", "c2"),
        ("OO./.../XX. X", "c1"),
        ("X.O/X.O/... X", "a1"),
        (".XO/.XO/... X", "b1"),
        (".OX/.OX/... X", "c1"),
        ("X.O/.XO/... X", "c1"),
        ("O.X/OX./... X", "a1"),
    ],
)
def test_each_of_the_eight_lines_wins(board: str, move: str) -> None:
    position = Position(GAME, move, board=board)
    assert position.result_text == "X won"
    assert position.winner == 0
    assert position.legal_moves() == []


def test_second_player_wins_with_a_line() -> None:
    assert Position(GAME, "a1 a3 b1 b3 c2 c3").result_text == "O won"


def test_full_board_without_a_line_is_drawn() -> None:
    position = Position(GAME, "a1 b2 c3 b3 b1 c1 a3 a2 c2")
    assert position.over
    assert position.result_text == "drawn"


def test_line_on_the_last_cell_wins_and_is_not_drawn() -> None:
    position = Position(GAME, "c1", board="XOX/OXO/OX. X")
    assert position.result_text == "X won"


def test_planes_show_the_board_as_the_player_to_move_sees_it() -> None:
    planes = GAME.encoded(Position(GAME, "a3 b2 c1").state)  # O is to move
    assert planes[0].tolist() == [[0, 0, 0], [0, 1, 0], [0, 0, 0]]
    assert planes[1].tolist() == [[1, 0, 0], [0, 0, 0], [0, 0, 1]]


@pytest.mark.parametrize(
    ("board", "sentence"),
    [
        ("X../.../... X", "With 1 X and 0 O on the board, X cannot be to move: X begins and the two alternate."),
        ("XXX/OO./O.. X", "X has won on this board already and cannot be to move."),
        ("XOX/OXO/XO. moves=3", "The board must be followed by the side to move, X or O."),
        (".../.../... X moves=3", "A board of tic-tac-toe has nothing called 'moves' behind it."),
    ],
)
def test_impossible_boards_are_refused_in_one_sentence(board: str, sentence: str) -> None:
    with pytest.raises(BadInput) as refusal:
        Position(GAME, board=board)
    assert str(refusal.value) == sentence
