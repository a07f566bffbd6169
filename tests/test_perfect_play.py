"""Players compared with perfect play."""

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from selfplay_helpers import constant, opinionated
from test_command_line import boardzero

from boardzero.arena.openings import is_open
from boardzero.arena.perfect_play import (
    chooser_of,
    count_mistakes,
    draw_positions,
    draw_solved_positions,
    read_positions,
    search_chooser,
)
from boardzero.arena.solved_games import SolvedPosition, find_solver, known_values
from boardzero.errors import BadInput
from boardzero.games.catalogue import find_game
from boardzero.games.connect4 import ConnectFour
from boardzero.games.position import Position
from boardzero.games.rules import Planes
from boardzero.players.catalogue import find_player
from boardzero.search.connect4_solver import ConnectFourSolver
from boardzero.settings.search import SearchSettings

GAME = find_game("connect4:rows=5,columns=5")
FULL = find_game("connect4")
SETS = Path(__file__).parent / "data" / "connect4"


@pytest.fixture(scope="module")
def solved() -> list[SolvedPosition]:
    return draw_solved_positions(GAME, 60, seed=1)


def test_a_mistake_is_a_move_when_another_has_a_better_value() -> None:
    entry = SolvedPosition(Position(FULL), [-1, -1, 0, None, 0, -1, 1])
    assert [entry.is_mistake(action) for action in (0, 2, 4, 6)] == [True, True, True, False]
    even = SolvedPosition(Position(FULL), [-1, -1, None, None, None, None, -1])
    assert not any(even.is_mistake(action) for action in (0, 1, 6))


def test_the_solver_knows_wins_and_blocks() -> None:
    solver = find_solver(GAME)
    assert solver.solve(Position(GAME, "313131")).values[2] == 1  # four in a column
    threatened = solver.solve(Position(GAME, "31313")).values
    assert all(value == -1 for action, value in enumerate(threatened) if action != 2)


def test_drawn_positions_differ_go_on_and_follow_from_the_seed() -> None:
    solver = find_solver(GAME)
    positions = draw_positions(GAME, solver, 100, 3)
    assert len({position.state.tobytes() for position in positions}) == 100
    assert not any(position.over for position in positions)
    assert [position.moves for position in draw_positions(GAME, solver, 100, 3)] == [position.moves for position in positions]
    assert [position.moves for position in draw_positions(GAME, solver, 100, 4)] != [position.moves for position in positions]


def test_drawn_solved_positions_leave_a_choice(solved: list[SolvedPosition]) -> None:
    assert len(solved) == len({entry.position.state.tobytes() for entry in solved}) == 60
    for entry in solved:
        legal = set(entry.position.legal_actions())
        assert {action for action, value in enumerate(entry.values) if value is not None} == legal
        assert any(entry.is_mistake(action) for action in legal)
        assert not all(entry.is_mistake(action) for action in legal)


@pytest.mark.parametrize("name", ["tictactoe", "othello", "othello:size=4", "connect4:rows=7", "connect4:rows=7,columns=8"])
def test_positions_of_every_solved_game_are_drawn_and_rightly_solved(name: str) -> None:
    game = find_game(name)
    drawn = draw_solved_positions(game, 40, seed=2)
    assert len(drawn) == 40
    assert all(entry.leaves_a_choice for entry in drawn)
    assert count_mistakes(chooser_of(find_player("perfect", game)), drawn) == 0
    assert count_mistakes(chooser_of(find_player("random", game)), drawn) > 0


def test_drawn_positions_of_othello_are_endgames_however_often_somebody_passed() -> None:
    game = find_game("othello")
    for entry in draw_solved_positions(game, 30, seed=4):
        assert 4 <= entry.position.board.count(".") <= 12


def test_drawn_positions_of_large_boards_are_late_and_not_decided_by_the_next_stones() -> None:
    """Otherwise they would tell nothing: at random, most late positions have a win at once, which everybody finds."""
    game = find_game("connect4:rows=7")
    drawn = draw_solved_positions(game, 100, seed=3)
    for entry in drawn:
        assert 12 <= entry.position.board.count(".") <= 28
        assert is_open(entry.position)
    mistakes = [count_mistakes(chooser_of(find_player(f"mcts:sims={sims}", game)), drawn) for sims in (5, 2000)]
    assert mistakes[0] > 2 * mistakes[1] + 10


