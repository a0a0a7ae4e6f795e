"""The exact search's help from a rung: a class whose image on the rung is lost is lost. See docs/search.md, section 5.

Verdicts of images are kept as long as the rung is the same. One exploration searches depth first from an image,
without quotas. Relocations make circles, so a class is marked lost only when the exploration is exhausted, all that it
visited together: none of them leads to anything but lost classes and each other. On a win, the line to it is won.
"""

from solver.engine.cache import bare_kernel
from solver.engine.classes import FOUND, list_steps, safe_founding, take_step
from solver.engine.levels import analyze, classify
from solver.engine.packed import decode, scatter
from solver.engine.skeleton import RELAXED_LOST, relaxed_verdict
from solver.engine.workspace import (
    EXPLORATION,
    MAX_PATH,
    N_IMAGES,
    N_VISITED,
    NODE_LIMIT,
    NODES,
    PRUNE_CAP,
    STAMP_SHIFT,
    TOP,
    evaluate,
    sort_stack,
)

KEY_MASK = (1 << STAMP_SHIFT) - 1
VERDICT_SHIFT = STAMP_SHIFT
"""Two bits above the key in its last word: OPEN, IMAGE_LOST, IMAGE_WON or GIVEN_UP; 24 more name the exploration."""
MARK_SHIFT = VERDICT_SHIFT + 2
LAST_EXPLORATION = 0xFFFFFF
IN_USE = 1 << 62
IMAGE = 4
"""The column of the path that holds the images explored."""
OPEN, IMAGE_LOST, IMAGE_WON, GIVEN_UP = 0, 1, 2, 3


@bare_kernel
def reset_images(work):
    """Forget the images, of another deal or another rung."""
    if work.counts[EXPLORATION]:
        work.images[:, 2] = 0
        work.counts[EXPLORATION] = 0
        work.counts[N_IMAGES] = 0


@bare_kernel
def _slot(images, key0, key1, key2):
    """The slot of an image, or the empty one for it; the caller tells them apart by ``IN_USE``."""
    mask = len(images) - 1
    slot = scatter(key0, key1, key2) & mask
    while images[slot, 2] & IN_USE:
        if images[slot, 0] == key0 and images[slot, 1] == key1 and images[slot, 2] & KEY_MASK == key2:
            return slot
        slot = (slot + 1) & mask
    return slot


@bare_kernel
def _verdict(images, slot):
    return images[slot, 2] >> VERDICT_SHIFT & 3


@bare_kernel
def _set_verdict(images, slot, verdict):
    images[slot, 2] = images[slot, 2] & ~(3 << VERDICT_SHIFT) | verdict << VERDICT_SHIFT


@bare_kernel
def _visit(work, key0, key1, key2):
    """Mark an image as visited by this exploration. Returns its slot, -1 if it was marked, -2 if there is no room.

    The images visited are gathered in ``work.visited``.
    """
    images, counts = work.images, work.counts
    slot = _slot(images, key0, key1, key2)
    mark = counts[EXPLORATION] << MARK_SHIFT
    if images[slot, 2] & IN_USE:
        if images[slot, 2] >> MARK_SHIFT & LAST_EXPLORATION == counts[EXPLORATION]:
            return -1
        images[slot, 2] = key2 | mark | IN_USE  # met by an exploration that came to no verdict on it
    else:
        if 4 * work.counts[N_IMAGES] >= 3 * len(images):
            return -2
        work.counts[N_IMAGES] += 1
        images[slot, 0] = key0
        images[slot, 1] = key1
        images[slot, 2] = key2 | mark | IN_USE
    work.visited[work.counts[N_VISITED]] = slot
    work.counts[N_VISITED] += 1
    return slot


@bare_kernel
def _settle(board, work, rung, depth):
    """Settle the pending successors and push them. Returns IMAGE_WON, OPEN, or GIVEN_UP where something did not fit."""
    pending, counts, child, stack = work.pending, work.counts, work.child, work.stack
    images = work.images
    while pending.size[0] > 0:
        pending.size[0] -= 1
        last = pending.keys[pending.size[0]]
        key0, key1, key2, skeleton = last[0], last[1], last[2], last[3]
        slot = _slot(images, key0, key1, key2)
        if images[slot, 2] & IN_USE:
            verdict = _verdict(images, slot)
            if verdict == IMAGE_WON:
                return IMAGE_WON
            if verdict == IMAGE_LOST or images[slot, 2] >> MARK_SHIFT & LAST_EXPLORATION == counts[EXPLORATION]:
                continue
        if relaxed_verdict(board, work.skeletons, skeleton) == RELAXED_LOST:
            continue
        decode(key0, key1, key2, board, child)
        analyze(board, child, rung)
        card = safe_founding(board, child)
        if card >= 0:
            if _visit(work, key0, key1, key2) == -2:
                return GIVEN_UP
            pending.size[2] = len(pending.keys)
            take_step(board, child, rung, skeleton, FOUND, card, 0, work.commits, pending)
            continue
        value = evaluate(board, child, work.settings)
        if value < 0:
            return IMAGE_WON
        top = counts[TOP]
        if top == len(stack):
            return GIVEN_UP
        entry = stack[top]
        entry[0], entry[1], entry[2], entry[3], entry[4] = key0, key1, key2, skeleton, depth << 32 | value
        counts[TOP] = top + 1
    if pending.size[1]:
        pending.size[1] = 0
        return GIVEN_UP
    return OPEN


