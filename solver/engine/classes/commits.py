"""Where a step leads: to one class as a rule, to several where it ends a freedom. See docs/search.md, section 2.

A float whose level the step freezes could until then sit on any host of its level; where it sits is chosen now. Such a
choice is a *commit*, and each way to make all of a step's commits gives a class of its own.
"""

from typing import Any, NamedTuple

import numpy as np

from solver.engine.bits import RANK_MASK, cards_of, count4, lowest, popcount
from solver.engine.classes.board import (
    CODE_BLOCK,
    CODE_FOUNDED,
    CODE_SPACE,
    SPACE,
    SPACES_ANY,
    clear_codes,
    new_record,
    write_code,
)
from solver.engine.classes.levels import first_level
from solver.engine.classes.steps import BREAK, FOUND
from solver.engine.jit import bare_kernel, part_of_kernel

_ON_SPACE = 4
"""The place of a seating on a space, after the four suits."""


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
        # Sets of cards after the step, those lifted left out of the last: not founded, on bad bonds, buried, carrying
        ("live", np.int64),
        ("bad", np.int64),
        ("buried", np.int64),
        ("ridden", np.int64),
        ("skeleton", np.int64),  # number of the skeleton after the step
        ("any_card", np.int64),  # whether any card may fill a space
        ("first", np.int64),  # the lowest level that has cards
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
def take_step(board, state, rung, skeleton, kind, card, target, commits, out):
    """Write every class that a step leads to into ``out``, unsettled, canonical members' keys.

    The floats of free levels are lifted off the board. Level by level upwards, those that are no longer accessible are
    seated in every way on the places that their level had before the step. Once all of those are seated it is known
    which levels are still free; the floats of the others are seated in every way too. The rest take canonical seats.

    With ``board.makes_blocks``, for games without parking, the floats of a level that stops being fluid make a block
    instead. A step that frees a place of a block's level ends the block; only its cards that are no longer accessible
    are then seated, in every way on the hosts that the block had.

    Parameters
    ----------
    board, state
        BOARD, and the STATE of the class's canonical member, analysed; both are only read.
    rung, skeleton
        The rung, 0 for the game itself; the number of the class's skeleton.
    kind, card, target
        The step, as ``list_steps`` writes it.
    commits
        COMMITS, scratch.
    out
        Successors; the results are appended.
    """
    if not _lift(board, state, skeleton, kind, card, target, commits):
        return
    ranks = board.ranks
    n = 0  # seatings decided
    rank = commits.first
    todo = _enter_level(board, rung, rank, commits)
    while True:
        if todo:
            _decide(commits, n, rank, todo)
            n += 1
        else:
            _see_level(state, rung, rank, card, target, commits)
            rank += 1
            if rank < ranks:
                todo = _enter_level(board, rung, rank, commits)
                continue
            if not _seat_rest(board, n, commits, out):
                return
        while n > 0 and not _change(commits, n):
            n -= 1
        if n == 0:
            return
        rank, todo = commits.rank[n - 1], commits.left[n - 1]


@part_of_kernel
def _lift(board, state, skeleton, kind, card, target, commits):
    """Begin a step: take the card, and all that may have to be seated anew, off the board.

    Fills what is the same for all results of the step. Returns False if there are not enough piles for the step.
    """
    host, bit = state.host, 1 << card
    free = cards_of(state.free)
    lifted, bared = state.floats & free, state.hosts & free << 4
    commits.places = state.hosts
    if state.blocked:
        freed = _level_with_a_new_place(state, card, lifted)
        members = state.blocked & (RANK_MASK << (4 * freed)) if freed >= 0 else 0
        if members:
            _end_block(state, freed, members, commits)
            lifted |= members
            bared |= commits.places & (RANK_MASK << (4 * freed + 4))
    was_lifted = lifted & bit
    was_bottom = not was_lifted and host[card] == SPACE
    commits.live, commits.bad, commits.buried = state.live, state.bad & ~bit, state.buried
    commits.ridden = state.ridden & ~bared
    commits.bottom = state.bottom & ~lifted & ~bit
    if not was_lifted and host[card] != SPACE:
        commits.ridden &= ~(1 << host[card])
    commits.lifted = lifted & ~bit
    commits.any_card = board.spaces == SPACES_ANY
    commits.first = first_level(state.live)
    commits.skeleton = skeleton
    commits.key[0], commits.key[1], commits.key[2] = state.key[0], state.key[1], state.key[2]
    clear_codes(commits.key, lifted | bit)
    if state.bad & bit:
        p = board.pile[card]
        commits.skeleton -= board.pile_step[p]
        k = popcount(state.bad & board.above[p, 0])
        commits.buried = commits.buried & ~board.above[p, 0] | board.below[p, k - 1]
    _land(board, kind, card, target, commits)
    commits.places &= ~bit
    # Just before a card that floats is founded it still takes a place of its level; any other bottom takes its pile.
    leaving = card >> 2 if kind == FOUND and was_lifted else -1
    return _count_room(board, leaving, was_bottom and kind != BREAK, commits)


