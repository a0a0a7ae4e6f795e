"""Dealing, compiled: the twin of ``solver.deals`` for batches. Knows nothing of search.

A deal is packed as its piles are drawn, bottom card first, EMPTY above the top:

    piles    int8[13, 52]   piles[2, 0] is the bottom card of pile 3
    heights  int8[13]       number of cards of each pile; 0 beyond the piles that the rule set has
    founded  int8[4]        number of cards founded of each suit

The piles ``3H 2C``, ``5S 4D 9H`` and an empty one have the heights 2 3 0 ...; piles[1] is 19 14 32 -1 ...
"""

from collections.abc import Container
from dataclasses import dataclass

import numpy as np

from solver.cards import DECK, RANKS, SUITS
from solver.engine.dealing.compiled_shuffles import next_words, shuffle, words_of
from solver.engine.jit import kernel
from solver.errors import InputError
from solver.position import Position
from solver.rules import Rules, unknown_setting
from solver.shuffles import check_number

MAX_PILES = 13
EMPTY = -1

_CASTLE = 0
_BAKERS_DOZEN = 1
_PORTUGUESE = 2
_LAYOUTS = {"castle": _CASTLE, "bakers-dozen": _BAKERS_DOZEN, "portuguese": _PORTUGUESE}

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
"""Every rule that ``rule_code`` knows, those that change no deal too."""

# The slots of a rule code, int64[7]: what dealing has to know of a rule set.
_LAYOUT = 0
_PILES = 1
_ACES_FIRST = 2
_SKIM = 3
_REFILL = 4
_COLUMNS = 5
_SETTLE = 6


@dataclass(frozen=True, slots=True, eq=False)
class PackedDeal:
    """One deal in packed form.

    Attributes
    ----------
    piles
        int8[13, 52], bottom card first, ``EMPTY`` where there is no card.
    heights
        int8[13], number of cards of each pile.
    founded
        int8[4], number of cards founded of each suit.
    skimmed
        Number of cards founded by skimming; neither Aces founded before the deal nor cards founded by
        themselves after it are among them.
    """

    piles: np.ndarray
    heights: np.ndarray
    founded: np.ndarray
    skimmed: int

    def position(self, rules: Rules) -> Position:
        """The deal as a readable position of the rule set that it was dealt by."""
        hearts, clubs, diamonds, spades = self.founded.tolist()
        heights = self.heights[: rules.piles].tolist()
        piles = tuple(tuple(pile[:height].tolist()) for pile, height in zip(self.piles, heights, strict=False))
        return Position((hearts, clubs, diamonds, spades), piles)


@dataclass(frozen=True, slots=True, eq=False)
class PackedDeals:
    """A batch of deals: those of ``PackedDeal`` as arrays with one more axis, the deal, in front."""

    piles: np.ndarray
    heights: np.ndarray
    founded: np.ndarray
    skimmed: np.ndarray

    def __len__(self) -> int:
        return len(self.piles)

    def __getitem__(self, index: int) -> PackedDeal:
        return PackedDeal(self.piles[index], self.heights[index], self.founded[index], int(self.skimmed[index]))


def deal_packed(scheme: str, number: int, rules: Rules) -> PackedDeal:
    """Deal one number; equal to ``solver.deals.deal_position``.

    Raises
    ------
    InputError
        For an unknown scheme or a number out of its range.
    """
    return deal_batch(scheme, number, 1, rules)[0]


def deal_batch(scheme: str, first: int, count: int, rules: Rules) -> PackedDeals:
    """Deal the ``count`` numbers from ``first`` on, without the GIL; 694 bytes a deal.

    Raises
    ------
    InputError
        For an unknown scheme or a number out of its range.
    """
    check_number(scheme, first)
    check_number(scheme, first + max(count, 1) - 1)
    deals = _room(count)
    code = rule_code(rules)
    _deal_range(scheme == "ms", *words_of(first), code, deals.piles, deals.heights, deals.founded, deals.skimmed)
    return deals


def deal_numbers(scheme: str, numbers: list[int], rules: Rules) -> PackedDeals:
    """Deal some numbers, given in rising order; errors are as for ``deal_batch``."""
    first, count = numbers[0], numbers[-1] - numbers[0] + 1
    if count == len(numbers):
        return deal_batch(scheme, first, count, rules)
    deals = [deal_batch(scheme, number, 1, rules) for number in numbers]
    names = ("piles", "heights", "founded", "skimmed")
    return PackedDeals(*(np.concatenate([getattr(deal, name) for deal in deals]) for name in names))


def deal_decks(decks: np.ndarray, rules: Rules) -> PackedDeals:
    """Deal decks, int8[n, 52] with every card once, each in the order in which its cards are dealt."""
    deals = _room(len(decks))
    _deal_decks(decks, rule_code(rules), deals.piles, deals.heights, deals.founded, deals.skimmed)
    return deals


def _room(count: int) -> PackedDeals:
    return PackedDeals(
        np.empty((count, MAX_PILES, DECK), dtype=np.int8),
        np.empty((count, MAX_PILES), dtype=np.int8),
        np.empty((count, SUITS), dtype=np.int8),
        np.empty(count, dtype=np.int8),
    )


