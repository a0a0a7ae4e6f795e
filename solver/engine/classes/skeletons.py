"""The skeleton of a position and the relaxed game on it. See docs/search.md, section 3.

A skeleton is the four foundations and the number of bad bonds left in each dealt pile, one mixed-radix number. The
relaxed game pretends that every arrangement can be reached and only counts; a skeleton that cannot be won
there is lost, and with it every position that has it.

The table of a deal's skeletons is a dense list (key, verdict, classes opened) with a hash index over it. The index
is stamped with the deal, so nothing is cleared between deals.
"""

from typing import Any, NamedTuple

import numpy as np

from solver.engine.bits import RANK_MASK, lowest
from solver.engine.classes.board import SPACES_ANY, SPACES_KINGS, new_record
from solver.engine.classes.levels import count4
from solver.engine.jit import bare_kernel

UNDECIDED, RELAXED_WON, RELAXED_LOST = 0, 1, 2

# What `relaxed_moves` returns
RELAXED_OVER, RELAXED_SAFE, RELAXED_OPEN = 0, 1, 2

FIRST_LOOKUP_BITS = 10
RELAXED_STEPS = 2_000_000
"""Skeletons that the relaxed games of one deal may open; beyond that skeletons stay undecided and prune nothing."""
MAX_DEPTH = 160
"""Longer than any line of the relaxed game: 52 founds and at most 52 broken bonds, and the start."""


KNOWN = np.dtype(
    [
        ("number", np.int64),  # the skeleton's number
        ("verdict", np.int64),  # UNDECIDED, RELAXED_WON or RELAXED_LOST
        # How many classes with this skeleton were opened; above 32 bits the stamp of the iteration that counted them
        ("opened", np.int64),
    ],
    align=True,
)
"""What is known of one skeleton."""

SEARCH = np.dtype(
    [
        (
            "counts",
            [
                ("n_known", np.int64),  # skeletons in the table
                ("lookup_bits", np.int64),  # the index in use has two to the power of this many slots
                ("stamp", np.int64),  # of the deal, and of the index's size
                ("steps_left", np.int64),  # skeletons that relaxed games may still open
            ],
        ),
        ("keys", np.int64, MAX_DEPTH),  # the line
        ("moves", np.int64, (MAX_DEPTH, 1)),  # the moves still to be tried at each place of it
        ("places", np.int64, MAX_DEPTH),  # its places in the table
        ("left", np.int64, (MAX_DEPTH, 17)),  # foundations and bad bonds left along it
    ],
    align=True,
)


class Skeletons(NamedTuple):
    """The skeletons met in one deal.

    Attributes
    ----------
    known
        KNOWN[n], in the order met.
    lookup
        int64[2n]: hash index, entries ``deal stamp << 32 | place + 1``.
    search
        SEARCH: counts, and the line of the relaxed game being looked at.
    """

    known: np.ndarray
    lookup: np.ndarray
    search: Any


def new_skeletons(bits: int) -> Skeletons:
    """A table for 2**bits skeletons, or as many as the first index asks for."""
    size = 1 << max(bits, FIRST_LOOKUP_BITS - 1)
    return Skeletons(
        np.zeros(size, KNOWN).view(np.recarray),
        np.zeros(2 * size, np.int64),
        new_record(SEARCH),
    )


@bare_kernel
def reset_skeletons(table):
    """Forget the skeletons of the last deal."""
    counts = table.search.counts
    counts.n_known = 0
    counts.lookup_bits = FIRST_LOOKUP_BITS
    counts.stamp += 1
    counts.steps_left = RELAXED_STEPS


@bare_kernel
def _slot(key, bits):
    return ((key * -7046029254386353131) >> 20) & ((1 << bits) - 1)


