"""The relaxed game on skeletons, which pretends that every arrangement can be reached. See docs/search.md, section 3.

It only counts cards, hosts and spaces. A skeleton that cannot be won there is lost, and with it every position that
has it.
"""

from solver.engine.bits import counts4, lowest
from solver.engine.classes.board import SPACES_ANY, SPACES_KINGS
from solver.engine.classes.skeletons import RELAXED_LOST, RELAXED_WON, UNDECIDED, skeleton_place, unpack_skeleton
from solver.engine.jit import bare_kernel

# What `relaxed_moves` returns
RELAXED_OVER, RELAXED_SAFE, RELAXED_OPEN = 0, 1, 2

_NO_NEED = 0x8888888888888
"""What `_needs` says where every rank has as many hosts as cards."""


@bare_kernel
def _needs(released, stumps):
    """How many released cards of each rank r have no host, as the number ``need + 8`` in the four bits from ``4 * r``.

    The hosts of rank r are the released cards and the stump tops of rank r + 1. At most four cards are on either side,
    so no number leaves its four bits.
    """
    return counts4(released) + _NO_NEED - (counts4(released | stumps) >> 4)


@bare_kernel
def _total_need(needs):
    """The sum over the ranks of the cards without a host, ranks with hosts to spare counting nothing."""
    positive = needs & ((needs & _NO_NEED) >> 3) * 7
    total = (positive & 0x0F0F0F0F0F0F0F) + (positive >> 4 & 0x0F0F0F0F0F0F0F)
    total += total >> 8
    total += total >> 16
    return (total + (total >> 32)) & 0xFF


@bare_kernel
def relaxed_moves(board, left):
    """The moves of the relaxed game from a skeleton: its kind, and the moves as a bit set.

    In the set, suits 0-3 stand for founding, 4 + p for breaking the bond of pile p's stump. The kind is RELAXED_OVER if
    the skeleton is won: no bad bond is left, then the lowest card can always be founded; RELAXED_SAFE if a founding is
    safe (every card of rank two lower is founded) and thus the only move; else RELAXED_OPEN.

    ``board`` is a BOARD, ``left`` int64[17]: foundations, and bad bonds left in each pile.
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
        return RELAXED_OVER, 0
    lowest_count = ranks
    for suit in range(4):
        released &= ~(((1 << (4 * left[suit])) - 1) & (0x1111111111111 << suit))
        lowest_count = min(lowest_count, left[suit])
    needs = _needs(released, stumps)
    any_card = spaces == SPACES_ANY
    # What a move may take: piles that are left over, or, where spaces do not take any card, hosts that are left over
    room = empties - _total_need(needs) if any_card else 0
    moves = 0
    for suit in range(4):
        rank = left[suit]
        card = 4 * rank + suit
        if rank == ranks or not (released | stumps) >> card & 1:
            continue
        takes = needs << 4 >> 4 * rank >> 3 & 1  # whether a card of rank - 1 loses the last host; no Ace needs one
        if takes <= room:
            if lowest_count >= rank - 1:
                return RELAXED_SAFE, 1 << suit
            moves |= 1 << suit
    for p in range(piles):
        k = left[4 + p]
        if not k:
            continue
        rank = board.stump[p, k] >> 2
        takes = needs << 4 >> 4 * rank >> 3 & 1
        if not any_card and rank == ranks - 1:  # only a King may be without a host
            takes += 0 if spaces == SPACES_KINGS and (needs >> 4 * rank & 15) - 8 < empties else 1
        else:
            takes += needs >> 4 * rank >> 3 & 1
        if takes <= room:
            moves |= 16 << p
    return RELAXED_OPEN, moves


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
    depth = 0
    keys[0] = key
    places[0] = place
    moves[0] = -1
    while depth >= 0:
        now = left[depth]
        if moves[depth] == -1:  # not yet opened
            if search.counts.steps_left <= 0:
                return UNDECIDED
            search.counts.steps_left -= 1
            kind, moves[depth] = relaxed_moves(board, now)
            if kind == RELAXED_OVER:
                for d in range(depth + 1):
                    known[places[d]].verdict = RELAXED_WON
                return RELAXED_WON
        if moves[depth] == 0:
            known[places[depth]].verdict = RELAXED_LOST
            depth -= 1
            continue
        move = lowest(moves[depth])
        moves[depth] &= moves[depth] - 1
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
            moves[depth] = -1
    return RELAXED_LOST
