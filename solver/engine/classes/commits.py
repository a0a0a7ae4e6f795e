"""Steps out of a class, and the classes that they lead to. See docs/search.md, section 2.

``list_steps`` names the irreversible steps (and relocations) that a class allows; ``take_step`` makes one of them and
writes down every class that can come of it: one as a rule, several where the step ends a freedom that some float
had until then (a commit).
"""

from typing import Any, NamedTuple

import numpy as np

from solver.engine.bits import RANK_MASK, lowest, popcount
from solver.engine.classes.board import (
    CODE_BLOCK,
    CODE_FOUNDED,
    CODE_SPACE,
    SPACE,
    SPACES_ANY,
    SPACES_KINGS,
    clear_codes,
    new_record,
    write_code,
)
from solver.engine.classes.levels import cards_of, count4
from solver.engine.jit import bare_kernel

FOUND, BREAK, RELOCATE = 0, 1, 2
"""Kinds of step."""

MAX_STEPS = 256
"""More than the steps of any class: 4 founds, 52 breaks, 4 x 4 + 4 relocations a rank."""

# What `take_step` does next
_ENTER, _SEAT, _CHANGE = 0, 1, 2
_ON_SPACE = 4
"""The place of a seating on a space, after the four suits."""


STEPS = np.dtype(
    [("kind", np.int64, MAX_STEPS), ("card", np.int64, MAX_STEPS), ("target", np.int64, MAX_STEPS)], align=True
)
"""The steps out of a class: kind, card and, for a relocation, target (a card or SPACE)."""

COMMITS = np.dtype(
    [
        ("key", np.int64, 3),  # of the result, without the lifted cards
        # The seatings decided so far: the card, the cards to seat after it on its level, the place now tried (0-3 a
        # suit, 4 a space), its level
        ("card", np.int64, 53),
        ("left", np.int64, 53),
        ("place", np.int64, 53),
        ("rank", np.int64, 53),
        # Each level after the step, as found on the way up: its accessible cards, floats, hosts, the hosts that
        # committed cards use, and whether it is free by itself
        ("accessible", np.int64, 14),
        ("floats", np.int64, 14),
        ("hosts", np.int64, 14),
        ("used", np.int64, 14),
        ("free", np.int64, 14),
        # The cards that are left in a block there, and the hosts that they share
        ("block", np.int64, 14),
        ("shared", np.int64, 14),
        # How many lifted cards of a level have no host at the tightest moment, and how many of its committed cards are
        # on spaces
        ("short", np.int64, 14),
        ("spaces", np.int64, 14),
        # What is the same for all results of the step
        ("lifted", np.int64),  # the cards taken off the board, to be seated
        ("places", np.int64),  # the cards that they may be seated on
        ("skeleton", np.int64),  # number of the skeleton after the step
        ("any_card", np.int64),  # whether any card may fill a space
        # What the decisions so far leave
        ("room", np.int64),  # piles
        ("bottom", np.int64),  # set of the cards at the bottoms of piles
    ],
    align=True,
)
"""Scratch of ``take_step``."""


SIZE = np.dtype(
    [
        ("count", np.int64),  # how many successors there are
        ("left_out", np.int64),  # 1 if some were left out; then no more are written
        ("limit", np.int64),  # how many there may be
    ],
    align=True,
)


class Successors(NamedTuple):
    """Classes written by ``take_step``.

    Attributes
    ----------
    keys
        int64[n, 4]: three key words and the skeleton's number.
    size
        SIZE.
    """

    keys: np.ndarray
    size: Any


def new_successors(size: int) -> Successors:
    """Room for ``size`` successors."""
    successors = Successors(np.zeros((size, 4), np.int64), new_record(SIZE))
    successors.size.limit = size
    return successors


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


