"""Sensible moves by the rules alone, for positions of every game that GTP and NBoard know."""

import random

import pytest

from boardzero.engines.gtp import GAMES
from boardzero.engines.plain_actions import plain_action
from boardzero.games.catalogue import find_game
from boardzero.games.position import Position


def plain(game: str, moves: str) -> str:
    position = Position(find_game(game), moves)
    return position.game.action_to_text(plain_action(position))


@pytest.mark.parametrize(
    ("game", "moves", "best"),
    [
        ("connect4", "112233", "4"),
        ("connect4", "11223", "4"),
        ("tictactoe", "a1 b1 a2 b2", "a3"),
        ("tictactoe", "a1 c3 a2 b2", "a3"),
        ("gomoku:size=9", "e5 a1 e6 a2 e7 a3 e8", "e4"),
        ("gomoku:size=9", "e5 a1 e6 a2 e7 a3 e8 a5", "e4"),
    ],
)
def test_wins_are_taken_and_losses_prevented(game: str, moves: str, best: str) -> None:
    chosen = plain(game, moves)
    assert chosen == best or (game.startswith("gomoku") and chosen == "e9")


CORNERS = {0, 7, 56, 63}


def test_corners_of_othello_are_taken_and_not_given_away() -> None:
    draw, games = random.Random(2), 12
    won = 0
    for game in range(games):
        position = Position(find_game("othello"))
        while not position.over:
            plainly = position.turn == game % 2
            action = plain_action(position) if plainly else draw.choice(position.legal_actions())
            if plainly and CORNERS & set(position.legal_actions()):
                after = position.copy()
                after.play(action)
                assert action in CORNERS or after.over or not CORNERS & set(after.legal_actions())
            position.play(action)
        won += position.winner == game % 2
    assert won >= 9  # of 12 against random moves


@pytest.mark.parametrize("game", GAMES)
def test_moves_are_legal_until_the_game_is_over(game: str) -> None:
    position = Position(find_game(game))
    while not position.over:
        action = plain_action(position)
        assert action in position.legal_actions()
        position.play(action)
