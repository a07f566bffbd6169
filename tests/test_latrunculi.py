"""Latrunculi: each sentence of its rules, and the three special cases, on drawn boards.

A move leads from the board on the left to the board on the right. Men in far corners are there because a side with one
man has lost.
"""

import pytest
from latrunculi_drawings import check, drawing_of, drawn, targets

from boardzero.games.rules import Outcome


# -- moving ------------------------------------------------------------------------------------------------------------
def test_a_man_steps_orthogonally_to_a_free_neighbour() -> None:
    position = drawn("""
        O..O
        ....
        .X..
        ...X""")
    assert set(position.legal_moves()) == {"b2-a2", "b2-c2", "b2-b1", "b2-b3", "d1-c1", "d1-d2"}


def test_a_man_jumps_over_one_man_of_either_side() -> None:
    position = drawn("""
        O....O
        ......
        ..O...
        .XX...
        ......
        ......""")
    assert targets(position, "c3") == {"d3", "c2", "a3", "c5"}


def test_a_captured_man_can_be_jumped_over() -> None:
    check(
        "b2-b4",
        """
        O....O   O....O
        ......   ......
        ......   .X....
        XoX...   XoX...
        .X....   ......
        ......   ......
        """,
    )


def test_a_jump_needs_a_free_square_behind_exactly_one_man() -> None:
    position = drawn("""
        O....O
        ......
        O.....
        O.....
        ......
        XXX..X""")
    assert targets(position, "a1") == {"a2"}
    assert targets(position, "b1") == {"b2", "d1"}


def test_several_jumps_may_follow_one_another_and_turn() -> None:
    position = drawn("""
        O....O
        ......
        ......
        ...X..
        ..O...
        XO....""")
    assert targets(position, "a1") == {"a2", "c1", "c3", "e3"}


def test_jumps_that_end_where_they_began_are_no_move() -> None:
    position = drawn("""
        O....O
        ......
        ......
        .X....
        O.O...
        XX....""")
    assert targets(position, "a1") == {"c1", "c3", "a3"}


def test_on_its_way_a_jumping_man_captures_nobody() -> None:
    """It passes c3, where it would hold d3 against e3."""
    check(
        "c1-c5",
        """
        O....O   O....O
        ......   ..X...
        ..X...   ..X...
        ...OX.   ...OX.
        ..O...   ..O...
        ..X...   ......
        """,
    )


def test_on_its_way_a_jumping_man_may_stand_between_enemies() -> None:
    position = drawn("""
        O....X
        ......
        ..X...
        .O.O..
        ..O...
        ..X...""")
    assert targets(position, "c1") == {"b1", "d1", "a3", "e3", "c5"}


def test_moves_do_not_run_over_the_edge() -> None:
    """f4 and a3 are neighbours in the numbering of squares, not on the board."""
    position = drawn("""
        O....O
        ......
        .....X
        X.....
        .....O
        ....XX""")
    assert targets(position, "f4") == {"f5", "f3", "e4"}
    assert targets(position, "a3") == {"a4", "a2", "b3"}
    assert targets(position, "f1") == {"f3", "f5", "d1"}


# -- capturing ---------------------------------------------------------------------------------------------------------
def test_an_enemy_between_two_men_in_a_row_is_captured() -> None:
    check(
        "e3-d3",
        """
        O....O   O....O
        ......   ......
        ......   ......
        .XO.X.   .XoX..
        ......   ......
        ......   ......
        """,
    )


def test_an_enemy_between_two_men_in_a_column_is_captured() -> None:
    check(
        "d1-d2",
        """
        O....X   O....X
        ......   ......
        ...O..   ...O..
        ...X..   ...x..
        ......   ...O..
        ...O..   ......
        """,
        side="O",
    )


def test_a_jump_captures_where_it_lands() -> None:
    check(
        "d5-d3",
        """
        O.....   O.....
        ...X..   ......
        ...O..   ...O..
        .XO...   .XoX..
        ......   ......
        ......   ......
        """,
    )


