"""A table of what alpha-beta found out about positions, indexed by the hash of their states.

An entry is two words: the whole key, and packed into the other

    bits 0–31   score, shifted to be positive; wins and losses count plies from the position itself
    bits 32–47  the best action's place among the legal ones
    bits 48–57  depth that was searched below the position
    bits 58–59  what the score is: EXACT, at least (LOWER) or at most (UPPER) the value
    bit  60     does the score follow from ends of games alone, without heuristic values?
"""

import numpy as np
import numpy.typing as npt

from boardzero.games.bits import signed
from boardzero.games.compiled import compiled

Table = npt.NDArray[np.uint64]  # [entries, 2], entries a power of two

EXACT, LOWER, UPPER = 1, 2, 3  # an entry that was never written has kind 0
DEEPEST = 1023
SCORE_SHIFT = 1 << 30
CHOICE_AT, DEPTH_AT, KIND_AT, COMPLETE_AT = np.uint64(32), np.uint64(48), np.uint64(58), np.uint64(60)
SCORE_MASK, CHOICE_MASK, DEPTH_MASK = np.uint64((1 << 32) - 1), np.uint64((1 << 16) - 1), np.uint64(1023)
KIND_MASK, ONE = np.uint64(3), np.uint64(1)


def new_table(bits: int) -> Table:
    """An empty table of 2^bits entries of 16 bytes."""
    return np.zeros((1 << bits, 2), np.uint64)


@compiled()
def look_up(table: Table, key: np.uint64) -> np.uint64:
    """The packed word of a position, or 0."""
    slot = key & np.uint64(len(table) - 1)
    return table[slot, 1] if table[slot, 0] == key else np.uint64(0)


@compiled()
def store(table: Table, key: np.uint64, score: int, choice: int, depth: int, kind: int, complete: bool) -> None:
    """Write an entry over whatever was there."""
    slot = key & np.uint64(len(table) - 1)
    table[slot, 0] = key
    table[slot, 1] = (
        np.uint64(score + SCORE_SHIFT)
        | np.uint64(choice) << CHOICE_AT
        | np.uint64(depth) << DEPTH_AT
        | np.uint64(kind) << KIND_AT
        | np.uint64(complete) << COMPLETE_AT
    )


@compiled()
def score_of(word: np.uint64) -> int:
    return signed(word & SCORE_MASK) - SCORE_SHIFT


@compiled()
def choice_of(word: np.uint64) -> int:
    return signed(word >> CHOICE_AT & CHOICE_MASK)


@compiled()
def depth_of(word: np.uint64) -> int:
    return signed(word >> DEPTH_AT & DEPTH_MASK)


@compiled()
def kind_of(word: np.uint64) -> int:
    return signed(word >> KIND_AT & KIND_MASK)


@compiled()
def is_complete(word: np.uint64) -> bool:
    return word >> COMPLETE_AT & ONE == ONE
