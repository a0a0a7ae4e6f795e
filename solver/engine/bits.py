"""Sets of cards as bits of an int64, and what the kernels count in them. Knows nothing of games.

A set of cards is one int64, bit ``c`` for card ``c``; the cards of rank ``r`` are the four bits from ``4 * r``.
52 bits never reach the sign, so plain signed arithmetic is safe (mixing in uint64 would turn into floats).
"""

from typing import Any

from llvmlite import ir
from numba import config as _numba_config
from numba import njit, types
from numba.core.extending import intrinsic

from solver.engine.jit import bare_kernel

RANK_MASK = 15
"""The four bits of a rank, to be shifted by ``4 * rank``."""

_config: Any = _numba_config  # its attributes are made at run time

if _config.DISABLE_JIT:

    def popcount(bits: int) -> int:
        """Number of cards in a set."""
        return int(bits).bit_count()

    def lowest(bits: int) -> int:
        """The lowest card of a set that is not empty."""
        return (int(bits) & -int(bits)).bit_length() - 1

else:

    @intrinsic
    def _ctpop(_typing_context: Any, _bits: Any) -> Any:
        def codegen(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
            return builder.ctpop(args[0])

        return types.int64(types.int64), codegen

    @intrinsic
    def _cttz(_typing_context: Any, _bits: Any) -> Any:
        def codegen(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
            return builder.cttz(args[0], ir.Constant(ir.IntType(1), 1))

        return types.int64(types.int64), codegen

    @njit(inline="always")
    def popcount(bits: int) -> int:
        """Number of cards in a set."""
        return _ctpop(bits)  # type: ignore[call-arg]

    @njit(inline="always")
    def lowest(bits: int) -> int:
        """The lowest card of a set that is not empty."""
        return _cttz(bits)  # type: ignore[call-arg]


@bare_kernel
def count4(bits: int) -> int:
    """Number of bits in a set of at most four."""
    return (0x4332322132212110 >> (4 * bits)) & 7


@bare_kernel
def counts4(cards: int) -> int:
    """Number of cards of each rank in a set, in the four bits from ``4 * rank``."""
    pairs = cards - (cards >> 1 & 0x5555555555555)
    return (pairs & 0x3333333333333) + (pairs >> 2 & 0x3333333333333)


@bare_kernel
def cards_of(ranks: int) -> int:
    """The cards of a set of ranks, bit r for rank r."""
    cards = 0
    while ranks:
        cards |= RANK_MASK << (4 * lowest(ranks))
        ranks &= ranks - 1
    return cards
