"""What one thread's quota searches work with: tables, settings and the heuristic. See docs/search.md, section 4.

Knows nothing of the order of the search.
"""

from typing import Any, NamedTuple

import numpy as np

from solver.engine.bits import lowest, popcount
from solver.engine.classes.board import STATE, new_record, scatter
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

SETTINGS = {
    # The heuristic's weights in hundredths, lower is better; tuned by benchmarks/tune.py
    "weight_live": 600,  # a card not founded
    "weight_bad": 476,  # a bad bond
    "weight_over_lower": 120,  # a card with a lower one somewhere below it
    "weight_on_next": 97,  # a card on the next one of a foundation
    "weight_on_second": 100,  # a card on the next but one
    "weight_spare": 554,  # a spare space, taken off
    "weight_king": 148,  # a pile with a King at the bottom, taken off
    # The schedule of docs/search.md, section 5
    "first_budget": 400,  # classes of the first exact search
    "budget_growth": 8,
    "rung_share": 50,  # hundredths of the exact search's budget that each rung gets
    "rung_quota": 64,
    "quota_growth": 4,
    "highest_rung": 11,
    "lowest_rung": 8,
    "children_base": 4,  # results of one step that are looked at, as they share a skeleton: a base,
    "children_a_quota": 1,  # and so many a quota
    "prune_from": 2,  # an exact search passes over classes lost on a rung from this round on, if spaces take any card,
    "prune_from_else": 3,  # and if they do not: there the unpruned searches end with it,
    "plain_rounds": 4,  # elsewhere after so many rounds
    "prune_share": 50,  # hundredths of the plain search's budget that the pruned one gets beside it
    "prune_highest": 8,  # the rung of the first pruned search where spaces do not take any card; one lower each round,
    "prune_lowest": 6,  # down to this, which it is everywhere else
    "prune_cap": 2000,  # classes of the rung that are opened for one verdict
    "light_from": 4,  # the round from which the search that was not pruned goes on, pruned lightly: by a high rung,
    "light_rung": 10,  # this one,
    "light_share": 12,  # with so many hundredths of the budget
}
"""What a search is set to, by name: the fields of ``Workspace.settings``."""

SETTINGS_LAYOUT = np.dtype([(name, np.int64) for name in SETTINGS], align=True)

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
    state: Any
    child: Any
    steps: Any
    commits: Any
    pending: Successors
    skeletons: Skeletons


def new_settings() -> Any:
    """A record of SETTINGS_LAYOUT with the values of SETTINGS."""
    settings = new_record(SETTINGS_LAYOUT)
    for name, value in SETTINGS.items():
        settings[name] = value
    return settings


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
    ranks = board.ranks
    over_lower = 0
    kings = 0
    bottoms = state.bottom
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
        weights.weight_live * popcount(state.live)
        + weights.weight_bad * popcount(state.bad)
        + weights.weight_over_lower * over_lower
        - weights.weight_spare * state.spare
        - weights.weight_king * kings
    )
    for suit in range(4):
        rank = founded[suit]
        if rank < ranks:
            card = rider[4 * rank + suit]
            while card >= 0:
                value += weights.weight_on_next
                card = rider[card]
            if rank + 1 < ranks:
                card = rider[4 * rank + 4 + suit]
                while card >= 0:
                    value += weights.weight_on_second
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
