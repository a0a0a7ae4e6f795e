"""What one thread's quota searches work with: tables, settings and the heuristic. See docs/search.md, section 4.

Knows nothing of the order of the search.
"""

from typing import Any, NamedTuple

import numpy as np

from solver.engine.bits import lowest, popcount
from solver.engine.classes.board import BAD, BOTTOM, LIVE, RANKS, SPARE, STATE, new_record, scatter
from solver.engine.classes.commits import COMMITS, STEPS, Successors, new_successors
from solver.engine.classes.skeletons import Skeletons, new_skeletons
from solver.engine.jit import bare_kernel

STAMP_SHIFT = 36
"""Bits of the last key word that the key itself uses; the table keeps the iteration's stamp above them."""
LAST_STAMP = (1 << 26) - 1

MAX_PATH = 1 << 16
"""Longest line of classes: some hundred irreversible steps; relocations make it longer, on hard deals by thousands."""
MAX_SUCCESSORS = 1 << 16
"""Results of one step, settling included, that are kept until they are looked at."""
FIRST_TABLE_BITS = 11

# Fields of Workspace.settings, and what they are set to: the heuristic's weights in hundredths (lower is better), then
# the schedule of docs/search.md, section 5. Tuned by benchmarks/tune.py.
W_LIVE, W_BAD, W_OVER_LOWER, W_ON_NEXT, W_ON_SECOND, W_SPARE, W_KING = 0, 1, 2, 3, 4, 5, 6
FIRST_BUDGET, BUDGET_GROWTH, RUNG_SHARE, QUOTA_GROWTH, HIGHEST_RUNG, LOWEST_RUNG = 7, 8, 9, 10, 11, 12
CHILDREN_BASE, CHILDREN_A_QUOTA, PRUNE_FROM, PRUNE_FROM_ELSE, PLAIN_ROUNDS = 13, 14, 15, 16, 17
PRUNE_HIGHEST, PRUNE_LOWEST, PRUNE_CAP, PRUNE_SHARE, RUNG_QUOTA = 18, 19, 20, 21, 22
LIGHT_FROM, LIGHT_RUNG, LIGHT_SHARE = 23, 24, 25
SETTINGS = {
    W_LIVE: 600,  # a card not founded
    W_BAD: 476,  # a bad bond
    W_OVER_LOWER: 120,  # a card with a lower one somewhere below it
    W_ON_NEXT: 97,  # a card on the next one of a foundation
    W_ON_SECOND: 100,  # a card on the next but one
    W_SPARE: 554,  # a spare space, taken off
    W_KING: 148,  # a pile with a King at the bottom, taken off
    FIRST_BUDGET: 400,  # classes of the first exact search
    BUDGET_GROWTH: 8,
    RUNG_SHARE: 50,  # hundredths of the exact search's budget that each rung gets
    RUNG_QUOTA: 64,
    QUOTA_GROWTH: 4,
    HIGHEST_RUNG: 11,
    LOWEST_RUNG: 8,
    CHILDREN_BASE: 4,  # results of one step that are looked at, as they share a skeleton: a base,
    CHILDREN_A_QUOTA: 1,  # and so many a quota
    PRUNE_FROM: 2,  # the round from which an exact search passes over classes lost on a rung, if spaces take any card,
    PRUNE_FROM_ELSE: 3,  # and if they do not: there the unpruned searches end with it,
    PLAIN_ROUNDS: 4,  # elsewhere after so many rounds
    PRUNE_SHARE: 50,  # hundredths of the plain search's budget that the pruned one gets beside it
    PRUNE_HIGHEST: 8,  # the rung of the first pruned search where spaces do not take any card; one lower each round,
    PRUNE_LOWEST: 6,  # down to this, which it is everywhere else
    PRUNE_CAP: 2000,  # classes of the rung that are opened for one verdict
    LIGHT_FROM: 4,  # the round from which the search that was not pruned goes on, pruned lightly: by a high rung,
    LIGHT_RUNG: 10,  # this one,
    LIGHT_SHARE: 12,  # with so many hundredths of the budget
}