@bare_kernel
def take_step(board, state, rung, skeleton, kind, card, target, commits, out):
    """Write every class that a step leads to into ``out``, unsettled, canonical members' keys.

    ``state`` is the canonical member of the class, analysed; ``skeleton`` is its skeleton's number.

    The floats of free levels are lifted off the board. Level by level upwards, those that are no longer accessible are
    seated in every way on the places that their level had before the step. Once all of those are seated it is known
    which levels are still free; the floats of the others are seated in every way too. The rest take canonical seats.

    With ``board.makes_blocks``, for games without parking, the floats of a level that stops being fluid make a block
    instead. A step that frees a place of a block's level ends the block; only its cards that are no longer accessible
    are then seated, in every way on the hosts that the block had.
    """
    host = state.host
    ranks = board.ranks
    any_card = board.spaces == SPACES_ANY
    bit = 1 << card
    own_rank = card >> 2

    free = cards_of(state.free)
    lifted, bared = state.floats & free, state.hosts & free << 4
    places = state.hosts
    if state.blocked:
        freed = -1  # the level at which a place comes free
        if state.blocked & bit:
            freed = own_rank
        elif not lifted & bit and host[card] != SPACE:
            freed = (host[card] >> 2) - 1
        members = state.blocked & (RANK_MASK << (4 * freed)) if freed >= 0 else 0
        if members:
            lifted |= members
            places &= ~(RANK_MASK << (4 * freed + 4))
            while members:
                places |= 1 << host[lowest(members)]
                members &= members - 1
            bared |= places & (RANK_MASK << (4 * freed + 4))
    was_lifted = lifted & bit
    was_bottom = not was_lifted and host[card] == SPACE
    live, bad, buried = state.live, state.bad & ~bit, state.buried
    ridden = state.ridden & ~bared
    bottom = state.bottom & ~lifted & ~bit
    if not was_lifted and host[card] != SPACE:
        ridden &= ~(1 << host[card])
    lifted &= ~bit
    key = commits.key
    key[0], key[1], key[2] = state.key[0], state.key[1], state.key[2]
    clear_codes(key, lifted | bit)
    new_skeleton = skeleton
    if state.bad & bit:
        p = board.pile[card]
        new_skeleton -= board.pile_step[p]
        k = popcount(state.bad & board.above[p, 0])
        buried = buried & ~board.above[p, 0] | board.below[p, k - 1]
    extra = 0  # piles taken at the tightest moment, beside those that are counted below
    leaving = -1  # the level at which the card itself still takes a place just before it is founded
    if kind == FOUND:
        live &= ~bit
        write_code(key, card, CODE_FOUNDED)
        new_skeleton += board.suit_step[card & 3]
        if was_lifted:
            leaving = own_rank
        elif was_bottom:
            extra = 1
    elif kind == BREAK:
        if own_rank == ranks - 1 and not any_card:
            write_code(key, card, CODE_SPACE)
            bottom |= bit
        else:
            lifted |= bit
    elif target == SPACE:
        write_code(key, card, CODE_SPACE)
        bottom |= bit
        if was_bottom:
            extra = 1
    else:
        write_code(key, card, target & 3)
        ridden |= 1 << target
        if was_bottom:
            extra = 1
    # At the tightest moment the committed cards are in their places and the others seated as well as possible. `room`
    # is how many piles are then left over; a committed card on a space takes one unless its level is short of hosts.
    places &= ~bit
    room = board.piles - popcount(bottom) - extra
    for rank in range(ranks):
        cards = count4((lifted >> (4 * rank)) & RANK_MASK) + (rank == leaving)
        short = max(0, cards - count4((places >> (4 * rank + 4)) & RANK_MASK))
        commits.short[rank] = short
        commits.spaces[rank] = 0
        room -= short
        if short and not any_card:
            return
    if room < 0:
        return
    commits.lifted, commits.places, commits.skeleton = lifted, places, new_skeleton
    commits.any_card, commits.room, commits.bottom = any_card, room, bottom

    accessible, floats, hosts, used = commits.accessible, commits.floats, commits.hosts, commits.used
    accessible[0] = live & RANK_MASK & ~ridden
    lazy = board.makes_blocks
    n = 0  # seatings decided
    rank, todo = 0, 0
    mode = _ENTER
    while True:
        if mode == _ENTER:
            if rank == ranks:
                if not _seat_rest(board, n, commits, out):
                    return
                mode = _CHANGE
                continue
            used[rank] = 0
            todo = lifted & (RANK_MASK << (4 * rank)) & ~accessible[rank] if rank >= rung else 0
            commits.block[rank] = 0
            if lazy and rank >= rung:
                # Where the level is not fluid, its lifted cards take all hosts that are bare without them.
                members = lifted & (RANK_MASK << (4 * rank))
                bare = live & ~ridden & (RANK_MASK << (4 * rank + 4))
                if members and count4(bare >> (4 * rank + 4)) <= count4(members >> (4 * rank)):
                    commits.block[rank] = members
                    commits.shared[rank] = bare
                    todo = 0
            mode = _SEAT
        elif mode == _SEAT:
            if todo:
                _decide(commits, n, rank, todo)
                n += 1
                mode = _CHANGE
                continue
            # Every pinned card of the level is seated: what does the level look like?
            of_rank = RANK_MASK << (4 * rank)
            above = live & (of_rank << 4)
            if rank < rung:
                f = live & ~bad & ~buried & of_rank
                h = above & ~buried
            else:
                f = accessible[rank] & ~bad
                h = above & ~ridden & ~used[rank]
            if not any_card:
                f &= ~commits.bottom
            if rank >= rung:
                seated = f & ~lifted & ~commits.bottom
                while seated:
                    seat = lowest(seated)
                    h |= 1 << (target if seat == card else host[seat])
                    seated &= seated - 1
            fluid = not commits.block[rank] and count4(h >> (4 * rank + 4)) > count4(f >> (4 * rank))
            floats[rank] = f & ~commits.block[rank]
            hosts[rank] = h
            accessible[rank + 1] = h if fluid else 0
            commits.free[rank] = 1 if fluid or rank < rung else 0
            rank += 1
            mode = _ENTER
        else:
            if n == 0:
                return
            if _change(commits, n):
                rank = commits.rank[n - 1]
                todo = commits.left[n - 1]
                mode = _SEAT
            else:
                n -= 1