def test_men_on_a_diagonal_do_not_capture() -> None:
    check(
        "e4-d4",
        """
        O.....   O.....
        ......   ......
        ....X.   ...X..
        ..O...   ..O...
        .X....   .X....
        ......   ......
        """,
    )


def test_the_edge_does_not_capture() -> None:
    check(
        "c3-b3",
        """
        .....O   .....O
        ......   ......
        ......   ......
        O.X...   OX....
        ......   ......
        .....X   .....X
        """,
    )


def test_no_man_is_captured_around_the_edge() -> None:
    """f4 lies between e4 and a3 in the numbering of squares, not on the board."""
    check(
        "a2-a3",
        """
        O.....   O.....
        ......   ......
        ....XO   ....XO
        ......   X.....
        X.....   ......
        ......   ......
        """,
    )


def test_a_man_does_not_capture_what_it_jumped_over_with_the_square_it_left() -> None:
    check(
        "c2-c4",
        """
        O.....   O.....
        ......   ......
        ......   ..X...
        ..O...   ..O...
        ..X...   ......
        .....X   .....X
        """,
    )


def test_two_men_in_a_row_are_not_captured_together() -> None:
    check(
        "d2-d3",
        """
        ......   ......
        ......   ......
        ......   ......
        XOO...   XOOX..
        ...X..   ......
        ......   ......
        """,
    )


def test_only_the_man_that_moved_captures() -> None:
    check(
        "a1-a2",
        """
        O.....   O.....
        ......   ......
        ......   ......
        .XOX..   .XOX..
        ......   X.....
        X.....   ......
        """,
    )


def test_men_that_the_start_leaves_between_enemies_are_free() -> None:
    position = drawn("""
        O.....
        ......
        ......
        ..OXO.
        ......
        X.....""")
    assert targets(position, "d3") == {"d2", "d4", "b3", "f3"}


def test_a_captured_man_cannot_move() -> None:
    position = drawn(
        """
        O....O
        ......
        ......
        .XoX..
        ......
        ......""",
        side="O",
    )
    assert set(position.legal_moves()) == {"a6-a5", "a6-b6", "f6-f5", "f6-e6"}


def test_a_captured_man_does_not_capture() -> None:
    check(
        "e3-d3",
        """
        ......   ......
        ......   ......
        ......   ......
        OxO.X.   OxOX..
        ......   ......
        ......   ......
        """,
    )


def test_one_move_captures_up_to_three_men() -> None:
    check(
        "c3-c4",
        """
        ..X...   ..X...
        ..O...   ..o...
        XO.OX.   XoXoX.
        ..X...   ......
        ......   ......
        ......   ......
        """,
    )


# -- removing and freeing ----------------------------------------------------------------------------------------------
CAPTURED = """
    O....O
    ......
    ......
    .XoX..
    ......
    X....."""


def test_a_captured_man_can_be_removed_instead_of_moving() -> None:
    position = check(
        "xc3",
        """
        O....O   O....O
        ......   ......
        ......   ......
        .XoX..   .X.X..
        ......   ......
        X.....   X.....
        """,
    )
    assert position.turn == 1 and not position.over


def test_only_captured_enemies_can_be_removed() -> None:
    assert [move for move in drawn(CAPTURED).legal_moves() if move.startswith("x")] == ["xc3"]
    assert not any(move.startswith("x") for move in drawn(CAPTURED, side="O").legal_moves())


def test_a_captured_man_is_freed_when_its_captor_moves_away() -> None:
    position = check(
        "d3-d2",
        """
        O....O   O....O
        ......   ......
        ......   ......
        .XoX..   .XO...
        ......   ...X..
        X.....   X.....
        """,
    )
    assert targets(position, "c3") == {"a3", "c2", "c4", "d3"}
    position.play("a6-a5")
    assert "xc3" not in position.legal_moves()


def test_no_man_is_held_around_the_edge() -> None:
    """a3 lies between f4 and b3 in the numbering of squares, not on the board."""
    check(
        "a4-a5",
        """
        X.....   X.....
        ......   O.....
        O....O   .....O
        xO....   XO....
        O.....   O.....
        ......   ......
        """,
        side="O",
    )


