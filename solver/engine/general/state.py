"""A position packed into one int64 array, its exact key, and the one function that changes it.

Knows what lies where; knows nothing of which moves are legal (``play``) or of search (``position_search``).

A position is kept as bonds, not as piles: every card knows its *place*, which is the card that it lies on
(its host, 0 to 51), ``SPACE`` at the bottom of a pile, or ``FOUNDED``. So the order of the piles never
enters, a run moves by one write, and nothing is ever sorted. The slots of the array:

    HOST + c        place of card c
    RIDER + c       the card lying on card c, or NONE
    LOWEST + c      lowest rank in c's pile from the bottom up to c itself (only while c is in a pile)
    KEY + 0 ... 2   the exact key, below
    FOUND + suit    number of cards founded
    TOPS            bit c is set when card c is the top of a pile
    SPACES          number of empty piles
    DESCENTS        number of cards that lie on one of lower rank
    SKELETON        a hash of what moves cannot bring back: the founded cards and the bad bonds left
    KING ... AUTO   the rules: the highest rank, what a space takes (TAKES_...), the runs that are listed as moves
                    (MOVES_...), and two switches, 0 or 1
    WEIGHT + c      scratch of the move order: what one more card on top card c costs

**Key.** Each card has a code of three bits, 18 cards to a word: card c is bits 3*(c//3) ... of word c%3.

    0-3  on a host one rank higher ("built"), of that suit      5  on any other host, as dealt ("bad")
    4    at the bottom of a pile                                6  founded

Play makes built bonds only, so a bad bond is always the one that was dealt, and within one search the key
tells everything but the order of the piles. A worked one, three ranks, two piles:

    Foundations: H-A C-3 D-3 S-A      AH AC AD AS  2H 2C 2D 2S  3H 3C 3D 3S      word 0, AH AS 2D 3C: 0o6666
    3H 2S                        ->    6  6  6  6   4  6  6  0   4  6  6  5  ->  word 1, AC 2H 2S 3D: 0o6046
    2H 3S                                                                        word 2, AD 2C 3H 3S: 0o5466

A word is never 0: each holds a King's code, and a King is at a bottom, on a bad bond, or founded.
"""

from collections.abc import Container

import numpy as np

from solver.engine.jit import kernel
from solver.errors import InputError
from solver.position import Position
from solver.rules import Rules, unknown_setting

CARDS = 52
SPACE = 52
FOUNDED = 53
NONE = -1

HOST = 0
RIDER = HOST + CARDS
LOWEST = RIDER + CARDS
WEIGHT = LOWEST + CARDS
KEY = WEIGHT + CARDS
FOUND = KEY + 3
TOPS = FOUND + 4
SPACES = TOPS + 1
DESCENTS = SPACES + 1
SKELETON = DESCENTS + 1
KING = SKELETON + 1
TAKES = KING + 1
RUNS = TAKES + 1
WITHDRAWAL = RUNS + 1
AUTO = WITHDRAWAL + 1
LENGTH = AUTO + 1

TAKES_NOTHING = 0
TAKES_KINGS = 1
TAKES_ANY = 2

MOVES_CARDS = 0
MOVES_SUPERMOVES = 1
MOVES_SEQUENCES = 2

CODE_BOTTOM = 4
CODE_BAD = 5
CODE_FOUNDED = 6


@kernel
def code_of(card: int, place: int) -> int:
    """The three-bit code of a card at a place."""
    if place < CARDS:
        return place & 3 if place >> 2 == (card >> 2) + 1 else CODE_BAD
    return CODE_BOTTOM if place == SPACE else CODE_FOUNDED


@kernel
def _scatter(number: int) -> int:
    """A fixed well-mixed number of 62 bits for each small one (a multiplicative hash, twice)."""
    mixed = ((number + 1) * 0x9E3779B97F4A7C1) & 0x3FFFFFFFFFFFFFFF
    mixed = ((mixed >> 31) ^ mixed) * 0x1BF58476D1CE4E5 & 0x3FFFFFFFFFFFFFFF
    return (mixed >> 29) ^ mixed


