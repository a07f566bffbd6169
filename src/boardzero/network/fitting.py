"""Which games a network can play."""

from boardzero.errors import BadInput
from boardzero.games.catalogue import find_game
from boardzero.games.rules import Game
from boardzero.network.header import NetworkHeader
from boardzero.settings.network import SIZE_FREE_KINDS, NetworkSettings


def check_fits(header: NetworkHeader, game: Game, origin: str) -> None:
    """Refuse (BadInput) a network that was built for another game, or for another size of it and cannot change size.

    Rules that change neither planes nor actions (how many to connect, say) may differ.
    """
    if sentence := misfit(header.settings, find_game(header.game), game):
        raise BadInput(f"The network '{origin}' was built for {header.game} and cannot play {game.specification}: {sentence}")


def misfit(settings: NetworkSettings, built_for: Game, game: Game) -> str | None:
    """Why a network of this shape that was built for one game cannot play another; None if it can."""
    if (built_for.name, built_for.title, built_for.planes) != (game.name, game.title, game.planes):
        return f"{game.title} takes networks that were built for it."
    if settings.size_free:
        shapes = [[(part.kind, part.size * (part.kind == "flat")) for part in one.policy.parts] for one in (built_for, game)]
        return None if shapes[0] == shapes[1] else "the two have different kinds of moves."
    if (built_for.rows, built_for.columns, built_for.policy) == (game.rows, game.columns, game.policy):
        return None
    return (
        f"it sees {built_for.rows}×{built_for.columns} cells and {built_for.action_count} actions, "
        f"the game has {game.rows}×{game.columns} and {game.action_count} "
        f"(only networks of kind={' or kind='.join(SIZE_FREE_KINDS)} change size)."
    )
