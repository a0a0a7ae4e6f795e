"""Random games on which searches are compared: small positions, rule sets, and the same position turned about.

Knows nothing of search. Everything is a function of the random numbers that it is given.
"""

from dataclasses import replace
from hashlib import blake2b
from itertools import product
from random import Random
from typing import Any

from solver.cards import SUITS, make_card, rank_of, suit_of
from solver.position import Pile, Position
from solver.rules import CHOICES, DEAL_SWITCHES, VARIANTS, Rules, rules_of

RULE_SETS: list[dict[str, Any]] = [
    {"spaces": spaces, "unit": unit, "withdrawal": withdrawal, "auto_found": auto_found}
    for spaces, unit, withdrawal, auto_found in product(
        ("any", "kings", "none"), ("card", "supermove", "sequence"), ("no", "yes"), ("never", "uncovered")
    )
]
"""The play switches in all combinations."""


def small_position(random: Random) -> tuple[Position, Rules]:
    """A position of 12 to 24 cards in 2 to 6 piles and a rule set to play it by."""
    ranks = random.randint(3, 6)
    rules = Rules("small", piles=random.choice((2, 3, 3, 4, 4, 5, 5, 6)), **random.choice(RULE_SETS))
    return position_of(random, ranks, rules), rules


def position_of(random: Random, ranks: int, rules: Rules) -> Position:
    """A random position: some cards founded, the others dealt at random, and a few random moves played."""
    most_founded = random.randint(0, ranks - 1)
    founded = [random.randint(0, most_founded) for _ in range(SUITS)]
    cards = [card for card in range(SUITS * ranks) if rank_of(card) >= founded[suit_of(card)]]
    random.shuffle(cards)
    piles: list[list[int]] = [[] for _ in range(rules.piles)]
    in_use = random.randint(max(1, rules.piles - 2), rules.piles)
    for turn, card in enumerate(cards):
        piles[turn % in_use if random.random() < 0.8 else random.randrange(in_use)].append(card)
    hearts, clubs, diamonds, spades = founded
    position = Position((hearts, clubs, diamonds, spades), tuple(map(tuple, piles)), ranks)
    for _ in range(random.choice((0, 0, 2, 8))):
        moves = list(position.legal_moves(rules))
        if not moves:
            break
        position = position.apply(random.choice(moves), rules)
    return position


def small_castle(random: Random) -> tuple[Position, Rules]:
    """A small position for the quota search: any kind of space, 2 to 6 piles, 3 to 6 ranks.

    Half of them are dealt evenly with few cards founded: those are the ones that no counting shows to be won or lost.
    """
    is_even = random.random() < 0.5
    ranks = random.choice((4, 5, 5, 6)) if is_even else random.choice((3, 4, 4, 5, 5, 6))
    piles = random.choice((3, 4, 4, 5, 5, 6)) if is_even else random.randint(2, 6)
    rules = Rules(
        "small", piles=piles, spaces=random.choice(CHOICES["spaces"]), unit=random.choice(("card", "supermove"))
    )
    most_founded = random.choice((0, 0, 1) if is_even else (0, 0, 1, 1, ranks - 1))
    founded = [random.randint(most_founded // 2, most_founded) for _ in range(SUITS)]
    deck = [card for card in range(SUITS * ranks) if rank_of(card) >= founded[suit_of(card)]]
    random.shuffle(deck)
    in_use = max(1, piles - random.choice((0, 0, 1) if is_even else (0, 0, 0, 1, 1, 2)))
    dealt: list[list[int]] = [[] for _ in range(piles)]
    order = random.random()  # how readily a card goes where it makes a built bond
    for card in deck:
        fitting = [pile for pile in dealt if pile and rank_of(pile[-1]) == rank_of(card) + 1]
        if fitting and random.random() < order:
            random.choice(fitting).append(card)
        else:
            pile = random.choice(dealt[:in_use])
            other = random.choice(dealt[:in_use])
            (other if is_even and len(other) < len(pile) else pile).append(card)
    hearts, clubs, diamonds, spades = founded
    return Position((hearts, clubs, diamonds, spades), tuple(map(tuple, dealt)), ranks), rules


BURIED_PILES = (2, 3, 3, 4, 4, 4, 5)
"""Numbers of piles to draw from for ``buried_position``: with more piles most positions are won."""


def buried_position(random: Random, rules: Rules) -> Position:
    """A position of few spaces and long runs with low cards under them, where it matters what each move uncovers.

    Low cards are dealt first, more or less, and a card that fits a pile's top is often laid there.
    """
    ranks = random.choice((4, 5, 5, 6, 6))
    most_founded = random.choice((0, 2, 2, 3))
    founded = [random.randint(0, most_founded) for _ in range(SUITS)]
    deck = [card for card in range(SUITS * ranks) if rank_of(card) >= founded[suit_of(card)]]
    disorder, order = random.uniform(0.7, 3) * ranks, random.random() ** 0.3
    deck.sort(key=lambda card: rank_of(card) + random.uniform(0, disorder))
    in_use = max(1, rules.piles - random.choice((0, 0, 0, 1)))
    dealt: list[list[int]] = [[] for _ in range(rules.piles)]
    for card in deck:
        fitting = [pile for pile in dealt if pile and rank_of(pile[-1]) == rank_of(card) + 1]
        random.choice(fitting if fitting and random.random() < order else dealt[:in_use]).append(card)
    hearts, clubs, diamonds, spades = founded
    return Position((hearts, clubs, diamonds, spades), tuple(map(tuple, dealt)), ranks)


def small_buried(random: Random) -> tuple[Position, Rules]:
    """A position of ``buried_position`` and a rule set to play it by."""
    rules = Rules("small", piles=random.choice(BURIED_PILES), **random.choice(RULE_SETS))
    return buried_position(random, rules), rules


def any_rules(random: Random) -> Rules:
    """A variant with any of the switches that apply to it changed, or none.

    A game added to the table takes a share of every other game's cases; the rest stay as they were.
    """
    lot = random.getrandbits(64)
    rules = VARIANTS[max(VARIANTS, key=lambda variant: blake2b(f"{lot} {variant}".encode()).digest())]
    if random.random() < 0.5:
        return rules
    switches = [switch for switch in CHOICES if rules.layout == "castle" or switch not in DEAL_SWITCHES]
    return rules_of(rules.variant, {switch: random.choice(CHOICES[switch]) for switch in switches})


def turned(random: Random, position: Position) -> Position:
    """The same position with its piles in another order and its suits renamed, which can change no verdict."""
    order = random.sample(range(len(position.piles)), len(position.piles))
    names = random.sample(range(SUITS), SUITS)

    def renamed(pile: Pile) -> Pile:
        return tuple(make_card(rank_of(card), names[suit_of(card)]) for card in pile)

    hearts, clubs, diamonds, spades = (position.foundations[names.index(suit)] for suit in range(SUITS))
    return replace(
        position,
        foundations=(hearts, clubs, diamonds, spades),
        piles=tuple(renamed(position.piles[number]) for number in order),
        uncovered=None if position.uncovered is None else order.index(position.uncovered),
    )
