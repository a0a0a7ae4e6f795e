"""What every engine's search returns, and the words for its end."""

from dataclasses import dataclass, field
from typing import Any

from solver.position import Move

RUNNING = 0
"""A kernel's slice ended with work left; never seen outside ``engine``."""
WON = 1
"""A winning line was found."""
LOST = 2
"""Everything was seen, nothing was cut, and no win is there: a proof."""
OUT_OF_NODES = 3
"""Unknown: the node budget ran out."""
OUT_OF_MEMORY = 4
"""Unknown: the memory budget ran out."""
ABORTED = 5
"""Unknown: the caller raised the abort flag."""

WHY_UNKNOWN = {OUT_OF_NODES: "nodes", OUT_OF_MEMORY: "memory", ABORTED: "interrupted"}
"""The word that outputs use for each way of not knowing."""


@dataclass(frozen=True, slots=True)
class SearchResult:
    """How a search ended.

    Attributes
    ----------
    status
        ``WON``, ``LOST``, ``OUT_OF_NODES``, ``OUT_OF_MEMORY`` or ``ABORTED``.
    nodes
        Nodes opened, in the engine's own unit.
    moves
        A winning line, automatic moves included, when won; empty otherwise.
    trace
        How the verdict came about, for ``solve -v``: plain values by name.
    """

    status: int
    nodes: int
    moves: tuple[Move, ...] = ()
    trace: dict[str, Any] = field(default_factory=dict)
