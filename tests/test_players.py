"""The players that need no network: what they choose, what they say about it, and what they refuse."""

import time

import pytest
from search_positions import Solver, position_at, positions_with_a_threat, positions_with_a_win, safe_actions, winning_actions

from boardzero.errors import BadInput
from boardzero.games.catalogue import find_game
from boardzero.games.position import Position
from boardzero.players.catalogue import find_player
from boardzero.players.player import Player

TICTACTOE = find_game("tictactoe")
PLAYERS = ["random", "mcts:sims=200", "mcts:sims=50,variant=every-child", "minimax:depth=2"]
GAMES = ["tictactoe", "connect4", "othello:size=6", "gomoku:size=9", "latrunculi:size=6"]


def play(first: Player, second: Player, seed: int) -> int | None:
    """The winner of one game, or None for a draw."""
    position = Position(first.game)
    for player in (first, second):
        player.start_game(seed)
    while not position.over:
        position.play((first, second)[position.turn].choose(position))
    return position.winner


@pytest.mark.parametrize("specification", PLAYERS)
@pytest.mark.parametrize("name", GAMES)
def test_an_analysis_names_every_legal_move_once_with_lines_that_can_be_played(name: str, specification: str) -> None:
    game = find_game(name)
    player = find_player(specification, game, seed=3)
    for ply in (0, 9, 30):
        position = position_at(game, 5, ply)
        analysis = player.analyse(position)
        assert sorted(opinion.action for opinion in analysis.moves) == position.legal_actions()
        assert analysis.action == player.choose(position)
        for opinion in analysis.moves:
            continued = position.copy()
            assert opinion.line[0] == opinion.action
            for action in opinion.line:
                continued.play(action)
            assert opinion.value is None or -1 <= opinion.value <= 1


@pytest.mark.parametrize("specification", PLAYERS)
def test_equal_seeds_give_equal_choices(specification: str) -> None:
    game = find_game("gomoku:size=9")
    position = Position(game, "e5 e6")
    choices = [find_player(specification, game, seed=seed).choose(position) for seed in (1, 1, 2, 3, 4, 5)]
    assert choices[0] == choices[1]
    player = find_player(specification, game, seed=9)
    player.start_game(1)
    assert player.choose(position) == choices[0]
    if specification == "random":
        assert len(set(choices)) > 1


@pytest.mark.parametrize("specification", ["mcts:sims=400", "mcts:sims=100,variant=every-child", "minimax:depth=2"])
@pytest.mark.parametrize("name", ["tictactoe", "connect4", "othello:size=4", "gomoku:size=9"])
def test_wins_are_taken_and_threats_blocked(name: str, specification: str) -> None:
    game = find_game(name)
    player = find_player(specification, game)
    for position in positions_with_a_win(game, 5):
        analysis = player.analyse(position)
        assert analysis.action in winning_actions(game, position.state)
        assert analysis.exact == analysis.moves[0].exact == analysis.value == 1
    for position in positions_with_a_threat(game, 5):
        assert player.choose(position) in safe_actions(game, position.state)


@pytest.mark.parametrize("specification", ["mcts:sims=400", "mcts:sims=100,variant=every-child", "minimax:depth=9"])
@pytest.mark.parametrize("side", [0, 1])
def test_no_row_of_replies_beats_it_at_tic_tac_toe(specification: str, side: int) -> None:
    player = find_player(specification, TICTACTOE, seed=1)
    seen: set[bytes] = set()

    def follow(position: Position) -> None:
        assert position.winner in (None, side)
        key = position.state.tobytes()
        if position.over or key in seen:
            return
        seen.add(key)
        for action in [player.choose(position)] if position.turn == side else position.legal_actions():
            position.play(action)
            follow(position)
            position.undo()

    follow(Position(TICTACTOE))


@pytest.mark.parametrize("opponent", ["random", "minimax:depth=9"])
def test_mcts_never_loses_tic_tac_toe(opponent: str) -> None:
    mcts, other = find_player("mcts:sims=400", TICTACTOE), find_player(opponent, TICTACTOE)
    games = 100 if opponent == "random" else 20
    assert all(play(mcts, other, seed) != 1 and play(other, mcts, seed) != 0 for seed in range(games))


