"""Machine instructions on 64-bit words that Numba does not offer by name; plain Python where code is interpreted."""

from typing import Any

import numpy as np
from numba import types
from numba.extending import intrinsic, overload

from boardzero.games.compiled import compiled


@compiled()
def signed(word: Any) -> int:
    """A word as a signed integer: to count, to index and to compare with other signed integers."""
    return np.int64(word)  # type: ignore[return-value]


def lowest_bit(word: Any) -> int:
    """The index, 0 to 63, of the lowest set bit; the word must not be 0."""
    number = int(word)
    return (number & -number).bit_length() - 1


def count_bits(word: Any) -> int:
    """How many bits are set."""
    return int(word).bit_count()


@intrinsic
def _trailing_zeros(typing_context, word):  # type: ignore[no-untyped-def]
    def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        return builder.cttz(arguments[0], context.get_constant(types.boolean, True))

    return types.int64(types.uint64), generate


@intrinsic
def _population(typing_context, word):  # type: ignore[no-untyped-def]
    def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        return builder.ctpop(arguments[0])

    return types.int64(types.uint64), generate


@overload(lowest_bit, inline="always")
def _lowest_bit_compiled(word):  # type: ignore[no-untyped-def]
    return lambda word: _trailing_zeros(word)  # type: ignore[call-arg]


@overload(count_bits, inline="always")
def _count_bits_compiled(word):  # type: ignore[no-untyped-def]
    return lambda word: _population(word)  # type: ignore[call-arg]
