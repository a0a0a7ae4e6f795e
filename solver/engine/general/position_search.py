"""The general engine: every rule set, by depth-first search on positions. Its node is a position opened.

Iterations: each opens depth first, the most promising move first, at most ``quota`` positions of any one
skeleton (what irreversible moves have left: foundations and bad bonds), and every position at most once.
An iteration that refused no position for its quota has opened everything that can be reached: lost, proved.
Else the next one has a larger quota. ``docs/general.md`` says why, with figures.
"""

from typing import Any

import numpy as np

from solver.engine import result
from solver.engine.general.play import (
    MOST_MOVES,
    MOST_STEPS,
    found_all,
    found_safe,
    is_won_early,
    list_moves,
    play,
    take_back,
)
from solver.engine.general.polish import moves_of, shortest_nearby
from solver.engine.general.state import AUTO, HOST, KEY, NONE, SKELETON, code_of, pack
from solver.engine.general.visited import FULL, copy_into, find
from solver.engine.jit import kernel
from solver.engine.result import SearchResult
from solver.position import Move, Position
from solver.rules import Rules

FIRST_QUOTA = 8
QUOTA_GROWTH = 8

_SLICE = 1 << 15
"""Positions opened, or rows copied, between two looks at the abort flag: some 20 ms."""

_COUNTERS = 1 << 16
"""Skeleton counters. Two skeletons that share one share a quota, which can only cost time."""

# Slots of `progress`, an int64 array: where the search stands between two slices.
_NODES = 0  # positions opened, all iterations together
_QUOTA = 1
_CUT = 2  # whether this iteration refused a position
_DEPTH = 3  # frames in use
_PENDING = 4  # moves waiting in all frames
_TRAIL = 5  # length of the trail
_KNOWN = 6  # positions in the table
_PROGRESS = 7

_FIRST_ROWS = 1 << 14
"""Rows of the first table: most deals need no larger one, and it fits the processor's cache."""

_FIRST_STACK = 1 << 12
"""Entries of the first stacks."""

_TABLE_GROWTH = 4
"""How many times larger a full table becomes where memory allows."""

_LEAST_TABLE_GROWTH = 1.25
"""Less is not worth the copying: the memory has run out."""

_NEEDS_ROOM = 100
"""A slice's status when the table or a stack is nearly full."""


@kernel
def _open(
    state: np.ndarray,
    table: np.ndarray,
    counters: np.ndarray,
    progress: np.ndarray,
) -> bool:
    """Enter the position in the table and count it; False if it is known or its skeleton's quota is spent."""
    row = find(table, state[KEY], state[KEY + 1], state[KEY + 2])
    if row >= 0:
        return False
    counter = state[SKELETON] & (counters.shape[0] - 1)
    if counters[counter] >= progress[_QUOTA]:
        progress[_CUT] = 1
        return False
    counters[counter] += 1
    row = -1 - row
    for word in range(3):
        table[row, word] = state[KEY + word]
    progress[_KNOWN] += 1
    progress[_NODES] += 1
    return True


