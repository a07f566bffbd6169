"""Who is rated: networks of runs, players by name, and fixed anchors that tie ratings of different days together."""

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from boardzero.arena.solved_games import is_soon_solved
from boardzero.errors import BadInput
from boardzero.games.catalogue import find_game
from boardzero.games.gomoku import Gomoku
from boardzero.games.rules import Game
from boardzero.network.fitting import check_fits
from boardzero.network.precision import is_fast_with_bytes
from boardzero.network.weights import SUFFIX, read_header
from boardzero.players.alphazero import AlphaZeroPlayer, find_network
from boardzero.players.catalogue import PLAYERS, find_player
from boardzero.players.parameters import AlphaZeroParameters
from boardzero.players.player import Player
from boardzero.settings.specification import split_specification
from boardzero.training.run_folder import RunFolder

LARGE_BOARD = 100  # cells, beyond which the slower anchors would take most of the time
DIGITS = 12  # of a network's checksum that identify it
LeftOut = Callable[[str], None]  # hears why a network is left out


@dataclass
class Entrant:
    """Somebody who is rated. Results belong to the key: for a network it tells the weights, wherever their file lies."""

    name: str
    key: str
    specification: str
    places: tuple[tuple[str, int], ...] = ()  # runs that have this network: folder and generation; the first gives the name
    simulations: int | None = None  # a move, for a network of a run; others have theirs in the name
    _player: Player | None = field(default=None, repr=False)

    @property
    def run(self) -> str | None:
        """The run's folder, for a network of one."""
        return self.places[0][0] if self.places else None

    @property
    def generation(self) -> int | None:
        return self.places[0][1] if self.places else None

    @property
    def is_network(self) -> bool:
        """Is this a network of one of the runs?"""
        return bool(self.places)

    def player(self, game: Game) -> Player:
        """Ready to play; loaded when first asked for."""
        if self._player is None:
            self._player = find_player(self.specification, game)
        return self._player

    def close(self) -> None:
        """Let go of the player, and of a program that it has started."""
        if self._player is not None:
            self._player.close()
            self._player = None

    def as_dict(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "player": self.specification,
            "run": self.run,
            "generation": self.generation,
            "places": [list(place) for place in self.places],
            "simulations": self.simulations,
        }


def networks_of(run: Path, simulations: int, most: int, label: str) -> list[Entrant]:
    """Networks of a run, evenly spread over its generations: at most this many, the first and the newest among them.

    Of a run with a gate only those that passed it, and the untrained one: the others never played. They compute with 32 bits,
    so that ratings of different machines fit together.
    """
    folder = RunFolder(run)
    return [_network(folder, generation, simulations, label) for generation in _spread(_generations(folder), most)]


def sound_networks_of(run: Path, simulations: int, most: int, label: str, game: Game, left_out: LeftOut) -> list[Entrant]:
    """The same, ready to play: one that is damaged is named and left out, and others are spread over the run without it."""
    folder = RunFolder(run)
    generations = _generations(folder)
    sound: dict[int, Entrant] = {}
    while unknown := [generation for generation in _spread(generations, most) if generation not in sound]:
        for generation in unknown:
            try:
                sound[generation] = _network(folder, generation, simulations, label)
                sound[generation].player(game)
            except BadInput as error:
                if generation in sound:  # its header can be read: a network of another game is whole, and refused
                    check_fits(read_header(folder.network(generation)), game, str(folder.network(generation)))
                left_out(str(error))
                generations.remove(generation)
    if not generations:
        raise BadInput(f"None of the networks of the run in '{run}' can be read.")
    return [sound[generation] for generation in _spread(generations, most)]


def _generations(folder: RunFolder) -> list[int]:
    """Of the networks that may be rated; a run without any is refused."""
    generations = folder.network_generations()
    if folder.settings().gate.kind != "none":
        passed = {0, *_promoted(folder)}
        generations = [number for number in generations if number in passed] if len(passed) > 1 else generations
    if not generations:
        folder.newest_network()  # refuses
    return generations


def _spread(generations: Sequence[int], most: int) -> list[int]:
    """At most so many, evenly: the first and the last among them, or the last alone."""
    if len(generations) <= most:
        return list(generations)
    places = np.unique(np.linspace(0, len(generations) - 1, max(most, 2)).round().astype(int))
    return [generations[place] for place in (places if most > 1 else places[-1:])]


