"""The relaxed game on skeletons, which pretends that every arrangement can be reached. See docs/search.md, section 3.

It only counts cards, hosts and spaces. A skeleton that cannot be won there is lost, and with it every position that
has it.
"""

from solver.engine.bits import RANK_MASK, count4, lowest
from solver.engine.classes.board import SPACES_ANY, SPACES_KINGS
from solver.engine.classes.skeletons import (
    MAX_DEPTH,
    RELAXED_LOST,
    RELAXED_WON,
    UNDECIDED,
    skeleton_place,
    unpack_skeleton,
)
from solver.engine.jit import bare_kernel

# What `relaxed_moves` returns
RELAXED_OVER, RELAXED_SAFE, RELAXED_OPEN = 0, 1, 2


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