def test_a_captured_man_is_freed_when_its_captor_is_captured() -> None:
    """So a capture can free the mover's own man."""
    position = check(
        "d1-d2",
        """
        O.....   O.....
        ......   ......
        ...X..   ...X..
        .OxO..   .OXo..
        ......   ...X..
        ...X..   ......
        """,
    )
    position.play("a6-a5")
    assert targets(position, "c3") == {"c2", "c4", "a3", "e3"}


def test_a_removal_leaves_all_other_men_as_they_are() -> None:
    check(
        "xb3",
        """
        O.....   O.....
        ......   ......
        .X....   .X....
        OoX...   O.X...
        .XoX..   .XoX..
        .OxO..   .OxO..
        """,
    )


def test_a_man_freed_by_leaving_is_a_captor_again_in_the_same_move() -> None:
    """c3 loses its captor d3 to the move that sets c4 free: now c4 and c2 hold it."""
    check(
        "b4-d2",
        """
        ......   ......
        ......   ......
        .XoX..   ..OX..
        .OxO..   .Oxo..
        ..O...   ..OX..
        ......   ......
        """,
    )


# -- special case 1: four captors --------------------------------------------------------------------------------------
SURROUNDED = """
    ......
    ......
    .XO...
    .OxO..
    ..O...
    .X...."""


@pytest.mark.parametrize("move", ["b3-a3", "c4-c5", "d3-e3", "c2-c1"])
def test_case_one_each_of_four_captors_may_move_and_the_man_stays_captured(move: str) -> None:
    position = drawn(SURROUNDED, side="O")
    position.play(move)
    assert drawing_of(position)[3][2] == "x"


def test_case_one_a_captor_may_be_captured_and_the_man_stays_captured() -> None:
    check(
        "b1-b2",
        """
        ......   ......
        ......   ......
        .XO...   .XO...
        .OxO..   .oxO..
        ..O...   .XO...
        .X....   ......
        """,
    )


def test_case_one_two_captors_that_are_not_opposite_do_not_hold() -> None:
    position = drawn(SURROUNDED, side="O")
    for move in ("b3-a3", "b4-b5", "c4-c5"):
        position.play(move)
    assert drawing_of(position)[3] == "O.XO.."


# -- special case 2: the mover wins ties; and the suicide rule ---------------------------------------------------------
def test_case_two_the_mover_captures_first() -> None:
    check(
        "c2-c3",
        """
        ......   ......
        ......   ......
        ......   ......
        .O.OX.   .OXoX.
        ..X...   ......
        ......   ......
        """,
    )


def test_case_two_in_a_column() -> None:
    check(
        "b3-c3",
        """
        ......   ......
        ..X...   ..X...
        ..O...   ..o...
        .X....   ..X...
        ..O...   ..O...
        ......   ......
        """,
    )


def test_a_man_may_not_move_between_two_enemies() -> None:
    position = drawn("""
        ......
        ......
        ......
        .O.O..
        ..X...
        X.....""")
    assert targets(position, "c2") == {"b2", "d2", "c1"}


def test_a_move_between_two_enemies_that_captures_another_is_refused() -> None:
    position = drawn("""
        ......
        ..X...
        ..O...
        .O.O..
        ..X...
        ......""")
    assert targets(position, "c2") == {"b2", "d2", "c1"}


def test_a_captured_partner_does_not_help_between_two_enemies() -> None:
    position = drawn("""
        ......
        ......
        ......
        O.OxO.
        .X....
        ......""")
    assert targets(position, "b2") == {"a2", "c2", "b1"}


def test_the_square_left_by_a_jump_does_not_help_between_two_enemies() -> None:
    position = drawn("""
        X.....
        ......
        ......
        OO.OX.
        ......
        ......""")
    assert targets(position, "e3") == {"e2", "e4", "f3"}


def test_a_man_may_move_between_an_enemy_and_a_captured_enemy() -> None:
    check(
        "c2-c3",
        """
        ......   ......
        ......   ......
        .X....   .X....
        .o.O..   .oXO..
        .XX...   .X....
        ......   ......
        """,
    )