def _network(folder: RunFolder, generation: int, simulations: int, label: str) -> Entrant:
    path = folder.network(generation)
    parameters = AlphaZeroParameters(network=str(path), sims=simulations, precision="float")
    specification = f"{AlphaZeroPlayer.name}:{parameters.to_text()}"
    place = (str(folder.path.resolve()), generation)
    return Entrant(f"{label} {generation}", _network_key(path, parameters), specification, (place,), simulations)


def _promoted(folder: RunFolder) -> list[int]:
    """Generations that passed the gate; none where that cannot be read."""
    try:
        return [int(number) for number in json.loads(folder.promotions.read_bytes())["promoted"]]
    except (OSError, ValueError, KeyError, TypeError):
        return []


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
    return _network_key(path, player.parameters) if path.suffix == SUFFIX else player.specification


def _network_key(path: Path, parameters: AlphaZeroParameters) -> str:
    """Weights, and how they are played with: a network that computes with 8 bits is another player than with 32."""
    precision = parameters.precision
    if precision == "auto":
        precision = "int8" if is_fast_with_bytes() else "float"
    header = read_header(path)
    spread = parameters.value_spread or header.value_spread
    changes = {
        "network": "",
        "precision": precision,
        "value_spread": None if spread == 1 else spread,
        "draws": "lost" if parameters.must_win(header.knows_odds) else "auto",
    }
    return f"network {header.checksum[:DIGITS]} {parameters.model_copy(update=changes).to_text()}"


def usual_anchors(game: Game) -> list[str]:
    """Players who never change: random, rollouts at several strengths, minimax, and perfect play where it is known.

    In Gomoku, where rollouts say little, also the line heuristic.
    """
    large = game.rows * game.columns > LARGE_BOARD
    anchors = ["random", "mcts:sims=10", "mcts:sims=100"]
    anchors += ["minimax:depth=2"] if large else ["mcts:sims=1000", "minimax:depth=4"]
    if isinstance(game, Gomoku):
        anchors += ["heuristic:sims=100", "heuristic:sims=1000"]
    return [*anchors, "perfect"] if is_soon_solved(game) else anchors


def gather(
    arguments: Sequence[str],
    simulations: int,
    networks: int,
    anchors: Sequence[str] | None,
    game: Game | None = None,
    left_out: LeftOut | None = None,
) -> tuple[Game, list[Entrant]]:
    """The game, and everyone who is rated: arguments are folders of runs and players; anchors None: the usual ones.

    left_out: hears of networks of runs that are damaged; None refuses them.
    """
    runs = [Path(argument) for argument in arguments if is_run(argument)]
    named = [argument for argument in arguments if not is_run(argument)]
    for argument in named:
        if Path(argument).is_dir():
            raise BadInput(f"There is no run in '{argument}': it has no settings.json.")
        if split_specification(argument)[0] not in PLAYERS:
            raise BadInput(f"'{argument}' is neither the folder of a run nor a player; players are {', '.join(PLAYERS)}.")
    if game is None:
        games = {RunFolder(run).settings().game for run in runs}
        if len(games) > 1:
            raise BadInput(f"Runs of different games cannot be rated together: {', '.join(sorted(games))}.")
        if not games:
            raise BadInput("Name at least one run's folder, or say which game is played with --game.")
        game = find_game(games.pop())
    entrants: list[Entrant] = []
    for run, label in zip(runs, run_labels(runs), strict=True):
        if left_out is None:
            entrants += networks_of(run, simulations, networks, label)
        else:
            entrants += sound_networks_of(run, simulations, networks, label, game, left_out)
    for specification in [*named, *(usual_anchors(game) if anchors is None else anchors)]:
        entrants.append(player_named(specification, game))
    entrants = without_twins(entrants)
    if len(entrants) < 2:
        raise BadInput("Ratings need at least two players.")
    return game, entrants


def without_twins(entrants: Sequence[Entrant]) -> list[Entrant]:
    """In the same order; the same weights are rated once, and belong to every run that has them."""
    known: dict[str, Entrant] = {}
    for one in entrants:
        first = known.setdefault(one.key, one)
        first.places = tuple(dict.fromkeys((*first.places, *one.places)))
    return list(known.values())


@contextmanager
def closing_players(entrants: Sequence[Entrant]) -> Iterator[None]:
    """They are let go of at the end, whatever ends it."""
    try:
        yield
    finally:
        for entrant in entrants:
            entrant.close()


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
