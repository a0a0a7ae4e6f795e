"""The steps out of a class: what may be founded, broken loose or relocated. See docs/search.md, section 2.

``commits`` makes a step and writes down the classes that it leads to.
"""

import numpy as np

from solver.engine.bits import RANK_MASK, lowest
from solver.engine.classes.board import SPACE, SPACES_ANY, SPACES_KINGS
from solver.engine.jit import bare_kernel

FOUND, BREAK, RELOCATE = 0, 1, 2
"""Kinds of step."""

MAX_STEPS = 256
"""More than the steps of any class: 4 founds, 52 breaks, 4 x 4 + 4 relocations a rank."""

STEPS = np.dtype(
    [("kind", np.int64, MAX_STEPS), ("card", np.int64, MAX_STEPS), ("target", np.int64, MAX_STEPS)], align=True
)
"""The steps out of a class: kind, card and, for a relocation, target (a card or SPACE)."""


@bare_kernel
def safe_founding(board, state):
    """The lowest accessible card that settling founds, or -1.

    Such a card fits its foundation, and every card of rank two lower is founded: whatever could still want to lie on
    it can be founded the moment it is uncovered.
    """
    founded = state.founded
    ranks = board.ranks
    fewest = min(min(founded[0], founded[1]), min(founded[2], founded[3]))
    best = -1
    for suit in range(4):
        rank = founded[suit]
        if rank < ranks and rank <= fewest + 1:
            card = 4 * rank + suit
            if state.accessible >> card & 1 and (best < 0 or card < best):
                best = card
    return best


@bare_kernel
def list_steps(board, state, rung, steps):
    """List the steps that a class allows and return their number. The state is the class's canonical member."""
    host, founded = state.host, state.founded
    kind, cards, target = steps.kind, steps.card, steps.target
    ranks = board.ranks
    any_card = board.spaces == SPACES_ANY
    accessible, hosts, fluid, spare = state.accessible, state.hosts, state.fluid, state.spare
    # Uncovering costs nothing for an accessible card, one space for a host of a level that is not fluid.
    reachable = accessible
    if any_card and spare >= 1:
        reachable |= hosts
    n = 0
    for suit in range(4):
        card = 4 * founded[suit] + suit
        if founded[suit] < ranks and reachable >> card & 1:
            kind[n] = FOUND
            cards[n] = card
            n += 1
    bad = state.bad & reachable
    while bad:
        card = lowest(bad)
        bad &= bad - 1
        rank = card >> 2
        cost = 0 if accessible >> card & 1 else 1
        if not fluid >> rank & 1:
            if not any_card and (rank < ranks - 1 or board.spaces != SPACES_KINGS):
                continue
            cost += 1
        if cost <= spare or cost == 0:
            kind[n] = BREAK
            cards[n] = card
            n += 1
    if any_card and spare >= 1:
        # Built cards that only a parked rider sets free. Their level has no float, so its free hosts are bare.
        pinned = hosts & ~accessible & state.live & ~state.bad
        if rung > 0:
            pinned &= ~((1 << (4 * rung)) - 1)
        while pinned:
            card = lowest(pinned)
            pinned &= pinned - 1
            rank = card >> 2
            if fluid >> rank & 1:
                bare = hosts & (RANK_MASK << (4 * rank + 4))
                while bare:
                    below = lowest(bare)
                    bare &= bare - 1
                    kind[n] = RELOCATE
                    cards[n] = card
                    target[n] = below
                    n += 1
            if spare >= 2 and host[card] != SPACE:
                kind[n] = RELOCATE
                cards[n] = card
                target[n] = SPACE
                n += 1
    return n
