"""One iteration of the quota search: depth first, at most so many classes of any one skeleton.

See docs/search.md, section 4. A node is a class opened.
"""

from solver.engine.classes.board import decode
from solver.engine.classes.commits import take_step
from solver.engine.classes.heuristic import evaluate
from solver.engine.classes.levels import analyze, classify
from solver.engine.classes.relaxed import relaxed_verdict
from solver.engine.classes.skeletons import RELAXED_LOST, RELAXED_WON, skeleton_place
from solver.engine.classes.steps import FOUND, list_steps, safe_founding
from solver.engine.classes.workspace import (
    CUT,
    FULL,
    MAX_PATH,
    SPENT,
    children_limit,
    enter_new,
    find,
    forget,
    sort_stack,
)
from solver.engine.jit import bare_kernel
from solver.engine.quota.images import image_is_lost
from solver.engine.result import ABORTED, LOST, WON


@bare_kernel
def _enter(board, work, rung, depth):
    """Settle the pending successors and push the new ones. Returns 1 if one of them is won, its key on the path."""
    pending, counts, child = work.pending, work.counts, work.child
    skeletons, stack = work.skeletons, work.stack
    limit = children_limit(work)
    while pending.size.count > 0:
        pending.size.count -= 1
        last = pending.keys[pending.size.count]
        key0, key1, key2, skeleton = last[0], last[1], last[2], last[3]
        slot = find(work.table, counts.table_bits, counts.table_stamp, key0, key1, key2)
        if slot >= 0:
            continue
        decode(key0, key1, key2, board, child)
        analyze(board, child, rung)
        card = safe_founding(board, child)
        if card >= 0:
            # Entered as well: many steps and settlings meet in the same unsettled class.
            if 5 * counts.table_used >= 4 << counts.table_bits:
                counts.overflowed = 1
                continue
            enter_new(work, -1 - slot, key0, key1, key2)
            pending.size.limit = min(pending.size.count + limit, len(pending.keys))
            take_step(board, child, rung, skeleton, FOUND, card, 0, work.commits, pending)
            continue
        value = evaluate(board, child, work.settings)
        if value < 0:
            path = work.path[depth]
            path[0], path[1], path[2], path[3] = key0, key1, key2, skeleton
            counts.line = depth + 1
            return 1
        place = skeleton_place(skeletons, skeleton)
        if place < 0:
            counts.overflowed = 1
            continue
        if (
            skeletons.known[place].verdict != RELAXED_WON
            and relaxed_verdict(board, skeletons, skeleton) == RELAXED_LOST
        ):
            continue
        if _is_full(work, place):
            counts.refused = 1
            continue
        top = counts.top
        if top == len(stack):
            counts.overflowed = 1
            continue
        entry = stack[top]
        entry[0], entry[1], entry[2], entry[3], entry[4] = key0, key1, key2, skeleton, depth << 32 | value
        counts.top = top + 1
    if pending.size.left_out:
        pending.size.left_out = 0
        if pending.size.limit < len(pending.keys):
            counts.refused = 1
        else:
            counts.overflowed = 1
    return 0


@bare_kernel
def _is_full(work, place):
    """Whether the skeleton in a place of the table has used up the quota of this iteration."""
    opened = work.skeletons.known[place].opened
    return opened >> 32 == work.counts.table_stamp and opened & 0xFFFFFFFF >= work.counts.quota


@bare_kernel
def _open(board, work, rung, key0, key1, key2, skeleton, depth):
    """Push the successors of a class, the best one on top. Returns 1 if one of them is won."""
    state, steps = work.state, work.steps
    counts = work.counts
    decode(key0, key1, key2, board, state)
    analyze(board, state, rung)
    first = counts.top
    pending = work.pending
    limit = children_limit(work)
    for i in range(list_steps(board, state, rung, steps)):
        kind, card = steps.kind[i], steps.card[i]
        after = skeleton
        if state.bad >> card & 1:
            after -= board.pile_step[board.pile[card]]
        if kind == FOUND:
            after += board.suit_step[card & 3]
        if after != skeleton and relaxed_verdict(board, work.skeletons, after) == RELAXED_LOST:
            continue
        place = skeleton_place(work.skeletons, after)
        if place >= 0 and _is_full(work, place):
            counts.refused = 1
            continue
        pending.size.limit = limit
        take_step(board, state, rung, skeleton, kind, card, steps.target[i], work.commits, work.pending)
        if _enter(board, work, rung, depth + 1):
            return 1
    sort_stack(work.stack, first, counts.top)
    return 0


@bare_kernel
def iterate(board, root, work, rung, quota, prune, abort):
    """One iteration: open at most ``quota`` classes of any one skeleton, depth first.

    Unless ``prune`` is 0, a class whose image on that rung is lost is passed over: it is lost.
    """
    counts, stack, table = work.counts, work.stack, work.table
    forget(work)
    counts.top = 0
    counts.refused = 0
    counts.overflowed = 0
    counts.quota = quota
    counts.iterations += 1
    stamp, bits = counts.table_stamp, counts.table_bits
    classify(root[0], root[1], root[2], board, rung, work.state)
    pending = work.pending
    for word in range(3):
        pending.keys[0, word] = work.state.key[word]
    pending.keys[0, 3] = root[3]
    pending.size.count = 1
    pending.size.left_out = 0
    if _enter(board, work, rung, 0):
        return WON
    while counts.top > 0:
        counts.top -= 1
        entry = stack[counts.top]
        key0, key1, key2, skeleton, depth = entry[0], entry[1], entry[2], entry[3], entry[4] >> 32
        slot = find(table, bits, stamp, key0, key1, key2)
        if slot >= 0:
            continue
        slot = -1 - slot
        place = skeleton_place(work.skeletons, skeleton)
        opened = work.skeletons.known[place].opened
        if opened >> 32 != stamp:
            opened = stamp << 32
        if opened & 0xFFFFFFFF >= quota:
            counts.refused = 1
            continue
        if depth + 2 >= MAX_PATH:
            counts.overflowed = 1
            continue
        if counts.nodes >= counts.node_limit:
            return SPENT
        if 5 * counts.table_used >= 4 << bits:
            return FULL
        if abort[0]:
            return ABORTED
        if prune and image_is_lost(board, work, prune, key0, key1, key2, skeleton, abort):
            counts.pruned += 1
            enter_new(work, slot, key0, key1, key2)
            continue
        if counts.nodes >= counts.node_limit:
            return SPENT
        counts.nodes += 1
        counts.deepest = max(counts.deepest, depth)
        work.skeletons.known[place].opened = opened + 1
        enter_new(work, slot, key0, key1, key2)
        path = work.path[depth]
        path[0], path[1], path[2], path[3] = key0, key1, key2, skeleton
        if _open(board, work, rung, key0, key1, key2, skeleton, depth):
            return WON
    if counts.overflowed:
        return FULL
    return CUT if counts.refused else LOST