@part_of_kernel
def _level_with_a_new_place(state, card, lifted):
    """The level of which a step of the card frees a place that a block may hold; -1 if there is none."""
    if state.blocked >> card & 1:
        return card >> 2
    if not lifted >> card & 1 and state.host[card] != SPACE:
        return (state.host[card] >> 2) - 1
    return -1


@part_of_kernel
def _end_block(state, level, members, commits):
    """Give the members of a block the places of their level that the block held, and no others."""
    commits.places &= ~(RANK_MASK << (4 * level + 4))
    while members:
        commits.places |= 1 << state.host[lowest(members)]
        members &= members - 1


@part_of_kernel
def _land(board, kind, card, target, commits):
    """Put the card of a step where it goes: on its foundation, at a bottom, on its target, or among those lifted."""
    bit, key = 1 << card, commits.key
    if kind == FOUND:
        commits.live &= ~bit
        write_code(key, card, CODE_FOUNDED)
        commits.skeleton += board.suit_step[card & 3]
    elif kind == BREAK:
        if card >> 2 == board.ranks - 1 and not commits.any_card:
            write_code(key, card, CODE_SPACE)
            commits.bottom |= bit
        else:
            commits.lifted |= bit
    elif target == SPACE:
        write_code(key, card, CODE_SPACE)
        commits.bottom |= bit
    else:
        write_code(key, card, target & 3)
        commits.ridden |= 1 << target


@part_of_kernel
def _count_room(board, leaving, extra, commits):
    """Count the piles that are left over at the tightest moment; False if they do not suffice.

    Then the committed cards are in their places and the others seated as well as possible. A committed card on a space
    takes a pile of ``room`` unless its level is short of hosts. ``leaving`` is the level on which the card itself takes
    a place as well, -1 for none; ``extra`` says that it takes a pile.
    """
    room = board.piles - popcount(commits.bottom) - extra
    for rank in range(commits.first, board.ranks):
        cards = count4((commits.lifted >> (4 * rank)) & RANK_MASK) + (rank == leaving)
        short = max(0, cards - count4((commits.places >> (4 * rank + 4)) & RANK_MASK))
        commits.short[rank] = short
        commits.spaces[rank] = 0
        room -= short
        if short and not commits.any_card:
            return False
    commits.room = room
    return room >= 0


@part_of_kernel
def _enter_level(board, rung, rank, commits):
    """Begin with a level, those below it being seated; returns its pinned cards, which must be seated."""
    commits.used[rank] = 0
    commits.block[rank] = 0
    if rank == commits.first:  # only Aces are accessible there
        commits.accessible[rank] = commits.live & RANK_MASK & ~commits.ridden
    if rank < rung:
        return 0
    members = commits.lifted & (RANK_MASK << (4 * rank))
    if board.makes_blocks and members:
        # Where the level is not fluid, its lifted cards take all hosts that are bare without them.
        bare = commits.live & ~commits.ridden & (RANK_MASK << (4 * rank + 4))
        if count4(bare >> (4 * rank + 4)) <= count4(members >> (4 * rank)):
            commits.block[rank] = members
            commits.shared[rank] = bare
            return 0
    return members & ~commits.accessible[rank]


@part_of_kernel
def _see_level(state, rung, rank, card, target, commits):
    """Work out the floats and hosts of a level whose pinned cards are all seated, and whether it is fluid."""
    of_rank = RANK_MASK << (4 * rank)
    above = commits.live & (of_rank << 4)
    if rank < rung:
        f = commits.live & ~commits.bad & ~commits.buried & of_rank
        h = above & ~commits.buried
    else:
        f = commits.accessible[rank] & ~commits.bad
        h = above & ~commits.ridden & ~commits.used[rank]
    if not commits.any_card:
        f &= ~commits.bottom
    if rank >= rung:
        seated = f & ~commits.lifted & ~commits.bottom
        while seated:
            seat = lowest(seated)
            h |= 1 << (target if seat == card else state.host[seat])
            seated &= seated - 1
    fluid = not commits.block[rank] and count4(h >> (4 * rank + 4)) > count4(f >> (4 * rank))
    commits.floats[rank] = f & ~commits.block[rank]
    commits.hosts[rank] = h
    commits.accessible[rank + 1] = h if fluid else 0
    commits.free[rank] = 1 if fluid or rank < rung else 0


@part_of_kernel
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
        for rank in range(commits.first, ranks):
            f, h = commits.floats[rank], commits.hosts[rank]
            taken &= ~f
            stranded += max(0, count4(f >> (4 * rank)) - count4(h >> (4 * rank + 4)))
        spare_left = popcount(taken) + stranded < piles
    first = n
    rank, todo = commits.first - 1, 0
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
    for rank in range(commits.first, ranks):
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
