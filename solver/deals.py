"""Deal names and dealing: deck order and rules to the first position. Knows nothing of search."""

import re
from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass

from solver.cards import DECK, RANKS, SUITS, Card, rank_of, suit_of
from solver.errors import InputError, check_kind
from solver.position import Position
from solver.rules import Rules, unknown_setting
from solver.shuffles import check_number, shuffled_deck

DEFAULT_SCHEME = "pysol"


@dataclass(frozen=True, slots=True, order=True)
class DealId:
    """A deal's name: scheme and number, in text ``ms:617``.

    Attributes
    ----------
    scheme
        The shuffle: ``ms`` is Microsoft FreeCell's, ``pysol`` is PySolFC's.
    number
        Which shuffle: 1 to 2^33 - 1 (``ms``), 1 to 10^20 - 1 (``pysol``).

    Examples
    --------
    >>> str(solver.DealId("ms", 617))
    'ms:617'
    """

    scheme: str
    number: int

    def __str__(self) -> str:
        return f"{self.scheme}:{self.number}"


@dataclass(frozen=True, slots=True)
class DealRange:
    """The deals ``first`` to ``last`` of a scheme, both included."""

    scheme: str
    first: int
    last: int

    @property
    def count(self) -> int:
        """Number of deals; ``len`` would overflow on the longest ranges."""
        return self.last - self.first + 1

    def __iter__(self) -> Iterator[DealId]:
        return (DealId(self.scheme, number) for number in range(self.first, self.last + 1))

    def __str__(self) -> str:
        return f"{self.scheme}:{self.first}" + (f"-{self.last}" if self.last != self.first else "")


_LONGEST_NUMBER = 40
"""Digits that a deal number may have, leading zeros included; far beyond every scheme's largest."""

_TOKEN = re.compile(r"(?:([A-Za-z]+):)?([0-9]+)(?:-([0-9]+))?", re.ASCII)


def parse_deals(token: str) -> DealRange:
    """Read ``617``, ``ms:24``, ``1-1000`` or ``pysol:1-100``.

    Raises
    ------
    InputError
        For anything else, an unknown scheme, a number out of range or a range that runs backwards.
    """
    match = _TOKEN.fullmatch(token)
    if match is None:
        raise InputError(f"{token!r} names no deal: write a number, a range 1-1000, or either with a scheme, ms:24")
    scheme, first, last = match.groups()
    scheme = DEFAULT_SCHEME if scheme is None else scheme.lower()
    numbers = [text for text in (first, last) if text is not None]
    if max(map(len, numbers)) > _LONGEST_NUMBER:
        raise InputError(f"a number of {max(map(len, numbers))} digits names no deal")
    start, end = int(numbers[0]), int(numbers[-1])
    check_number(scheme, start)
    check_number(scheme, end)
    if end < start:
        raise InputError(f"{token!r} runs backwards")
    return DealRange(scheme, start, end)


def parse_deal(token: str) -> DealId:
    """Read the name of one deal; as ``parse_deals``, but a range of more than one deal is an error."""
    deals = parse_deals(token)
    if deals.count != 1:
        raise InputError(f"{token!r} names {deals.count} deals, one is wanted")
    return DealId(deals.scheme, deals.first)


def as_deal(deal: DealId | str | int) -> DealId:
    """A deal itself, or the one of a name; a number alone, as text or not, is ``pysol``.

    Raises
    ------
    InputError
        As ``parse_deal`` raises it.
    """
    check_kind("deal", deal, DealId, str, int)
    if not isinstance(deal, DealId):
        return parse_deal(str(deal))
    check_kind("deal.scheme", deal.scheme, str)
    check_kind("deal.number", deal.number, int)
    return deal


def deal_position(deal: DealId, rules: Rules) -> Position:
    """The position that a deal starts from under a rule set."""
    return position_of_deck(shuffled_deck(deal.scheme, deal.number), rules)


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
"""Every rule that dealing knows, those that change no deal too: a new one may change it, and is refused till then."""


def position_of_deck(deck: Iterable[Card], rules: Rules) -> Position:
    """Deal a deck of 52 cards, in the order given.

    Raises
    ------
    InputError
        For a rule that dealing does not know.
    """
    unknown = unknown_setting(rules, _KNOWN_RULES)
    if unknown is not None:
        raise InputError(f"dealing does not know the rule {unknown}")
    cards = list(deck)
    match rules.layout:
        case "castle":
            position = _castle_deal(cards, rules)
        case "bakers-dozen":
            position = _thirteen_piles(_kings_down(cards[::-1]))
        case "portuguese":
            position = _thirteen_piles(cards)
    return position.settled_deal() if rules.auto_found == "uncovered" else position


def _castle_deal(cards: list[Card], rules: Rules) -> Position:
    founded = [0] * SUITS
    if rules.aces == "first":
        founded = [1] * SUITS
        cards = [card for card in cards if rank_of(card) != 0]
    piles: list[list[Card]] = [[] for _ in range(rules.piles)]
    turns = _turns(len(cards), rules)
    turn = 0
    for card in cards:
        if rules.skim == "yes" and founded[suit_of(card)] == rank_of(card):
            founded[suit_of(card)] += 1
            if rules.skim_gap == "refill":
                continue
        else:
            piles[turns[turn]].append(card)
        turn += 1
    hearts, clubs, diamonds, spades = founded
    return Position((hearts, clubs, diamonds, spades), tuple(map(tuple, piles)))


def _turns(cards: int, rules: Rules) -> list[int]:
    """The pile of each turn of a castle deal, one turn a card."""
    rows = [turn % rules.piles for turn in range(cards)]
    return rows if rules.order == "rows" else sorted(rows)


def _thirteen_piles(cards: list[Card]) -> Position:
    return Position((0, 0, 0, 0), tuple(tuple(cards[pile::13]) for pile in range(13)))


def _kings_down(cards: list[Card]) -> list[Card]:
    """Swap each King, in the order dealt, with the lowest card of its pile that is not a King."""
    cards = list(cards)
    for place in [place for place in range(DECK) if rank_of(cards[place]) == RANKS - 1]:
        for lower in range(place % 13, place, 13):
            if rank_of(cards[lower]) != RANKS - 1:
                cards[place], cards[lower] = cards[lower], cards[place]
                break
    return cards
