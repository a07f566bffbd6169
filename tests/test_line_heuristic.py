"""The line heuristic as an evaluator: shapes, symmetry, independence of the batch, and moves that plainly matter."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from search_positions import (
    position_at,
    positions_with_a_threat,
    positions_with_a_win,
    random_positions,
    safe_actions,
    winning_actions,
)

from boardzero.errors import BadInput
from boardzero.games.catalogue import find_game
from boardzero.games.position import Position
from boardzero.search.line_heuristic import OTHER_VALUES, OWN_VALUES, LineHeuristic

GAMES = [
    "tictactoe",
    "connect4",
    "connect4:rows=9,columns=5,connect=3",
    "connect4:rows=2,columns=12,connect=9",
    "gomoku:size=5",
    "gomoku:size=13",
    "gomoku:size=9,rule=standard",
]


def best_action(position: Position) -> int:
    logits, _ = LineHeuristic(position.game)(position.game.encoded(position.state)[None])
    return max(position.legal_actions(), key=lambda action: float(logits[0, action]))


@settings(deadline=None, max_examples=40)
@given(name=st.sampled_from(GAMES), seed=st.integers(0, 1000), ply=st.integers(0, 80))
def test_symmetric_positions_get_the_same_value_and_the_turned_policy(name: str, seed: int, ply: int) -> None:
    game = find_game(name)
    state = position_at(game, seed, ply).state
    turned = [game.transformed(state, symmetry) for symmetry in game.symmetries]
    logits, values = LineHeuristic(game)(np.stack([game.encoded(other) for other in turned]))
    assert len(set(values.tolist())) == 1
    for symmetry, row in zip(game.symmetries, logits, strict=True):
        assert np.array_equal(row[symmetry.actions], logits[0])


@pytest.mark.parametrize("name", GAMES)
def test_a_position_is_judged_the_same_in_every_batch(name: str) -> None:
    game = find_game(name)
    heuristic = LineHeuristic(game)
    planes = np.stack([game.encoded(position.state) for seed in range(3) for position in random_positions(game, seed)])
    logits, values = heuristic(planes)
    assert logits.shape == (len(planes), game.action_count) and logits.dtype == np.float32
    assert values.shape == (len(planes),) and values.dtype == np.float32
    assert np.isfinite(logits).all() and (np.abs(values) <= 1).all()
    for index in range(len(planes)):
        alone = heuristic(planes[index : index + 1])
        assert np.array_equal(alone[0][0], logits[index]) and alone[1][0] == values[index]
    backwards = heuristic(planes[::-1])
    assert np.array_equal(backwards[0][::-1], logits) and np.array_equal(backwards[1][::-1], values)


@pytest.mark.parametrize("name", ["tictactoe", "connect4", "connect4:rows=5,columns=9,connect=5", "gomoku:size=9"])
def test_a_win_comes_first_and_then_the_block(name: str) -> None:
    game = find_game(name)
    wins, threats = positions_with_a_win(game, 15), positions_with_a_threat(game, 15)
    assert wins and threats
    for position in wins:
        assert best_action(position) in winning_actions(game, position.state)
    if name.startswith("connect4"):
        return  # stones fall: the cell above a harmless move may be the one that has to be kept free
    for position in threats:
        assert best_action(position) in safe_actions(game, position.state)


def test_connect_four_judges_the_cell_where_the_stone_lands() -> None:
    position = Position(find_game("connect4"), "4455")
    logits, _ = LineHeuristic(position.game)(position.game.encoded(position.state)[None])
    assert set(np.argsort(logits[0])[-2:]) == {2, 5}
    column_is_full = Position(find_game("connect4:rows=4,columns=4"), "1111")
    logits, _ = LineHeuristic(column_is_full.game)(column_is_full.game.encoded(column_is_full.state)[None])
    assert logits[0, 0] < logits[0, 1:].min()


def test_the_side_with_more_lines_is_better_off() -> None:
    game = find_game("gomoku:size=9")
    ahead = Position(game, "e5 a1 e6 i1 e7 a9")
    behind = Position(game, "e5 a1 e6 i1 e7")
    planes = np.stack([game.encoded(ahead.state), game.encoded(behind.state), game.encoded(game.initial_state())])
    _, values = LineHeuristic(game)(planes)
    assert values[0] > 0.5 > values[2] > -0.5 > values[1]


@pytest.mark.parametrize("name", GAMES)
def test_logits_and_values_follow_from_every_stretch_one_by_one(name: str) -> None:
    game = find_game(name)
    length = {"tictactoe": 3, "gomoku": 5}.get(game.name) or game.parameters.model_dump()["connect"]
    for position in list(random_positions(game, 5))[::3]:
        planes = game.encoded(position.state)
        own, other = _plain_values(planes, length, "standard" in name)
        logits, values = LineHeuristic(game)(planes[None])
        total = own.sum() + other.sum()
        assert values[0] == np.float32((own.sum() - other.sum()) / total if total else 0)
        for action in position.legal_actions():
            rows = np.flatnonzero(planes[:2].sum(0)[:, action] == 0) if game.name == "connect4" else [action // game.columns]
            cell = rows[-1], action % game.columns
            assert logits[0, action] == pytest.approx(np.log(1 + own[cell] + other[cell]), rel=1e-6)


def _plain_values(planes: np.ndarray, length: int, exact: bool) -> tuple[np.ndarray, np.ndarray]:
    """[rows, columns] for each side: what all stretches give to their empty cells."""
    _, rows, columns = planes.shape
    board = (planes[0] + 2 * planes[1]).astype(int)
    values = np.zeros((2, rows, columns), np.int64)
    for row, column in np.ndindex(rows, columns):
        for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
            cells = [(row + i * down, column + i * right) for i in range(-1, length + 1)]
            inside = [cell for cell in cells[1:-1] if 0 <= cell[0] < rows and 0 <= cell[1] < columns]
            if len(inside) < length:
                continue
            ends = [board[cell] for cell in (cells[0], cells[-1]) if 0 <= cell[0] < rows and 0 <= cell[1] < columns]
            stones = [board[cell] for cell in inside]
            for side, table in ((1, OWN_VALUES), (2, OTHER_VALUES)):
                if 3 - side in stones or (exact and side in ends):
                    continue
                for cell in inside:
                    if board[cell] == 0:
                        values[side - 1][cell] += table[min(length - stones.count(side), len(table) - 1)]
    return values[0], values[1]


@pytest.mark.parametrize("name", ["othello", "latrunculi"])
def test_games_without_lines_are_refused(name: str) -> None:
    with pytest.raises(BadInput, match="cannot judge"):
        LineHeuristic(find_game(name))
