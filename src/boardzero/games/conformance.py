"""The one suite that every game passes: what the contract in `rules.py` promises, checked along random games.

`boardzero games --check GAME` runs it for a game of your own.
"""

from collections.abc import Iterable

import numpy as np

from boardzero.errors import BadInput
from boardzero.games.position import Position
from boardzero.games.randomness import draw_below, new_stream
from boardzero.games.rules import Game, Outcome, State


def check_game(game: Game, seeds: Iterable[int]) -> None:
    """Play one random game a seed and check every promise at every ply; AssertionError says which one is broken."""
    _check_description(game)
    for seed in seeds:
        _check_random_game(game, seed)


def _check_description(game: Game) -> None:
    assert len(set(game.planes)) == len(game.planes) > 0, "planes are named, each by a name of its own"
    assert len({piece.letter for piece in game.pieces}) == len(game.pieces), "each piece has a letter of its own"
    texts = {game.action_to_text(action) for action in range(game.action_count)}
    assert len(texts) == game.action_count, "different actions have different texts"
    for symmetry in game.symmetries:
        for targets, size in ((symmetry.cells, game.rows * game.columns), (symmetry.actions, game.action_count)):
            assert sorted(targets) == list(range(size)), f"the symmetry '{symmetry.name}' is a permutation"
    start = game.initial_state(0)
    assert np.array_equal(start, game.initial_state(0)), "the same seed gives the same start"
    assert game.turn(start) == 0, "the first player begins"


def _check_random_game(game: Game, seed: int) -> None:
    position = Position(game, seed=seed)
    start_board = position.board
    stream = new_stream(seed)
    while not position.over:
        assert len(position.actions) < game.max_plies, f"a game ends within max_plies = {game.max_plies}"
        legal = _check_legal(game, position.state)
        _check_encode(game, position.state)
        _check_texts(game, position.state, legal)
        _check_refusal(position, legal, stream)
        action = legal[draw_below(stream, len(legal))]
        successor = _check_apply(game, position.state, action)
        _check_symmetries(game, position.state, legal, action, successor)
        position.play(action)
        assert np.array_equal(position.state, successor), "a position plays what the rules play"
    assert _check_legal(game, position.state) == [], "a finished game has no legal actions"
    _check_texts(game, position.state, [])
    replayed = Position(game, position.moves, board=start_board)
    assert np.array_equal(replayed.state, position.state), "the same moves from the same board lead to the same state"


def _check_legal(game: Game, state: State) -> list[int]:
    before = state.copy()
    legal = game.legal_actions(state)
    assert np.array_equal(state, before), "legal leaves the state as it is"
    assert legal == sorted(set(legal)), "legal actions are written once each, in increasing order"
    assert len(legal) <= game.max_legal, f"there are never more than max_legal = {game.max_legal} legal actions"
    assert all(0 <= action < game.action_count for action in legal), "legal actions are within the policy layout"
    going_on = game.outcome(state) is Outcome.GOING_ON
    assert bool(legal) == going_on, "there are legal actions exactly as long as the game goes on"
    return legal


def _check_encode(game: Game, state: State) -> None:
    before = state.copy()
    encodings = []
    for filler in (np.nan, 7.0):
        planes = np.full((len(game.planes), game.rows, game.columns), filler, np.float32)
        game.encode(state, planes)
        encodings.append(planes)
    assert np.array_equal(state, before), "encode leaves the state as it is"
    assert np.isfinite(encodings[0]).all(), "encode fills every cell of every plane with a finite number"
    assert np.array_equal(encodings[0], encodings[1]), "encode depends on the state alone"


def _check_apply(game: Game, state: State, action: int) -> State:
    before = state.copy()
    successors, outcomes = [], []
    for filler in (0, 2**64 - 1):
        successor = np.full(game.state_length, filler, np.uint64)
        outcomes.append(game.apply(state, action, successor))
        successors.append(successor)
        assert np.array_equal(state, before), "apply leaves the state as it is"
    assert np.array_equal(successors[0], successors[1]), (
        "apply writes every word of the next state, from the state and the action alone"
    )
    assert outcomes == [game.outcome(successors[0])] * 2, "apply returns the outcome that it writes into the header"
    assert game.turn(successors[0]) == 1 - game.turn(state), "the players alternate"
    return successors[0]


def _check_texts(game: Game, state: State, legal: list[int]) -> None:
    for action in legal:
        text = game.action_to_text(action)
        assert game.action_from_text(text) == action, f"the text '{text}' is read back as the action it was written for"
    board = game.board_to_text(state)
    assert np.array_equal(game.board_from_text(board), state), f"the board '{board}' is read back as the state it shows"


def _check_refusal(position: Position, legal: list[int], stream: State) -> None:
    """Whatever is not legal is refused at the border, and the position stays as it was."""
    game, before = position.game, position.state
    illegal = draw_below(stream, game.action_count)
    for action in (-1, game.action_count, *([illegal] if illegal not in legal else [])):
        try:
            position.play(action)
        except BadInput:
            assert position.state is before, "a refused move changes nothing"
        else:
            raise AssertionError(f"the illegal action {action} is refused")


def _check_symmetries(game: Game, state: State, legal: list[int], action: int, successor: State) -> None:
    for symmetry in game.symmetries[1:]:
        said = f"under the symmetry '{symmetry.name}'"
        twin = game.transformed(state, symmetry)
        images = sorted(int(symmetry.actions[other]) for other in legal)
        assert game.legal_actions(twin) == images, f"{said}, legal actions go where the symmetry takes them"
        twin_successor = game.next_state(twin, int(symmetry.actions[action]))
        expected = game.transformed(successor, symmetry)
        assert np.array_equal(twin_successor, expected), f"{said}, moving and turning the board commute"
        planes = game.encoded(state).reshape(len(game.planes), -1)
        turned = symmetry.apply_to_cells(planes).reshape(len(game.planes), game.rows, game.columns)
        assert np.array_equal(game.encoded(twin), turned), f"{said}, the planes turn with the board"
