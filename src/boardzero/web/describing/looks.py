"""How people see each game: what its sides are called, what its board looks like, which sizes are usual."""

from dataclasses import dataclass
from typing import Literal

from boardzero.errors import BadInput
from boardzero.games.catalogue import BUILT_IN, find_game
from boardzero.games.rules import Game
from boardzero.settings.specification import nearest, split_pairs, split_specification
from boardzero.web.limits import LARGEST_SEED, SPECIFICATION_LENGTH

LARGEST_BOARD = 20  # rows and columns that the page draws


@dataclass(frozen=True)
class Looks:
    """What a game's rules do not say."""

    surface: Literal["holes", "points", "felt", "squares"]
    stone: str  # what its pieces are called
    colours: tuple[str, str]  # of the pieces X and O
    sizes: tuple[tuple[str, str], ...]  # title, specification; the usual one first


LOOKS = {
    "connect4": Looks(
        "holes",
        "stone",
        ("red", "yellow"),
        (
            ("7 × 6", "connect4"),
            ("6 × 5", "connect4:rows=5,columns=6"),
            ("5 × 4", "connect4:rows=4,columns=5"),
            ("8 × 7", "connect4:rows=7,columns=8"),
            ("9 × 7, connect five", "connect4:rows=7,columns=9,connect=5"),
        ),
    ),
    "othello": Looks(
        "felt", "disc", ("black", "white"), (("8 × 8", "othello"), ("6 × 6", "othello:size=6"), ("4 × 4", "othello:size=4"))
    ),
    "gomoku": Looks(
        "points",
        "stone",
        ("black", "white"),
        (
            ("15 × 15", "gomoku"),
            ("13 × 13", "gomoku:size=13"),
            ("9 × 9", "gomoku:size=9"),
            ("15 × 15, exactly five", "gomoku:rule=standard"),
            ("20 × 20", "gomoku:size=20"),
        ),
    ),
    "latrunculi": Looks(
        "squares",
        "man",
        ("white", "black"),
        (
            ("8 × 8", "latrunculi"),
            ("8 × 8 from rows", "latrunculi:start=rows"),
            ("6 × 6", "latrunculi:size=6"),
            ("6 × 6 from rows", "latrunculi:size=6,start=rows"),
            ("4 × 4", "latrunculi:size=4"),
        ),
    ),
    "tictactoe": Looks("squares", "mark", ("blue", "orange"), (("3 × 3", "tictactoe"),)),
}


def find_page_game(specification: str) -> Game:
    """A game that the page offers. Files and OpenSpiel's games are refused: no name from a client reaches the file system."""
    if len(specification) > SPECIFICATION_LENGTH:
        raise BadInput(f"The name of a game has at most {SPECIFICATION_LENGTH} characters.")
    name, rest = split_specification(specification)
    if name not in BUILT_IN:
        raise BadInput(f"There is no game '{name}' on this server{nearest(name, BUILT_IN)}; there are {', '.join(BUILT_IN)}.")
    for key, value in split_pairs(rest, specification).items():
        if value.lstrip("+-").isdigit() and abs(int(value)) > LARGEST_SEED:
            raise BadInput(f"{key}={value} is too large; at most {LARGEST_SEED} is allowed.")
    game = find_game(specification)
    if max(game.rows, game.columns) > LARGEST_BOARD:
        raise BadInput(f"The page draws boards of at most {LARGEST_BOARD} × {LARGEST_BOARD}.")
    return game


def looks_of(game: Game) -> Looks:
    return LOOKS[game.name]


def side_colours(game: Game) -> tuple[str, str]:
    """The colours of the two sides, whoever begins."""
    colours = dict(zip("XO", looks_of(game).colours, strict=True))
    return colours[game.players[0]], colours[game.players[1]]


def side_names(game: Game) -> tuple[str, str]:
    """What people call the two sides."""
    if game.name == "tictactoe":
        return game.players
    first, second = side_colours(game)
    return first.capitalize(), second.capitalize()
