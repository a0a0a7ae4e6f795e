"""The quota search: iterative deepening on the number of classes opened a skeleton, and the ladder of rungs.

See docs/search.md, sections 4 and 5. A node is a class opened, rungs included. Kernels only; ``quota`` is the
wrapper that the rest of the program calls.
"""

from typing import NamedTuple

import numpy as np

from solver.engine.bits import lowest, popcount
from solver.engine.cache import bare_kernel
from solver.engine.classes import (
    FOUND,
    Commits,
    Steps,
    Successors,
    list_steps,
    new_commits,
    new_steps,
    new_successors,
    safe_founding,
    take_step,
)
from solver.engine.levels import N_FIELDS, SPARE, analyze, canonicalize
from solver.engine.packed import (
    BAD,
    BOTTOM,
    LIVE,
    RANKS,
    State,
    decode,
    encode,
    new_state,
)
from solver.engine.result import ABORTED, LOST, OUT_OF_MEMORY, OUT_OF_NODES, WON
from solver.engine.skeleton import (
    RELAXED_LOST,
    Skeletons,
    new_skeletons,
    relaxed_verdict,
    reset_skeletons,
    skeleton_place,
)

STAMP_SHIFT = 36
"""Bits of the last key word that the key itself uses; the table keeps the iteration's stamp above them."""
LAST_STAMP = (1 << 26) - 1

MAX_PATH = 4096
"""Longest line of classes: some hundred irreversible steps; only relocations could make it longer."""
MAX_SUCCESSORS = 1 << 16
"""Results of one step, settling included, that are kept until they are looked at."""
FIRST_TABLE_BITS = 11

# Heuristic, in hundredths: lower is better. Tuned by benchmarks/tune.py.
W_LIVE, W_BAD, W_OVER_LOWER, W_ON_NEXT, W_ON_SECOND, W_SPARE, W_KING = 300, 170, 120, 117, 100, 330, 125

CHILDREN_BASE, CHILDREN_A_QUOTA = 16, 4
"""Classes that one step may lead to in an iteration, as they share a skeleton: a base, and so many a quota."""

# The schedule of docs/search.md, section 5
FIRST_BUDGET = 400
BUDGET_GROWTH = 8
QUOTA_GROWTH = 4
HIGHEST_RUNG = 11
LOWEST_RUNG = 8

# What an iteration can end with, beside the words of `result`
CUT = 10
"""Everything within the quota was seen, but the quota refused some class."""
SPENT = 11
"""The budget of this phase ran out."""
FULL = 12
"""The table or the stack is full."""

# Fields of Workspace.counts
NODES, TABLE_STAMP, TABLE_BITS, TABLE_USED, TOP, LINE, REFUSED, OVERFLOWED, NODE_LIMIT = 0, 1, 2, 3, 4, 5, 6, 7, 8
QUOTA, PHASE_RUNG, ITERATIONS, EXACT_NODES, DEEPEST = 9, 10, 11, 12, 13
N_COUNTS = 16


class Workspace(NamedTuple):
    """Everything that one thread's searches use, allocated once.

    Attributes
    ----------
    table
        int64[2**k, 3]: keys of the classes opened, open addressing; stamped with the iteration, never cleared.
    stack
        int64[n, 5]: classes to open: three key words, the skeleton, depth and heuristic (``depth << 32 | h``).
    path
        int64[MAX_PATH, 4]: the line of classes being followed.
    counts
        int64[16]: see the field names above.
    """

    table: np.ndarray
    stack: np.ndarray
    path: np.ndarray
    counts: np.ndarray
    state: State
    levels: np.ndarray
    child: State
    child_levels: np.ndarray
    steps: Steps
    commits: Commits
    pending: Successors
    skeletons: Skeletons


