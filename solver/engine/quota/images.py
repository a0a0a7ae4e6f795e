"""The exact search's help from a rung: a class whose image on the rung is lost is lost. See docs/search.md, section 5.

Verdicts of images are kept for one pruned search. An exploration searches depth first from an image, without
quotas. Relocations make circles, so verdicts of lost images come by strongly connected components (Tarjan): when
everything that a component leads to is seen and lost, all of it is lost together, even if the exploration is cut later.
On a win, the line to it is won.
"""

from solver.engine.classes.board import decode, scatter
from solver.engine.classes.commits import take_step
from solver.engine.classes.heuristic import evaluate
from solver.engine.classes.levels import analyze, classify
from solver.engine.classes.relaxed import relaxed_verdict
from solver.engine.classes.skeletons import RELAXED_LOST
from solver.engine.classes.steps import FOUND, list_steps, safe_founding
from solver.engine.classes.workspace import MAX_PATH, STAMP_SHIFT, sort_stack
from solver.engine.jit import bare_kernel

KEY_MASK = (1 << STAMP_SHIFT) - 1
VERDICT_SHIFT = STAMP_SHIFT
"""Two bits above the key in its last word: OPEN, IMAGE_LOST, IMAGE_WON or GIVEN_UP; above them the visit's number."""
VISIT_SHIFT = VERDICT_SHIFT + 2
LAST_VISIT = (1 << 63 - VISIT_SHIFT) - 1
MOST_VISITS = LAST_VISIT // 2
"""Visits between two resets, however many there were before."""
IMAGE, LEAST = 4, 5
"""Columns of the path: the slot of an image on the line explored, and the first visit that it leads back to."""
OPEN, IMAGE_LOST, IMAGE_WON, GIVEN_UP = 0, 1, 2, 3


@bare_kernel
def reset_images(work):
    """Forget the images, of another search: those of visits up to now count as empty slots."""
    counts = work.counts
    if counts.visits > LAST_VISIT - MOST_VISITS:
        work.images[:, 2] = 0
        counts.visits = 0
    counts.first_visit = counts.visits + 1
    counts.n_images = 0


@bare_kernel
def _is_known(work, slot):
    """Whether a slot is taken by an image met since the last reset."""
    return work.images[slot, 2] >> VISIT_SHIFT >= work.counts.first_visit


@bare_kernel
def _slot(work, key0, key1, key2):
    """The slot of an image, or the empty one for it."""
    images = work.images
    mask = len(images) - 1
    slot = scatter(key0, key1, key2) & mask
    while _is_known(work, slot):
        if images[slot, 0] == key0 and images[slot, 1] == key1 and images[slot, 2] & KEY_MASK == key2:
            break
        slot = (slot + 1) & mask
    return slot


@bare_kernel
def _verdict(images, slot):
    return images[slot, 2] >> VERDICT_SHIFT & 3


@bare_kernel
def _set_verdict(images, slot, verdict):
    images[slot, 2] = images[slot, 2] & ~(3 << VERDICT_SHIFT) | verdict << VERDICT_SHIFT


@bare_kernel
def _visit(work, slot, key0, key1, key2, visit):
    """Enter an image, open, under the number of a visit, in its slot. False if there is no room."""
    images, counts = work.images, work.counts
    if not _is_known(work, slot):
        if 4 * counts.n_images >= 3 * len(images):
            return False
        counts.n_images += 1
        images[slot, 0] = key0
        images[slot, 1] = key1
    images[slot, 2] = key2 | visit << VISIT_SHIFT
    work.visited[counts.n_visited] = slot
    counts.n_visited += 1
    return True


@bare_kernel
def _settle(board, work, rung, depth, first):
    """Settle the pending successors of the image at a depth and push them.

    Returns IMAGE_WON, OPEN, or GIVEN_UP where something did not fit. ``first`` is this exploration's first visit.
    """
    pending, counts, child, stack = work.pending, work.counts, work.child, work.stack
    images, path = work.images, work.path
    while pending.size.count > 0:
        pending.size.count -= 1
        last = pending.keys[pending.size.count]
        key0, key1, key2, skeleton = last[0], last[1], last[2], last[3]
        slot = _slot(work, key0, key1, key2)
        if _is_known(work, slot):
            verdict = _verdict(images, slot)
            if verdict == IMAGE_WON:
                return IMAGE_WON
            if verdict == IMAGE_LOST:
                continue
            visit = images[slot, 2] >> VISIT_SHIFT
            if visit >= first:
                path[depth, LEAST] = min(path[depth, LEAST], visit)
                continue
        if relaxed_verdict(board, work.skeletons, skeleton) == RELAXED_LOST:
            continue
        decode(key0, key1, key2, board, child)
        analyze(board, child, rung)
        card = safe_founding(board, child)
        if card >= 0:
            # What it settles to is a successor here: it stands and falls with the image at this depth.
            if not _visit(work, slot, key0, key1, key2, images[path[depth, IMAGE], 2] >> VISIT_SHIFT):
                return GIVEN_UP
            pending.size.limit = len(pending.keys)
            take_step(board, child, rung, skeleton, FOUND, card, 0, work.commits, pending)
            continue
        value = evaluate(board, child, work.settings)
        if value < 0:
            return IMAGE_WON
        top = counts.top
        if top == len(stack):
            return GIVEN_UP
        entry = stack[top]
        entry[0], entry[1], entry[2], entry[3], entry[4] = key0, key1, key2, skeleton, depth + 1 << 32 | value
        counts.top = top + 1
    if pending.size.left_out:
        pending.size.left_out = 0
        return GIVEN_UP
    return OPEN


