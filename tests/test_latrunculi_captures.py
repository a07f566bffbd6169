"""Latrunculi: capturing, removing and freeing, on drawn boards.

A move leads from the board on the left to the board on the right. Men in far corners are there because a side with one
man has lost.
"""

from latrunculi_drawings import CAPTURED, check, drawn, targets


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
