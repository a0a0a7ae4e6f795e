"""The quota search: iterative deepening on the number of classes opened a skeleton, and the ladder of rungs.

See docs/search.md, sections 4 and 5. A node is a class opened, rungs included. Kernels only; ``class_search`` is the
wrapper that the rest of the program calls.
"""

from solver.engine.classes.board import SPACES_ANY, decode
from solver.engine.classes.commits import FOUND, list_steps, safe_founding, take_step
from solver.engine.classes.levels import analyze, classify
from solver.engine.classes.skeletons import (
    RELAXED_LOST,
    RELAXED_WON,
    relaxed_verdict,
    reset_skeletons,
    skeleton_place,
)
from solver.engine.classes.workspace import (
    CUT,
    FIRST_TABLE_BITS,
    FULL,
    MAX_PATH,
    SPENT,
    children_limit,
    enter_new,
    evaluate,
    find,
    forget,
    sort_stack,
)
from solver.engine.jit import bare_kernel
from solver.engine.quota.images import image_is_lost, reset_images
from solver.engine.result import ABORTED, LOST, OUT_OF_MEMORY, OUT_OF_NODES, WON

DEEPEST_RUNG = 5
"""From the fourth round of the schedule on the ladder goes down a rung further each time, to this one."""


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
def _iterate(board, root, work, rung, quota, prune, abort):
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


@bare_kernel
def _pruning_rung(settings, any_card, round_):
    """The rung that prunes an exact search in a round, 0 for none: one lower each round, as the searches get longer."""
    since = round_ - (settings.prune_from if any_card else settings.prune_from_else)
    if since < 0:
        return 0
    return settings.prune_lowest if any_card else max(settings.prune_lowest, settings.prune_highest - since)


@bare_kernel
def _deepen(board, root, work, rung, quota, budget, max_nodes, prune, abort):
    """Iterate from ``quota`` upwards within a budget of nodes.

    Returns how the last iteration ended, and the quota that it had: 0 where the tables were full, as it would be
    searched the same way again.
    """
    counts = work.counts
    counts.node_limit = min(max_nodes, counts.nodes + budget)
    # A small table stays in the processor's cache; where it proves too small the iteration is repeated with more.
    bits = FIRST_TABLE_BITS
    while 1 << bits < 4 * budget and 2 << bits <= len(work.table):
        bits += 1
    counts.phase_rung = rung
    if prune:
        reset_images(work)
    while True:
        counts.table_bits = bits
        end = _iterate(board, root, work, rung, quota, prune, abort)
        if end == CUT:
            quota *= work.settings.quota_growth
        elif end == FULL and 2 << bits <= len(work.table) and counts.top < len(work.stack):
            while 2 << bits <= len(work.table) and bits < counts.table_bits + 2:
                bits += 1
        else:
            return end, 0 if end == FULL else quota


@bare_kernel
def search_deal(board, root, work, max_nodes, abort):
    """Prove a deal won or lost: the relaxed game, then exact search and rungs in turn, each time with larger budgets.

    ``root`` int64[4] is the key and skeleton of the first position. Returns WON, LOST, OUT_OF_NODES, OUT_OF_MEMORY or
    ABORTED. After WON, ``work.path[: work.counts.line]`` is the line of classes, ``counts.phase_rung`` is 0.
    """
    counts = work.counts
    counts.nodes = 0
    counts.iterations = 0
    counts.deepest = 0
    counts.pruned = 0
    counts.quota = 0
    reset_skeletons(work.skeletons)
    ranks = board.ranks
    counts.phase_rung = ranks
    if relaxed_verdict(board, work.skeletons, root[3]) == RELAXED_LOST:
        return LOST
    settings = work.settings
    budget = settings.first_budget
    round_ = 0
    any_card = board.spaces == SPACES_ANY
    plain_rounds = settings.plain_rounds if any_card else settings.prune_from_else
    plain_quota = pruned_quota = 1
    top_rung = min(settings.highest_rung, ranks - 2)
    while True:
        is_light = round_ >= settings.light_from
        if plain_quota and (is_light or round_ < plain_rounds):
            prune = settings.light_rung if is_light else 0
            share = budget * settings.light_share // 100 if is_light else budget
            end, plain_quota = _deepen(board, root, work, 0, plain_quota, share, max_nodes, prune, abort)
            if end in (WON, LOST, ABORTED):
                return end
        prune = _pruning_rung(settings, any_card, round_)
        if pruned_quota and prune:
            pruned_quota = max(plain_quota, pruned_quota)
            share = budget * settings.prune_share // 100 if round_ < plain_rounds else budget
            end, pruned_quota = _deepen(board, root, work, 0, pruned_quota, share, max_nodes, prune, abort)
            if end in (WON, LOST, ABORTED):
                return end
        more_helps = pruned_quota > 0 or plain_quota > 0
        if counts.nodes >= max_nodes:
            return OUT_OF_NODES
        rung = top_rung
        lowest_rung = max(settings.lowest_rung - max(0, round_ - 2), DEEPEST_RUNG)
        while rung >= lowest_rung:
            # Each time from the same quota, a large one: on a rung that is lost all of it is seen in the end.
            share = budget * settings.rung_share // 100
            end, _ = _deepen(board, root, work, rung, settings.rung_quota, share, max_nodes, 0, abort)
            if end in (LOST, ABORTED):
                return end
            if counts.nodes >= max_nodes:
                return OUT_OF_NODES
            if end == WON:
                top_rung = rung - 1
            if end == SPENT:
                more_helps = True
            rung -= 1
        # A rung whose tables were full is searched the same way again, however many nodes it may open.
        if not more_helps:
            return OUT_OF_MEMORY
        budget *= settings.budget_growth
        round_ += 1
