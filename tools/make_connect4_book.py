"""Make the opening book of the 6×7 board: `python tools/make_connect4_book.py [--stones 10]`.

The scores come from bitbully, a development tool that boardzero itself never imports; about a minute on one core.
"""

import argparse
from pathlib import Path

import numpy as np
from bitbully import BitBully, Board

from boardzero.games.catalogue import find_game
from boardzero.games.connect4 import ConnectFour
from boardzero.games.rules import Outcome, State
from boardzero.search import connect4_book
from boardzero.search.connect4_book import SHIPPED, Book
from boardzero.search.connect4_threats import describe_board, mirrored, playable_cells, position_key, safe_cells, winning_cells

DEFAULT_PATH = Path(connect4_book.__file__).parent / "data" / SHIPPED[6, 7, 4]

Layer = dict[int, tuple[State, str]]  # by canonical key: a position, and columns from 0 that lead to it


def next_layer(game: ConnectFour, layer: Layer) -> Layer:
    """The positions one stone later that go on, one of each mirrored pair."""
    found: Layer = {}
    for state, moves in layer.values():
        for action in game.legal_actions(state):
            child = game.next_state(state, action)
            key = canonical_key(game, child)
            if key not in found and game.outcome(child) is Outcome.GOING_ON:
                found[key] = child, f"{moves}{action}"
    return found


def canonical_key(game: ConnectFour, state: State) -> int:
    key = int(position_key(state[1], state[2]))
    return min(key, mirrored(key, game.rows, game.columns))


def make_book(game: ConnectFour, most_stones: int) -> Book:
    """Every position with up to this many stones that neither wins at once nor cannot help losing to the next stone."""
    referee = BitBully()
    board = describe_board(game.rows, game.columns, game.connect)
    start = game.initial_state()
    layer: Layer = {canonical_key(game, start): (start, "")}
    scores: dict[int, int] = {}
    for stones in range(most_stones + 1):
        if stones:
            layer = next_layer(game, layer)
        for key, (state, moves) in layer.items():
            wins = winning_cells(board, state[1], state[2]) & playable_cells(board, state[2])
            if not wins and safe_cells(board, state[1], state[2]):
                scores[key] = referee.mtdf(Board(moves))
        print(f"{stones} stones: {len(scores):,} entries so far", flush=True)
    keys = sorted(scores)
    return Book(
        game.rows,
        game.columns,
        game.connect,
        most_stones,
        np.array(keys, np.uint64),
        np.array([scores[key] for key in keys], np.int8),
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--stones", type=int, default=10, help="most stones of a position in the book")
    parser.add_argument("--output", type=Path, default=DEFAULT_PATH)
    arguments = parser.parse_args()
    game = find_game("connect4")
    assert isinstance(game, ConnectFour)
    book = make_book(game, arguments.stones)
    arguments.output.parent.mkdir(parents=True, exist_ok=True)
    book.write(arguments.output)
    print(f"{len(book.keys):,} positions, {arguments.output.stat().st_size:,} bytes: {arguments.output}")


if __name__ == "__main__":
    main()
