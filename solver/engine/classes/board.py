"""The packed deal and position that the quota search works on, and the class key. See docs/search.md, sections 1 and 2.

A position is what every card lies on: ``host[c]`` is a card, ``SPACE`` at the bottom of a pile, or ``FOUNDED``.
``rider[c]`` is the inverse. The order of the piles never enters. Beside the two arrays a position keeps sets of
cards as bits (see ``bits``), so that one shift gives the four cards of a rank.

A key holds, per card, three bits that say where it lies; the four cards of a rank take 12 bits, five ranks a word:

    word 0: ranks 0-4, word 1: ranks 5-9, word 2: ranks 10-12     bit of card c in its word: 12 * (rank % 5) + 3 * suit
    code 0-3  on the card one rank higher of that suit (a built bond)
    code 4    at the bottom of a pile, where that counts as built
    code 5    where the deal put it, on a bad bond
    code 6    founded
    code 7    in a block: on one of the hosts of its level that no other code names a rider for, it is left open which

Play makes built bonds only, so a bad bond is always the dealt one and the code need not say which.
Equal keys mean equal positions, piles' order aside, or equal sets of them, with blocks: "lost" never rests on a hash.

A whole board (``tests/test_board.py`` reads it here and checks every value): 3 ranks, 3 piles, a space takes any card.
A star marks a bad bond. 3D is on a bad bond, 2S on a built one, the third pile is a space, AH and AS are founded:

    Foundations: H-A S-A
    3S 2H AD 3C* 2S
    3H 2D AC 2C* 3D*
    :

What BOARD has for each card, and what the key says of it (- for a card on its foundation, . for a bottom):

    card    AH AC AD AS  2H 2C 2D 2S  3H 3C 3D 3S
    host     - 2D 2H  -  3S AC 3H 3C   . AD 2C  .
    pile    -1  1  0 -1   0  1  1  0   1  0  1  0
    code     6  2  0  6   3  5  0  1   4  5  5  4

Written from the highest card down, the codes are the digits of word 0; words 1 and 2 hold ranks that this deck lacks:

    key     0o455410536026 0o0 0o0

While k bad bonds of dealt pile p are left, they are its lowest k: the card on the k-th, the stump top, has not moved,
nor have the cards below it. Row [p, k] of three tables:

    p k    stump   below          above
    0 0            -              3S 2H AD 3C 2S
    0 1    3C      3S 2H AD       2S
    1 0            -              3H 2D AC 2C 3D
    1 1    2C      3H 2D AC       3D
    1 2    3D      3H 2D AC 2C    -
    2 0            -              -

A skeleton (how many cards of each suit are founded, how many bad bonds each pile has left) is one number, written in
digits of several sizes: a suit of three cards has 4 values (0 to 3), a pile that was dealt k bad bonds has k + 1. The
step of a digit is the product of the sizes before it:

    suit_step    1 4 16 64
    pile_step    256 512 1536
    skeleton     1345 = 1*1 + 0*4 + 0*16 + 1*64 + 1*256 + 2*512 + 0*1536

STATE has these sets of cards for this key:

    live       AC AD 2H 2C 2D 2S 3H 3C 3D 3S
    bad        2C 3C 3D
    bottom     3H 3S
    ridden     AC AD 2H 2C 2D 3H 3C 3S
    buried     AC AD 2H 2D 2C 3H 3S
    blocked    -
"""

from collections.abc import Container
from typing import Any

import numpy as np

from solver.engine.bits import RANK_MASK, lowest, popcount
from solver.engine.jit import bare_kernel
from solver.errors import InputError
from solver.position import Position
from solver.rules import Rules, unknown_setting

SPACE = 52
"""The host of a card at the bottom of a pile."""
FOUNDED = 53
"""The host of a card on its foundation."""
NONE = -1
"""No rider."""

CODE_SPACE = 4
CODE_BAD = 5
CODE_FOUNDED = 6
CODE_BLOCK = 7
RANKS_PER_WORD = 5

SPACES_NONE, SPACES_KINGS, SPACES_ANY = 0, 1, 2
SPACES_CODE = {"none": SPACES_NONE, "kings": SPACES_KINGS, "any": SPACES_ANY}