# What an iteration can end with, beside the words of `result`
CUT = 10
"""Everything within the quota was seen, but the quota refused some class."""
SPENT = 11
"""The budget of this phase ran out."""
FULL = 12
"""The table or the stack is full."""

# Fields of Workspace.counts
NODES, TABLE_STAMP, TABLE_BITS, TABLE_USED, TOP, LINE, REFUSED, OVERFLOWED, NODE_LIMIT = 0, 1, 2, 3, 4, 5, 6, 7, 8
QUOTA, PHASE_RUNG, ITERATIONS, PRUNED, DEEPEST, VISITS, MOVES_SAVED = 9, 10, 11, 12, 13, 14, 15
N_IMAGES, N_VISITED, FIRST_VISIT = 16, 17, 18
N_COUNTS = 19


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
        int64[N_COUNTS]: see the field names above.
    settings
        int64[n]: SETTINGS, by number.
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
    counts: np.ndarray
    settings: np.ndarray
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
        np.zeros(N_COUNTS, np.int64),
        np.array([SETTINGS[i] for i in range(len(SETTINGS))], np.int64),
        new_record(STATE),
        new_record(STATE),
        new_record(STEPS),
        new_record(COMMITS),
        new_successors(MAX_SUCCESSORS),
        new_skeletons(min(skeleton_bits, 22)),
    )


@bare_kernel
def evaluate(board, state, weights):
    """The heuristic value of a class by its canonical member, lower is better; -1 if no card lies on a lower one.

    Where no card lies on one of lower rank, the lowest card is always on top: won.
    """
    rider, founded = state.rider, state.founded
    ranks = board.game[RANKS]
    over_lower = 0
    kings = 0
    bottoms = state.sets[BOTTOM]
    while bottoms:
        card = lowest(bottoms)
        bottoms &= bottoms - 1
        least = card >> 2
        if least == ranks - 1:
            kings += 1
        card = rider[card]
        while card >= 0:
            rank = card >> 2
            if rank > least:
                over_lower += 1
            else:
                least = rank
            card = rider[card]
    if over_lower == 0:
        return -1
    value = (
        weights[W_LIVE] * popcount(state.sets[LIVE])
        + weights[W_BAD] * popcount(state.sets[BAD])
        + weights[W_OVER_LOWER] * over_lower
        - weights[W_SPARE] * state.levels[SPARE]
        - weights[W_KING] * kings
    )
    for suit in range(4):
        rank = founded[suit]
        if rank < ranks:
            card = rider[4 * rank + suit]
            while card >= 0:
                value += weights[W_ON_NEXT]
                card = rider[card]
            if rank + 1 < ranks:
                card = rider[4 * rank + 4 + suit]
                while card >= 0:
                    value += weights[W_ON_SECOND]
                    card = rider[card]
    return max(value + 100_000, 0)


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
    return min(
        len(work.pending.keys), work.settings[CHILDREN_BASE] + work.settings[CHILDREN_A_QUOTA] * work.counts[QUOTA]
    )


@bare_kernel
def forget(work):
    """Empty the table, by a new stamp."""
    counts = work.counts
    if counts[TABLE_STAMP] == LAST_STAMP:
        work.table[:, 2] = 0
        counts[TABLE_STAMP] = 0
    counts[TABLE_STAMP] += 1
    counts[TABLE_USED] = 0


@bare_kernel
def enter_new(work, slot, key0, key1, key2):
    """Enter a key into an empty slot of the table."""
    entry = work.table[slot]
    entry[0], entry[1] = key0, key1
    entry[2] = key2 | work.counts[TABLE_STAMP] << STAMP_SHIFT
    work.counts[TABLE_USED] += 1


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
