"""Connect Four: lines in every direction and at every edge, on bitboards and on larger boards, and refused boards."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from plain_boards import Board, line_lengths

from boardzero.errors import BadInput
from boardzero.games.catalogue import find_game
from boardzero.games.connect4 import ConnectFour, has_connected
from boardzero.games.position import Position
from boardzero.games.rules import Outcome
from boardzero.games.stones import has_line

GAME = find_game("connect4")

LOWER_LEFT = """
    .......
    .......
    .......
    ..XO...
    .XOX...
    XOXO..O
    X"""
UPPER_LEFT = """
    .......
    OX.....
    OOX....
    XOOX...
    XXOX..O
    OXXX.OO
    X"""


def mirrored(board: str) -> str:
    return "\n".join(line.strip()[::-1] for line in board.strip().splitlines())


@pytest.mark.parametrize(
    ("board", "move"),
    [
        pytest.param(LOWER_LEFT, "4", id="lower left corner"),
        pytest.param(mirrored(LOWER_LEFT), "4", id="lower right corner"),
        pytest.param(UPPER_LEFT, "1", id="upper left corner"),
        pytest.param(mirrored(UPPER_LEFT), "7", id="upper right corner"),
    ],
)
def test_diagonal_into_a_corner_wins(board: str, move: str) -> None:
    assert Position(GAME, board=board).result_text == "X to move"
    position = Position(GAME, move, board=board)
    assert position.result_text == "X won"
    assert position.legal_moves() == []


@pytest.mark.parametrize("specification", ["connect4", "connect4:rows=10,columns=12"])
@pytest.mark.parametrize("moves", ["1213141", "7172737", "1122334", "4455667", "7766554", "12234334744", "76654554144"])
def test_line_is_seen_by_boards_of_both_kinds(specification: str, moves: str) -> None:
    position = Position(find_game(specification), moves)
    assert position.result_text == ("X won" if len(moves) % 2 else "O won")


def test_more_than_four_in_a_line_win() -> None:
    assert Position(GAME, "1122445566" + "3").result_text == "X won"


@pytest.mark.parametrize("connect", [2, 3, 4, 5, 6, 7])
def test_bitboard_sees_every_line_and_no_line_around_an_edge(connect: int) -> None:
    """All cells that lie any fixed number of bits apart: a line only where they also do on the board."""
    rows, columns = 6, 7
    on_board = [bit for bit in range((rows + 1) * columns) if bit % (rows + 1) < rows]
    lines = 0
    for start in on_board:
        for step in range(1, (rows + 1) * columns):
            bits = [start + index * step for index in range(connect)]
            if not set(bits) <= set(on_board):
                continue
            places = [divmod(bit, rows + 1) for bit in bits]
            expected = is_straight(places)
            lines += expected
            stones = np.uint64(sum(1 << bit for bit in bits))
            assert has_connected(stones, np.uint64(rows), np.uint64(connect)) == expected, places
    assert lines == count_lines(rows, columns, connect)


@pytest.mark.parametrize(("rows", "columns", "connect"), [(8, 9, 4), (9, 8, 5), (3, 35, 3), (12, 10, 6)])
def test_larger_board_sees_every_line_and_no_line_around_an_edge(rows: int, columns: int, connect: int) -> None:
    lines = 0
    for start in range(rows * columns):
        for step in range(1, columns + 2):
            cells = [start + index * step for index in range(connect)]
            if cells[-1] >= rows * columns:
                continue
            occupied = np.zeros(rows * columns, np.bool_)
            occupied[cells] = True
            expected = is_straight([divmod(cell, columns) for cell in cells])
            lines += expected
            assert has_line(occupied.reshape(rows, columns), connect, exact=False) == expected, cells
    assert lines == count_lines(rows, columns, connect)


def is_straight(places: list[tuple[int, int]]) -> bool:
    """Do places follow one another as neighbours in one direction?"""
    steps = {(b[0] - a[0], b[1] - a[1]) for a, b in pairwise(places)}
    return len(steps) == 1 and all(abs(part) <= 1 for part in next(iter(steps)))


def count_lines(rows: int, columns: int, connect: int) -> int:
    across, upright = max(0, columns - connect + 1), max(0, rows - connect + 1)
    return rows * across + columns * upright + 2 * across * upright


@st.composite
def connect_four_games(draw: st.DrawFn) -> ConnectFour:
    largest = draw(st.sampled_from([4, 8, 35]))
    rows, columns = draw(st.integers(2, largest)), draw(st.integers(1, largest))
    connect = draw(st.integers(2, min(max(rows, columns), 8)))
    game = find_game(f"connect4:rows={rows},columns={columns},connect={connect}")
    assert isinstance(game, ConnectFour)
    return game


@settings(max_examples=150, deadline=None)
@given(game=connect_four_games(), numbers=st.lists(st.integers(0, 2**16), min_size=60, max_size=60))
def test_every_size_plays_as_a_plain_board_does(game: ConnectFour, numbers: list[int]) -> None:
    check_against_plain_board(game, numbers)


@pytest.mark.parametrize(
    "shape", ["rows=31,columns=2,connect=4", "rows=31,columns=2,connect=20", "rows=20,columns=3,connect=9"]
)
def test_tall_board_does_not_see_lines_where_shifts_pass_64_bits(shape: str) -> None:
    game = find_game(f"connect4:{shape}")
    assert isinstance(game, ConnectFour)
    for seed in range(100):
        check_against_plain_board(game, np.random.default_rng(seed).integers(0, 1000, game.max_plies).tolist())


def check_against_plain_board(game: ConnectFour, numbers: list[int]) -> None:
    """Play the game that the numbers choose, and a plain board beside it."""
    board: Board = [[0] * game.columns for _ in range(game.rows)]
    state = game.initial_state()
    for ply, number in enumerate(numbers):
        legal = [column for column in range(game.columns) if board[0][column] == 0]
        assert game.legal_actions(state) == legal
        column = legal[number % len(legal)]
        row = max(row for row in range(game.rows) if board[row][column] == 0)
        board[row][column] = 1 + ply % 2
        state = game.next_state(state, column)
        assert game.cells(state).tolist() == board
        if max(line_lengths(board, row, column)) >= game.connect:
            assert game.outcome(state) is Outcome.MOVER_WON
            return
        if ply + 1 == game.rows * game.columns:
            assert game.outcome(state) is Outcome.DRAW
            return
        assert game.outcome(state) is Outcome.GOING_ON


@pytest.mark.parametrize("specification", ["connect4:rows=2,columns=4", "connect4:rows=2,columns=33"])
def test_full_board_without_a_line_is_drawn(specification: str) -> None:
    game = find_game(specification)
    cells = np.array([[1 + (column // 2 + row) % 2 for column in range(game.columns)] for row in range(2)], np.int8)
    cells[0, 2] = 0  # O's last stone
    state = game.state_from_cells(cells, 1, {})
    assert game.legal_actions(state) == [2]
    assert game.outcome(game.next_state(state, 2)) is Outcome.DRAW


def test_board_that_ends_with_a_line_is_taken_as_won() -> None:
    position = Position(GAME, board="......./......./......./O....../O....../OXXXX.. O")
    assert position.result_text == "X won"
    assert position.legal_moves() == []


@pytest.mark.parametrize("specification", ["connect4", "connect4:rows=9,columns=9"])
@pytest.mark.parametrize(
    ("stones", "turn", "sentence"),
    [
        (["XX"], "X", "With 2 X and 0 O on the board, X cannot be to move: X begins and the two alternate."),
        (["X"], "X", "With 1 X and 0 O on the board, X cannot be to move: X begins and the two alternate."),
        (["O"], "O", "With 0 X and 1 O on the board, O cannot be to move: X begins and the two alternate."),
        (["XXXX", "OOXOOO"], "X", "X has won on this board already and cannot be to move."),
        (["X", "OOOO", "XXOXXX"], "O", "O has won on this board already and cannot be to move."),
        ([".X", "O"], "X", "A stone in column 2 of the board has an empty cell below it."),
    ],
)
def test_impossible_boards_are_refused_in_one_sentence(specification: str, stones: list[str], turn: str, sentence: str) -> None:
    game = find_game(specification)
    lines = ["" for _ in range(game.rows - len(stones))] + stones
    board = "/".join(line.ljust(game.columns, ".") for line in lines)
    with pytest.raises(BadInput) as refusal:
        Position(game, board=f"{board} {turn}")
    assert str(refusal.value) == sentence


@pytest.mark.parametrize(
    ("specification", "sentence"),
    [
        (
            "connect4:rows=3,columns=3,connect=4",
            "connect4: connect=4 does not fit on 3 rows and 3 columns; at most 3 does.",
        ),
        ("connect4:rows=36", "connect4: rows=36 is not allowed: rows should be less than or equal to 35."),
        ("connect4:connect=1", "connect4: connect=1 is not allowed: connect should be greater than or equal to 2."),
    ],
)
def test_impossible_sizes_are_refused_in_one_sentence(specification: str, sentence: str) -> None:
    with pytest.raises(BadInput) as refusal:
        find_game(specification)
    assert str(refusal.value) == sentence


def test_move_in_a_full_column_is_refused() -> None:
    with pytest.raises(BadInput, match="Move 7, 1, is illegal; X may play 2, 3, 4, 5, 6, 7"):
        Position(GAME, "1111111")


def test_columns_past_nine_are_letters() -> None:
    position = Position(find_game("connect4:rows=9,columns=35"), "9az")
    assert position.actions == [8, 9, 34]
    assert position.moves == "9az"
