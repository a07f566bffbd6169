"""Networks that come with the program, each with its card: how it was learned, and how strong it is.

A file is called after the game it was learned for (`othello_size=6.safetensors`, `.onnx`, `.md`), or `GAME_any` where it
learned several: it then plays whatever it can (its header tells) of its game that has no network of its own.
"""

from functools import cache
from pathlib import Path

from boardzero.games.catalogue import find_game
from boardzero.games.rules import Game
from boardzero.network.fitting import misfit
from boardzero.network.header import SUFFIX, NetworkHeader, read_header

FOLDER = Path(__file__).parent
ANY = "any"


def shipped_name(game: Game) -> str:
    """What the files of a network for this very game are called: `othello_size=6`."""
    return game.specification.replace(":", "_").replace(",", "_")


def shipped_network(game: Game) -> Path | None:
    """The network for this very game, or else one that can play it: rather one that learned this size of board.

    None where there is none. Rules that the network does not see must be those that it learned; others may differ (which
    colour begins in Othello, how Latrunculi starts).
    """
    own = FOLDER / f"{shipped_name(game)}{SUFFIX}"
    if own.is_file():
        return own
    others = sorted(path for pattern in ("", "_*") for path in FOLDER.glob(f"{game.name}{pattern}{SUFFIX}"))
    playing = [path for path in others if _plays(path, game)]
    return min(playing, key=lambda path: not _learned_size(path, game), default=None)


@cache
def _header(path: Path) -> NetworkHeader:
    return read_header(path)


def _plays(path: Path, game: Game) -> bool:
    header = _header(path)
    learned = find_game(header.game)
    same = all(getattr(learned.parameters, rule) == getattr(game.parameters, rule) for rule in game.unseen_rules)
    return same and misfit(header.settings, learned, game) is None


def _learned_size(path: Path, game: Game) -> bool:
    header = _header(path)
    learned = map(find_game, header.learned or (header.game,))
    return any((one.rows, one.columns) == (game.rows, game.columns) for one in learned)
