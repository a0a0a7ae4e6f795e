"""Card codes, ranks and suits, and their text. Knows nothing of games.

A card is the integer ``4 * rank + suit``: the four cards of a rank are neighbours, Aces come first.

    rank   0 1 2 3 4 5 6 7 8 9 10 11 12         suit  0 1 2 3
           A 2 3 4 5 6 7 8 9 T  J  Q  K               H C D S

    AH = 0, AC = 1, ..., 2H = 4, ..., KS = 51
"""

from typing import TypeAlias

Card: TypeAlias = int
"""A card's code, 0 to 51."""

SUITS = 4
RANKS = 13
DECK = SUITS * RANKS

RANK_LETTERS = "A23456789TJQK"
SUIT_LETTERS = "HCDS"
SUIT_SYMBOLS = "♥♣♦♠"
RANK_NAMES = ("ace", *map(str, range(2, 11)), "jack", "queen", "king")
SUIT_NAMES = ("hearts", "clubs", "diamonds", "spades")

_SUIT_OF = {letter: suit for suit, letter in enumerate(SUIT_LETTERS)}
_SUIT_OF |= {letter.lower(): suit for letter, suit in _SUIT_OF.items()}
_SUIT_OF |= {symbol: suit for suit, symbol in enumerate(SUIT_SYMBOLS)}
_SUIT_OF |= {symbol: suit for suit, symbol in enumerate("♡♧♢♤")}
_RANK_OF = {letter: rank for rank, letter in enumerate(RANK_LETTERS)}
_RANK_OF |= {letter.lower(): rank for letter, rank in _RANK_OF.items()}
_RANK_OF["10"] = 9
_SELECTORS = "\N{VARIATION SELECTOR-15}\N{VARIATION SELECTOR-16}"
"""What programs put after a suit symbol to have it drawn as text or as a picture."""


def rank_of(card: Card) -> int:
    """Rank of a card, 0 (Ace) to 12 (King)."""
    return card >> 2


def suit_of(card: Card) -> int:
    """Suit of a card, an index into ``SUIT_LETTERS``."""
    return card & 3


def make_card(rank: int, suit: int) -> Card:
    """The card of a rank and a suit."""
    return 4 * rank + suit


def card_text(card: Card, symbols: bool = False) -> str:
    """``5S``, or with ``symbols`` ``5♠``."""
    return RANK_LETTERS[card >> 2] + (SUIT_SYMBOLS if symbols else SUIT_LETTERS)[card & 3]


def card_name(card: Card) -> str:
    """``5 of spades``, ``queen of hearts``."""
    return f"{RANK_NAMES[card >> 2]} of {SUIT_NAMES[card & 3]}"


def parse_rank(text: str) -> int | None:
    """The rank that ``A``, ``2`` ... ``10`` or ``T`` ... ``K`` names, in either case, or None."""
    return _RANK_OF.get(text)


def parse_suit(text: str) -> int | None:
    """The suit that a letter in either case or a Unicode suit symbol names, or None."""
    return _SUIT_OF.get(text.rstrip(_SELECTORS))


def parse_card(text: str) -> Card | None:
    """The card that a text like ``5S``, ``10h`` or ``T♥`` names, or None if it names none."""
    bare = text.rstrip(_SELECTORS)
    rank, suit = _RANK_OF.get(bare[:-1]), _SUIT_OF.get(bare[-1:])
    if rank is None or suit is None:
        return None
    return make_card(rank, suit)
