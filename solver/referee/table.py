"""The checker's own positions: what each card lies on, and the records of certificates. Knows nothing of search.

A position is a list of hosts, one a card: the card that this card lies on, ``SPACE`` at the bottom of a pile, or ``UP``
on its foundation. The order of the piles is not in it. Sets of cards are integers, bit c for card c; the four cards of
rank r are bits 4r to 4r + 3. docs/search.md, section 1, has the words.
"""

from collections.abc import Iterator
from typing import TypeAlias

from solver.cards import SUITS, Card, card_text, rank_of, suit_of
from solver.position import Position
from solver.referee.certificate import BOTTOM, COUNTS, DEALT, FOUNDED, ON_SUIT
from solver.rules import Rules

SPACE, UP = 52, 53

Hosts: TypeAlias = list[int]
Skeleton: TypeAlias = tuple[int, ...]
"""The cards founded of each suit, then the bad bonds left in each pile of the board."""


class BadRecord(Exception):
    """A record that describes no position; the message says why."""


def cards_in(bits: int) -> Iterator[Card]:
    """The cards of a set, the lowest first."""
    while bits:
        yield (bits & -bits).bit_length() - 1
        bits &= bits - 1


class Board:
    """The board of a certificate's head, which all positions come from.

    Attributes
    ----------
    start, rules, ranks, piles
        The board, what is played on it, the ranks of its deck, the number of its piles.
    cards
        All cards of the deck.
    dealt
        The hosts of the board.
    dealt_badly
        The set of the cards that the board has on bad bonds.
    bad_cards
        Those of each pile, from the bottom up: the last one that is left is the pile's stump top.
    under
        For each of those, the set of the cards of the board under it.
    whole
        The set of the cards of each pile.
    """

    def __init__(self, start: Position, rules: Rules) -> None:
        self.start, self.rules, self.ranks = start, rules, start.ranks
        self.piles = len(start.piles)
        self.cards = range(SUITS * start.ranks)
        self.dealt = hosts_of(start)
        self.dealt_badly = 0
        self.bad_cards: list[list[Card]] = []
        self.under: dict[Card, int] = {}
        self.whole: list[int] = []
        for pile in start.piles:
            met = 0
            self.bad_cards.append([])
            for card in pile:
                if not self.is_built(card, self.dealt[card]):
                    self.dealt_badly |= 1 << card
                    self.bad_cards[-1].append(card)
                    self.under[card] = met
                met |= 1 << card
            self.whole.append(met)

    def is_built(self, card: Card, host: int) -> bool:
        """Whether play could lay a card of the tableau there."""
        if host == SPACE:
            return self.rules.spaces == "any" or (self.rules.spaces == "kings" and rank_of(card) == self.ranks - 1)
        return rank_of(host) == rank_of(card) + 1

    def is_bad(self, card: Card, host: int) -> bool:
        """Whether a card lies on a bad bond: moves make none, so it is the one that the board has."""
        return host == self.dealt[card] and bool(self.dealt_badly >> card & 1)

    def record(self, hosts: Hosts) -> bytes:
        """The record of a position."""
        text = ""
        for card, host in enumerate(hosts):
            if host == UP:
                text += FOUNDED
            elif self.is_bad(card, host):
                text += DEALT
            else:
                text += BOTTOM if host == SPACE else ON_SUIT[suit_of(host)]
        return text.encode("ascii")

    def hosts(self, record: bytes) -> Hosts:
        """The position of a record.

        Raises
        ------
        BadRecord
            If the record is of no position that moves could make of the board.
        """
        hosts: Hosts = []
        for card, character in enumerate(record.decode("latin-1")):
            hosts.append(self._host(card, character))
        self._check_foundations(hosts)
        self._check_bonds(hosts)
        return hosts

    def _host(self, card: Card, character: str) -> int:
        if character == FOUNDED:
            return UP
        if character == DEALT and self.dealt_badly >> card & 1:
            return self.dealt[card]
        if character == BOTTOM and self.is_built(card, SPACE):
            return SPACE
        if character in ON_SUIT and rank_of(card) < self.ranks - 1:
            return SUITS * (rank_of(card) + 1) + ON_SUIT.index(character)
        raise BadRecord(f"{card_text(card)} cannot be at {character!r}")

    def _check_foundations(self, hosts: Hosts) -> None:
        for card, host in enumerate(hosts):
            if host == UP and card >= SUITS and hosts[card - SUITS] != UP:
                raise BadRecord(f"{card_text(card)} is founded and {card_text(card - SUITS)} is not")

    def _check_bonds(self, hosts: Hosts) -> None:
        on_cards = [host for host in hosts if host < SPACE]
        if len(set(on_cards)) < len(on_cards):
            raise BadRecord("two cards lie on one")
        if any(hosts[host] == UP for host in on_cards):
            raise BadRecord("a card lies on one that is founded")
        if hosts.count(SPACE) > self.piles:
            raise BadRecord(f"{hosts.count(SPACE)} piles, there are {self.piles}")
        for card, below in self.under.items():
            if self.is_bad(card, hosts[card]) and any(hosts[other] != self.dealt[other] for other in cards_in(below)):
                raise BadRecord(f"what lies under {card_text(card)} has moved")

    def position(self, hosts: Hosts) -> Position:
        """The position as the rules have it, with piles in the order of their bottom cards."""
        riders = {host: card for card, host in enumerate(hosts) if host < SPACE}
        piles = []
        for card, host in enumerate(hosts):
            if host == SPACE:
                pile = [card]
                while pile[-1] in riders:
                    pile.append(riders[pile[-1]])
                piles.append(tuple(pile))
        hearts, clubs, diamonds, spades = founded_counts(hosts)
        empty = ((),) * (self.piles - len(piles))
        return Position((hearts, clubs, diamonds, spades), (*piles, *empty), self.ranks)

    def skeleton(self, hosts: Hosts) -> Skeleton:
        """The skeleton of a position."""
        left = (sum(self.is_bad(card, hosts[card]) for card in bad_cards) for bad_cards in self.bad_cards)
        return (*founded_counts(hosts), *left)

    def skeleton_record(self, skeleton: Skeleton) -> bytes:
        """The record of a skeleton."""
        return "".join(COUNTS[count] for count in skeleton).encode("ascii")

    def skeleton_of_record(self, record: bytes) -> Skeleton:
        """The skeleton of a record.

        Raises
        ------
        BadRecord
            If the record is of no skeleton of the board.
        """
        skeleton = tuple(COUNTS.find(character) for character in record.decode("latin-1"))
        most = [self.ranks] * SUITS + [len(bad_cards) for bad_cards in self.bad_cards]
        if not all(0 <= count <= high for count, high in zip(skeleton, most, strict=True)):
            raise BadRecord("no skeleton of the board has these numbers")
        return skeleton


def hosts_of(position: Position) -> Hosts:
    """The hosts of a position."""
    hosts = [UP] * (SUITS * position.ranks)
    for pile in position.piles:
        for below, card in zip((SPACE, *pile), pile, strict=False):
            hosts[card] = below
    return hosts


def founded_counts(hosts: Hosts) -> list[int]:
    """The cards founded of each suit."""
    return [hosts[suit::SUITS].count(UP) for suit in range(SUITS)]
