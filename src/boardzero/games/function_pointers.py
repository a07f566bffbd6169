"""Rules as plain addresses, for compiled functions that are called thousands of times a second.

Passing a first-class function from Python costs tens of microseconds a call, since Numba looks up its address anew each time.
A step of the search is shorter than that; so it takes an array of addresses, looked up once, and makes the functions of it.
"""

from typing import Any

import numpy as np
import numpy.typing as npt
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.experimental.function_type import _get_jit_address, _get_wrapper_address
from numba.extending import intrinsic

from boardzero.games.rules import APPLY_RULE, ENCODE_RULE, LEGAL_RULE, Game

Addresses = npt.NDArray[np.int64]


def rule_addresses(game: Game) -> Addresses:
    """[6]: for legal, apply and encode in turn, the address with C's calling convention and the one with Numba's (or 0).

    The game must outlive every use of them.
    """
    rules = ((game.legal, LEGAL_RULE), (game.apply, APPLY_RULE), (game.encode, ENCODE_RULE))
    find: Any = (_get_wrapper_address, _get_jit_address)
    return np.array([address(rule, kind.signature) for rule, kind in rules for address in find], np.int64)


def _function_from_addresses(kind: Any) -> Any:
    """A compiled function (c_address, numba_address) → first-class function of this type."""

    @intrinsic
    def function(typing_context, c_address, numba_address):  # type: ignore[no-untyped-def]
        def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
            pointer = ir.IntType(8).as_pointer()
            value = cgutils.create_struct_proxy(kind)(context, builder)
            value.c_addr = builder.inttoptr(arguments[0], pointer)
            value.py_addr = ir.Constant(pointer, None)
            value.jit_addr = builder.inttoptr(arguments[1], pointer)
            return value._getvalue()

        return kind(types.int64, types.int64), generate

    return function


legal_function = _function_from_addresses(LEGAL_RULE)
apply_function = _function_from_addresses(APPLY_RULE)
encode_function = _function_from_addresses(ENCODE_RULE)
