"""Random streams that compiled and interpreted code draw identically: SplitMix64 (Steele, Lea, Flood 2014).

A stream is a `uint64` array of length 1. Each game in a batch has its own, so what one game draws never depends on the others.
"""

import numpy as np
import numpy.typing as npt

from boardzero.games.bits import signed
from boardzero.games.compiled import compiled

GAMMA = np.uint64(0x9E3779B97F4A7C15)
MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
MIX_2 = np.uint64(0x94D049BB133111EB)
SHIFT_30, SHIFT_27, SHIFT_31 = np.uint64(30), np.uint64(27), np.uint64(31)
SHIFT_32, SHIFT_11 = np.uint64(32), np.uint64(11)

Stream = npt.NDArray[np.uint64]


def new_stream(seed: int, index: int = 0) -> Stream:
    """The stream with this number among those of one seed; streams of different numbers are unrelated."""
    return np.random.SeedSequence((seed, index)).generate_state(1, np.uint64).astype(np.uint64)


@compiled()
def draw_word(stream: Stream) -> np.uint64:
    """The next 64 random bits."""
    stream[0] += GAMMA
    word = stream[0]
    word = (word ^ (word >> SHIFT_30)) * MIX_1
    word = (word ^ (word >> SHIFT_27)) * MIX_2
    return word ^ (word >> SHIFT_31)


@compiled()
def draw_below(stream: Stream, count: int) -> int:
    """A whole number in 0 … count−1, for count up to 2³² (bias below 2⁻³² · count)."""
    return signed(((draw_word(stream) >> SHIFT_32) * np.uint64(count)) >> SHIFT_32)


@compiled()
def draw_uniform(stream: Stream) -> float:
    """A float64 in [0, 1)."""
    return np.float64(draw_word(stream) >> SHIFT_11) * (1.0 / 9007199254740992.0)
