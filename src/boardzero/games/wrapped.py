"""Rules written as ordinary Python functions, made callable from compiled code like those that Numba compiled.

Numba calls a first-class function by its address (its wrapper-address protocol), and ctypes can give a Python function an
address. What lies between is how an array travels: by value, as the words of Numba's array structure, one argument each:

    meminfo, parent, number of items, bytes of an item, address of the data, shape (a word an axis), strides (a word an axis)

Compiled code runs without the GIL and each callback takes it, so wrapped rules work from any thread. They are slow (several
microseconds a call before the rule itself begins) and otherwise no different from compiled ones.

No exception may cross compiled code. The first one is kept, and from then on all three rules answer harmlessly, so that
compiled loops come to their end: the player to move has one action, playing it draws the game, planes are empty. The kept
exception is raised at the next border with Python: when a rule is called from Python, when it is next handed to compiled
code, or when `raise_kept_error` is called (after code that keeps the addresses of rules, which passes no such border).
"""

import ctypes
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numba.core import types
from numba.np.numpy_support import as_dtype

from boardzero.games.rules import (
    APPLY_SIGNATURE,
    DRAW,
    ENCODE_SIGNATURE,
    GOING_ON,
    LEGAL_SIGNATURE,
    OUTCOME_MASK,
    TURN_BIT,
    Actions,
    ApplyRule,
    EncodeRule,
    Game,
    LegalRule,
    Planes,
    State,
)

DATA_WORD = 4  # of an array's words, the one that holds the address of its data
SHAPE_WORD = 5  # the first of its shape


class KeptError:
    """The first exception of a game's callbacks, until Python code can raise it."""

    def __init__(self) -> None:
        self.error: BaseException | None = None

    def keep(self, error: BaseException) -> None:
        if self.error is None:
            self.error = error

    def raise_kept(self) -> None:
        error, self.error = self.error, None
        if error is not None:
            raise error


class WrappedRule(types.WrapperAddressProtocol):
    """A Python function with an address: Python calls it directly, compiled code through a callback.

    The arrays that it gets from compiled code are views of the caller's memory: they must not be used after the call.
    """

    def __init__(self, function: Callable[..., Any], signature: Any, harmless: Callable[..., int], kept: KeptError) -> None:
        """`harmless` takes the same arguments and answers in the function's place while an error is kept."""
        self._function, self._signature, self._harmless, self._kept = function, signature, harmless, kept
        self._arguments = _argument_reader(signature.args)
        words = sum(_word_count(kind) for kind in signature.args)
        # Numba's void returns a null pointer, which the same callback type can give back as 0.
        self._callback = ctypes.CFUNCTYPE(ctypes.c_int64, *[ctypes.c_int64] * words)(self._answer)
        address = ctypes.cast(self._callback, ctypes.c_void_p).value
        assert address is not None
        self._address = address

    def __call__(self, *arguments: Any) -> Any:
        self._kept.raise_kept()
        return self._function(*arguments)

    def __wrapper_address__(self) -> int:
        """Asked for by Numba each time that the rule is handed to a compiled function: a border where errors can be raised."""
        self._kept.raise_kept()
        return self._address

    def signature(self) -> Any:
        return self._signature

    def raise_kept_error(self) -> None:
        self._kept.raise_kept()

    def _answer(self, *words: int) -> int:
        """What compiled code calls. Everything is caught, Ctrl-C too: what ctypes does with an exception is to lose it."""
        try:
            if self._kept.error is None:
                return int(self._function(*self._arguments(words)) or 0)
        except BaseException as error:
            self._kept.keep(error)
        return self._harmless(*self._arguments(words))


@dataclass(frozen=True)
class WrappedRules:
    """The three rules of a game in Python, ready to be a `Game`'s own."""

    legal: WrappedRule
    apply: WrappedRule
    encode: WrappedRule


def wrap_rules(legal: LegalRule, apply: ApplyRule, encode: EncodeRule) -> WrappedRules:
    """Python functions that keep the contract of `rules.py`, with addresses; errors of one silence all three."""
    kept = KeptError()
    return WrappedRules(
        WrappedRule(legal, LEGAL_SIGNATURE, _harmless_legal, kept),
        WrappedRule(apply, APPLY_SIGNATURE, _harmless_apply, kept),
        WrappedRule(encode, ENCODE_SIGNATURE, _harmless_encode, kept),
    )


def raise_kept_error(game: Game) -> None:
    """Raise what the rules of a wrapped game could not raise inside compiled code; other games have no such errors."""
    if isinstance(game.legal, WrappedRule):  # the three rules share what is kept
        game.legal.raise_kept_error()


def _harmless_legal(state: State, actions: Actions) -> int:
    if state[0] & OUTCOME_MASK != GOING_ON:
        return 0
    actions[0] = 0
    return 1


def _harmless_apply(state: State, action: int, next_state: State) -> int:
    next_state[:] = state
    next_state[0] = (state[0] ^ TURN_BIT) & ~OUTCOME_MASK | DRAW
    return int(DRAW)


def _harmless_encode(state: State, planes: Planes) -> int:
    planes[:] = 0
    return 0


def _word_count(kind: Any) -> int:
    """How many arguments a value of this Numba type becomes: every word of an array is one."""
    return SHAPE_WORD + 2 * kind.ndim if isinstance(kind, types.Array) else 1


def _argument_reader(kinds: tuple[Any, ...]) -> Callable[[tuple[int, ...]], list[Any]]:
    """Turns the words of one call back into its arguments: integers, and arrays over the caller's memory."""
    plan: list[tuple[int, int, np.dtype[Any]] | tuple[int, None, None]] = []  # first word, axes, type of an item
    first = 0
    for kind in kinds:
        plan.append((first, kind.ndim, as_dtype(kind.dtype)) if isinstance(kind, types.Array) else (first, None, None))
        first += _word_count(kind)

    def read(words: tuple[int, ...]) -> list[Any]:
        arguments: list[Any] = []
        for first, axes, dtype in plan:
            if axes is None:
                arguments.append(words[first])
                continue
            size = words[first + 2] * words[first + 3]  # items · bytes of an item
            memory: Any = (ctypes.c_char * size).from_address(words[first + DATA_WORD])
            shape = words[first + SHAPE_WORD : first + SHAPE_WORD + axes]
            arguments.append(np.frombuffer(memory, dtype).reshape(shape))  # contiguous, as the signatures say
        return arguments

    return read
