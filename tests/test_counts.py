"""Published counts of what the rules allow: move sequences of exactly n plies, and different positions after n plies."""

import pytest

from boardzero.games.catalogue import find_game
from boardzero.games.counting import count_positions, count_sequences, play_random_games
from boardzero.games.rules import Game, Outcome, State

CONNECT4_SEQUENCES = [1, 7, 49, 343, 2401, 16807, 117649, 823536, 5673234]
CONNECT4_POSITIONS = [1, 7, 49, 238, 1120, 4263, 16422, 54859, 184275, 558186, 1662623, 4568683]
OTHELLO_SEQUENCES = [1, 4, 12, 56, 244, 1396, 8200, 55092, 390216, 3005288, 24571056]
OTHELLO_6_SEQUENCES = [1, 4, 12, 56, 244, 1364, 7604, 47740, 308716]


@pytest.mark.parametrize(
    ("specification", "published"),
    [
        ("connect4", CONNECT4_SEQUENCES),
        ("othello", OTHELLO_SEQUENCES),
        ("othello:first=white", OTHELLO_SEQUENCES[:9]),
        ("othello:size=6", OTHELLO_6_SEQUENCES),
    ],
)
def test_move_sequences_are_as_many_as_published(specification: str, published: list[int]) -> None:
    game = find_game(specification)
    assert [count_sequences(game, depth) for depth in range(len(published))] == published


def test_connect_four_positions_are_as_many_as_published() -> None:
    assert count_positions(find_game("connect4"), 9) == CONNECT4_POSITIONS[:10]


@pytest.mark.slow
def test_connect_four_positions_to_ply_11_are_as_many_as_published() -> None:
    assert count_positions(find_game("connect4"), 11) == CONNECT4_POSITIONS


def test_tic_tac_toe_has_5478_positions() -> None:
    assert sum(count_positions(find_game("tictactoe"), 9)) == 5478


def test_tic_tac_toe_has_255168_games() -> None:
    game = find_game("tictactoe")
    assert _finished_games(game, game.initial_state(), {}) == (131184, 77904, 46080)


def test_sequences_from_a_position_continue_those_from_the_start() -> None:
    game = find_game("othello:size=6")
    start = game.initial_state()
    successors = [game.next_state(start, action) for action in game.legal_actions(start)]
    assert sum(count_sequences(game, 6, state) for state in successors) == OTHELLO_6_SEQUENCES[7]


@pytest.mark.parametrize("specification", ["tictactoe", "connect4", "connect4:rows=9,columns=9", "othello", "gomoku:size=8"])
def test_random_games_are_repeatable_and_all_end(specification: str) -> None:
    game = find_game(specification)
    result = play_random_games(game, 300, seed=5)
    assert result == play_random_games(game, 300, seed=5)
    assert result != play_random_games(game, 300, seed=6)
    assert result.first_player_wins + result.second_player_wins + result.draws == result.games == 300
    assert result.moves <= 300 * game.max_plies


def test_four_by_four_othello_is_won_11_to_3_by_the_second_player() -> None:
    game = find_game("othello:size=4")
    state = game.initial_state()
    known: dict[bytes, int] = {}
    assert _best_lead(game, state, known) == 3 - 11
    while game.outcome(state) is Outcome.GOING_ON:  # follow best play to its end
        successors = [game.next_state(state, action) for action in game.legal_actions(state)]
        state = min(successors, key=lambda successor: _best_lead(game, successor, known))
    cells = game.cells(state)
    assert ((cells == 1).sum(), (cells == 2).sum()) == (3, 11)
    assert game.winner(state) == 1


def _finished_games(game: Game, state: State, known: dict[bytes, tuple[int, ...]]) -> tuple[int, ...]:
    """Games from a state on that the first player wins, that the second wins, that are drawn."""
    if game.outcome(state) is not Outcome.GOING_ON:
        winner = game.winner(state)
        return (int(winner == 0), int(winner == 1), int(winner is None))
    key = state.tobytes()
    if key not in known:
        totals = [_finished_games(game, game.next_state(state, action), known) for action in game.legal_actions(state)]
        known[key] = tuple(map(sum, zip(*totals, strict=True)))
    return known[key]


def _best_lead(game: Game, state: State, known: dict[bytes, int]) -> int:
    """How many discs more than the other the player to move ends with when both play perfectly."""
    key = state.tobytes()
    if key not in known:
        actions = game.legal_actions(state)
        if actions:
            known[key] = max(-_best_lead(game, game.next_state(state, action), known) for action in actions)
        else:
            cells, own = game.cells(state), game.turn(state) + 1
            known[key] = int((cells == own).sum()) - int((cells == 3 - own).sum())
    return known[key]
