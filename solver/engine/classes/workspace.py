"""The memory that one thread's searches of classes use: tables, stack, line and counts. See docs/search.md, section 4.

Knows nothing of the order of the search.
"""

from typing import Any, NamedTuple

import numpy as np

from solver.engine.classes.board import STATE, new_record, scatter
from solver.engine.classes.commits import COMMITS, Successors, new_successors
from solver.engine.classes.settings import new_settings
from solver.engine.classes.skeletons import Skeletons, new_skeletons
from solver.engine.classes.steps import STEPS
from solver.engine.jit import bare_kernel

STAMP_SHIFT = 36
"""Bits of the last key word that the key itself uses; the table keeps the iteration's stamp above them."""
LAST_STAMP = (1 << 26) - 1

MAX_PATH = 1 << 16
"""Longest line of classes: some hundred irreversible steps; relocations make it longer, on hard deals by thousands."""
MAX_SUCCESSORS = 1 << 16
"""Results of one step, settling included, that are kept until they are looked at."""
FIRST_TABLE_BITS = 11


# What an iteration can end with, beside the words of `result`
CUT = 10
"""Everything within the quota was seen, but the quota refused some class."""
SPENT = 11
"""The budget of this phase ran out."""
FULL = 12
"""The table or the stack is full."""

COUNTS = np.dtype(
    [
        # Of the whole search
        ("nodes", np.int64),  # classes opened, those of rungs and images among them
        ("node_limit", np.int64),  # where the present phase ends
        ("iterations", np.int64),
        ("quota", np.int64),  # of the last iteration
        ("phase_rung", np.int64),  # the rung that decides: 0 the game itself, the number of ranks the relaxed game
        ("pruned", np.int64),  # classes passed over because their image is lost
        ("deepest", np.int64),  # longest line of classes
        ("line", np.int64),  # length of the winning line, the rows of `path` that it takes
        ("moves_saved", np.int64),  # by `line.trim`
        # The table of classes
        ("table_stamp", np.int64),
        ("table_bits", np.int64),  # the part in use has two to the power of this many slots
        ("table_used", np.int64),
        # The stack of classes to open
        ("top", np.int64),
        # The present iteration
        ("refused", np.int64),  # 1 once the quota has refused a class
        ("overflowed", np.int64),  # 1 once something did not fit
        # The images, see `quota.images`
        ("visits", np.int64),
        ("first_visit", np.int64),
        ("n_images", np.int64),
        ("n_visited", np.int64),
    ],
    align=True,
)
"""What a search counts."""


SCHEDULE = np.dtype(
    [
        ("round_number", np.int64),  # from 0
        ("budget", np.int64),  # classes that the round's plain exact search may open
        # The quotas that the exact searches go on with; 0 where more of them would be the same again
        ("plain_quota", np.int64),
        ("pruned_quota", np.int64),
        ("top_rung", np.int64),  # the highest rung that is not known to be won
        ("more_helps", np.int64),  # whether another round can decide what this one has not
    ],
    align=True,
)
"""Where a search is in the order of its phases; see `quota.schedule`."""


class Workspace(NamedTuple):
    """Everything that one thread's searches use, allocated once.

    Attributes
    ----------
    table
        int64[2**k, 3]: keys of the classes opened, open addressing; stamped with the iteration, never cleared.
    images
        int64[2**k, 3]: keys of classes of the pruning rung met in this deal, with their verdicts; see ``images``.
    visited
        int64[2**k]: slots of ``images`` that the present exploration has visited and not yet proved.
    stack
        int64[n, 5]: classes to open: three key words, the skeleton, depth and heuristic (``depth << 32 | h``).
    path
        int64[MAX_PATH, 6]: the line of classes being followed, key and skeleton; then two columns of ``images`` about
        the line of images being explored.
    counts
        COUNTS.
    settings
        SETTINGS_LAYOUT, filled with SETTINGS.
    schedule
        SCHEDULE.
    state, child
        STATE: the class that is opened, and the one that is entered.
    steps, commits
        STEPS and COMMITS, see ``commits``.
    pending
        Results of a step that are still to be entered.
    """

    table: np.ndarray
    images: np.ndarray
    visited: np.ndarray
    stack: np.ndarray
    path: np.ndarray
    counts: Any
    settings: Any
    schedule: Any
    state: Any
    child: Any
    steps: Any
    commits: Any
    pending: Successors
    skeletons: Skeletons


def new_workspace(max_memory: int) -> Workspace:
    """A workspace that fits in ``max_memory`` bytes."""
    table_bits = FIRST_TABLE_BITS  # the searches begin with that much of it
    while 24 << (table_bits + 1) <= max_memory // 2:
        table_bits += 1
    skeleton_bits = 10
    while 40 << (skeleton_bits + 1) <= max_memory // 6:
        skeleton_bits += 1
    return Workspace(
        np.zeros((1 << table_bits, 3), np.int64),
        np.zeros((1 << max(10, table_bits - 2), 3), np.int64),
        np.zeros(1 << max(10, table_bits - 2), np.int64),
        np.zeros((max(1 << 14, max_memory // 6 // 40), 5), np.int64),
        np.zeros((MAX_PATH, 6), np.int64),
        new_record(COUNTS),
        new_settings(),
        new_record(SCHEDULE),
        new_record(STATE),
        new_record(STATE),
        new_record(STEPS),
        new_record(COMMITS),
        new_successors(MAX_SUCCESSORS),
        new_skeletons(min(skeleton_bits, 22)),
    )


@bare_kernel
def find(table, bits, stamp, key0, key1, key2):
    """The slot of a key: its own if this iteration has entered it (then >= 0), else -1 - the slot to enter it in."""
    mask = (1 << bits) - 1
    slot = scatter(key0, key1, key2) & mask
    marked = key2 | stamp << STAMP_SHIFT
    while table[slot, 2] >> STAMP_SHIFT == stamp:
        if table[slot, 0] == key0 and table[slot, 1] == key1 and table[slot, 2] == marked:
            return slot
        slot = (slot + 1) & mask
    return -1 - slot


@bare_kernel
def children_limit(work):
    """How many classes one step may lead to in this iteration."""
    return min(len(work.pending.keys), work.settings.children_base + work.settings.children_a_quota * work.counts.quota)


@bare_kernel
def forget(work):
    """Empty the table, by a new stamp."""
    counts = work.counts
    if counts.table_stamp == LAST_STAMP:
        work.table[:, 2] = 0
        counts.table_stamp = 0
    counts.table_stamp += 1
    counts.table_used = 0


@bare_kernel
def enter_new(work, slot, key0, key1, key2):
    """Enter a key into an empty slot of the table."""
    entry = work.table[slot]
    entry[0], entry[1] = key0, key1
    entry[2] = key2 | work.counts.table_stamp << STAMP_SHIFT
    work.counts.table_used += 1


@bare_kernel
def sort_stack(stack, first, end):
    """Sort stack entries of one depth by falling heuristic value (Shell's method; equal values keep no order)."""
    gap = 1
    while gap < (end - first) // 3:
        gap = 3 * gap + 1
    while gap > 0:
        for i in range(first + gap, end):
            e0, e1, e2, e3, e4 = stack[i, 0], stack[i, 1], stack[i, 2], stack[i, 3], stack[i, 4]
            j = i
            while j >= first + gap and stack[j - gap, 4] < e4:
                for k in range(5):
                    stack[j, k] = stack[j - gap, k]
                j -= gap
            stack[j, 0], stack[j, 1], stack[j, 2], stack[j, 3], stack[j, 4] = e0, e1, e2, e3, e4
        gap //= 3
