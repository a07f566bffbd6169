"""With how many bits a network computes: 32, or 8 in its tower where the processor is fast at that."""

import platform
from functools import cache
from pathlib import Path

import numpy as np

from boardzero.games.rules import Game, Planes
from boardzero.network.positions import random_positions
from boardzero.settings.precision import Precision

TRIED_POSITIONS = 512  # of random games, to see how far a network's values reach; of large boards fewer show as many cells
SMALL_BOARD = 64  # cells
FAST_INSTRUCTIONS = {"avx512_vnni", "avx_vnni", "asimddp"}  # of x86 and ARM: four products of bytes are added at once


def in_precision(model: bytes, game: Game, precision: Precision) -> bytes:
    """An exported network, made to compute with this precision here."""
    if precision == "float" or (precision == "auto" and not is_fast_with_bytes()):
        return model
    from boardzero.network.quantizing import quantized

    return quantized(model, tried_positions(game))


def tried_positions(game: Game) -> Planes:
    """From beginnings, middles and ends of random games; on large boards one in several, for an engine cannot wait."""
    every = max(1, game.rows * game.columns // SMALL_BOARD)
    return np.ascontiguousarray(random_positions(game, TRIED_POSITIONS)[::every])


@cache
def is_fast_with_bytes() -> bool:
    """Is 8-bit arithmetic surely the faster one on this processor? Where that cannot be found out, it is not."""
    if (platform.system(), platform.machine()) == ("Darwin", "arm64"):  # all of them have dot products
        return True
    try:
        return has_fast_instructions(Path("/proc/cpuinfo").read_text())
    except OSError:
        return False


def has_fast_instructions(description: str) -> bool:
    """Of a processor, as Linux describes it; all its cores are alike."""
    flags = next((line for line in description.splitlines() if line.startswith(("flags", "Features"))), "")
    return not FAST_INSTRUCTIONS.isdisjoint(flags.split())
