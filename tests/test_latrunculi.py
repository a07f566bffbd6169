"""Latrunculi: moving, passing and the end of a game, on drawn boards.

A move leads from the board on the left to the board on the right. Men in far corners are there because a side with one
man has lost.
"""

import pytest
from latrunculi_drawings import CAPTURED, SURROUNDED, check, drawn, targets

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


def test_a_side_that_is_left_with_the_least_men_loses() -> None:
    drawing = "XO.. .... XoX. ..O."
    for least, over in ((1, False), (2, True)):
        position = drawn(drawing, least=least)
        position.play("xb2")
        assert position.over is over and position.winner == (0 if over else None)


def test_moves_without_a_removal_make_a_draw() -> None:
    position = drawn(CAPTURED, quiet=3)
    for move in ("a1-b1", "a6-a5"):
        position.play(move)
        assert not position.over
    position.play("b1-a1")
    assert position.outcome is Outcome.DRAW and position.winner is None and position.legal_moves() == []


@pytest.mark.parametrize(("draws", "winner"), [("first", 0), ("second", 1)])
@pytest.mark.parametrize("quiet", [2, 3])
def test_what_would_be_a_draw_may_be_won_by_one_side(draws: str, winner: int, quiet: int) -> None:
    position = drawn(CAPTURED, quiet=quiet, draws=draws)
    for move in ("a1-b1", "a6-a5", "b1-a1")[:quiet]:
        assert not position.over
        position.play(move)
    assert position.winner == winner and position.legal_moves() == []


def test_a_removal_wins_whoever_wins_draws() -> None:
    position = drawn("O... .... XoX. ....", counters="quiet=2 ply=9", quiet=3, limit=10, draws="second")
    position.play("xb2")
    assert position.winner == 0


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
