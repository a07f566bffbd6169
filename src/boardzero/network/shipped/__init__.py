"""Networks that come with the program, each with its card: how it was learned, and how strong it is.

A file is called after the game it was learned for (`othello_size=6.safetensors`, `.onnx`, `.md`). One called `GAME_any`
plays whatever it can (its header tells) of its game that has no network of its own.
"""

from pathlib import Path

from boardzero.games.catalogue import find_game
from boardzero.games.rules import Game
from boardzero.network.fitting import misfit
from boardzero.network.header import read_header

FOLDER = Path(__file__).parent


def shipped_network(game: Game) -> Path | None:
    """The network file for this very game, or for any size of it; None where there is none."""
    own, every = (
        FOLDER / f"{name}.safetensors" for name in (game.specification.replace(":", "_").replace(",", "_"), f"{game.name}_any")
    )
    if own.is_file():
        return own
    if not every.is_file():
        return None
    header = read_header(every)
    learned = find_game(header.game)
    same = all(getattr(learned.parameters, rule) == getattr(game.parameters, rule) for rule in game.unseen_rules)
    return every if same and misfit(header.settings, learned, game) is None else None