# The records that kernels work on. A record is handed over as one pointer, where a tuple of arrays would be taken apart
# and put together again at every call, which takes longer than most calls.

DEAL = np.dtype(
    [
        ("piles", np.int64, (13, 52)),  # bottom card first
        ("heights", np.int64, 13),  # number of cards of each pile
        ("founded", np.int64, 4),  # number of cards of each suit on its foundation
        ("ranks", np.int64),
        ("n_piles", np.int64),
        ("spaces", np.int64),  # what a space accepts, SPACES_...
    ],
    align=True,
)
"""A dealt position, as it is handed to the kernels."""

BOARD = np.dtype(
    [
        ("ranks", np.int64),
        ("piles", np.int64),  # number of piles
        ("spaces", np.int64),  # what a space accepts, SPACES_...
        ("makes_blocks", np.int64),  # whether `commits.take_step` makes blocks, 0 or 1
        ("host", np.int64, 52),  # what each card lies on in the deal
        ("pile", np.int64, 52),  # the dealt pile that each card belongs to, -1 if it starts on its foundation
        ("stump", np.int64, (13, 53)),  # [p, k]: the stump top of dealt pile p when k of its bad bonds are left, k >= 1
        ("above", np.int64, (13, 53)),  # the cards dealt above that stump top; for k = 0 the whole pile
        ("below", np.int64, (13, 53)),  # the cards dealt below it, the buried ones; for k = 0 none
        ("pile_step", np.int64, 13),  # weights of the mixed-radix number that names a skeleton
        ("suit_step", np.int64, 4),
    ],
    align=True,
)
"""What never changes during a deal."""

STATE = np.dtype(
    [
        ("key", np.int64, 3),
        ("host", np.int64, 52),
        ("rider", np.int64, 52),
        ("founded", np.int64, 4),  # number of cards of each suit on its foundation
        # Sets of cards
        ("live", np.int64),  # not founded
        ("bad", np.int64),  # on a bad bond
        ("bottom", np.int64),  # at the bottom of a pile
        ("ridden", np.int64),  # carrying a card
        ("buried", np.int64),  # with a bad bond somewhere above
        ("blocked", np.int64),  # in a block; the hosts and riders are then those of one of its arrangements
        # What `levels.analyze` finds
        ("accessible", np.int64),  # set of cards
        ("floats", np.int64),  # set of cards: the floats of level r are among those of rank r
        ("hosts", np.int64),  # set of cards: the hosts of level r are among those of rank r + 1
        ("fluid", np.int64),  # bit r for level r
        ("free", np.int64),  # bit r for level r
        ("spare", np.int64),  # number of spare spaces
    ],
    align=True,
)
"""One position: its key, hosts, riders, sets of cards, founded counts, and the analysis of its levels."""


def new_record(layout: np.dtype) -> Any:
    """A record of that layout, all zero.

    No field may be named as an attribute of NumPy's records, as ``round`` is: compiled code would read the field, and
    Python code (with ``NUMBA_DISABLE_JIT=1``) the attribute.
    """
    taken = sorted(set(layout.names or ()).intersection(dir(np.record)))
    assert not taken, f"a field cannot be named {', '.join(taken)}: a NumPy record has an attribute of that name"
    return np.zeros(1, layout).view(np.recarray)[0]


def fields_of(record: Any) -> dict[str, Any]:
    """The values of a record by name; faster than to read its fields one by one."""
    return dict(zip(record.dtype.names, record.item(), strict=True))


_KNOWN_RULES: dict[str, Container[str | int | None]] = {
    "piles": range(1, 14),
    "layout": ("castle", "bakers-dozen", "portuguese"),
    "aces": ("first", "in-deck", None),
    "skim": ("no", "yes", None),
    "skim-gap": ("skip", "refill", None),
    "order": ("rows", "columns", None),
    "spaces": ("any", "kings", "none"),
    "unit": ("card", "supermove"),
    "withdrawal": ("no",),
    "auto-found": ("never",),
}
"""Every rule for which docs/search.md shows that classes decide; how a board was dealt makes no difference to that."""


