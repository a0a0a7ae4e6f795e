"""What one thread's quota searches work with: allocated once for a memory budget, and kept for the next search."""

import threading
from typing import Any, NamedTuple

import numpy as np

from solver.engine.classes.board import BOARD, load_board, new_record, pack
from solver.engine.classes.workspace import Workspace, new_workspace
from solver.engine.line.moves import LINE_OF_MOVES
from solver.engine.line.trim import SHORTENING
from solver.errors import InputError
from solver.position import Position
from solver.rules import Rules


class Bench(NamedTuple):
    """The memory of one thread.

    Attributes
    ----------
    work
        Tables, stack, line and counts of the search.
    board
        BOARD: the deal being searched.
    root
        int64[4]: its key and skeleton.
    line
        LINE_OF_MOVES: the moves of a win.
    shortening
        SHORTENING: scratch for making them fewer.
    """

    work: Workspace
    board: Any
    root: np.ndarray
    line: Any
    shortening: Any


_kept = threading.local()


def bench(max_memory: int) -> Bench:
    """This thread's bench for a memory budget in bytes, as its last search has left it.

    Raises
    ------
    InputError
        If the machine does not have so much memory.
    """
    if getattr(_kept, "max_memory", None) != max_memory:
        _kept.max_memory = _kept.bench = None  # free the old arrays before the new ones are made
        try:
            work = new_workspace(max_memory)
        except MemoryError:
            raise InputError(
                f"this machine does not give a search {max_memory} bytes; take a smaller budget of memory"
            ) from None
        root = np.zeros(4, np.int64)
        _kept.bench = Bench(work, new_record(BOARD), root, new_record(LINE_OF_MOVES), new_record(SHORTENING))
        _kept.max_memory = max_memory
    kept: Bench = _kept.bench
    return kept


def load(position: Position, rules: Rules, max_memory: int) -> Bench:
    """This thread's bench with a position on its board."""
    found = bench(max_memory)
    load_board(pack(position, rules), found.board, found.root)
    return found