@bare_kernel
def skeleton_place(table, key):
    """The place of a skeleton in the table, entered if it is new; -1 if the table is full."""
    counts, known, lookup = table.search.counts, table.known, table.lookup
    stamp = counts.stamp << 32
    mask = (1 << counts.lookup_bits) - 1
    slot = _slot(key, counts.lookup_bits)
    while lookup[slot] >> 32 == counts.stamp:
        place = (lookup[slot] & 0xFFFFFFFF) - 1
        if known[place].number == key:
            return place
        slot = (slot + 1) & mask
    place = counts.n_known
    if place == len(known):
        return -1
    known[place].number = key
    known[place].verdict = UNDECIDED
    known[place].opened = 0
    lookup[slot] = stamp | (place + 1)
    counts.n_known = place + 1
    if 2 * (place + 1) > mask and mask + 1 < len(lookup):
        # Double the index in use. A new stamp empties it without clearing.
        counts.stamp += 1
        counts.lookup_bits += 1
        stamp = counts.stamp << 32
        mask = (1 << counts.lookup_bits) - 1
        for old in range(place + 1):
            slot = _slot(known[old].number, counts.lookup_bits)
            while lookup[slot] >> 32 == counts.stamp:
                slot = (slot + 1) & mask
            lookup[slot] = stamp | (old + 1)
    return place


@bare_kernel
def relaxed_moves(board, left, moves, steps):
    """The moves of the relaxed game from a skeleton, as a bit set: suits 0-3 to found, 4 + p to break pile p's stump.

    Returns RELAXED_OVER if the skeleton is won: no bad bond is left, then the lowest card can always be founded;
    RELAXED_SAFE if a founding is safe (every card of rank two lower is founded) and thus the only move; RELAXED_OPEN.
    """
    ranks, piles, spaces = board.ranks, board.piles, board.spaces
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
        return RELAXED_OVER
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
                return RELAXED_SAFE
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
    return RELAXED_OPEN


@bare_kernel
def unpack_skeleton(board, key, left):
    """Fill int64[17] ``left`` with the foundations and the bad bonds left in each pile of a skeleton."""
    ranks, piles = board.ranks, board.piles
    rest = key
    for suit in range(4):
        left[suit] = rest % (ranks + 1)
        rest //= ranks + 1
    for p in range(piles):
        radix = board.pile_step[p + 1] // board.pile_step[p] if p + 1 < 13 else rest + 1
        left[4 + p] = rest % radix
        rest //= radix


@bare_kernel
def play_relaxed(board, left, move):
    """Make a move of the relaxed game in ``left``; what it adds to the skeleton's number."""
    if move >= 4:
        left[move] -= 1
        return -board.pile_step[move - 4]
    card = 4 * left[move] + move
    left[move] += 1
    p = board.pile[card]
    k = left[4 + p]
    if not k or board.stump[p, k] != card:
        return board.suit_step[move]
    left[4 + p] -= 1
    return board.suit_step[move] - board.pile_step[p]


@bare_kernel
def relaxed_verdict(board, table, key):
    """RELAXED_WON or RELAXED_LOST for a skeleton, by memoised depth-first search; UNDECIDED where a budget ran out.

    Every move raises a foundation or breaks a bad bond, so the search meets no circles.
    """
    place = skeleton_place(table, key)
    if place < 0:
        return UNDECIDED
    known, search = table.known, table.search
    if known[place].verdict != UNDECIDED:
        return known[place].verdict
    left, moves, places, keys = search.left, search.moves, search.places, search.keys
    unpack_skeleton(board, key, left[0])
    scratch = left[MAX_DEPTH - 1]
    depth = 0
    keys[0] = key
    places[0] = place
    moves[0, 0] = -1
    while depth >= 0:
        now = left[depth]
        if moves[depth, 0] == -1:  # not yet opened
            if search.counts.steps_left <= 0:
                return UNDECIDED
            search.counts.steps_left -= 1
            if relaxed_moves(board, now, moves[depth], scratch) == RELAXED_OVER:
                for d in range(depth + 1):
                    known[places[d]].verdict = RELAXED_WON
                return RELAXED_WON
        if moves[depth, 0] == 0:
            known[places[depth]].verdict = RELAXED_LOST
            depth -= 1
            continue
        move = lowest(moves[depth, 0])
        moves[depth, 0] &= moves[depth, 0] - 1
        child = left[depth + 1]
        for i in range(17):
            child[i] = now[i]
        child_key = keys[depth] + play_relaxed(board, child, move)
        place = skeleton_place(table, child_key)
        if place < 0:
            return UNDECIDED
        verdict = known[place].verdict
        if verdict == RELAXED_WON:
            for d in range(depth + 1):
                known[places[d]].verdict = RELAXED_WON
            return RELAXED_WON
        if verdict == UNDECIDED:
            depth += 1
            keys[depth] = child_key
            places[depth] = place
            moves[depth, 0] = -1
    return RELAXED_LOST
