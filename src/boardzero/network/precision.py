"""With how many bits a network computes: 32; 8 in its tower, or 16 while it learns, where the processor is fast at that."""

import platform
from functools import cache
from pathlib import Path

import numpy as np

from boardzero.games.rules import Game, Planes
from boardzero.network.positions import random_positions
from boardzero.settings.precision import Precision, TrainingPrecision

TRIED_POSITIONS = 512  # of random games, to see how far a network's values reach; of large boards fewer show as many cells
SMALL_BOARD = 64  # cells
# Of x86 and ARM, as Linux calls them: instructions that add several products of short numbers at once.
BYTE_INSTRUCTIONS = {"avx512_vnni", "avx_vnni", "asimddp"}
BFLOAT16_INSTRUCTIONS = {"avx512_bf16", "amx_bf16"}  # ARM's have not been tried


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


def learns_in_bfloat16(precision: TrainingPrecision) -> bool:
    """Shall a network that learns on this machine's processor multiply with 16 bits?"""
    return precision == "bfloat16" or (precision == "auto" and is_fast_with_bfloat16())


@cache
def is_fast_with_bytes() -> bool:
    """Is 8-bit arithmetic surely the faster one on this processor? Where that cannot be found out, it is not."""
    if (platform.system(), platform.machine()) == ("Darwin", "arm64"):  # all of them have dot products
        return True
    return has_instructions(_processor(), BYTE_INSTRUCTIONS)


@cache
def is_fast_with_bfloat16() -> bool:
    """Has this processor instructions for bfloat16? Where that cannot be found out, it has none."""
    return has_instructions(_processor(), BFLOAT16_INSTRUCTIONS)


def has_instructions(description: str, wanted: set[str]) -> bool:
    """Has a processor, as Linux describes it, some of these? All its cores are alike."""
    flags = next((line for line in description.splitlines() if line.startswith(("flags", "Features"))), "")
    return not wanted.isdisjoint(flags.split())


def _processor() -> str:
    try:
        return Path("/proc/cpuinfo").read_text()
    except OSError:
        return ""
