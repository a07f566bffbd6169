"""The grammar of other programs as players: `engine:PROTOCOL,key=value:COMMAND`.

The first two colons divide the name. What stands behind the second is the command, to its end and as a shell would split it,
so it may hold colons, commas and quotes. Settings stand before it: `engine:gtp,seconds=2:/usr/games/gtp-rhino -l 3`.
"""

from typing import NamedTuple

from pydantic import Field

from boardzero.errors import BadInput
from boardzero.settings.specification import Parameters, nearest, parse_parameters, split_pairs

PROTOCOLS = ("gomocup", "gtp", "nboard")


class EngineParameters(Parameters):
    """How an engine is dealt with."""

    seconds: float = Field(5.0, gt=0, le=86_400, description="seconds a move that the engine is told, where no clock runs")
    patience: float = Field(
        10.0, gt=0, le=86_400, description="seconds beyond twice its time after which a silent engine has lost"
    )


class EngineName(NamedTuple):
    protocol: str
    parameters: EngineParameters
    command: str


def parse_engine(text: str) -> EngineName:
    """`gtp,seconds=2:COMMAND`, which is what stands behind `engine:`."""
    settings, colon, command = text.partition(":")
    if not colon:
        raise BadInput(f"'engine:{text}' lacks a command; an engine is engine:PROTOCOL:COMMAND, like engine:gtp:gtp-rhino.")
    protocol, _, pairs = settings.partition(",")
    parameters = parse_parameters(EngineParameters, split_pairs(pairs, f"engine:{text}"), "engine")
    protocol = protocol.strip()
    if protocol not in PROTOCOLS:
        raise BadInput(
            f"There is no protocol '{protocol}'{nearest(protocol, PROTOCOLS)}; an engine is engine:PROTOCOL:COMMAND "
            f"with one of {', '.join(PROTOCOLS)}."
        )
    return EngineName(protocol, parameters, command.strip())