def pack(position: Position, rules: Rules) -> Any:
    """A position as a DEAL record.

    Raises
    ------
    InputError
        For a rule that classes were not made for.
    """
    unknown = unknown_setting(rules, _KNOWN_RULES)
    if unknown is not None:
        raise InputError(f"the quota engine does not know the rule {unknown}")
    deal = np.zeros(1, DEAL)
    deal["ranks"], deal["n_piles"], deal["spaces"] = position.ranks, rules.piles, SPACES_CODE[rules.spaces]
    deal["founded"] = position.foundations
    piles, heights = deal["piles"][0], deal["heights"][0]
    for number, pile in enumerate(position.piles):
        piles[number, : len(pile)] = pile
        heights[number] = len(pile)
    return deal.view(np.recarray)[0]


@bare_kernel
def load_board(deal, board, root):
    """Fill ``board`` (BOARD) with a dealt position (DEAL) and ``root`` (int64[4]) with its key and skeleton."""
    piles, heights, founded = deal.piles, deal.heights, deal.founded
    ranks, n_piles, spaces = deal.ranks, deal.n_piles, deal.spaces
    board.ranks = ranks
    board.piles = n_piles
    board.spaces = spaces
    board.makes_blocks = spaces != SPACES_ANY
    board.host[:] = FOUNDED
    board.pile[:] = -1
    root[:] = 0
    step = 1
    for suit in range(4):
        board.suit_step[suit] = step
        root[3] += step * founded[suit]
        step *= ranks + 1
        for rank in range(founded[suit]):
            write_code(root, 4 * rank + suit, CODE_FOUNDED)
    for p in range(13):
        bad = 0
        whole = 0
        height = heights[p] if p < n_piles else 0
        for i in range(height):
            card = piles[p, i]
            board.pile[card] = p
            below = whole
            whole |= 1 << card
            if i == 0:
                board.host[card] = SPACE
                built = space_takes(board, card)
                code = CODE_SPACE
            else:
                board.host[card] = piles[p, i - 1]
                built = piles[p, i - 1] >> 2 == (card >> 2) + 1
                code = piles[p, i - 1] & 3
            if not built:
                bad += 1
                board.stump[p, bad] = card
                board.below[p, bad] = below
                code = CODE_BAD
            write_code(root, card, code)
        for k in range(bad + 1):
            board.above[p, k] = whole
            if k > 0:
                board.above[p, k] &= ~(board.below[p, k] | 1 << board.stump[p, k])
        board.pile_step[p] = step
        root[3] += step * bad
        step *= bad + 1


@bare_kernel
def space_takes(board, card):
    """Whether the rules let a card into an empty pile."""
    return board.spaces == SPACES_ANY or (board.spaces == SPACES_KINGS and card >> 2 == board.ranks - 1)


@bare_kernel
def write_code(key, card, code):
    """Write where a card lies into a key that has zeros there."""
    rank = card >> 2
    word = 0 if rank < RANKS_PER_WORD else 1 if rank < 2 * RANKS_PER_WORD else 2
    key[word] |= code << (12 * (rank - RANKS_PER_WORD * word) + 3 * (card & 3))


@bare_kernel
def clear_codes(key, cards):
    """Make zeros of where each card of a set lies, in a key."""
    while cards:
        card = lowest(cards)
        cards &= cards - 1
        rank = card >> 2
        word = 0 if rank < RANKS_PER_WORD else 1 if rank < 2 * RANKS_PER_WORD else 2
        key[word] &= ~(7 << (12 * (rank - RANKS_PER_WORD * word) + 3 * (card & 3)))


@bare_kernel
def scatter(key0, key1, key2):
    """A number that scatters keys over a table: its lowest bits are where to look first."""
    mixed = key0 * -7046029254386353131 + key1 * -4417276706812531889 + key2 * 1609587929392839161
    return (mixed ^ mixed >> 29) * -7046029254386353131 >> 24


@bare_kernel
def _every_third(bits):
    """Every third bit of a word, from the lowest on, moved together: 20 bits."""
    bits &= 0o111111111111111111111
    bits = (bits ^ bits >> 2) & 0x10C30C30C30C30C3
    bits = (bits ^ bits >> 4) & 0x100F00F00F00F00F
    bits = (bits ^ bits >> 8) & 0x001F0000FF0000FF
    bits = (bits ^ bits >> 16) & 0x001F00000000FFFF
    return (bits ^ bits >> 32) & 0xFFFFF


