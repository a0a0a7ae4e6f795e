"""The skeleton of a position and the relaxed game on it. See docs/search.md, section 3.

A skeleton is the four foundations and the number of bad bonds left in each dealt pile, one mixed-radix number. The
relaxed game pretends that every arrangement can be reached and only counts; a skeleton that cannot be won
there is lost, and with it every position that has it.

The table of a deal's skeletons is a dense list (key, verdict, classes opened) with a hash index over it. The index
is stamped with the deal, so nothing is cleared between deals.
"""

from typing import NamedTuple

import numpy as np

from solver.engine.bits import RANK_MASK, lowest
from solver.engine.cache import bare_kernel
from solver.engine.levels import count4
from solver.engine.packed import PILES, RANKS, SPACES, SPACES_ANY, SPACES_KINGS

UNDECIDED, RELAXED_WON, RELAXED_LOST = 0, 1, 2

# Fields of Skeletons.counts
N_KNOWN, LOOKUP_BITS, STAMP, STEPS_LEFT = 0, 1, 2, 3

FIRST_LOOKUP_BITS = 10
RELAXED_STEPS = 2_000_000
"""Skeletons that the relaxed games of one deal may open; beyond that skeletons stay undecided and prune nothing."""
MAX_DEPTH = 160
"""Longer than any line of the relaxed game: 52 founds and at most 52 broken bonds, and the start."""


class Skeletons(NamedTuple):
    """The skeletons met in one deal.

    Attributes
    ----------
    keys
        int64[n]: the skeleton's number, in the order met.
    verdicts
        int8[n]: UNDECIDED, RELAXED_WON or RELAXED_LOST.
    opened
        int64[n]: classes opened with this skeleton, in the upper bits the search iteration that counted them.
    lookup
        int64[2n]: hash index, entries ``deal stamp << 32 | place + 1``.
    counts
        int64[4]: skeletons known, bits of the index in use, the deal's stamp, relaxed steps left.
    stack_keys, stack_moves, stack_places
        int64[MAX_DEPTH]: the line of the relaxed search, the next move to try on each place of it, its table place.
    left
        int64[MAX_DEPTH, 17]: foundations and bad bonds left along that line.
    """

    keys: np.ndarray
    verdicts: np.ndarray
    opened: np.ndarray
    lookup: np.ndarray
    counts: np.ndarray
    stack_keys: np.ndarray
    stack_moves: np.ndarray
    stack_places: np.ndarray
    left: np.ndarray


def new_skeletons(bits: int) -> Skeletons:
    """A table for 2**bits skeletons."""
    size = 1 << bits
    return Skeletons(
        np.zeros(size, np.int64),
        np.zeros(size, np.int8),
        np.zeros(size, np.int64),
        np.zeros(2 * size, np.int64),
        np.zeros(4, np.int64),
        np.zeros(MAX_DEPTH, np.int64),
        np.zeros(MAX_DEPTH, np.int64),
        np.zeros(MAX_DEPTH, np.int64),
        np.zeros((MAX_DEPTH, 17), np.int64),
    )


@bare_kernel
def reset_skeletons(table):
    """Forget the skeletons of the last deal."""
    counts = table.counts
    counts[N_KNOWN] = 0
    counts[LOOKUP_BITS] = FIRST_LOOKUP_BITS
    counts[STAMP] += 1
    counts[STEPS_LEFT] = RELAXED_STEPS


@bare_kernel
def _slot(key, bits):
    return ((key * -7046029254386353131) >> 20) & ((1 << bits) - 1)


@bare_kernel
def skeleton_place(table, key):
    """The place of a skeleton in the table, entered if it is new; -1 if the table is full."""
    counts, lookup = table.counts, table.lookup
    stamp = counts[STAMP] << 32
    mask = (1 << counts[LOOKUP_BITS]) - 1
    slot = _slot(key, counts[LOOKUP_BITS])
    while lookup[slot] >> 32 == counts[STAMP]:
        place = (lookup[slot] & 0xFFFFFFFF) - 1
        if table.keys[place] == key:
            return place
        slot = (slot + 1) & mask
    place = counts[N_KNOWN]
    if place == len(table.keys):
        return -1
    table.keys[place] = key
    table.verdicts[place] = UNDECIDED
    table.opened[place] = 0
    lookup[slot] = stamp | (place + 1)
    counts[N_KNOWN] = place + 1
    if 2 * (place + 1) > mask and mask + 1 < len(lookup):
        # Double the index in use. A new stamp empties it without clearing.
        counts[STAMP] += 1
        counts[LOOKUP_BITS] += 1
        stamp = counts[STAMP] << 32
        mask = (1 << counts[LOOKUP_BITS]) - 1
        for known in range(place + 1):
            slot = _slot(table.keys[known], counts[LOOKUP_BITS])
            while lookup[slot] >> 32 == counts[STAMP]:
                slot = (slot + 1) & mask
            lookup[slot] = stamp | (known + 1)
    return place