@pytest.mark.parametrize(
    ("specification", "name"),
    [
        ("mcts:sims=300", "connect4"),
        ("mcts:sims=300", "othello:size=6"),
        ("mcts:sims=300", "gomoku:size=9"),
        ("minimax:depth=3", "connect4"),
        ("minimax:depth=3", "othello:size=6"),
        ("minimax:depth=3", "gomoku:size=9"),
        ("minimax:depth=3", "latrunculi:size=6,start=rows"),  # rollouts tell little there: most random games are drawn
    ],
)
def test_search_beats_chance(specification: str, name: str) -> None:
    game = find_game(name)
    player, chance = find_player(specification, game), find_player("random", game)
    wins = sum((play(player, chance, seed) == 0) + (play(chance, player, seed) == 1) for seed in range(3))
    assert wins >= 5


def test_minimax_solves_tic_tac_toe_and_says_so() -> None:
    solver = Solver(TICTACTOE)
    player = find_player("minimax:depth=9", TICTACTOE)
    for moves in ("", "b2", "a1", "a1 b2", "a1 b1", "a2 b1 b2"):
        position = Position(TICTACTOE, moves)
        analysis = player.analyse(position)
        assert analysis.exact == solver.result(position.state)
        assert {opinion.action: opinion.exact for opinion in analysis.moves if opinion.exact is not None} == {
            action: solver.after(position.state, action)
            for action in (opinion.action for opinion in analysis.moves if opinion.exact is not None)
        }


def test_a_full_tree_is_remarked_upon() -> None:
    game = find_game("connect4")
    assert (
        "the tree is full and stopped growing" in find_player("mcts:sims=9000,nodes=1000", game).analyse(Position(game)).remarks
    )
    assert len(find_player("mcts:sims=10,nodes=1000", game).analyse(Position(game)).remarks) == 1


@pytest.mark.parametrize("specification", ["mcts", "mcts:seconds=9", "minimax:depth=40", "minimax:seconds=9"])
def test_the_clock_of_the_game_is_obeyed(specification: str) -> None:
    game = find_game("connect4")
    player = find_player(specification, game)
    player.choose(Position(game), seconds=0.01)
    start = time.perf_counter()
    player.choose(Position(game), seconds=0.1)
    assert time.perf_counter() - start < 0.3


@pytest.mark.parametrize(
    ("specification", "message"),
    [
        ("mcts:sims=0", "mcts: sims=0 is not allowed: sims should be greater than or equal to 1."),
        ("mcts:sims=many", "mcts: sims=many is not allowed"),
        ("mcts:seconds=0", "mcts: seconds=0 is not allowed"),
        ("mcts:seconds=nan", "mcts: seconds=nan is not allowed"),
        ("mcts:variant=s3", "mcts: variant=s3 is not allowed: variant should be 'uct' or 'every-child'."),
        ("minimax:depth=0", "minimax: depth=0 is not allowed"),
        ("minimax:sims=3", "minimax has no parameter 'sims'; it takes depth, seconds."),
        ("random:sims=3", "random has no parameter 'sims'; it takes no parameters."),
    ],
)
def test_bad_parameters_are_refused_in_one_sentence(specification: str, message: str) -> None:
    with pytest.raises(BadInput) as refusal:
        find_player(specification, TICTACTOE)
    assert str(refusal.value).startswith(message)


@pytest.mark.parametrize("specification", ["mcts:sims=100", "minimax:depth=2", "random"])
def test_games_of_openspiel_are_played_too(specification: str) -> None:
    pytest.importorskip("pyspiel")
    game = find_game("openspiel:tic_tac_toe")
    position = Position(game, "0 3 1 4")
    analysis = find_player(specification, game).analyse(position)
    assert analysis.action in position.legal_actions()
    if specification != "random":
        assert analysis.action == 2 and analysis.exact == 1


def test_a_specification_names_what_differs_from_the_defaults() -> None:
    for text in ("mcts", "mcts:sims=200", "mcts:seconds=0.5,variant=every-child", "minimax:depth=6", "random"):
        assert find_player(text, TICTACTOE).specification == text
