"""Networks that come with the program, each with its card: how it was learned, and how strong it is.

A file is called after the game it was learned for (`othello_size=6.safetensors`, `.onnx`, `.md`). One called `GAME_any`
plays every size and rule of its game that has no network of its own.
"""

from pathlib import Path

from boardzero.games.rules import Game

FOLDER = Path(__file__).parent


def shipped_network(game: Game) -> Path | None:
    """The network file for this very game, or for any size of it; None where there is none."""
    for name in (game.specification.replace(":", "_").replace(",", "_"), f"{game.name}_any"):
        path = FOLDER / f"{name}.safetensors"
        if path.is_file():
            return path
    return None