@bare_kernel
def _code_bits(word0, word1, word2, bit):
    """The set of cards in whose code a bit, 0 to 2, is set."""
    return _every_third(word0 >> bit) | _every_third(word1 >> bit) << 20 | _every_third(word2 >> bit) << 40


@bare_kernel
def decode(word0, word1, word2, board, state):
    """Fill ``state`` (STATE) with the position of a key; its levels stay what they were. See docs/search.md, section 1.

    The codes are taken apart into sets of cards first: loops over those have no branch that the processor has to guess.
    """
    host, rider, founded = state.host, state.rider, state.founded
    state.key[0], state.key[1], state.key[2] = word0, word1, word2
    cards = (1 << 4 * board.ranks) - 1
    low, middle = _code_bits(word0, word1, word2, 0), _code_bits(word0, word1, word2, 1)
    high = _code_bits(word0, word1, word2, 2) & cards
    up = high & middle & ~low
    live = cards & ~up
    bad, bottom, blocked = high & ~middle & low, high & ~middle & ~low, high & middle & low
    for suit in range(4):
        founded[suit] = popcount(up & 0x1111111111111 << suit)
    for card in range(52):
        host[card] = FOUNDED
        rider[card] = NONE
    ridden = 0
    rest = bottom
    while rest:
        host[lowest(rest)] = SPACE
        rest &= rest - 1
    rest = bad
    while rest:
        card = lowest(rest)
        rest &= rest - 1
        below = board.host[card]
        host[card] = below
        if below == SPACE:
            bottom |= 1 << card
        else:
            rider[below] = card
            ridden |= 1 << below
    rest = live & ~high
    while rest:
        card = lowest(rest)
        rest &= rest - 1
        below = (card | 3) + 1 + (low >> card & 1) + 2 * (middle >> card & 1)
        host[card] = below
        rider[below] = card
        ridden |= 1 << below
    state.blocked = blocked
    while blocked:
        card = lowest(blocked)
        blocked &= blocked - 1
        below = lowest(live & ~ridden & (RANK_MASK << (4 * (card >> 2) + 4)))
        host[card] = below
        rider[below] = card
        ridden |= 1 << below
    state.live = live
    state.bad = bad
    state.bottom = bottom
    state.ridden = ridden
    buried = 0
    if bad:
        for p in range(board.piles):
            buried |= board.below[p, popcount(bad & board.above[p, 0])]
    state.buried = buried


@bare_kernel
def encode(host, live, bad, ranks, key):
    """Write the key of a position into int64[3] ``key``; every live card's host, and the bad ones, are given."""
    key[0] = 0
    key[1] = 0
    key[2] = 0
    for rank in range(ranks):
        codes = 0
        for suit in range(4):
            card = 4 * rank + suit
            if not live >> card & 1:
                code = CODE_FOUNDED
            elif bad >> card & 1:
                code = CODE_BAD
            elif host[card] == SPACE:
                code = CODE_SPACE
            else:
                code = host[card] & 3
            codes |= code << (3 * suit)
        key[rank // RANKS_PER_WORD] |= codes << (12 * (rank % RANKS_PER_WORD))


@bare_kernel
def is_dealt_badly(board, card):
    """Whether the bond that the deal gave a card is a bad one."""
    below = board.host[card]
    if below == SPACE:
        return not space_takes(board, card)
    return below >> 2 != (card >> 2) + 1


@bare_kernel
def encode_hosts(board, host, key):
    """Write the key of a position into int64[3] ``key``, knowing what every card lies on and nothing else."""
    live, bad = 0, 0
    for card in range(4 * board.ranks):
        if host[card] != FOUNDED:
            live |= 1 << card
            if host[card] == board.host[card] and is_dealt_badly(board, card):
                bad |= 1 << card
    encode(host, live, bad, board.ranks, key)


@bare_kernel
def copy_play(source, target):
    """Copy what playing moves needs of a state: hosts, riders and foundations."""
    for card in range(52):
        target.host[card] = source.host[card]
        target.rider[card] = source.rider[card]
    for suit in range(4):
        target.founded[suit] = source.founded[suit]
