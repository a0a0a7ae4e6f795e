"""The skeletons met in a deal, in a table. See docs/search.md, section 3.

A skeleton is the four foundations and the number of bad bonds left in each dealt pile, one mixed-radix number: what
rearranging cannot change. ``relaxed`` decides which skeletons are lost.

The table of a deal's skeletons is a dense list (key, verdict, classes opened) with a hash index over it. The index
is stamped with the deal, so nothing is cleared between deals.
"""

from typing import Any, NamedTuple

import numpy as np

from solver.engine.classes.board import new_record
from solver.engine.jit import bare_kernel

UNDECIDED, RELAXED_WON, RELAXED_LOST = 0, 1, 2


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
        ("moves", np.int64, MAX_DEPTH),  # the moves still to be tried at each place of it
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
