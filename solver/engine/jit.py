"""The two decorators that compile a kernel; ``code_cache`` keeps the machine code for the next run.

Knows nothing of what the kernels do.
"""

from collections.abc import Callable
from typing import Any, TypeVar

import numba
from numba.core.dispatcher import Dispatcher

from solver.engine.code_cache import SafeCache, cache_folder

_config: Any = numba.config  # its attributes are made at run time

Kernel = TypeVar("Kernel", bound=Callable[..., Any])


def kernel(function: Kernel) -> Kernel:
    """Compile a function on its first call, without the GIL, and keep the machine code for the next run."""
    return _compiled(function)


def bare_kernel(function: Kernel) -> Kernel:
    """As ``kernel``, but without numba's memory runtime: arrays are not counted as they are passed about.

    For kernels that call each other a million times a second with a workspace of many arrays: counting their
    references takes most of the time there. Such a kernel cannot make an array, nor copy one onto another by a slice.
    """
    return _compiled(function, _nrt=False)


def part_of_kernel(function: Kernel) -> Kernel:
    """As ``bare_kernel``, for a part of one kernel that has a function of its own to be read by: it is compiled inline.

    A call takes some nanoseconds, and a search makes some million steps a second.
    """
    return _compiled(function, _nrt=False, forceinline=True)


def _compiled(function: Kernel, **options: Any) -> Kernel:
    folder = cache_folder()
    compiled: Any = numba.njit(nogil=True, **options)(function)
    if folder is not None and isinstance(compiled, Dispatcher):
        usual = _config.CACHE_DIR
        _config.CACHE_DIR = str(folder)  # read by the cache as it is made; other numba code shares it
        try:
            setattr(compiled, "_cache", SafeCache(function))  # noqa: B010  # numba's own attribute
        finally:
            _config.CACHE_DIR = usual
    _share_integers(compiled)
    shown: Kernel = compiled
    return shown


def _share_integers(compiled: Any) -> None:
    """Have kernels that call this one share its int64 version, whatever kind of integer or constant they hand over.

    By itself numba compiles a function anew for a constant, a bool and each width of integer; and, below it, all that
    it calls.
    """
    usual = getattr(compiled, "get_call_template", None)
    if usual is None:  # not compiled, with NUMBA_DISABLE_JIT
        return

    def shared(arguments: Any, keywords: Any) -> Any:
        return usual(tuple(map(_widened, arguments)), {name: _widened(kind) for name, kind in keywords.items()})

    compiled.get_call_template = shared


def _widened(kind: Any) -> Any:
    kind = numba.types.unliteral(kind)
    fits = isinstance(kind, numba.types.Boolean) or (
        isinstance(kind, numba.types.Integer) and kind != numba.types.uint64
    )
    return numba.types.int64 if fits else kind
