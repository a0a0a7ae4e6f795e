"""A clock that kernels can read."""

import sys
import time
from typing import Any

from llvmlite import ir
from numba import config as _numba_config
from numba import njit, types
from numba.core.extending import intrinsic

_config: Any = _numba_config  # its attributes are made at run time

HAS_CLOCK = sys.platform != "win32"
"""Whether ``now`` tells the time. Elsewhere it says 0, and whoever wants times has to measure outside of kernels."""

_MONOTONIC = 6 if sys.platform == "darwin" else 1  # CLOCK_MONOTONIC of the system's time.h

if _config.DISABLE_JIT:

    def now() -> float:
        """Seconds since some moment."""
        return time.monotonic()

elif HAS_CLOCK:

    @intrinsic
    def _clock_gettime(_typing_context: Any) -> Any:
        def codegen(_context: Any, builder: Any, _signature: Any, _args: Any) -> Any:
            word = ir.IntType(64)
            timespec = ir.LiteralStructType([word, word])
            kind = ir.FunctionType(ir.IntType(32), [ir.IntType(32), timespec.as_pointer()])
            name = "clock_gettime"
            function = builder.module.globals.get(name) or ir.Function(builder.module, kind, name)
            spec = builder.alloca(timespec)
            builder.call(function, [ir.Constant(ir.IntType(32), _MONOTONIC), spec])
            seconds, nanoseconds = (
                builder.sitofp(
                    builder.load(
                        builder.gep(spec, [ir.Constant(ir.IntType(32), 0), ir.Constant(ir.IntType(32), place)])
                    ),
                    ir.DoubleType(),
                )
                for place in (0, 1)
            )
            return builder.fadd(seconds, builder.fmul(nanoseconds, ir.Constant(ir.DoubleType(), 1e-9)))

        return types.float64(), codegen

    @njit(inline="always")
    def now() -> float:
        """Seconds since some moment."""
        return _clock_gettime()  # type: ignore[call-arg]

else:

    @njit(inline="always")
    def now() -> float:
        """Nothing: this system's clock cannot be read here."""
        return 0.0