def test_positions_that_take_long_are_left_out_the_same_way_every_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nodes are counted, not seconds: whoever draws, on whatever machine, finds the same positions."""
    monkeypatch.setattr("boardzero.arena.solved_games.NODES_EACH", 200)
    game = find_game("connect4:rows=6,columns=8")
    one, two = (draw_solved_positions(game, 30, seed=1) for _ in range(2))
    assert [entry.position.moves for entry in one] == [entry.position.moves for entry in two]
    monkeypatch.setattr("boardzero.arena.solved_games.NODES_EACH", 30_000)
    assert [entry.position.moves for entry in draw_solved_positions(game, 30, seed=1)] != [e.position.moves for e in one]


def test_drawing_ends_when_it_has_taken_long_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("boardzero.arena.solved_games.NODES_IN_ALL", 20_000)
    assert 0 < len(draw_solved_positions(find_game("connect4:rows=7,columns=8"), 400, seed=1)) < 100


def test_games_with_fewer_positions_give_those_they_have() -> None:
    assert 0 < len(draw_solved_positions(find_game("connect4:rows=2,columns=3,connect=3"), 100, seed=1)) < 100
    assert draw_solved_positions(find_game("connect4:rows=1,columns=4"), 100, seed=1) == []


@pytest.mark.parametrize("name", ["gomoku", "connect4:rows=8,columns=8", "latrunculi"])
def test_only_solved_games_can_be_compared(name: str) -> None:
    with pytest.raises(BadInput, match=f"Perfect play of {name} is not known; it is known for tictactoe, connect4"):
        find_solver(find_game(name))


def test_the_perfect_player_makes_no_mistakes_and_the_worst_only_mistakes(solved: list[SolvedPosition]) -> None:
    assert count_mistakes(chooser_of(find_player("perfect", GAME)), solved) == 0
    worst = [min((value, action) for action, value in enumerate(entry.values) if value is not None)[1] for entry in solved]
    assert count_mistakes(lambda _: worst, solved) == len(solved)


def test_a_search_without_knowledge_makes_fewer_mistakes_the_longer_it_searches(solved: list[SolvedPosition]) -> None:
    few, many = (
        count_mistakes(search_chooser(GAME, constant(GAME, 0), simulations, SearchSettings()), solved)
        for simulations in (4, 1000)
    )
    assert many < 0.6 * few


def test_one_simulation_is_the_policy_alone(solved: list[SolvedPosition]) -> None:
    positions = [entry.position for entry in solved]
    evaluate = opinionated(GAME)
    logits, _ = evaluate(np.stack([GAME.encoded(position.state) for position in positions]))
    actions = search_chooser(GAME, evaluate, 1, SearchSettings())(positions)
    for position, action, row in zip(positions, actions, logits, strict=True):
        assert row[action] == max(row[legal] for legal in position.legal_actions())


def test_choices_do_not_depend_on_how_many_are_made_together(solved: list[SolvedPosition]) -> None:
    positions = [entry.position for entry in solved]
    together, apart = (search_chooser(GAME, opinionated(GAME), 50, SearchSettings(), size)(positions) for size in (256, 7))
    assert together == apart


# -- files ------------------------------------------------------------------------------------------------------------
def written(folder: Path, *lines: str) -> Path:
    path = folder / "positions"
    path.write_text("\n".join(lines) + "\n")
    return path


def test_both_formats_of_positions_are_read(tmp_path: Path) -> None:
    values = [-1, 0, 1, None, 2.5, -7, 0]
    moves = "444444"  # the middle column is full
    path = written(tmp_path, "2252576253462244111563365343671351441 -1", "", json.dumps({"moves": moves, "values": values}))
    first, second = read_positions(path, FULL, find_solver(FULL))
    assert max(value for value in first.values if value is not None) == -1  # as the file says
    assert list(second.values) == [-1, 0, 1, None, 1, -1, 0]


def test_missing_values_are_solved(tmp_path: Path) -> None:
    (entry,) = read_positions(written(tmp_path, '{"moves": "313131"}'), GAME, find_solver(GAME))
    assert entry.values[2] == 1


def test_positions_of_games_with_longer_moves_are_read(tmp_path: Path) -> None:
    """Moves with spaces between them, with and without a score, as a line or as JSON; a board, too."""
    game = find_game("tictactoe")
    lines = ["a1 b1 a2 b2", "a1 b1 a2 b2 -5", '{"moves": "a1 b1 a2 b2"}', '{"board": ".../XO./XO. X"}',
             '{"board": ".../X../XO. O", "moves": "b2"}']  # fmt: skip
    solved = read_positions(written(tmp_path, *lines), game, find_solver(game))
    assert [entry.position.board for entry in solved] == [".../XO./XO. X"] * 5
    values = {game.action_to_text(action): value for action, value in enumerate(solved[0].values) if value is not None}
    assert values == {"a3": 1, "b3": 0, "c3": -1, "c2": -1, "c1": -1}
    assert all(entry.values == solved[0].values for entry in solved)


def test_early_positions_of_othello_are_refused_with_the_number_of_empty_cells(tmp_path: Path) -> None:
    game = find_game("othello")
    with pytest.raises(BadInput, match=r"Line 1 .* at most 16 empty cells; 58 are empty"):
        read_positions(written(tmp_path, "d3 c5"), game, find_solver(game))


@pytest.mark.parametrize(
    "line",
    ["99 1", "333333 1", '{"moves": "3", "values": [1, 2]}', '{"moves": "3", "values": [0,0,null,0,0]}', '{"values": []}',
     '{"moves": 3}', "{", '{"moves": "3", "values": [0,0,"x",0,0]}', "3131313 1", '{"moves": "3", "values": 3}'],
)  # fmt: skip
def test_lines_that_are_no_positions_are_named(tmp_path: Path, line: str) -> None:
    with pytest.raises(BadInput, match=r"Line 2 of '.*positions' is no position"):
        read_positions(written(tmp_path, "313131 9", line), GAME, find_solver(GAME))


def test_values_of_the_well_known_sets_are_kept_and_right() -> None:
    """All of the sets are there, so that nothing is solved when they are read; a sample is solved again."""
    known = known_values()
    lines = [line for path in sorted(SETS.glob("Test_*")) for line in path.read_text().splitlines()]
    assert len(lines) == 6000
    assert isinstance(FULL, ConnectFour)
    fresh = ConnectFourSolver(FULL)
    for number, line in enumerate(lines):
        moves, score = line.split()
        position = Position(FULL, moves)
        values = known[position.state.tobytes()]
        assert max(value for value in values if value is not None) == np.sign(int(score))
        if number % 60 == 7 and len(moves) > 10:  # earlier positions take too long
            assert fresh.action_values(position.state) == values


def test_well_known_sets_are_read_without_solving(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("solved")

    monkeypatch.setattr(ConnectFourSolver, "action_values", refuse)
    assert len(read_positions(SETS / "Test_L1_R2", FULL, find_solver(FULL))) == 1000


def test_files_that_cannot_be_read_are_named(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="nowhere' cannot be read"):
        read_positions(tmp_path / "nowhere", FULL, find_solver(FULL))


def test_players_that_do_not_search_with_an_evaluator_are_asked_one_by_one(solved: list[SolvedPosition]) -> None:
    mistakes = count_mistakes(chooser_of(find_player("random", GAME)), solved)
    assert 0 < mistakes < len(solved)


def test_a_network_player_is_compared_in_batches(solved: list[SolvedPosition]) -> None:
    """Its evaluator sees many positions at once, and its choices are those that it makes alone."""
    player = find_player("heuristic:sims=40", GAME)
    sizes: list[int] = []
    evaluate = player.evaluate  # type: ignore[attr-defined]

    def counting(planes: Planes) -> Sequence[Planes]:
        sizes.append(len(planes))
        return evaluate(planes)

    player.evaluate = counting  # type: ignore[attr-defined]
    chooser_of(player)([entry.position for entry in solved])
    assert max(sizes) > 30


def test_the_command_takes_several_files_after_one_option(tmp_path: Path) -> None:
    files = [tmp_path / name for name in ("one", "two", "three")]
    for file in files:
        file.write_text("4444442 0\n")
    names = [str(file) for file in files]
    run = boardzero("perfect", "connect4", "--player", "minimax:depth=2", "--positions", *names, "--json")
    assert [entry["file"] for entry in json.loads(run.stdout)["files"]] == names
    refused = boardzero("perfect", "connect4", names[0], "--player", "random")
    assert refused.returncode == 2 and "one argument too many" in refused.stderr
