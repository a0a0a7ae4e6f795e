"""Deal numbers: scheme and number to deck order, in plain Python. Knows nothing of games.

Two schemes, as the solitaire programs define them that use them:

``ms``
    The generator of Microsoft's FreeCell, a linear congruence, numbers 1 to 2^33 - 1 as the ``pysol_cards``
    package extends it: below 2^31 each draw is 15 bits; below 2^32 the same 15 bits with bit 15 set; from
    there 16 bits, plus one. The deck starts as Aces to Kings, each rank in the order C D H S.
``pysol``
    PySolFC's: below 32000 the same as ``ms``; from there Python's Mersenne Twister on a deck that starts
    suit by suit, C S H D, each Ace to King. Numbers 1 to 10^20 - 1.

The compiled twins for batches are in ``engine/dealing/compiled_shuffles.py``.
"""

import random
from collections.abc import Iterator

from solver.cards import DECK, RANKS, SUIT_LETTERS, Card, make_card
from solver.errors import InputError

LARGEST = {"ms": (1 << 33) - 1, "pysol": 10**20 - 1}
"""The schemes, and the largest number of each; all start at 1."""

PYSOL_TWISTER_FROM = 32000
"""PySolFC deals with the Mersenne Twister from this number on."""

MS_DECK: tuple[Card, ...] = tuple(make_card(rank, SUIT_LETTERS.index(suit)) for rank in range(RANKS) for suit in "CDHS")
PYSOL_DECK: tuple[Card, ...] = tuple(
    make_card(rank, SUIT_LETTERS.index(suit)) for suit in "CSHD" for rank in range(RANKS)
)


def check_number(scheme: str, number: int) -> None:
    """Raise InputError unless the scheme exists and has a deal of that number."""
    if scheme not in LARGEST:
        raise InputError(f"no scheme {scheme!r}; there are {', '.join(LARGEST)}")
    if not 1 <= number <= LARGEST[scheme]:
        raise InputError(f"{scheme}:{number} is out of range: {scheme} deals are 1 to {LARGEST[scheme]}")


def shuffled_deck(scheme: str, number: int) -> list[Card]:
    """The deck in the order in which its cards are dealt: both schemes deal the shuffled deck from its end.

    Raises
    ------
    InputError
        For an unknown scheme or a number out of its range.
    """
    check_number(scheme, number)
    if scheme == "ms" or number < PYSOL_TWISTER_FROM:
        draws = _ms_draws(number)
        deck = list(MS_DECK)
        for last in range(DECK - 1, 0, -1):
            other = next(draws) % (last + 1)
            deck[last], deck[other] = deck[other], deck[last]
    else:
        twister = random.Random(number)
        deck = list(PYSOL_DECK)
        for last in range(DECK - 1, 0, -1):
            other = int(twister.random() * (last + 1))
            deck[last], deck[other] = deck[other], deck[last]
    return deck[::-1]


def _ms_draws(number: int) -> Iterator[int]:
    """The draws of the ``ms`` generator; its state has 33 bits."""
    state = number if number < 1 << 32 else number - (1 << 32)
    while True:
        state = (state * 214013 + 2531011) & ((1 << 33) - 1)
        draw = state >> 16
        if number < 1 << 31:
            yield draw & 0x7FFF
        elif number < 1 << 32:
            yield draw & 0x7FFF | 0x8000
        else:
            yield (draw & 0xFFFF) + 1
