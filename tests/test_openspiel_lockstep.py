"""Random games in step with OpenSpiel: the same legal moves and turn at every ply, the same result and board at the end."""

from collections.abc import Callable
from typing import Any

import pytest

from boardzero.games.catalogue import find_game
from boardzero.games.randomness import draw_below, new_stream
from boardzero.games.rules import Outcome

pyspiel: Any = pytest.importorskip("pyspiel", reason="OpenSpiel, the outside referee of the rules, is not installed")

CONNECT_FOUR = [  # rows, columns, connect, games; boards within and beyond 64 bits
    (6, 7, 4, 2000),
    (5, 6, 4, 500),
    (4, 5, 3, 500),
    (7, 8, 4, 500),
    (8, 7, 5, 500),
    (1, 32, 3, 200),
    (12, 4, 4, 300),
    (31, 2, 4, 200),
    (20, 3, 7, 200),
    (8, 8, 4, 500),
    (9, 9, 4, 500),
    (9, 9, 6, 100),
    (10, 12, 5, 300),
    (12, 10, 4, 300),
]


def play_in_step(specification: str, referee_name: str, games: int, read_board: Callable[[str], str]) -> None:
    """Play random games with both; read_board makes OpenSpiel's picture a row of X, O and . (row by row from the top)."""
    game, referee_game = find_game(specification), pyspiel.load_game(referee_name)
    for number in range(games):
        stream = new_stream(2024, number)
        state, referee = game.initial_state(), referee_game.new_initial_state()
        while not referee.is_terminal():
            assert game.outcome(state) is Outcome.GOING_ON, str(referee)
            assert game.turn(state) == referee.current_player()
            legal = game.legal_actions(state)
            assert legal == referee.legal_actions(), str(referee)
            action = legal[draw_below(stream, len(legal))]
            state = game.next_state(state, action)
            referee.apply_action(action)
        assert game.outcome(state) is not Outcome.GOING_ON, str(referee)
        assert game.legal_actions(state) == []
        winner = game.winner(state)
        result = [0.0, 0.0] if winner is None else [1.0, -1.0] if winner == 0 else [-1.0, 1.0]
        assert result == referee.returns(), str(referee)
        assert game.board_to_text(state).split()[0].replace("/", "") == read_board(str(referee))


def read_plain(picture: str) -> str:
    return "".join(picture.split()).upper()


def read_gomoku(picture: str) -> str:
    """A line that says who won or moves, then the rows."""
    return "".join(picture.split("\n", 1)[1].split()).replace("b", "X").replace("w", "O")


def read_othello(picture: str) -> str:
    """A line about the game, then the board framed by coordinates."""
    return "".join(line[2:17:2] for line in picture.splitlines()[2:10]).upper().replace("-", ".")


def test_tic_tac_toe_agrees_with_openspiel() -> None:
    play_in_step("tictactoe", "tic_tac_toe", 2000, read_plain)


@pytest.mark.parametrize(("rows", "columns", "connect", "games"), CONNECT_FOUR)
def test_connect_four_agrees_with_openspiel(rows: int, columns: int, connect: int, games: int) -> None:
    play_in_step(
        f"connect4:rows={rows},columns={columns},connect={connect}",
        f"connect_four(rows={rows},columns={columns},x_in_row={connect})",
        games,
        read_plain,
    )


def test_othello_agrees_with_openspiel() -> None:
    play_in_step("othello", "othello", 1500, read_othello)


@pytest.mark.parametrize(("size", "games"), [(5, 500), (6, 300), (8, 300), (9, 200), (15, 150), (19, 40), (20, 40)])
def test_free_style_gomoku_agrees_with_openspiel(size: int, games: int) -> None:
    play_in_step(f"gomoku:size={size}", f"gomoku(size={size})", games, read_gomoku)


@pytest.mark.parametrize(("size", "games"), [(6, 200), (11, 50)])
def test_free_style_gomoku_agrees_with_the_mnk_game_of_openspiel(size: int, games: int) -> None:
    play_in_step(f"gomoku:size={size}", f"mnk(m={size},n={size},k=5)", games, read_plain)