@bare_kernel
def _decide(commits, n, rank, todo):
    """Open decision ``n``: the lowest card of ``todo`` is to be seated on level ``rank``; it has no place yet."""
    commits.card[n] = lowest(todo)
    commits.left[n] = todo & (todo - 1)
    commits.rank[n] = rank
    commits.place[n] = -1


@bare_kernel
def _change(commits, n):
    """Move the last of ``n`` decisions on to its next place; False when it has tried all."""
    last = n - 1
    used, spaces, short = commits.used, commits.spaces, commits.short
    card, rank, place = commits.card[last], commits.rank[last], commits.place[last]
    base = 4 * rank + 4
    if place == _ON_SPACE:
        commits.bottom &= ~(1 << card)
        spaces[rank] -= 1
        if spaces[rank] >= short[rank]:
            commits.room += 1
        return False
    if place >= 0:
        used[rank] &= ~(1 << (base + place))
    place += 1
    open_places = commits.places & ~used[rank]
    while place < _ON_SPACE and not open_places >> (base + place) & 1:
        place += 1
    if place < _ON_SPACE:
        used[rank] |= 1 << (base + place)
    elif commits.any_card and (spaces[rank] < short[rank] or commits.room > 0):
        if spaces[rank] >= short[rank]:
            commits.room -= 1
        spaces[rank] += 1
        commits.bottom |= 1 << card
    else:
        return False
    commits.place[last] = place
    return True


@bare_kernel
def _seat_rest(board, n, commits, out):
    """The second half of ``take_step``: ``n`` decisions seat the pinned cards; seat the floats that must be seated.

    Returns False when there is no room for another result.
    """
    ranks, piles = board.ranks, board.piles
    lifted = commits.lifted
    spare_left = False
    if commits.any_card:
        taken, stranded = commits.bottom, 0
        for rank in range(ranks):
            f, h = commits.floats[rank], commits.hosts[rank]
            taken &= ~f
            stranded += max(0, count4(f >> (4 * rank)) - count4(h >> (4 * rank + 4)))
        spare_left = popcount(taken) + stranded < piles
    first = n
    rank, todo = -1, 0
    while True:
        while not todo:
            rank += 1
            if rank == ranks:
                break
            if not (commits.free[rank] or spare_left):
                todo = lifted & commits.floats[rank]
        if rank < ranks:
            _decide(commits, n, rank, todo)
            n += 1
        else:
            if out.size.count >= out.size.limit:
                out.size.left_out = 1
                return False
            _emit(ranks, n, spare_left, commits, out)
        while n > first and not _change(commits, n):
            n -= 1
        if n == first:
            return True
        rank, todo = commits.rank[n - 1], commits.left[n - 1]


@bare_kernel
def _emit(ranks, n, spare_left, commits, out):
    """Write one result of ``take_step``: ``n`` committed cards where they are seated, the others in canonical order."""
    key = out.keys[out.size.count]
    key[0], key[1], key[2], key[3] = commits.key[0], commits.key[1], commits.key[2], commits.skeleton
    lifted = commits.lifted
    for i in range(n):
        write_code(key, commits.card[i], commits.place[i])  # _ON_SPACE is CODE_SPACE
    for rank in range(ranks):
        block = commits.block[rank]
        if block:
            alone = block & (block - 1) == 0
            while block:
                code = lowest(commits.shared[rank]) & 3 if alone else CODE_BLOCK
                write_code(key, lowest(block), code)
                block &= block - 1
            continue
        f, h = commits.floats[rank], commits.hosts[rank]
        if not (commits.free[rank] or spare_left):
            continue
        clear_codes(key, f & ~lifted)  # those that have just become free
        while f:
            card = lowest(f)
            f &= f - 1
            if h:
                write_code(key, card, lowest(h) & 3)
                h &= h - 1
            else:
                write_code(key, card, CODE_SPACE)
    out.size.count += 1