def test_between_four_enemies_one_capture_is_not_enough() -> None:
    position = drawn("""
        ......
        ......
        ..O...
        XO.OX.
        ..O...
        ......""")
    assert "c3" not in targets(position, "e3")


def test_between_four_enemies_a_capture_on_each_line_is_enough() -> None:
    check(
        "e3-c3",
        """
        ......   ......
        ..X...   ..X...
        ..O...   ..o...
        XO.OX.   XoXO..
        ..O...   ..O...
        ......   ......
        """,
    )


# -- special case 3 ----------------------------------------------------------------------------------------------------
def test_case_three_a_man_between_two_enemies_captures_both() -> None:
    check(
        "c2-c3",
        """
        ......   ......
        ......   ......
        ......   ......
        XO.OX.   XoXoX.
        ..X...   ......
        ......   ......
        """,
    )


# -- passing -----------------------------------------------------------------------------------------------------------
def test_a_player_whose_men_are_all_captured_passes() -> None:
    position = drawn("XoX. .... .... XoX.", side="O")
    assert position.legal_moves() == ["pass"]
    position.play("pass")
    assert position.board == "XoX./..../..../XoX. X quiet=1 ply=1"


def test_a_player_whose_men_are_all_blocked_passes() -> None:
    position = drawn("""
        ......
        ......
        ......
        OO....
        OO....
        XXOO..""")
    assert position.legal_moves() == ["pass"]


def test_a_player_who_could_only_commit_suicide_passes() -> None:
    position = drawn("""
        ......
        ......
        ......
        O.....
        O.O...
        XXOO..""")
    assert position.legal_moves() == ["pass"]


@pytest.mark.parametrize("side", ["X", "O"])
@pytest.mark.parametrize("drawing", [CAPTURED, SURROUNDED])
def test_nobody_passes_who_can_do_something_else(drawing: str, side: str) -> None:
    assert "pass" not in drawn(drawing, side).legal_moves()


def test_a_player_who_can_remove_does_not_pass() -> None:
    position = drawn("""
        ......
        ......
        ......
        O.O...
        O.O...
        XoXOO.""")
    assert position.legal_moves() == ["xb1"]


# -- the end -----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(("side", "drawing", "winner"), [("X", "O... .... XoX. ....", 0), ("O", "X... .... OxO. ....", 1)])
def test_a_side_with_one_man_left_loses(side: str, drawing: str, winner: int) -> None:
    position = drawn(drawing, side)
    position.play("xb2")
    assert position.outcome is Outcome.MOVER_WON and position.winner == winner
    assert position.legal_moves() == []


def test_moves_without_a_removal_make_a_draw() -> None:
    position = drawn(CAPTURED, quiet=3)
    for move in ("a1-b1", "a6-a5"):
        position.play(move)
        assert not position.over
    position.play("b1-a1")
    assert position.outcome is Outcome.DRAW and position.winner is None and position.legal_moves() == []


def test_a_removal_starts_the_count_again() -> None:
    position = drawn(CAPTURED, quiet=3)
    for move in ("a1-b1", "a6-a5", "xc3", "a5-a6", "b1-a1"):
        position.play(move)
        assert not position.over
    assert position.board.endswith("O quiet=2 ply=5")
    position.play("a6-a5")
    assert position.outcome is Outcome.DRAW


def test_passing_counts_as_a_move_without_a_removal() -> None:
    position = drawn("XoX. .... .... XoX.", side="O", quiet=1)
    position.play("pass")
    assert position.outcome is Outcome.DRAW


def test_the_move_limit_makes_a_draw() -> None:
    position = drawn(CAPTURED, limit=2)
    position.play("xc3")
    assert not position.over
    position.play("a6-a5")
    assert position.outcome is Outcome.DRAW


def test_a_removal_that_wins_at_the_move_limit_wins() -> None:
    position = drawn("O... .... XoX. ....", limit=1)
    position.play("xb2")
    assert position.winner == 0
