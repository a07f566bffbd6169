"""A transposition table for Othello endgames: for each position bounds on its score and the move that was best.

An entry is four words: own discs, other discs, and packed: bits 0–7 lower bound + 128, bits 8–15 upper bound + 128, bits
16–22 best cell, or 64 for none; the fourth word is the number of empty cells. Two entries share a bucket: the first keeps
the position with more empty cells, which took longer to solve; the second is always replaced. An entry without discs is empty.
"""

import numpy as np
import numpy.typing as npt

from boardzero.errors import BadInput
from boardzero.games.bits import signed
from boardzero.games.compiled import compiled_without_allocation

SMALLEST_BITS, LARGEST_BITS = 4, 30
ENTRY_WORDS = 4
NO_CELL = 64

OFFSET = 128
BYTE, BYTE_BITS, TWO_BYTES_BITS = np.uint64(255), np.uint64(8), np.uint64(16)
FACTOR_1, FACTOR_2 = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F)
SHIFT_32, SHIFT_29 = np.uint64(32), np.uint64(29)

Table = npt.NDArray[np.uint64]


def new_table(table_bits: int) -> Table:
    """[4 · 2 ** table_bits], all empty."""
    if not SMALLEST_BITS <= table_bits <= LARGEST_BITS:
        raise BadInput(f"table_bits={table_bits} is not allowed: a table has {SMALLEST_BITS} to {LARGEST_BITS} bits.")
    return np.zeros(ENTRY_WORDS << table_bits, np.uint64)


@compiled_without_allocation()
def find_bucket(table: Table, own: np.uint64, other: np.uint64) -> int:
    """Where the two entries of a position's bucket begin."""
    key = (own ^ (own >> SHIFT_32)) * FACTOR_1 ^ (other ^ (other >> SHIFT_29)) * FACTOR_2
    key = (key ^ (key >> SHIFT_32)) * FACTOR_1
    return signed(key >> SHIFT_32) & (len(table) - 1) & ~(2 * ENTRY_WORDS - 1)


@compiled_without_allocation()
def find_entry(table: Table, bucket: int, own: np.uint64, other: np.uint64) -> int:
    """Where a position's entry begins, or −1."""
    if table[bucket] == own and table[bucket + 1] == other:
        return bucket
    if table[bucket + ENTRY_WORDS] == own and table[bucket + ENTRY_WORDS + 1] == other:
        return bucket + ENTRY_WORDS
    return -1


@compiled_without_allocation()
def entry_lower(table: Table, entry: int) -> int:
    return signed(table[entry + 2] & BYTE) - OFFSET


@compiled_without_allocation()
def entry_upper(table: Table, entry: int) -> int:
    return signed(table[entry + 2] >> BYTE_BITS & BYTE) - OFFSET


@compiled_without_allocation()
def entry_cell(table: Table, entry: int) -> int:
    return signed(table[entry + 2] >> TWO_BYTES_BITS & BYTE)


@compiled_without_allocation()
def add_bounds(table: Table, own: np.uint64, other: np.uint64, empties: int, lower: int, upper: int, cell: int) -> None:
    """Note what was found out, together with what was known.

    The position goes over its older entry, over one with no more empty cells, or over the second of the bucket.
    """
    bucket = find_bucket(table, own, other)
    entry = find_entry(table, bucket, own, other)
    if entry >= 0:
        lower, upper = max(lower, entry_lower(table, entry)), min(upper, entry_upper(table, entry))
    else:
        entry = bucket if np.uint64(empties) >= table[bucket + 3] else bucket + ENTRY_WORDS
    table[entry], table[entry + 1] = own, other
    table[entry + 2] = np.uint64(lower + OFFSET) | np.uint64(upper + OFFSET) << BYTE_BITS | np.uint64(cell) << TWO_BYTES_BITS
    table[entry + 3] = np.uint64(empties)