@bare_kernel
def _relaxed_moves(board, left, moves, steps):
    """The moves of the relaxed game from a skeleton, as a bit set: suits 0-3 to found, 4 + p to break pile p's stump.

    Returns -1 if the skeleton is won: no bad bond is left, then the lowest card can always be founded. Where a founding
    is safe (every card of rank two lower is founded), it is the only move.
    """
    ranks, piles, spaces = board.size[RANKS], board.size[PILES], board.size[SPACES]
    released = 0
    stumps = 0
    empties = 0
    for p in range(piles):
        k = left[4 + p]
        released |= board.above[p, k]
        if k:
            stumps |= 1 << board.stump[p, k]
        else:
            empties += 1
    if not stumps:
        return -1
    lowest_count = ranks
    for suit in range(4):
        released &= ~(((1 << (4 * left[suit])) - 1) & (0x1111111111111 << suit))
        lowest_count = min(lowest_count, left[suit])
    # need[r]: released cards of rank r without a host; `steps` is scratch for it, index r + 1
    total = 0
    steps[0] = -4
    for rank in range(ranks):
        above = 4 * rank + 4
        seats = count4((released >> above) & RANK_MASK) + count4((stumps >> above) & RANK_MASK)
        need = count4((released >> (4 * rank)) & RANK_MASK) - seats
        steps[rank + 1] = need
        total += max(0, need)
    # King-only and closed spaces: kings alone, or nobody, may be without a host
    moves[0] = 0
    for suit in range(4):
        rank = left[suit]
        if rank == ranks:
            continue
        card = 4 * rank + suit
        if not (released | stumps) >> card & 1:
            continue
        need = steps[rank]  # of rank - 1, whose hosts lose one
        if spaces == SPACES_ANY:
            fits = total + (need >= 0) <= empties
        else:
            fits = need < 0
        if fits:
            if lowest_count >= rank - 1:
                moves[0] = 1 << suit
                return 1
            moves[0] |= 1 << suit
    for p in range(piles):
        k = left[4 + p]
        if not k:
            continue
        rank = board.stump[p, k] >> 2
        need, own = steps[rank], steps[rank + 1]
        if spaces == SPACES_ANY:
            fits = total + (need >= 0) + (own >= 0) <= empties
        elif rank == ranks - 1:
            fits = need < 0 and spaces == SPACES_KINGS and own + 1 <= empties
        else:
            fits = need < 0 and own < 0
        if fits:
            moves[0] |= 16 << p
    return 1


@bare_kernel
def relaxed_verdict(board, table, key):
    """RELAXED_WON or RELAXED_LOST for a skeleton, by memoised depth-first search; UNDECIDED where a budget ran out.

    Every move raises a foundation or breaks a bad bond, so the search meets no circles.
    """
    place = skeleton_place(table, key)
    if place < 0:
        return UNDECIDED
    if table.verdicts[place] != UNDECIDED:
        return table.verdicts[place]
    ranks, piles = board.size[RANKS], board.size[PILES]
    left, moves, places, keys = table.left, table.stack_moves, table.stack_places, table.stack_keys
    rest = key
    for suit in range(4):
        left[0, suit] = rest % (ranks + 1)
        rest //= ranks + 1
    for p in range(piles):
        radix = board.pile_step[p + 1] // board.pile_step[p] if p + 1 < 13 else rest + 1
        left[0, 4 + p] = rest % radix
        rest //= radix
    scratch = left[MAX_DEPTH - 1]
    depth = 0
    keys[0] = key
    places[0] = place
    moves[0] = -1
    while depth >= 0:
        now = left[depth]
        if moves[depth] == -1:  # not yet opened
            if table.counts[STEPS_LEFT] <= 0:
                return UNDECIDED
            table.counts[STEPS_LEFT] -= 1
            if _relaxed_moves(board, now, moves[depth : depth + 1], scratch) < 0:
                for d in range(depth + 1):
                    table.verdicts[places[d]] = RELAXED_WON
                return RELAXED_WON
        if moves[depth] == 0:
            table.verdicts[places[depth]] = RELAXED_LOST
            depth -= 1
            continue
        move = lowest(moves[depth])
        moves[depth] &= moves[depth] - 1
        child = left[depth + 1]
        for i in range(17):
            child[i] = now[i]
        child_key = keys[depth]
        if move < 4:
            card = 4 * now[move] + move
            child[move] += 1
            child_key += board.suit_step[move]
            p = board.pile[card]
            if now[4 + p] and board.stump[p, now[4 + p]] == card:
                child[4 + p] -= 1
                child_key -= board.pile_step[p]
        else:
            child[move] -= 1
            child_key -= board.pile_step[move - 4]
        place = skeleton_place(table, child_key)
        if place < 0:
            return UNDECIDED
        verdict = table.verdicts[place]
        if verdict == RELAXED_WON:
            for d in range(depth + 1):
                table.verdicts[places[d]] = RELAXED_WON
            return RELAXED_WON
        if verdict == UNDECIDED:
            depth += 1
            keys[depth] = child_key
            places[depth] = place
            moves[depth] = -1
    return RELAXED_LOST
