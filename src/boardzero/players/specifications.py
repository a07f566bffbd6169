"""Checks what names a player without loading the player: name, parameters, and whether the files that it names exist."""

from pathlib import Path

from boardzero.errors import BadInput
from boardzero.network.header import SUFFIX, existing_file
from boardzero.players.catalogue import ENGINE, PLAYERS
from boardzero.players.engine_name import parse_engine
from boardzero.players.engine_process import check_command
from boardzero.players.parameters import AlphaZeroParameters, HeuristicParameters, MinimaxParameters, RolloutParameters
from boardzero.settings.specification import Parameters, nearest, parse_parameters, split_pairs, split_specification

PARAMETERS: dict[str, type[Parameters]] = {  # of the players that take any, but for engines
    "alphazero": AlphaZeroParameters,
    "heuristic": HeuristicParameters,
    "minimax": MinimaxParameters,
    "mcts": RolloutParameters,
}
MACHINES = tuple(name for name in PLAYERS if name != "human")


def check_machine(specification: str) -> None:
    """Refuse (BadInput) what can never be a machine that plays; whether it plays a certain game is not looked at."""
    name, rest = split_specification(specification)
    if name not in MACHINES:
        raise BadInput(f"'{name}' cannot think for an engine{nearest(name, MACHINES)}; {', '.join(MACHINES)} can.")
    if name == ENGINE:
        check_command(parse_engine(rest).command)
        return
    parameters = parse_parameters(PARAMETERS.get(name, Parameters), split_pairs(rest, specification), name)
    if isinstance(parameters, AlphaZeroParameters) and parameters.network:
        existing_file(named_network(parameters.network))


def named_network(text: str) -> Path:
    """The network file that a text names: the file itself, or the newest one of a run's folder."""
    path = Path(text)
    if not path.is_dir():
        return path
    networks = sorted((path / "networks").glob(f"*{SUFFIX}"))
    if not networks:
        raise BadInput(f"There is no network in '{path}': a run's folder has them under networks/.")
    return networks[-1]