def new_workspace(max_memory: int) -> Workspace:
    """A workspace that fits in ``max_memory`` bytes."""
    table_bits = 10
    while 24 << (table_bits + 1) <= max_memory // 2:
        table_bits += 1
    skeleton_bits = 10
    while 33 << (skeleton_bits + 1) <= max_memory // 6:
        skeleton_bits += 1
    return Workspace(
        np.zeros((1 << table_bits, 3), np.int64),
        np.zeros((max(1 << 14, max_memory // 6 // 40), 5), np.int64),
        np.zeros((MAX_PATH, 4), np.int64),
        np.zeros(N_COUNTS, np.int64),
        new_state(),
        np.zeros(N_FIELDS, np.int64),
        new_state(),
        np.zeros(N_FIELDS, np.int64),
        new_steps(),
        new_commits(),
        new_successors(MAX_SUCCESSORS),
        new_skeletons(min(skeleton_bits, 22)),
    )


@bare_kernel
def evaluate(board, state, levels):
    """The heuristic value of a class by its canonical member, lower is better; -1 if no card lies on a lower one.

    Where no card lies on one of lower rank, the lowest card is always on top: won.
    """
    rider, founded = state.rider, state.founded
    ranks = board.size[RANKS]
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
        W_LIVE * popcount(state.sets[LIVE])
        + W_BAD * popcount(state.sets[BAD])
        + W_OVER_LOWER * over_lower
        - W_SPARE * levels[SPARE]
        - W_KING * kings
    )
    for suit in range(4):
        rank = founded[suit]
        if rank < ranks:
            card = rider[4 * rank + suit]
            while card >= 0:
                value += W_ON_NEXT
                card = rider[card]
            if rank + 1 < ranks:
                card = rider[4 * rank + 4 + suit]
                while card >= 0:
                    value += W_ON_SECOND
                    card = rider[card]
    return max(value + 100_000, 0)


@bare_kernel
def find(table, bits, stamp, key0, key1, key2):
    """The slot of a key: its own if this iteration has entered it (then >= 0), else -1 - the slot to enter it in."""
    mask = (1 << bits) - 1
    mixed = key0 * -7046029254386353131 + key1 * -4417276706812531889 + key2 * 1609587929392839161
    slot = ((mixed ^ mixed >> 29) * -7046029254386353131 >> 24) & mask
    marked = key2 | stamp << STAMP_SHIFT
    while table[slot, 2] >> STAMP_SHIFT == stamp:
        if table[slot, 0] == key0 and table[slot, 1] == key1 and table[slot, 2] == marked:
            return slot
        slot = (slot + 1) & mask
    return -1 - slot


@bare_kernel
def children_limit(work):
    """How many classes one step may lead to in this iteration."""
    return min(len(work.pending.keys), CHILDREN_BASE + CHILDREN_A_QUOTA * work.counts[QUOTA])


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
def _enter(board, work, rung, depth):
    """Settle the pending successors and push the new ones. Returns 1 if one of them is won, its key on the path."""
    pending, counts, child, levels = work.pending, work.counts, work.child, work.child_levels
    skeletons, stack = work.skeletons, work.stack
    limit = children_limit(work)
    while pending.size[0] > 0:
        pending.size[0] -= 1
        last = pending.keys[pending.size[0]]
        key0, key1, key2, skeleton = last[0], last[1], last[2], last[3]
        decode(key0, key1, key2, board, child)
        analyze(board, child, rung, levels)
        value = evaluate(board, child, levels)
        if value < 0:
            path = work.path[depth]
            path[0], path[1], path[2], path[3] = key0, key1, key2, skeleton
            counts[LINE] = depth + 1
            return 1
        slot = find(work.table, counts[TABLE_BITS], counts[TABLE_STAMP], key0, key1, key2)
        if slot >= 0:
            continue
        card = safe_founding(board, child, levels)
        if card >= 0:
            # Entered as well: many steps and settlings meet in the same unsettled class.
            if 5 * counts[TABLE_USED] >= 4 << counts[TABLE_BITS]:
                counts[OVERFLOWED] = 1
                continue
            enter_new(work, -1 - slot, key0, key1, key2)
            pending.size[2] = min(pending.size[0] + limit, len(pending.keys))
            take_step(board, child, levels, rung, skeleton, FOUND, card, 0, work.commits, pending)
            continue
        if relaxed_verdict(board, skeletons, skeleton) == RELAXED_LOST:
            continue
        if skeleton_place(skeletons, skeleton) < 0:
            counts[OVERFLOWED] = 1
            continue
        if _is_full(work, skeleton):
            counts[REFUSED] = 1
            continue
        top = counts[TOP]
        if top == len(stack):
            counts[OVERFLOWED] = 1
            continue
        entry = stack[top]
        entry[0], entry[1], entry[2], entry[3], entry[4] = key0, key1, key2, skeleton, depth << 32 | value
        counts[TOP] = top + 1
    if pending.size[1]:
        pending.size[1] = 0
        if pending.size[2] < len(pending.keys):
            counts[REFUSED] = 1
        else:
            counts[OVERFLOWED] = 1
    return 0


@bare_kernel
def _is_full(work, skeleton):
    """Whether a skeleton has used up the quota of this iteration."""
    place = skeleton_place(work.skeletons, skeleton)
    opened = work.skeletons.opened[place]
    return place >= 0 and opened >> 32 == work.counts[TABLE_STAMP] and opened & 0xFFFFFFFF >= work.counts[QUOTA]


@bare_kernel
def _open(board, work, rung, key0, key1, key2, skeleton, depth):
    """Push the successors of a class, the best one on top. Returns 1 if one of them is won."""
    state, levels, steps = work.state, work.levels, work.steps
    counts = work.counts
    decode(key0, key1, key2, board, state)
    analyze(board, state, rung, levels)
    first = counts[TOP]
    pending = work.pending
    limit = children_limit(work)
    for i in range(list_steps(board, state, levels, rung, steps)):
        kind, card = steps.kind[i], steps.card[i]
        after = skeleton
        if state.sets[BAD] >> card & 1:
            after -= board.pile_step[board.pile[card]]
        if kind == FOUND:
            after += board.suit_step[card & 3]
        if after != skeleton and relaxed_verdict(board, work.skeletons, after) == RELAXED_LOST:
            continue
        if _is_full(work, after):
            counts[REFUSED] = 1
            continue
        pending.size[2] = limit
        take_step(board, state, levels, rung, skeleton, kind, card, steps.target[i], work.commits, work.pending)
        if _enter(board, work, rung, depth + 1):
            return 1
    _sort(work.stack, first, counts[TOP])
    return 0


@bare_kernel
def _sort(stack, first, end):
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


@bare_kernel
def _iterate(board, root, work, rung, quota, abort):
    """One iteration: open at most ``quota`` classes of any one skeleton, depth first."""
    counts, stack, table = work.counts, work.stack, work.table
    forget(work)
    counts[TOP] = 0
    counts[REFUSED] = 0
    counts[OVERFLOWED] = 0
    counts[QUOTA] = quota
    counts[ITERATIONS] += 1
    stamp, bits = counts[TABLE_STAMP], counts[TABLE_BITS]
    decode(root[0], root[1], root[2], board, work.state)
    analyze(board, work.state, rung, work.levels)
    canonicalize(board, work.state, work.levels)
    pending = work.pending
    encode(work.state.host, work.state.sets[LIVE], work.state.sets[BAD], board.size[RANKS], pending.keys[0])
    pending.keys[0, 3] = root[3]
    pending.size[0] = 1
    pending.size[1] = 0
    if _enter(board, work, rung, 0):
        return WON
    while counts[TOP] > 0:
        counts[TOP] -= 1
        entry = stack[counts[TOP]]
        key0, key1, key2, skeleton, depth = entry[0], entry[1], entry[2], entry[3], entry[4] >> 32
        slot = find(table, bits, stamp, key0, key1, key2)
        if slot >= 0:
            continue
        slot = -1 - slot
        place = skeleton_place(work.skeletons, skeleton)
        opened = work.skeletons.opened[place]
        if opened >> 32 != stamp:
            opened = stamp << 32
        if opened & 0xFFFFFFFF >= quota:
            counts[REFUSED] = 1
            continue
        if depth + 2 >= MAX_PATH:
            counts[OVERFLOWED] = 1
            continue
        if counts[NODES] >= counts[NODE_LIMIT]:
            return SPENT
        if 5 * counts[TABLE_USED] >= 4 << bits:
            return FULL
        if abort[0]:
            return ABORTED
        counts[NODES] += 1
        counts[DEEPEST] = max(counts[DEEPEST], depth)
        work.skeletons.opened[place] = opened + 1
        enter_new(work, slot, key0, key1, key2)
        path = work.path[depth]
        path[0], path[1], path[2], path[3] = key0, key1, key2, skeleton
        if _open(board, work, rung, key0, key1, key2, skeleton, depth):
            return WON
    if counts[OVERFLOWED]:
        return FULL
    return CUT if counts[REFUSED] else LOST


@bare_kernel
def _deepen(board, root, work, rung, quota, budget, max_nodes, abort):
    """Iterate from ``quota`` upwards within a budget of nodes.

    Returns how the last iteration ended and the quota that it had.
    """
    counts = work.counts
    counts[NODE_LIMIT] = min(max_nodes, counts[NODES] + budget)
    # A small table stays in the processor's cache; where it proves too small the iteration is repeated with more.
    bits = FIRST_TABLE_BITS
    while 1 << bits < 4 * budget and 2 << bits <= len(work.table):
        bits += 1
    counts[PHASE_RUNG] = rung
    while True:
        counts[TABLE_BITS] = bits
        end = _iterate(board, root, work, rung, quota, abort)
        if end == CUT:
            quota *= QUOTA_GROWTH
        elif end == FULL and 2 << bits <= len(work.table) and counts[TOP] < len(work.stack):
            while 2 << bits <= len(work.table) and bits < counts[TABLE_BITS] + 2:
                bits += 1
        else:
            return end, quota


@bare_kernel
def search_deal(board, root, work, max_nodes, abort):
    """Prove a deal won or lost: the relaxed game, then exact search and rungs in turn, each time with larger budgets.

    ``root`` int64[4] is the key and skeleton of the first position. Returns WON, LOST, OUT_OF_NODES, OUT_OF_MEMORY or
    ABORTED. After WON, ``work.path[: work.counts[LINE]]`` is the line of classes, ``counts[PHASE_RUNG]`` is 0.
    """
    counts = work.counts
    counts[NODES] = 0
    counts[ITERATIONS] = 0
    counts[DEEPEST] = 0
    reset_skeletons(work.skeletons)
    ranks = board.size[RANKS]
    counts[PHASE_RUNG] = ranks
    if relaxed_verdict(board, work.skeletons, root[3]) == RELAXED_LOST:
        return LOST
    budget = FIRST_BUDGET
    exact_quota = 1
    exact_full = False
    top_rung = min(HIGHEST_RUNG, ranks - 2)
    while True:
        if not exact_full:
            end, exact_quota = _deepen(board, root, work, 0, exact_quota, budget, max_nodes, abort)
            if end in (WON, LOST, ABORTED):
                return end
            exact_full = end == FULL
        if counts[NODES] >= max_nodes:
            return OUT_OF_NODES
        rung = top_rung
        while rung >= LOWEST_RUNG:
            end, _quota = _deepen(board, root, work, rung, 1, budget // 2, max_nodes, abort)
            if end in (LOST, ABORTED):
                return end
            if counts[NODES] >= max_nodes:
                return OUT_OF_NODES
            if end == WON:
                top_rung = rung - 1
            rung -= 1
        if exact_full and top_rung < LOWEST_RUNG:
            return OUT_OF_MEMORY
        budget *= BUDGET_GROWTH
