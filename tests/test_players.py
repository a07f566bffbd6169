"""The players that need no network: what they choose, what they say about it, and what they refuse."""

import time
from itertools import chain, product

import numpy as np
import numpy.typing as npt
import pytest
from search_positions import (
    Solver,
    position_at,
    positions_with_a_threat,
    positions_with_a_win,
    random_positions,
    safe_actions,
    winning_actions,
)

from boardzero.arena.clock import SMALLEST_MARGIN
from boardzero.errors import BadInput
from boardzero.games.catalogue import find_game
from boardzero.games.position import Position
from boardzero.games.rules import Game
from boardzero.players.alphazero import AlphaZeroPlayer
from boardzero.players.catalogue import find_player
from boardzero.players.parameters import AlphaZeroParameters
from boardzero.players.player import Player
from boardzero.search.forest import Evaluator
from boardzero.search.line_heuristic import LineHeuristic

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


LATRUNCULI = "latrunculi:size=4,start=rows"
SEARCHING = ["mcts:sims=400", "mcts:sims=100,variant=every-child", "minimax:depth=2", "alphazero with equal policies"]
LINE_GAMES = ["tictactoe", "connect4", "gomoku:size=9"]


def uniform(game: Game) -> Evaluator:
    """Knows nothing: every move is equally likely, every position even."""

    def evaluate(planes: npt.NDArray[np.float32]) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
        return np.zeros((len(planes), game.action_count), np.float32), np.zeros(len(planes), np.float32)

    return evaluate


def searching_player(name: str, game: Game) -> Player:
    """A player of the catalogue, or the network player with an evaluator that is no network.

    With equal policies it sees a threat only when it has tried every reply to every move.
    """
    if name == "alphazero with equal policies":
        return AlphaZeroPlayer(game, AlphaZeroParameters(sims=2 * min(game.max_legal, 64) ** 2), 1, evaluate=uniform(game))
    if name == "alphazero with lines":
        return AlphaZeroPlayer(game, AlphaZeroParameters(sims=200), 1, evaluate=LineHeuristic(game))
    return find_player(name, game)


@pytest.mark.parametrize(
    ("specification", "name"),
    [
        *product(SEARCHING, [*LINE_GAMES, "othello:size=4", LATRUNCULI]),
        *product(["alphazero with lines"], LINE_GAMES),
    ],
)
def test_wins_are_taken(specification: str, name: str) -> None:
    game = find_game(name)
    player = searching_player(specification, game)
    positions = positions_with_a_win(game, 5)
    assert len(positions) == 5
    for position in positions:
        analysis = player.analyse(position)
        assert analysis.action in winning_actions(game, position.state)
        assert analysis.exact == analysis.moves[0].exact == analysis.value == 1


@pytest.mark.parametrize(
    ("specification", "name"),
    [*product(SEARCHING, [*LINE_GAMES, "othello:size=4"]), *product(["alphazero with lines"], LINE_GAMES)],
)
def test_threats_are_blocked(specification: str, name: str) -> None:
    game = find_game(name)
    player = searching_player(specification, game)
    positions = positions_with_a_threat(game, 5)
    assert len(positions) == 5
    for position in positions:
        assert player.choose(position) in safe_actions(game, position.state)


def test_no_choice_in_latrunculi_blocks_a_win_in_one() -> None:
    """Why `test_threats_are_blocked` leaves it out: either every move lets the other side win at once, or none does.

    A side is beaten by taking a captured man of its last two. No move of its own gets a man captured, and only capturing a
    captor would free one, which takes two free men: it has one. It holds no enemy either (that takes two), so all its
    moves are quiet ones, and if the counters make one a draw they make all so.
    """
    game = find_game(LATRUNCULI)
    threats = 0
    for position in chain.from_iterable(random_positions(game, seed) for seed in range(60)):
        if not winning_actions(game, position.state):
            safe = len(safe_actions(game, position.state))
            assert safe in (0, len(position.legal_actions()))
            threats += safe == 0
    assert threats > 20


@pytest.mark.parametrize(
    "specification", ["mcts:sims=2000", "mcts:sims=300,variant=every-child", "minimax:depth=4", "alphazero with equal policies"]
)
@pytest.mark.parametrize(
    ("board", "only_move"),
    [
        ("..O./OX.O/...X/.... X", "b3-b2"),
        ("..../..../O.XO/X.O. X", "c2-c3"),
        ("..../..../OX.O/XO.. X", "b2-b3"),
        ("X..O/OX../..O./.... X", "b3-b4"),
    ],
)
def test_a_man_of_the_last_two_in_latrunculi_evades_its_capture(board: str, only_move: str, specification: str) -> None:
    """The threat that can be parried there: after every other move O captures one of the two, and takes it the move after."""
    game = find_game(LATRUNCULI)
    position = Position(game, board=board)
    assert game.action_to_text(searching_player(specification, game).choose(position)) == only_move


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


@pytest.mark.parametrize(
    "specification",
    ["mcts", "mcts:seconds=9", "mcts:seconds=9,variant=every-child", "minimax:depth=40", "minimax:seconds=9", "heuristic"],
)
@pytest.mark.parametrize("name", ["connect4", "gomoku"])
def test_the_clock_of_the_game_is_obeyed(name: str, specification: str) -> None:
    """Late by what a clock keeps back at most. Waiting for a core does not count, and of some tries the best does: others
    may be using the machine."""
    game = find_game(name)
    player = find_player(specification, game)
    position = Position(game)
    player.choose(position, seconds=0.01)
    for seconds in (0.04, 0.1):
        late = []
        for seed in range(5):
            player.start_game(seed)
            worked = time.thread_time()
            player.choose(position, seconds=seconds)
            late.append(time.thread_time() - worked - seconds)
        assert min(late) < SMALLEST_MARGIN


def test_minimax_lists_moves_from_best_to_worst_though_its_last_depth_was_cut_off() -> None:
    game = find_game("gomoku:size=9")
    player = find_player("minimax", game)
    for seconds in (0.02, 0.05, 0.08, 0.11):
        for moves in ("e5 e6 d5", "e5 e6 d5 f7", "e5 d4"):
            values = [opinion.value for opinion in player.analyse(Position(game, moves), seconds).moves]
            assert values[1:] == sorted(values[1:], reverse=True)  # type: ignore[type-var]


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
