"""Who is rated: networks of runs, players by name, and fixed anchors that tie ratings of different days together."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from boardzero.errors import BadInput
from boardzero.games.catalogue import find_game
from boardzero.games.othello import Othello
from boardzero.games.rules import Game
from boardzero.network.weights import SUFFIX, read_header
from boardzero.players.alphazero import AlphaZeroParameters, AlphaZeroPlayer, find_network
from boardzero.players.catalogue import find_player
from boardzero.players.player import Player
from boardzero.training.run_folder import RunFolder

LARGE_BOARD = 100  # cells, beyond which the slower anchors would take most of the time
DIGITS = 12  # of a network's checksum that identify it


@dataclass
class Entrant:
    """Somebody who is rated. Results belong to the key: for a network it tells the weights, wherever their file lies."""

    name: str
    key: str
    specification: str
    run: str | None = None  # the run's folder, for one of its networks
    generation: int | None = None
    _player: Player | None = field(default=None, repr=False)

    @property
    def is_network(self) -> bool:
        return self.generation is not None

    def player(self, game: Game) -> Player:
        """Ready to play; loaded when first asked for."""
        if self._player is None:
            self._player = find_player(self.specification, game)
        return self._player


def networks_of(run: Path, simulations: int, most: int, label: str) -> list[Entrant]:
    """Networks of a run, evenly spread over its generations: at most this many, the first and the newest among them."""
    folder = RunFolder(run)
    folder.settings()
    generations = folder.network_generations()
    if not generations:
        folder.newest_network()  # refuses
    if len(generations) > most:
        places = np.unique(np.linspace(0, len(generations) - 1, max(most, 2)).round().astype(int))
        generations = [generations[place] for place in (places if most > 1 else places[-1:])]
    entrants = []
    for generation in generations:
        path = folder.network(generation)
        key = f"network {read_header(path).checksum[:DIGITS]} sims={simulations}"
        specification = f"alphazero:network={path},sims={simulations}"
        entrants.append(Entrant(f"{label} {generation}", key, specification, str(run), generation))
    return entrants


def player_named(specification: str, game: Game) -> Entrant:
    """A player that needs no person; a network player is known by its weights."""
    player = find_player(specification, game)
    if player.needs_person:
        raise BadInput(f"The player '{specification}' needs a person, who cannot be rated here.")
    return Entrant(player.specification, _key_of(player), player.specification, _player=player)


def _key_of(player: Player) -> str:
    if not isinstance(player, AlphaZeroPlayer):
        return player.specification
    assert isinstance(player.parameters, AlphaZeroParameters)
    path = find_network(player.parameters.network, player.game)
    if path.suffix != SUFFIX:
        return player.specification
    others = player.parameters.model_copy(update={"network": ""}).to_text()
    return f"network {read_header(path).checksum[:DIGITS]} {others}".strip()


def usual_anchors(game: Game) -> list[str]:
    """Players who never change: random, rollouts at several strengths, minimax, and perfect play where it is known."""
    large = game.rows * game.columns > LARGE_BOARD
    anchors = ["random", "mcts:sims=10", "mcts:sims=100"]
    anchors += ["minimax:depth=2"] if large else ["mcts:sims=1000", "minimax:depth=4"]
    if not isinstance(game, Othello):  # whose end alone is solved
        try:
            find_player("perfect", game)
            anchors.append("perfect")
        except BadInput:
            pass
    return anchors


def gather(
    arguments: Sequence[str], simulations: int, networks: int, anchors: Sequence[str] | None, game: Game | None = None
) -> tuple[Game, list[Entrant]]:
    """The game, and everyone who is rated: arguments are folders of runs and players; anchors None: the usual ones."""
    runs = [Path(argument) for argument in arguments if is_run(argument)]
    for argument in arguments:
        if not is_run(argument) and Path(argument).is_dir():
            raise BadInput(f"There is no run in '{argument}': it has no settings.json.")
    if game is None:
        games = {RunFolder(run).settings().game for run in runs}
        if len(games) > 1:
            raise BadInput(f"Runs of different games cannot be rated together: {', '.join(sorted(games))}.")
        if not games:
            raise BadInput("Name at least one run's folder, or say which game is played with --game.")
        game = find_game(games.pop())
    labels = run_labels(runs)
    entrants = [one for run, label in zip(runs, labels, strict=True) for one in networks_of(run, simulations, networks, label)]
    named = [argument for argument in arguments if not is_run(argument)]
    for specification in [*named, *(usual_anchors(game) if anchors is None else anchors)]:
        entrants.append(player_named(specification, game))
    entrants = list({one.key: one for one in reversed(entrants)}.values())[::-1]  # the same weights are rated once
    if len(entrants) < 2:
        raise BadInput("Ratings need at least two players.")
    return game, entrants


def is_run(argument: str) -> bool:
    return (Path(argument) / "settings.json").is_file()


def run_labels(runs: Sequence[Path]) -> list[str]:
    """A short name for each run: its folder's, with as many of the folders above as tell it from the others."""
    paths = [run.resolve() for run in runs]
    for depth in range(1, 8):
        labels = ["/".join(path.parts[-depth:]) for path in paths]
        if len(set(labels)) == len(set(paths)):
            return labels
    return [str(path) for path in paths]
