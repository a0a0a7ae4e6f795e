"""Random small positions of every rule set, for the comparisons with the naive search."""

from itertools import product
from random import Random

from solver.cards import SUITS, rank_of, suit_of
from solver.position import Position
from solver.rules import Rules

RULE_SETS = [
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