@kernel
def put(state: np.ndarray, card: int, place: int) -> None:
    """Take a card, with all that lies on it, from its place to another, and keep every slot true.

    Parameters
    ----------
    state
        int64 array of ``LENGTH``, changed in place.
    card
        A card in a pile, or the top card of its foundation.
    place
        A top card, ``SPACE`` while there is one, or ``FOUNDED`` when the card is a top and next in its suit.
        Nothing is checked: also a bad bond is made, which is how a move is taken back.
    """
    rank = card >> 2
    old = state[HOST + card]
    state[KEY + card % 3] += (code_of(card, place) - code_of(card, old)) << 3 * (card // 3)
    state[HOST + card] = place
    if old < CARDS:
        state[RIDER + old] = NONE
        state[TOPS] |= 1 << old
        if old >> 2 != rank + 1:
            state[SKELETON] ^= _scatter(card)
            state[DESCENTS] -= old >> 2 < rank
    elif old == SPACE:
        state[SPACES] += 1
    else:
        state[FOUND + (card & 3)] -= 1
        state[SKELETON] ^= _scatter(card + CARDS)
        state[TOPS] |= 1 << card
    lowest = rank
    if place < CARDS:
        state[RIDER + place] = card
        state[TOPS] &= ~(1 << place)
        lowest = min(rank, state[LOWEST + place])
        if place >> 2 != rank + 1:
            state[SKELETON] ^= _scatter(card)
            state[DESCENTS] += place >> 2 < rank
    elif place == SPACE:
        state[SPACES] -= 1
    else:
        state[FOUND + (card & 3)] += 1
        state[SKELETON] ^= _scatter(card + CARDS)
        state[TOPS] &= ~(1 << card)
        return
    state[LOWEST + card] = lowest
    rider = state[RIDER + card]
    while rider != NONE:
        lowest = min(rider >> 2, lowest)
        state[LOWEST + rider] = lowest
        rider = state[RIDER + rider]


@kernel
def unpack(key: np.ndarray, dealt: np.ndarray, piles: int, state: np.ndarray) -> None:
    """Set the slots of a position by its key, int64[3]; ``dealt`` int64[52] is what each card lay on at first.

    ``SKELETON`` stays what it was, and so do the rules.
    """
    cards = 4 * (state[KING] + 1)
    for suit in range(4):
        state[FOUND + suit] = 0
    tops = 0
    spaces = piles
    for card in range(cards):
        state[RIDER + card] = NONE
    for card in range(cards):
        code = key[card % 3] >> 3 * (card // 3) & 7
        if code == CODE_FOUNDED:
            state[HOST + card] = FOUNDED
            state[FOUND + (card & 3)] += 1
            continue
        tops |= 1 << card
        if code == CODE_BOTTOM:
            state[HOST + card] = SPACE
            spaces -= 1
        else:
            host = dealt[card] if code == CODE_BAD else 4 * (card // 4 + 1) + code
            state[HOST + card] = host
            state[RIDER + host] = card
    descents = 0
    for bottom in range(cards):
        if state[HOST + bottom] != SPACE:
            continue
        card = bottom
        state[LOWEST + card] = card >> 2
        while state[RIDER + card] != NONE:
            tops &= ~(1 << card)
            rider = state[RIDER + card]
            descents += card >> 2 < rider >> 2
            state[LOWEST + rider] = min(state[LOWEST + card], rider >> 2)
            card = rider
    state[TOPS] = tops
    state[SPACES] = spaces
    state[DESCENTS] = descents
    for word in range(3):
        state[KEY + word] = key[word]


_KNOWN_RULES: dict[str, Container[str | int | None]] = {
    "piles": range(1, 14),
    "layout": ("castle", "bakers-dozen", "portuguese"),
    "aces": ("first", "in-deck", None),
    "skim": ("no", "yes", None),
    "skim-gap": ("skip", "refill", None),
    "order": ("rows", "columns", None),
    "spaces": ("any", "kings", "none"),
    "unit": ("card", "supermove", "sequence"),
    "withdrawal": ("no", "yes"),
    "auto-found": ("never", "uncovered"),
}
"""Every rule that the general engine was made for; how a board was dealt makes no difference to it."""


def _runs_listed(rules: Rules) -> int:
    """Which runs ``moves.list_moves`` has to list under a rule set.

    A supermove leads where single cards lead as long as nothing is founded by itself. With automatic founding it
    does not: a card inside a run that moves as one is never uncovered (``docs/general.md``, "Supermoves").
    """
    if rules.unit == "sequence":
        return MOVES_SEQUENCES
    if rules.unit == "supermove" and rules.spaces == "any" and rules.auto_found != "never":
        return MOVES_SUPERMOVES
    return MOVES_CARDS


def pack(position: Position, rules: Rules) -> np.ndarray:
    """The packed form of a position with all its piles, the empty ones too, and no card due to go up by itself.

    Returns
    -------
    numpy.ndarray
        int64 array of ``LENGTH``.

    Raises
    ------
    InputError
        For a rule that the engine was not made for.
    """
    unknown = unknown_setting(rules, _KNOWN_RULES)
    if unknown is not None:
        raise InputError(f"the general engine does not know the rule {unknown}")
    state = np.zeros(LENGTH, np.int64)
    state[RIDER : RIDER + CARDS] = NONE
    state[HOST : HOST + CARDS] = FOUNDED
    state[SPACES] = len(position.piles)
    state[KING] = position.ranks - 1
    state[TAKES] = {"none": TAKES_NOTHING, "kings": TAKES_KINGS, "any": TAKES_ANY}[rules.spaces]
    state[RUNS] = _runs_listed(rules)
    state[WITHDRAWAL] = rules.withdrawal == "yes"
    state[AUTO] = rules.auto_found == "uncovered"
    # Every card starts founded and is put where it lies: `put` alone knows how the slots hang together.
    state[FOUND : FOUND + 4] = position.ranks
    for card in range(4 * position.ranks):
        state[KEY + card % 3] += CODE_FOUNDED << 3 * (card // 3)
    for pile in position.piles:
        place = SPACE
        for card in pile:
            put(state, card, place)
            place = card
    return state