@bare_kernel
def _successors(board, work, rung, key0, key1, key2, skeleton, depth):
    """Push the settled successors of an image, the best one on top; returns as ``_settle``."""
    state, steps = work.state, work.steps
    counts, pending = work.counts, work.pending
    decode(key0, key1, key2, board, state)
    analyze(board, state, rung)
    first = counts[TOP]
    for i in range(list_steps(board, state, rung, steps)):
        pending.size[2] = len(pending.keys)
        take_step(board, state, rung, skeleton, steps.kind[i], steps.card[i], steps.target[i], work.commits, pending)
        found = _settle(board, work, rung, depth + 1)
        if found != OPEN:
            return found
    sort_stack(work.stack, first, counts[TOP])
    return OPEN


@bare_kernel
def image_is_lost(board, work, rung, key0, key1, key2, skeleton, abort):
    """Whether the image of an exact class on a rung is proved lost. Classes opened on the way count as nodes."""
    counts, images, pending, stack = work.counts, work.images, work.pending, work.stack
    classify(key0, key1, key2, board, rung, work.child)
    image = pending.keys[0]
    image[0], image[1], image[2] = work.child.key[0], work.child.key[1], work.child.key[2]
    image[3] = skeleton
    start = _slot(images, image[0], image[1], image[2])
    if images[start, 2] & IN_USE and _verdict(images, start) != OPEN:
        return _verdict(images, start) == IMAGE_LOST
    if counts[EXPLORATION] == LAST_EXPLORATION:
        return False
    start0, start1, start2 = image[0], image[1], image[2]
    counts[EXPLORATION] += 1
    work.counts[N_VISITED] = 0
    base = counts[TOP]
    pending.size[0] = 1
    pending.size[1] = 0
    limit = min(counts[NODES] + work.settings[PRUNE_CAP], counts[NODE_LIMIT])
    end = _settle(board, work, rung, 0)
    depth = -1
    while end == OPEN and counts[TOP] > base:
        counts[TOP] -= 1
        entry = stack[counts[TOP]]
        e0, e1, e2, skeleton, depth = entry[0], entry[1], entry[2], entry[3], entry[4] >> 32
        slot = _slot(images, e0, e1, e2)
        if images[slot, 2] & IN_USE:
            verdict = _verdict(images, slot)
            if verdict == IMAGE_WON:
                end = IMAGE_WON
                depth -= 1
                break
            if verdict == IMAGE_LOST:
                continue
        slot = _visit(work, e0, e1, e2)
        if slot == -1:
            continue
        if slot == -2 or depth + 2 >= MAX_PATH or counts[NODES] >= limit or abort[0]:
            end = GIVEN_UP
            break
        counts[NODES] += 1
        work.path[depth, IMAGE] = slot
        end = _successors(board, work, rung, e0, e1, e2, skeleton, depth)
    counts[TOP] = base
    pending.size[0] = 0
    pending.size[1] = 0
    if end == OPEN:
        for i in range(work.counts[N_VISITED]):
            _set_verdict(images, work.visited[i], IMAGE_LOST)
    elif end == IMAGE_WON:
        for i in range(depth + 1):
            _set_verdict(images, work.path[i, IMAGE], IMAGE_WON)
    # The start may differ from what it was settled to, so it is entered by itself.
    start = _slot(images, start0, start1, start2)
    if not images[start, 2] & IN_USE:
        if 4 * work.counts[N_IMAGES] >= 3 * len(images):
            return end == OPEN
        work.counts[N_IMAGES] += 1
        images[start, 0] = start0
        images[start, 1] = start1
    images[start, 2] = start2 | IN_USE
    _set_verdict(images, start, IMAGE_LOST if end == OPEN else end)
    return end == OPEN
