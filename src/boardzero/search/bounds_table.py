"""A transposition table of lower and upper bounds on scores, exact for 64-bit keys: no two positions are ever confused.

A key is mixed by a bijection. The top bits of the result choose a bucket of two entries, the others are kept in the entry
as its tag, so that bucket and tag together give back the key. An entry is one word:

    bits 0–6    lower bound + 64
    bits 7–13   upper bound + 64
    above       the tag, at the top of the word

The newest entry of a bucket stands first, the one before it second. An empty entry is 0, which no stored one is.
"""

from typing import Final

import numpy as np
import numpy.typing as npt

from boardzero.errors import BadInput
from boardzero.games.bits import signed
from boardzero.games.compiled import compiled_without_allocation

LOWEST: Final = -64  # as a lower bound: nothing is known
HIGHEST: Final = 63  # as an upper bound: nothing is known
SMALLEST_BITS, LARGEST_BITS = 15, 32  # with fewer bits a tag would not leave room for the bounds

ONE, NOTHING = np.uint64(1), np.uint64(0)
BOUND_BITS, BOUND_MASK, BOUNDS_MASK = np.uint64(7), np.uint64(127), np.uint64((1 << 14) - 1)
KEY_BITS, MIX_SHIFT, MIX_FACTOR = np.uint64(64), np.uint64(32), np.uint64(0x9E3779B97F4A7C15)

Table = npt.NDArray[np.uint64]


def new_table(table_bits: int) -> Table:
    """[1 + 2 ** table_bits]: how many bits number a bucket, then the entries, all empty."""
    if not SMALLEST_BITS <= table_bits <= LARGEST_BITS:
        raise BadInput(f"table_bits={table_bits} is not allowed: a table has {SMALLEST_BITS} to {LARGEST_BITS} bits.")
    table = np.zeros(1 + (1 << table_bits), np.uint64)
    table[0] = table_bits - 1
    return table


@compiled_without_allocation()
def mixed(key: np.uint64) -> np.uint64:
    """A bijection that spreads keys over the top bits."""
    return (key ^ (key >> MIX_SHIFT)) * MIX_FACTOR


@compiled_without_allocation()
def find_entry(table: Table, mixed_key: np.uint64) -> np.uint64:
    """The entry of a position, or 0 where nothing is known about it."""
    bucket_bits = table[0]
    slot = 1 + signed(mixed_key >> (KEY_BITS - bucket_bits) << ONE)
    tag = mixed_key << bucket_bits
    entry = table[slot]
    if entry & ~BOUNDS_MASK == tag and entry != NOTHING:
        return entry
    entry = table[slot + 1]
    if entry & ~BOUNDS_MASK == tag and entry != NOTHING:
        return entry
    return NOTHING


@compiled_without_allocation()
def lower_bound(entry: np.uint64) -> int:
    """Of a found entry; LOWEST if only an upper bound is known."""
    return signed(entry & BOUND_MASK) + LOWEST


@compiled_without_allocation()
def upper_bound(entry: np.uint64) -> int:
    """Of a found entry; HIGHEST if only a lower bound is known."""
    return signed(entry >> BOUND_BITS & BOUND_MASK) + LOWEST


@compiled_without_allocation()
def add_bounds(table: Table, mixed_key: np.uint64, lower: int, upper: int) -> None:
    """Note what was found out, together with what was known; the position goes first in its bucket."""
    entry = find_entry(table, mixed_key)
    if entry != NOTHING:
        lower, upper = max(lower, lower_bound(entry)), min(upper, upper_bound(entry))
    bucket_bits = table[0]
    slot = 1 + signed(mixed_key >> (KEY_BITS - bucket_bits) << ONE)
    tag = mixed_key << bucket_bits
    if table[slot] & ~BOUNDS_MASK != tag:
        table[slot + 1] = table[slot]
    table[slot] = tag | np.uint64(lower - LOWEST) | np.uint64(upper - LOWEST) << BOUND_BITS
