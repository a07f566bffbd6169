"""How rules and search are compiled: Numba, once, cached on disk, without the GIL."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
from numba.core.typeinfer import register_dispatcher

from boardzero.games.compiled_cache import CompiledCache

Function = TypeVar("Function", bound=Callable[..., Any])

config: Any = numba.config


def compiled(signature: Any = None) -> Callable[[Function], Function]:
    """Compile a function: with a signature at once (so that it can be passed on as a value), without one on first use.

    Division by zero gives infinity as in NumPy: compiled rules must not raise.
    """
    return _compile_with(signature)


def compiled_without_allocation(signature: Any = None) -> Callable[[Function], Function]:
    """The same for code that never makes an array: what it is given is not reference-counted, and helpers are inlined.

    The search is written so; passing its many arrays from function to function would cost several times the work itself.
    """
    return _compile_with(signature, _nrt=False, forceinline=signature is None)


def _compile_with(signature: Any, **options: Any) -> Callable[[Function], Function]:
    def decorate(function: Function) -> Function:
        if config.DISABLE_JIT:
            return function
        dispatcher: Any = numba.njit(nogil=True, error_model="numpy", **options)(function)
        if Path(function.__code__.co_filename).is_file():  # what is typed into a notebook has none
            dispatcher._cache = CompiledCache(function)
        if signature is not None:
            with register_dispatcher(dispatcher):  # so that it can call itself
                dispatcher.compile(signature)
            dispatcher.disable_compile()
        return cast(Function, dispatcher)

    return decorate