@kernel
def _drop_known(state: np.ndarray, table: np.ndarray, moves: np.ndarray, count: int) -> int:
    """Drop those of ``count`` moves that lead to positions in the table; the number of those left.

    Only to save time, as all look-ups of a position stand together and the processor can wait for their memory
    at once. It looks at the card's own step alone. Where foundings follow it, the position in between can be
    in the table only if they are automatic; then it was opened, and the founding is among its own moves.
    """
    kept = 0
    for index in range(count):
        card = moves[index] & 63
        place = moves[index] >> 6
        old = state[HOST + card]
        change = (code_of(card, place) - code_of(card, old)) << 3 * (card // 3)
        word = card % 3
        row = find(
            table,
            state[KEY] + (change if word == 0 else 0),
            state[KEY + 1] + (change if word == 1 else 0),
            state[KEY + 2] + (change if word == 2 else 0),
        )
        if row < 0:
            moves[kept] = moves[index]
            kept += 1
    return kept


@kernel
def _run(
    state: np.ndarray,
    table: np.ndarray,
    counters: np.ndarray,
    frames: np.ndarray,
    pending: np.ndarray,
    trail: np.ndarray,
    values: np.ndarray,
    progress: np.ndarray,
    until: int,
) -> int:
    """Search on from where ``progress`` stands until ``until`` positions are opened in all.

    A frame is one opened position on the way from the root: where its moves begin in ``pending`` (the next
    one to try is the last) and the trail's length on arriving there. All arrays are changed in place.

    Parameters
    ----------
    state
        int64 array of ``LENGTH``: the position of the uppermost frame, or the root while there is no frame.
    table
        int64 array of shape (size, 3): the positions opened in this iteration.
    counters
        int32 array: how many of them by skeleton.
    frames
        int64 array of shape (depth, 2).
    pending, trail, values
        int64 arrays.

    Returns
    -------
    int
        ``WON`` (the trail is the line), ``LOST`` (the iteration is over: a proof unless ``progress`` says
        that something was cut), ``RUNNING``, or ``_NEEDS_ROOM``.
    """
    full = int(table.shape[0] * FULL)
    while True:
        depth = progress[_DEPTH]
        mark = progress[_TRAIL]
        if depth > 0 and progress[_PENDING] == frames[depth - 1, 0]:
            before = frames[depth - 1, 1]
            take_back(state, trail, mark, before)
            progress[_TRAIL] = before
            progress[_DEPTH] = depth - 1
            if depth == 1:
                return result.LOST
            # Much of what waits in the frame below has become known meanwhile.
            begin = frames[depth - 2, 0]
            moves = pending[begin:]
            progress[_PENDING] = begin + _drop_known(state, table, moves, progress[_PENDING] - begin)
            continue
        if progress[_NODES] >= until:
            return result.RUNNING
        if (
            progress[_KNOWN] >= full
            or depth >= frames.shape[0]
            or progress[_PENDING] + MOST_MOVES > pending.shape[0]
            or mark + MOST_STEPS > trail.shape[0]
        ):
            return _NEEDS_ROOM
        if depth > 0:
            progress[_PENDING] -= 1
            move = pending[progress[_PENDING]]
            progress[_TRAIL] = play(state, trail, mark, move & 63, move >> 6)
        elif not state[AUTO]:
            progress[_TRAIL] = found_safe(state, trail, mark)
        if not _open(state, table, counters, progress):
            take_back(state, trail, progress[_TRAIL], mark)
            progress[_TRAIL] = mark
            continue
        if is_won_early(state):
            progress[_TRAIL] = found_all(state, trail, progress[_TRAIL])
            return result.WON
        frames[depth, 0] = progress[_PENDING]
        frames[depth, 1] = mark
        progress[_DEPTH] = depth + 1
        # Moving the same card on once more is left out: docs/general.md, "Moving a card twice".
        last = trail[mark] & 63 if progress[_TRAIL] == mark + 1 and not state[AUTO] else NONE
        moves = pending[progress[_PENDING] :]
        progress[_PENDING] += _drop_known(state, table, moves, list_moves(state, last, moves, values))


def search(
    position: Position,
    rules: Rules,
    *,
    max_nodes: int,
    max_memory: int,
    abort: np.ndarray | None = None,
) -> SearchResult:
    """Search a position for a win.

    Parameters
    ----------
    position
        A position without problems and with all its piles, the empty ones too. A card may be due to go up.
    rules
        Any rule set.
    max_nodes
        Most positions to open, all iterations together.
    max_memory
        Most bytes for the table and the stacks.
    abort
        uint8 array of one element; when another thread sets it, the search ends within a moment.
    """
    due: list[Move] = []
    while position.uncovered is not None:
        due.extend(position.legal_moves(rules))
        position = position.apply(due[-1], rules)
    store = _Store(pack(position, rules))
    store.begin(FIRST_QUOTA)
    iterations = 1
    status = result.RUNNING if store.bytes() <= max_memory else result.OUT_OF_MEMORY
    while status == result.RUNNING:
        status = store.run(min(store.nodes() + _SLICE, max_nodes))
        if status == result.LOST and store.progress[_CUT]:
            store.begin(int(store.progress[_QUOTA]) * QUOTA_GROWTH)
            iterations += 1
            status = result.RUNNING
        elif status == _NEEDS_ROOM:
            status = store.grow(max_memory, abort)
        elif status == result.RUNNING and store.nodes() >= max_nodes:
            status = result.OUT_OF_NODES
        if status == result.RUNNING and _is_raised(abort):
            status = result.ABORTED
    trace: dict[str, Any] = {
        "decided by": "exact search" if status in (result.WON, result.LOST) else "nothing",
        "iterations": iterations,
        "last quota": int(store.progress[_QUOTA]),
        "positions": store.nodes(),
    }
    moves: tuple[Move, ...] = ()
    if status == result.WON:
        line = store.line()
        shorter = shortest_nearby(pack(position, rules), line, 0, abort)
        trace |= {"winning line": len(due) + len(line), "moves saved": len(line) - len(shorter)}
        moves = (*due, *moves_of(position, rules, shorter))
    return SearchResult(status, store.nodes(), moves, trace)


def _is_raised(abort: np.ndarray | None) -> bool:
    return abort is not None and bool(abort[0])


class _Store:
    """The arrays of one search, and their growth within the memory budget."""

    def __init__(self, state: np.ndarray) -> None:
        self.state = state
        self.table = np.zeros((_FIRST_ROWS, 3), np.int64)
        self.counters = np.zeros(_COUNTERS, np.int32)
        self.frames = np.zeros((_FIRST_STACK, 2), np.int64)
        self.pending = np.zeros(_FIRST_STACK, np.int64)
        self.trail = np.zeros(_FIRST_STACK, np.int64)
        self.values = np.zeros(MOST_MOVES, np.int64)
        self.progress = np.zeros(_PROGRESS, np.int64)

    def run(self, until: int) -> int:
        """Search until ``until`` positions are opened in all; ``_run`` says how it can end."""
        return _run(
            self.state,
            self.table,
            self.counters,
            self.frames,
            self.pending,
            self.trail,
            self.values,
            self.progress,
            until,
        )

    def begin(self, quota: int) -> None:
        """Begin an iteration; the state is the root, no frame is in use."""
        self.table.fill(0)
        self.counters.fill(0)
        nodes = self.progress[_NODES]
        self.progress.fill(0)
        self.progress[_NODES] = nodes
        self.progress[_QUOTA] = quota

    def line(self) -> np.ndarray:
        """The trail as rows of a card and its new place."""
        trail = self.trail[: self.progress[_TRAIL]]
        return np.stack([trail & 63, trail >> 12], axis=1)

    def nodes(self) -> int:
        """Positions opened so far, in all iterations together."""
        return int(self.progress[_NODES])

    def grow(self, max_memory: int, abort: np.ndarray | None) -> int:
        """Grow one array that is nearly full: ``RUNNING``, ``OUT_OF_MEMORY`` with nothing done, or ``ABORTED``."""
        left = max_memory - self.bytes()
        if self.progress[_KNOWN] >= int(len(self.table) * FULL):
            rows = min(_TABLE_GROWTH * len(self.table), left // (self.table.itemsize * 3))
            if rows < _LEAST_TABLE_GROWTH * len(self.table):
                return result.OUT_OF_MEMORY
            table = np.zeros((rows, 3), np.int64)
            for first in range(0, len(self.table), _SLICE):
                copy_into(self.table[first : first + _SLICE], table)
                if _is_raised(abort):
                    return result.ABORTED
            self.table = table
            return result.RUNNING
        full = {
            "frames": self.progress[_DEPTH] >= len(self.frames),
            "pending": self.progress[_PENDING] + MOST_MOVES > len(self.pending),
            "trail": self.progress[_TRAIL] + MOST_STEPS > len(self.trail),
        }
        name = next(name for name, is_full in full.items() if is_full)
        stack = getattr(self, name)
        if 2 * stack.nbytes > left:
            return result.OUT_OF_MEMORY
        larger = np.zeros((2 * len(stack), *stack.shape[1:]), stack.dtype)
        larger[: len(stack)] = stack
        setattr(self, name, larger)
        return result.RUNNING

    def bytes(self) -> int:
        """Memory in use."""
        return sum(array.nbytes for array in vars(self).values())
