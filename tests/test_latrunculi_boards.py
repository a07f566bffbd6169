"""Latrunculi: its starts, its boards as texts and planes, and what is refused."""

import pickle

import numpy as np
import pytest
from latrunculi_drawings import drawing_of, drawn, latrunculi

from boardzero.errors import BadInput
from boardzero.games.catalogue import find_game
from boardzero.games.position import Position
from boardzero.games.rules import Outcome

SIZES = (4, 6, 8)


# -- the five starts ---------------------------------------------------------------------------------------------------
def test_men_are_placed_in_turn_on_free_squares() -> None:
    position = Position(latrunculi(4, start="placement"))
    assert position.legal_moves() == [f"@{file}{rank}" for rank in "4321" for file in "abcd"]
    position.play("@b2")
    assert position.board == "..../..../.X../.... O hand=7"
    assert "@b2" not in position.legal_moves() and len(position.legal_moves()) == 15
    position.play("@b3")
    assert position.board == "..../.O../.X../.... X hand=6"


@pytest.mark.parametrize("size", SIZES)
def test_each_side_places_a_quarter_of_the_squares_and_the_first_then_moves(size: int) -> None:
    game = latrunculi(size, start="placement")
    position = Position(game)
    for _ in range(size**2 // 2):
        assert all(move.startswith("@") for move in position.legal_moves())
        position.play(position.legal_actions()[0])
    cells = game.cells(position.state)
    assert np.count_nonzero(cells == 1) == np.count_nonzero(cells == 2) == size**2 // 4
    assert position.turn == 0 and game.details(position.state) == {}
    assert not any(move.startswith("@") for move in position.legal_moves())


def test_nothing_is_captured_while_men_are_placed() -> None:
    position = Position(latrunculi(4, start="placement"), "@a1 @b1 @c1 @a2 @a3 @b2 @c2 @d4")
    assert drawing_of(position) == ["...O", "X...", "OOX.", "XOX."]
    assert not any(move.startswith("x") for move in position.legal_moves())


def test_one_man_on_the_board_is_no_loss_while_others_are_in_hand() -> None:
    assert not Position(latrunculi(4, start="placement"), "@a1 @b1").over


@pytest.mark.parametrize(
    ("size", "rows"),
    [
        (4, "OOOO .... .... XXXX"),
        (6, "OOOOOO ...OOO ...... ...... XXX... XXXXXX"),
        (8, "OOOOOOOO OOOOOOOO ........ ........ ........ ........ XXXXXXXX XXXXXXXX"),
    ],
)
def test_rows_are_filled_from_the_back_rows(size: int, rows: str) -> None:
    position = Position(latrunculi(size, start="rows"))
    assert drawing_of(position) == rows.split() and position.turn == 0


@pytest.mark.parametrize("size", SIZES)
def test_random_starts_are_drawn_from_the_seed(size: int) -> None:
    game, other = latrunculi(size, start="random", seed=7), latrunculi(size, start="random")
    assert np.array_equal(game.initial_state(), other.initial_state(7))
    assert np.array_equal(other.initial_state(), game.initial_state(0))
    starts = [game.cells(game.initial_state(seed)) for seed in range(50)]
    assert len({start.tobytes() for start in starts}) == 50
    for start in starts:
        assert np.count_nonzero(start == 1) == np.count_nonzero(start == 2) == size**2 // 4
    assert game.varied_start and not latrunculi(size).varied_start


@pytest.mark.parametrize("size", SIZES)
def test_uneven_starts_are_random_ones_that_have_lost_men_on_each_side(size: int) -> None:
    game, whole = latrunculi(size, start="uneven"), latrunculi(size, start="random")
    counts = set()
    for seed in range(400):
        state = game.initial_state(seed)
        cells, before = game.cells(state), whole.cells(whole.initial_state(seed))
        assert np.array_equal(cells[cells > 0], before[cells > 0])
        assert np.array_equal(game.initial_state(seed), state) and game.outcome(state) is Outcome.GOING_ON
        counts.add((np.count_nonzero(cells == 1), np.count_nonzero(cells == 2)))
    for side in (0, 1):
        assert {count[side] for count in counts} == set(range(2, size**2 // 4 + 1))
    assert (
        game.varied_start
        and any(first > second for first, second in counts)
        and any(first < second for first, second in counts)
    )


@pytest.mark.parametrize(
    ("size", "many", "few"), [(4, {3, 4}, {2}), (6, set(range(4, 10)), {2, 3}), (8, set(range(6, 17)), {2, 3, 4})]
)
def test_hunts_leave_one_side_few_men_and_the_other_more(size: int, many: set[int], few: set[int]) -> None:
    game, counts = latrunculi(size, start="hunt"), set()
    for seed in range(2000):
        cells = game.cells(game.initial_state(seed))
        counts.add((int(np.count_nonzero(cells == 1)), int(np.count_nonzero(cells == 2))))
    assert counts == {(m, f) for m in many for f in few} | {(f, m) for m in many for f in few}
    assert game.varied_start


def test_random_starts_use_every_square_equally() -> None:
    game = latrunculi(4, start="random")
    starts = np.array([game.cells(game.initial_state(seed)) for seed in range(2000)])
    for player in (1, 2):
        assert np.all(np.abs(np.mean(starts == player, axis=0) - 0.25) < 0.05)


def test_placing_counts_towards_no_limit() -> None:
    game = latrunculi(4, start="placement", quiet=1, limit=1)
    position = Position(game, "@a1 @a4 @b1 @b4 @c1 @c4 @d1 @d4")
    assert not position.over and game.max_plies == 9
    position.play("a1-a2")
    assert position.outcome is Outcome.DRAW


# -- what networks and people see --------------------------------------------------------------------------------------
def test_planes_show_free_and_captured_men_and_counters_for_the_player_to_move() -> None:
    position = drawn("XoX. .... O... ..OX", "O", "quiet=20 ply=100", quiet=80, limit=400)
    planes = position.game.encoded(position.state)
    assert len(planes) == len(position.game.planes) == 18
    assert [[f"{row}{column}" for row, column in zip(*np.nonzero(plane), strict=True)] for plane in planes[:4]] == [
        ["20", "32"],
        ["01"],
        ["00", "02", "33"],
        [],
    ]
    assert [float(np.unique(plane).item()) for plane in planes[4:10]] == [0, 0, 0.25, 0.25, 0.5, 0.5]
    assert not np.any(planes[16:])


@pytest.mark.parametrize(("draws", "side", "shown"), [("first", "X", 16), ("first", "O", 17), ("second", "X", 17)])
def test_planes_show_who_wins_draws(draws: str, side: str, shown: int) -> None:
    planes = (position := drawn("XX.. X... ..OO .OO.", side, draws=draws)).game.encoded(position.state)
    assert np.all(planes[shown] == 1) and not np.any(planes[33 - shown])


def test_planes_show_the_men_in_hand() -> None:
    position = Position(latrunculi(4, start="placement"), "@a1 @b1 @c1")
    planes = position.game.encoded(position.state)
    assert np.all(planes[4] == 0.75) and np.all(planes[5] == 0.5)
    assert np.all(planes[8:10] == 0.75)  # men in hand can still be lost
    assert np.count_nonzero(planes[0]) == 1 and np.count_nonzero(planes[2]) == 2


def test_the_policy_covers_moves_removals_placements_and_the_pass() -> None:
    game = latrunculi(8)
    assert game.action_count == 64 * 64 + 64 + 64 + 1
    for text in ("a1-a2", "h8-h6", "xc3", "@c3", "pass"):
        assert game.action_to_text(game.action_from_text(text)) == text


def test_games_are_named_and_found_again() -> None:
    game = find_game("latrunculi:size=8,start=random,seed=7")
    assert game.specification == "latrunculi:start=random,seed=7"
    assert pickle.loads(pickle.dumps(game)) is find_game("latrunculi:start=random,seed=7")


@pytest.mark.parametrize(
    ("specification", "sentence"),
    [
        ("latrunculi:size=5", "size should be a multiple of 2"),
        ("latrunculi:size=10", "size should be less than or equal to 8"),
        ("latrunculi:start=middle", "start should be 'placement', 'rows', 'random', 'uneven' or 'hunt'"),
        ("latrunculi:start=rows,seed=3", "seed=3 has no meaning with start=rows; it goes with start=random, uneven or hunt"),
        ("latrunculi:quiet=0", "quiet should be greater than or equal to 1"),
        ("latrunculi:least=0", "least should be greater than or equal to 1"),
        ("latrunculi:size=4,least=4", "least=4 is too many on 4×4, where each side has 4 men"),
        ("latrunculi:start=hunt,least=3", "start=hunt leaves one side few men, so that least=3 has no meaning"),
        ("latrunculi:least=16", "least should be less than or equal to 15"),
        ("latrunculi:limit=4096", "limit should be less than or equal to 4095"),
    ],
)
def test_parameters_that_make_no_game_are_refused(specification: str, sentence: str) -> None:
    with pytest.raises(BadInput, match=sentence):
        find_game(specification)


@pytest.mark.parametrize(
    ("board", "sentence"),
    [
        ("XXX./XX../O.../O... X", "X has 5 men on the board; 1 to 4 are possible"),
        ("XX../..../..../.... X", "O has 0 men on the board"),
        ("X.../..../..../...O X", "Both sides have one man"),
        ("XX../..../..../...O X", "X has won on this board already"),
        ("XX../..../..../...O O quiet=2 ply=2", "O has one man left, so the last move was a removal"),
        ("xOX./..../..../...O X", "The man on a4 cannot be captured"),
        ("...O/xO../..../X..O X", "The man on a3 cannot be captured"),
        ("OxoX/..../..../O..X X", "The man on b4 cannot be captured"),
        ("XX../..../..../..OO X quiet=3 ply=2", "quiet=3 counts some of the moves of ply=2"),
        ("XX../..../..../..OO X quiet=101 ply=200", "quiet is a whole number from 0 to 100"),
        ("XX../..../..../..OO X ply=many", "ply=many behind the board is not allowed"),
        ("XX../..../..../..OO X hands=1", "nothing called 'hands' behind it; it may have hand, quiet, ply"),
        ("XX../..../..../..OO X hand=3", "With hand=3, 3 X and 2 O are on the board and O is to move, not 2 X and 2 O and X"),
        ("XX../..../..../..OO O hand=4", "2 X and 2 O are on the board and X is to move"),
        ("XX../..../..../..OO X hand=4 ply=1", "nothing has moved and nothing is captured yet"),
        ("XoXX/..../..../...O O hand=3", "nothing has moved and nothing is captured yet"),
    ],
)
def test_boards_that_cannot_be_are_refused(board: str, sentence: str) -> None:
    with pytest.raises(BadInput, match=sentence):
        latrunculi(4, start="placement").board_from_text(board)


@pytest.mark.parametrize(
    ("board", "sentence"),
    [
        ("XXX./..../..../...O X", "O has one man on the board; 2 to 4 are possible"),
        ("XX../..../..../..OO X", "Both sides have 2 men on the board"),
        ("XXX./..../..../..OO X", "X has won on this board already"),
        ("XXX./..../..../..OO O quiet=2 ply=2", "O has 2 men left, so the last move was a removal"),
    ],
)
def test_boards_after_a_shorter_game_are_refused(board: str, sentence: str) -> None:
    with pytest.raises(BadInput, match=sentence):
        latrunculi(4, least=2).board_from_text(board)


def test_counters_and_limits_do_not_run_into_one_another() -> None:
    game = latrunculi(8, quiet=1023, limit=4095, least=15, draws="second")
    board = game.board_to_text(game.initial_state()) + " quiet=1022 ply=4094"
    state = game.board_from_text(board)
    assert game.board_to_text(state) == board and game.outcome(state) is Outcome.GOING_ON
    drawn = game.next_state(state, game.action_from_text("a2-a3"))
    assert game.outcome(drawn) is Outcome.MOVER_LOST and game.board_to_text(drawn).endswith("quiet=1023 ply=4095")


def test_planes_show_how_many_removals_are_left() -> None:
    planes = (position := drawn("XX.. X... ..OO .OO.", least=2)).game.encoded(position.state)
    assert np.all(planes[8] == 0.25) and np.all(planes[9] == 0.5)


def test_uneven_starts_leave_more_than_the_least_men() -> None:
    game = latrunculi(8, start="uneven", least=12)
    counts = {int(np.count_nonzero(game.cells(game.initial_state(seed)) == player)) for seed in range(300) for player in (1, 2)}
    assert counts == {13, 14, 15, 16}


@pytest.mark.parametrize("start", ["uneven", "hunt"])
@pytest.mark.parametrize("draws", ["first", "second"])
def test_who_wins_draws_has_no_more_men_than_the_other(start: str, draws: str) -> None:
    game = latrunculi(8, start=start, draws=draws)
    boards = [game.cells(game.initial_state(seed)) for seed in range(200)]
    leads = [int(np.count_nonzero(board == 1)) - int(np.count_nonzero(board == 2)) for board in boards]
    assert len(set(leads)) > 5
    assert all(lead <= 0 for lead in leads) if draws == "first" else all(lead >= 0 for lead in leads)


def test_men_in_hand_belong_to_the_placement_start() -> None:
    with pytest.raises(BadInput, match="hand is a whole number from 0 to 0 here"):
        latrunculi(4).board_from_text("XX../..../..../..OO X hand=4")


@pytest.mark.parametrize(
    ("board", "outcome"),
    [
        ("XX../..../..../...O O", Outcome.MOVER_WON),
        ("XX../..../..../..OO O quiet=100 ply=100", Outcome.DRAW),
        ("XX../..../..../..OO O ply=500", Outcome.DRAW),
        ("XX../..../..../...O O ply=500", Outcome.MOVER_WON),
        ("XX../..../..../..OO O quiet=99 ply=499", Outcome.GOING_ON),
    ],
)
def test_finished_boards_are_recognised(board: str, outcome: Outcome) -> None:
    game = latrunculi(4)
    state = game.board_from_text(board)
    assert game.outcome(state) is outcome
    assert (game.legal_actions(state) == []) == (outcome is not Outcome.GOING_ON)
    assert game.board_to_text(state) == board
