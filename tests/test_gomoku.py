"""Gomoku: five in a row at every edge, overlines under both rules, and refused boards."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from plain_boards import Board, line_lengths

from boardzero.errors import BadInput
from boardzero.games.catalogue import find_game
from boardzero.games.position import Position
from boardzero.games.rules import Outcome

RULES = ["freestyle", "standard"]

OVERLINE = """
    .......
    .......
    .O.O.O.
    XXX.XX.
    .......
    .O.O...
    .......
    X"""


def result(rule: str, board: str, moves: str) -> str:
    return Position(find_game(f"gomoku:size=7,rule={rule}"), moves, board=board).result_text


def test_overline_wins_only_in_free_style() -> None:
    assert result("freestyle", OVERLINE, "d4") == "X won"
    assert result("standard", OVERLINE, "d4") == "O to move"


@pytest.mark.parametrize("rule", RULES)
def test_exactly_five_wins_under_both_rules(rule: str) -> None:
    board = OVERLINE.replace("XXX.XX.", ".XX.XX.").replace(".O.O...", ".O.....")
    assert result(rule, board, "d4") == "X won"


def test_stone_that_makes_an_overline_and_a_five_wins_under_the_standard_rule() -> None:
    board = """
        ...X...
        ...X.O.
        .O.X.O.
        XXX.XX.
        ...X.O.
        OO.OO..
        O......
        X"""
    assert result("standard", board, "d4") == "X won"


def test_player_with_an_overline_goes_on_under_the_standard_rule_and_may_win_later() -> None:
    game = find_game("gomoku:size=7,rule=standard")
    position = Position(game, "d4 g1", board=OVERLINE)  # X has six in a row
    assert position.result_text == "X to move"
    assert np.array_equal(Position(game, board=position.board).state, position.state)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("gap", range(5))
@pytest.mark.parametrize(("down", "right"), [(0, 1), (1, 0), (1, 1), (1, -1)])
def test_five_wins_anywhere_on_the_board_whichever_stone_comes_last(rule: str, gap: int, down: int, right: int) -> None:
    game = find_game(f"gomoku:size=9,rule={rule}")
    for row in range(9 - 4 * down):
        for column in range(4 if right < 0 else 0, 9 - 4 * max(0, right)):
            line = [(row + index * down) * 9 + column + index * right for index in range(5)]
            away = [cell for cell in range(0, 81, 2) if cell not in line and cell // 9 % 2 == 0][:4]
            last = line.pop(gap)
            state = game.initial_state()
            for own, other in zip(line, away, strict=True):
                state = game.next_state(game.next_state(state, own), other)
            assert game.outcome(state) is Outcome.GOING_ON
            assert game.outcome(game.next_state(state, last)) is Outcome.MOVER_WON


@pytest.mark.parametrize("specification", ["gomoku:size=8", "gomoku:size=15", "gomoku:size=9,rule=standard"])
def test_line_does_not_run_around_an_edge(specification: str) -> None:
    """Five stones in cells that follow one another by number, but lie on two edges of the board."""
    game = find_game(specification)
    size = game.rows
    for step in (1, size - 1, size + 1):
        for start in range(size * size - 4 * step):
            run = [start + index * step for index in range(5)]
            columns = [cell % size for cell in run]
            if max(abs(a - b) for a, b in pairwise(columns)) == 1:
                continue  # a real line
            cells = np.zeros(size * size, np.int8)
            cells[run] = 1
            cells[[cell for cell in range(0, size * size, 3) if cell not in run][:4]] = 2
            state = game.state_from_cells(cells.reshape(size, size), 1, {})
            assert game.outcome(state) is Outcome.GOING_ON


@pytest.mark.parametrize("rule", RULES)
def test_full_board_without_five_is_drawn(rule: str) -> None:
    position = Position(find_game(f"gomoku:size=5,rule={rule}"), board="XXOXX/OOXOO/XXOXX/OOXOO/XOOX. X")
    assert position.legal_moves() == ["e1"]
    position.play("e1")
    assert position.result_text == "drawn"
    assert position.legal_moves() == []


@pytest.mark.parametrize("rule", RULES)
@settings(max_examples=40, deadline=None)
@given(size=st.integers(5, 20), seed=st.integers(0, 2**32 - 1))
def test_every_size_plays_as_a_plain_board_does(rule: str, size: int, seed: int) -> None:
    """Moves are drawn near one line of the board now and then, so that overlines come up."""
    game = find_game(f"gomoku:size={size},rule={rule}")
    draw = np.random.default_rng(seed)
    board: Board = [[0] * size for _ in range(size)]
    empty = set(range(size * size))
    state = game.initial_state()
    for ply in range(size * size):
        assert game.legal_actions(state) == sorted(empty)
        rows = {0, 1} if ply % 2 else {2, 3}
        preferred = sorted(cell for cell in empty if cell // size in rows and cell % size < 8) if seed % 2 else []
        cell = int(draw.choice(preferred or sorted(empty)))
        empty.remove(cell)
        row, column = divmod(cell, size)
        board[row][column] = 1 + ply % 2
        state = game.next_state(state, cell)
        lengths = line_lengths(board, row, column)
        if 5 in lengths or (rule == "freestyle" and max(lengths) > 5):
            assert game.outcome(state) is Outcome.MOVER_WON
            break
        assert game.outcome(state) is (Outcome.GOING_ON if empty else Outcome.DRAW)
    assert game.cells(state).tolist() == board
    assert np.array_equal(game.board_from_text(game.board_to_text(state)), state)


def test_squares_are_named_from_the_bottom_left_without_leaving_out_i() -> None:
    game = find_game("gomoku")
    assert [game.action_to_text(action) for action in (0, 14, 112, 210, 224)] == ["a15", "o15", "h8", "a1", "o1"]
    assert game.action_from_text("i9") == 6 * 15 + 8
    with pytest.raises(BadInput, match="'p1' is not a move of Gomoku"):
        game.action_from_text("p1")


@pytest.mark.parametrize(
    ("specification", "board", "sentence"),
    [
        (
            "gomoku:size=5",
            "XX.../...../...../...../..... O",
            "With 2 X and 0 O on the board, O cannot be to move: X begins and the two alternate.",
        ),
        (
            "gomoku:size=5",
            "XXXXX/OOOO./O..../...../..... X",
            "X has won on this board already and cannot be to move.",
        ),
        (
            "gomoku:size=6,rule=standard",
            "XXXXX./OOOO../O...../....../....../...... X",
            "X has won on this board already and cannot be to move.",
        ),
        (
            "gomoku:size=6",
            "XXXXXX/OOOO../OO..../....../....../...... X",
            "X has won on this board already and cannot be to move.",
        ),
        (
            "gomoku:size=5",
            "...../...../...../...../..... X rule=standard",
            "A board of Gomoku has nothing called 'rule' behind it.",
        ),
    ],
)
def test_impossible_boards_are_refused_in_one_sentence(specification: str, board: str, sentence: str) -> None:
    with pytest.raises(BadInput) as refusal:
        Position(find_game(specification), board=board)
    assert str(refusal.value) == sentence


def test_finished_board_is_taken_as_won_by_the_player_who_moved_last() -> None:
    position = Position(find_game("gomoku:size=5"), board="XXXXX/OOOO./...../...../..... O")
    assert position.result_text == "X won"
    assert position.winner == 0


@pytest.mark.parametrize(
    ("specification", "sentence"),
    [
        ("gomoku:size=4", "gomoku: size=4 is not allowed: size should be greater than or equal to 5."),
        ("gomoku:size=21", "gomoku: size=21 is not allowed: size should be less than or equal to 20."),
        ("gomoku:rule=renju", "gomoku: rule=renju is not allowed: rule should be 'freestyle' or 'standard'."),
    ],
)
def test_impossible_sizes_and_rules_are_refused_in_one_sentence(specification: str, sentence: str) -> None:
    with pytest.raises(BadInput) as refusal:
        find_game(specification)
    assert str(refusal.value) == sentence
