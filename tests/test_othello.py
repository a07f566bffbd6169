"""Othello: the start, turning in every direction, passing, the end of the game, and boards set up by hand."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from plain_boards import Board, othello_placements, turned_discs

from boardzero.errors import BadInput
from boardzero.games.catalogue import find_game
from boardzero.games.position import Position
from boardzero.games.rules import Game, Outcome, State

GAME = find_game("othello")
SMALL = find_game("othello:size=4")

# Two positions of the FFO endgame suite (numbers 1 and 20): the board row by row from a1, the side to move, all legal moves.
ENDGAMES = [
    (
        "--XXXXX--OOOXX-O-OOOXXOX-OXOXOXXOXXXOXXX--XOXOXX-XXXOOO--OOOOO--",
        "X",
        "g8 h1 h7 a2 a3 b1 a4 g2",
    ),
    (
        "XXXOXXXXOXXXXXXXOOXXXXXXOOOXXXXXOOOXXOO-OOOOO---OOOOOOO-OOOOOOO-",
        "X",
        "h5 g6 f6 h6",
    ),
]


def test_black_begins_from_the_standard_start() -> None:
    position = Position(GAME)
    assert position.board == "......../......../......../...OX.../...XO.../......../......../........ X"
    assert position.legal_moves() == ["d3", "c4", "f5", "e6"]


def test_white_begins_from_the_same_start_where_asked_for() -> None:
    game = find_game("othello:first=white")
    position = Position(game)
    assert position.board == "......../......../......../...OX.../...XO.../......../......../........ O"
    assert position.legal_moves() == ["e3", "f4", "c5", "d6"]
    assert game.players == ("O", "X")
    position.play("e3")
    assert position.board == "......../......../....O.../...OO.../...XO.../......../......../........ X"


@pytest.mark.parametrize("size", [4, 6])
def test_smaller_boards_have_the_start_in_their_middle(size: int) -> None:
    rows = Position(find_game(f"othello:size={size}")).board.split()[0].split("/")
    middle = size // 2
    assert [row[middle - 1 : middle + 1] for row in rows[middle - 1 : middle + 1]] == ["OX", "XO"]
    assert sum(row.count(".") for row in rows) == size * size - 4


STAR = """
    X..X..X.
    .O.O.O..
    ..OOO...
    XOO.OOOX
    ..OOO...
    .O.O.O..
    X..O..X.
    ...X....
    X"""


def test_one_disc_turns_runs_in_all_eight_directions() -> None:
    position = Position(GAME, "d4", board=STAR)
    assert position.board == "X..X..X./.X.X.X../..XXX.../XXXXXXXX/..XXX.../.X.X.X../X..X..X./...X.... O"
    assert position.result_text == "X won"  # nothing is left of white


def test_run_without_an_own_disc_behind_it_is_not_turned() -> None:
    position = Position(GAME, "d4", board=STAR.replace("X..O..X.", "O..O..X."))
    assert position.board == "X..X..X./.X.X.X../..XXX.../XXXXXXXX/..OXX.../.O.X.X../O..X..X./...X.... O"


@pytest.mark.parametrize(
    ("size", "discs"),
    [
        (8, {"g1": "X", "h1": "O"}),  # a2 is the bit behind h1
        (8, {"a2": "O", "b2": "X"}),  # h1 is the bit before a2
        (8, {"g1": "X", "h2": "O"}),
        (8, {"b1": "X", "a2": "O"}),
        (8, {"b8": "X", "a7": "O"}),
        (8, {"g7": "X", "g8": "O"}),
        (6, {"e1": "X", "f1": "O"}),  # off a smaller board there are bits, but no cells
        (6, {"a5": "X", "a6": "O"}),
        (6, {"e5": "X", "f6": "O"}),
        (4, {"b1": "X", "a2": "O"}),
        (4, {"c2": "X", "d1": "O"}),
    ],
)
def test_run_does_not_go_past_an_edge(size: int, discs: dict[str, str]) -> None:
    game = find_game(f"othello:size={size}")
    cells = np.zeros(size * size, np.int8)
    for square, letter in discs.items():
        cells[game.action_from_text(square)] = "XO".index(letter) + 1
    state = game.state_from_cells(cells.reshape(size, size), 0, {})
    assert [action for action in game.legal_actions(state) if action < size * size] == []


# -- passing and the end -----------------------------------------------------------------------------------------------
def test_player_without_a_placement_passes_while_the_other_has_one() -> None:
    position = Position(SMALL, board="OX../..../..../.... X")
    assert position.legal_moves() == ["pass"]
    position.play("pass")
    assert position.board == "OX../..../..../.... O"
    assert position.legal_moves() == ["c1"]


def test_pass_is_refused_where_a_disc_can_be_placed() -> None:
    with pytest.raises(BadInput, match="Move 1, pass, is illegal; X may play d3, c4, f5, e6"):
        Position(GAME, "pass")


def test_player_who_placed_moves_again_after_the_other_passed() -> None:
    position = Position(SMALL, "a1", board=".OX./..../XO../.... X")
    assert position.board == "XXX./..../XO../.... O"
    assert position.legal_moves() == ["pass"]
    position.play("pass")
    assert position.result_text == "X to move"
    assert position.legal_moves() == ["c3"]


def test_game_ends_when_neither_can_place_even_with_empty_cells_left() -> None:
    position = Position(SMALL, "c1", board="OX../..../..../.... O")
    assert position.board == "OOO./..../..../.... X"
    assert position.over
    assert position.result_text == "O won"
    assert position.legal_moves() == []


def test_shortest_game_ends_after_nine_moves_with_one_colour() -> None:
    position = Position(GAME, "e6 f4 e3 f6 g5 d6 e7 f5 c5")
    assert position.result_text == "X won"
    cells = GAME.cells(position.state)
    assert ((cells == 1).sum(), (cells == 2).sum()) == (13, 0)


@pytest.mark.parametrize("turn", ["X", "O"])
@pytest.mark.parametrize(
    ("board", "result"),
    [
        ("XXXX/XXXX/OOOX/OOOO", "X won"),
        ("OOOO/OOOO/XXXO/XXXX", "O won"),
        ("XX.O/..../..../....", "X won"),
        ("X..O/..../..../....", "drawn"),
        ("XXXX/XXXX/OOOO/OOOO", "drawn"),
        ("..../..../..../....", "drawn"),
    ],
)
def test_board_on_which_neither_can_place_is_over_whoever_is_to_move(board: str, result: str, turn: str) -> None:
    position = Position(SMALL, board=f"{board} {turn}")
    assert position.result_text == result


def test_last_move_may_win_or_lose_the_game_for_its_player() -> None:
    position = Position(SMALL, "d4", board="OOOO/OOOO/OOOO/OXX. O")
    assert position.outcome is Outcome.MOVER_WON
    position = Position(SMALL, "d4", board="OOOO/OOOO/OOOO/XOO. X")
    assert position.outcome is Outcome.MOVER_LOST
    assert position.winner == 1


# -- boards set up by hand ---------------------------------------------------------------------------------------------
@pytest.mark.parametrize(("cells", "turn", "moves"), ENDGAMES)
def test_endgame_positions_have_the_listed_moves(cells: str, turn: str, moves: str) -> None:
    rows = [cells[first : first + 8].replace("-", ".") for first in range(0, 64, 8)]
    position = Position(GAME, board=f"{'/'.join(rows)} {turn}")
    assert set(position.legal_moves()) == set(moves.split())


@settings(max_examples=150, deadline=None)
@given(size=st.sampled_from([4, 6, 8]), turn=st.integers(0, 1), data=st.data())
def test_any_board_may_be_set_up_with_either_side_to_move(size: int, turn: int, data: st.DataObject) -> None:
    game = find_game(f"othello:size={size}")
    numbers = data.draw(st.lists(st.sampled_from([0, 0, 1, 2]), min_size=size * size, max_size=size * size))
    board = [numbers[first : first + size] for first in range(0, size * size, size)]
    state = game.state_from_cells(np.array(board, np.int8), turn, {})
    assert game.cells(state).tolist() == board
    assert len(othello_placements(board, turn + 1)) <= game.max_legal
    check_as_plain(game, state, board, turn)


@settings(max_examples=40, deadline=None)
@given(
    size=st.sampled_from([4, 6, 8]),
    first=st.sampled_from(["black", "white"]),
    choices=st.lists(st.integers(0, 2**16), min_size=128, max_size=128),
)
def test_every_size_plays_as_a_plain_board_does(size: int, first: str, choices: list[int]) -> None:
    game = find_game(f"othello:size={size},first={first}")
    state = game.initial_state()
    board: Board = game.cells(state).tolist()
    for ply, choice in enumerate(choices):
        check_as_plain(game, state, board, ply % 2)
        legal = game.legal_actions(state)
        if not legal:
            return
        action = legal[choice % len(legal)]
        if action < size * size:
            row, column = divmod(action, size)
            for cell in [(row, column), *turned_discs(board, row, column, ply % 2 + 1)]:
                board[cell[0]][cell[1]] = ply % 2 + 1
        state = game.next_state(state, action)
        assert game.cells(state).tolist() == board
    pytest.fail("the game did not end")


def check_as_plain(game: Game, state: State, board: Board, turn: int) -> None:
    """The legal actions, whose turn it is and the result are those of a plain board."""
    size = game.rows
    own, other = othello_placements(board, turn + 1), othello_placements(board, 2 - turn)
    assert game.turn(state) == turn
    assert (game.outcome(state) is Outcome.GOING_ON) == bool(own or other)
    if own:
        assert game.legal_actions(state) == [row * size + column for row, column in own]
    elif other:
        assert game.legal_actions(state) == [size * size]
    else:
        assert game.legal_actions(state) == []
        lead = sum(row.count(1) - row.count(2) for row in board)
        assert game.winner(state) == (0 if lead > 0 else 1 if lead < 0 else None)


# -- what the network and people see -----------------------------------------------------------------------------------
def test_planes_show_the_discs_as_the_player_to_move_sees_them() -> None:
    position = Position(SMALL, "b1")  # turns b2; white is to move
    own, other = SMALL.encoded(position.state)
    assert own.tolist() == [[0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 1, 0], [0, 0, 0, 0]]
    assert other.tolist() == [[0, 1, 0, 0], [0, 1, 1, 0], [0, 1, 0, 0], [0, 0, 0, 0]]


def test_pass_is_the_action_after_the_cells() -> None:
    assert GAME.action_count == 65
    assert GAME.action_to_text(64) == "pass"
    assert [GAME.action_to_text(action) for action in (0, 7, 56, 63)] == ["a1", "h1", "a8", "h8"]


@pytest.mark.parametrize(
    ("specification", "sentence"),
    [
        ("othello:size=5", "othello: size=5 is not allowed: size should be a multiple of 2."),
        ("othello:size=10", "othello: size=10 is not allowed: size should be less than or equal to 8."),
        ("othello:first=red", "othello: first=red is not allowed: first should be 'black' or 'white'."),
    ],
)
def test_impossible_sizes_and_colours_are_refused_in_one_sentence(specification: str, sentence: str) -> None:
    with pytest.raises(BadInput) as refusal:
        find_game(specification)
    assert str(refusal.value) == sentence


def test_unknown_details_behind_a_board_are_refused() -> None:
    with pytest.raises(BadInput, match="A board of Othello has nothing called 'passes' behind it"):
        Position(SMALL, board="OX../..../..../.... X passes=1")