def rule_code(rules: Rules) -> np.ndarray:
    """The rule code of a rule set, int64[7].

    Raises
    ------
    InputError
        For a rule that dealing does not know.
    """
    unknown = unknown_setting(rules, _KNOWN_RULES)
    if unknown is not None:
        raise InputError(f"compiled dealing does not know the rule {unknown}")
    code = np.zeros(7, dtype=np.int64)
    code[_LAYOUT] = _LAYOUTS[rules.layout]
    code[_PILES] = rules.piles
    code[_ACES_FIRST] = rules.aces == "first"
    code[_SKIM] = rules.skim == "yes"
    code[_REFILL] = rules.skim_gap == "refill"
    code[_COLUMNS] = rules.order == "columns"
    code[_SETTLE] = rules.auto_found == "uncovered"
    return code


@kernel
def _deal_range(
    ms: bool,
    low: int,
    middle: int,
    high: int,
    code: np.ndarray,
    piles: np.ndarray,
    heights: np.ndarray,
    founded: np.ndarray,
    skimmed: np.ndarray,
) -> None:
    """Deal the numbers from the one given in words on, as many as there is room for."""
    deck = np.empty(DECK, dtype=np.int8)
    for index in range(len(piles)):
        shuffle(ms, low, middle, high, deck)
        skimmed[index] = deal_deck(deck, code, piles[index], heights[index], founded[index])
        low, middle, high = next_words(low, middle, high)


@kernel
def _deal_decks(
    decks: np.ndarray,
    code: np.ndarray,
    piles: np.ndarray,
    heights: np.ndarray,
    founded: np.ndarray,
    skimmed: np.ndarray,
) -> None:
    """Deal int8[n, 52] decks."""
    for index in range(len(piles)):
        skimmed[index] = deal_deck(decks[index], code, piles[index], heights[index], founded[index])


@kernel
def deal_deck(deck: np.ndarray, code: np.ndarray, piles: np.ndarray, heights: np.ndarray, founded: np.ndarray) -> int:
    """Deal a deck (int8[52], in the order dealt) into packed arrays by a rule code.

    Returns
    -------
    int
        Number of cards skimmed.
    """
    piles[:] = EMPTY
    heights[:] = 0
    founded[:] = 0
    skimmed = 0
    if code[_LAYOUT] == _CASTLE:
        skimmed = _castle_deal(deck, code, piles, heights, founded)
    elif code[_LAYOUT] == _BAKERS_DOZEN:
        dealt = deck[::-1].copy()
        _kings_down(dealt)
        _thirteen_piles(dealt, piles, heights)
    else:
        _thirteen_piles(deck, piles, heights)
    if code[_SETTLE]:
        _settle(piles, heights, founded)
    return skimmed


@kernel
def _castle_deal(
    deck: np.ndarray, code: np.ndarray, piles: np.ndarray, heights: np.ndarray, founded: np.ndarray
) -> int:
    cards = DECK
    if code[_ACES_FIRST]:
        founded[:] = 1
        cards = DECK - SUITS
    across = code[_PILES]
    skimmed = 0
    pile = 0
    turns = (cards + across - 1) // across  # the turns that this pile has left, when dealing by columns
    for card in deck:
        rank, suit = card >> 2, card & 3
        if rank == 0 and code[_ACES_FIRST]:
            continue
        if code[_SKIM] and founded[suit] == rank:
            founded[suit] += 1
            skimmed += 1
            if code[_REFILL]:
                continue
        else:
            piles[pile, heights[pile]] = card
            heights[pile] += 1
        if code[_COLUMNS]:
            turns -= 1
            if turns == 0:
                pile += 1
                turns = (cards - pile + across - 1) // across
        else:
            pile = (pile + 1) % across
    return skimmed


@kernel
def _kings_down(dealt: np.ndarray) -> None:
    """Swap each King, in the order dealt, with the lowest card of its pile that is no King."""
    for place in range(DECK):
        # A King swapped down is behind `place` by then, so each King is met once.
        if dealt[place] >> 2 == RANKS - 1:
            for lower in range(place % MAX_PILES, place, MAX_PILES):
                if dealt[lower] >> 2 != RANKS - 1:
                    dealt[place], dealt[lower] = dealt[lower], dealt[place]
                    break


@kernel
def _thirteen_piles(dealt: np.ndarray, piles: np.ndarray, heights: np.ndarray) -> None:
    for place in range(DECK):
        piles[place % MAX_PILES, place // MAX_PILES] = dealt[place]
    heights[:] = DECK // MAX_PILES


@kernel
def _settle(piles: np.ndarray, heights: np.ndarray, founded: np.ndarray) -> None:
    """Found every top that fits, and what that uncovers; the order does not matter."""
    moved = True
    while moved:
        moved = False
        for pile in range(MAX_PILES):
            while heights[pile] > 0:
                card = piles[pile, heights[pile] - 1]
                if founded[card & 3] != card >> 2:
                    break
                founded[card & 3] += 1
                heights[pile] -= 1
                piles[pile, heights[pile]] = EMPTY
                moved = True
