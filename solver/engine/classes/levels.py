"""Levels: which cards float, which can hold them, and the one arrangement that stands for a class.

See docs/search.md, section 2 for the words and section 5 for the optimistic levels of the ladder.
"""

from solver.engine.bits import RANK_MASK, cards_of, count4, lowest, popcount
from solver.engine.classes.board import CODE_SPACE, SPACE, SPACES_ANY, clear_codes, decode, write_code
from solver.engine.jit import bare_kernel


@bare_kernel
def first_level(live):
    """The lowest level that has a float or a host, by the set of cards that are not founded; 0 where none has."""
    return max((lowest(live) >> 2) - 1, 0) if live else 0


@bare_kernel
def analyze(board, state, rung):
    """Analyse the levels of a position from level 0 upwards, those below ``rung`` optimistically.

    Fills ``state.levels``: the accessible cards, the floats of each level (bits of their own rank), the hosts of
    each level r (bits of rank r + 1), the fluid levels and the free levels (bit r for level r), the spare spaces.
    """
    host = state.host
    ranks = board.ranks
    any_card = board.spaces == SPACES_ANY
    live, bottom, ridden = state.live, state.bottom, state.ridden
    built = live & ~state.bad
    if not any_card:
        built &= ~bottom  # where spaces take few cards or none, bottoms never float
    accessible = live & ~ridden & RANK_MASK
    floats, hosts, fluid = 0, 0, 0
    stranded = 0  # floats for which their level has no host
    for rank in range(first_level(live), ranks):
        of_rank = RANK_MASK << (4 * rank)
        above = live & (of_rank << 4)
        if rank < rung:
            f = built & of_rank & ~state.buried
            h = above & ~state.buried
        else:
            f = built & of_rank & accessible
            h = above & ~ridden
            seated = f & ~bottom
            while seated:
                card = lowest(seated)
                seated &= seated - 1
                h |= 1 << host[card]
        floats |= f
        hosts |= h
        excess = count4(f >> (4 * rank)) - count4((h >> (4 * rank + 4)) & RANK_MASK)
        if excess < 0:
            fluid |= 1 << rank
            accessible |= h
        elif any_card:
            stranded += excess
    spare = board.piles - popcount(bottom & ~floats) - stranded
    free = fluid
    if any_card and spare >= 1:
        free = (1 << ranks) - 1
    elif rung > 0:
        free |= (1 << rung) - 1
    state.accessible = accessible
    state.floats = floats
    state.hosts = hosts
    state.fluid = fluid
    state.free = free
    state.spare = spare


@bare_kernel
def canonicalize(board, state):
    """Rearrange a position that has been analysed into the one that stands for its class.

    The floats of each free level, by suit, go on that level's hosts, by suit; those left over go on spaces.
    """
    key, host, rider = state.key, state.host, state.rider
    for rank in range(board.ranks):
        if not state.free >> rank & 1:
            continue
        floats = state.floats & (RANK_MASK << (4 * rank))
        if not floats:
            continue
        hosts = state.hosts & (RANK_MASK << (4 * rank + 4))
        state.ridden &= ~hosts
        clear_codes(key, floats)
        rest = hosts
        while rest:
            rider[lowest(rest)] = -1
            rest &= rest - 1
        while floats:
            card = lowest(floats)
            floats &= floats - 1
            if hosts:
                below = lowest(hosts)
                hosts &= hosts - 1
                host[card] = below
                rider[below] = card
                state.ridden |= 1 << below
                state.bottom &= ~(1 << card)
                write_code(key, card, below & 3)
            else:
                host[card] = SPACE
                state.bottom |= 1 << card
                write_code(key, card, CODE_SPACE)


@bare_kernel
def classify(word0, word1, word2, board, rung, state):
    """Fill ``state`` with the member that stands for a position's class; ``state.key`` is then the class's key."""
    decode(word0, word1, word2, board, state)
    analyze(board, state, rung)
    canonicalize(board, state)


@bare_kernel
def held_cards(state):
    """The cards on built bonds that no rearranging moves: all but the floats of free levels."""
    return state.live & ~state.bad & ~(state.floats & cards_of(state.free))