@bare_kernel
def _successors(board, work, rung, key0, key1, key2, skeleton, depth, first):
    """Push the settled successors of an image, the best one on top; returns as ``_settle``."""
    state, steps = work.state, work.steps
    counts, pending = work.counts, work.pending
    decode(key0, key1, key2, board, state)
    analyze(board, state, rung)
    card = safe_founding(board, state)
    if card >= 0:  # the first image alone
        pending.size.limit = len(pending.keys)
        take_step(board, state, rung, skeleton, FOUND, card, 0, work.commits, pending)
        return _settle(board, work, rung, depth, first)
    base = counts.top
    for i in range(list_steps(board, state, rung, steps)):
        pending.size.limit = len(pending.keys)
        take_step(board, state, rung, skeleton, steps.kind[i], steps.card[i], steps.target[i], work.commits, pending)
        found = _settle(board, work, rung, depth, first)
        if found != OPEN:
            return found
    sort_stack(work.stack, base, counts.top)
    return OPEN


@bare_kernel
def leave(work, depth):
    """Leave an image of the line all of whose successors are seen: where a component ends, it is lost."""
    images, path, counts = work.images, work.path, work.counts
    slot, least = path[depth, IMAGE], path[depth, LEAST]
    if least == images[slot, 2] >> VISIT_SHIFT:
        while True:
            counts.n_visited -= 1
            member = work.visited[counts.n_visited]
            _set_verdict(images, member, IMAGE_LOST)
            if member == slot:
                return
    # There is one before it: the first of a line leads back to nothing before itself.
    path[depth - 1, LEAST] = min(path[depth - 1, LEAST], least)


@bare_kernel
def image_is_lost(board, work, rung, key0, key1, key2, skeleton, abort):
    """Whether the image of an exact class on a rung is proved lost. Classes opened on the way count as nodes."""
    counts, images, pending, stack, path = work.counts, work.images, work.pending, work.stack, work.path
    classify(key0, key1, key2, board, rung, work.child)
    image = work.child.key
    start0, start1, start2 = image[0], image[1], image[2]
    start = _slot(work, start0, start1, start2)
    if _is_known(work, start) and _verdict(images, start) != OPEN:
        return _verdict(images, start) == IMAGE_LOST
    if evaluate(board, work.child, work.settings) < 0:
        return False
    base = counts.top
    limit = min(counts.nodes + work.settings.prune_cap, counts.node_limit)
    first = counts.visits + 1
    counts.n_visited = 0
    pending.size.count = 0
    pending.size.left_out = 0
    entry = stack[base]
    entry[0], entry[1], entry[2], entry[3], entry[4] = start0, start1, start2, skeleton, 0
    counts.top = base + 1
    depth = -1  # of the last image of the line
    end = OPEN
    while end == OPEN and counts.top > base:
        counts.top -= 1
        entry = stack[counts.top]
        e0, e1, e2, e3, place = entry[0], entry[1], entry[2], entry[3], entry[4] >> 32
        while depth >= place:
            leave(work, depth)
            depth -= 1
        slot = _slot(work, e0, e1, e2)
        # Won it cannot have become since it was pushed. If it was visited, that was later than the image it follows,
        # and has led back as far as it could already.
        if _is_known(work, slot) and (_verdict(images, slot) == IMAGE_LOST or images[slot, 2] >> VISIT_SHIFT >= first):
            continue
        visit = counts.visits + 1
        if (
            visit - counts.first_visit >= MOST_VISITS
            or place + 2 >= MAX_PATH
            or counts.nodes >= limit
            or abort[0]
            or not _visit(work, slot, e0, e1, e2, visit)
        ):
            end = GIVEN_UP
            break
        counts.visits = visit
        counts.nodes += 1
        depth = place
        path[depth, IMAGE], path[depth, LEAST] = slot, visit
        end = _successors(board, work, rung, e0, e1, e2, e3, depth, first)
    counts.top = base
    pending.size.count = 0
    pending.size.left_out = 0
    if end == OPEN:
        while depth >= 0:
            leave(work, depth)
            depth -= 1
        return True
    if end == IMAGE_WON:
        for i in range(depth + 1):
            _set_verdict(images, path[i, IMAGE], IMAGE_WON)
    elif _is_known(work, start):
        _set_verdict(images, start, GIVEN_UP)
    return False
