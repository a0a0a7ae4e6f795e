"""The readable position: what lies where, which moves are legal, what a move does. No numba, no search.

This is the referee's view of the game and the reference for the kernels: plain tuples, one pile a tuple,
bottom card first. Speed does not matter here, being obviously right does.
"""

from collections.abc import Container, Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple, TypeAlias

from solver.cards import DECK, RANKS, SUIT_LETTERS, SUITS, Card, card_text, make_card, rank_of, suit_of
from solver.errors import InputError, check_kind
from solver.rules import Rules

Pile: TypeAlias = tuple[Card, ...]

PLAYED_RULES: dict[str, Container[str | int | None]] = {
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
"""Every rule that ``Position`` knows; how a board was dealt makes no difference to it. Under any other rule its moves
would be those of another game, so the referee refuses such a rule set before it plays."""

FOUNDATION = -1
"""The place number of the foundations; piles are numbered from 0 (from 1 in texts)."""


class Move(NamedTuple):
    """A move of ``card``, with all that lies on it, from one place to another.

    ``source`` and ``target`` are pile numbers from 0, or ``FOUNDATION``. A source of ``FOUNDATION`` is a
    withdrawal. For a run, ``card`` is the one that lies lowest.

    Examples
    --------
    >>> (move,) = solver.parse_moves("6D 1 3")
    >>> move
    Move(card=22, source=0, target=2)
    """

    card: Card
    source: int
    target: int


class IllegalMove(InputError):
    """A move that the rules forbid in this position; the message says why."""


@dataclass(frozen=True, slots=True)
class Position:
    """A board at one moment of a game. It cannot be changed: ``apply`` returns another one.

    Attributes
    ----------
    foundations
        Number of cards founded of each suit, in the order of ``cards.SUIT_LETTERS``.
    piles
        The tableau piles, bottom card first.
    ranks
        Ranks in the deck: 13, fewer on the small boards that tests use. The highest rank is the King.
    uncovered
        The pile whose top card the last move laid bare and which must now go up by itself, with
        ``auto-found=uncovered``; None otherwise.

    Examples
    --------
    >>> rules = solver.rules_of("citadel")
    >>> position = solver.parse_board("Foundations: H-K C-K D-K S-J\\nQS\\nKS", rules)
    >>> [solver.move_text(move) for move in position.legal_moves(rules)]
    ['QS 1 F', 'QS 1 2']
    """

    foundations: tuple[int, int, int, int]
    piles: tuple[Pile, ...]
    ranks: int = RANKS
    uncovered: int | None = None

    def is_won(self) -> bool:
        """Whether every card is founded."""
        return self.foundations.count(self.ranks) == SUITS

    def is_stuck(self, rules: Rules) -> bool:
        """Whether the position is not won and no legal move is left."""
        check_kind("rules", rules, Rules)
        return not self.is_won() and next(self.legal_moves(rules), None) is None

    def fits_foundation(self, card: Card) -> bool:
        """Whether a card is the next one of its foundation."""
        return self.foundations[suit_of(card)] == rank_of(card)

    def spaces(self) -> list[int]:
        """The numbers of the empty piles."""
        return [number for number, pile in enumerate(self.piles) if not pile]

    def run_start(self, number: int) -> int:
        """Index in a pile of the lowest card of the run in order that ends at its top."""
        pile = self.piles[number]
        start = len(pile) - 1
        while start > 0 and rank_of(pile[start - 1]) == rank_of(pile[start]) + 1:
            start -= 1
        return start

    def longest_run(self, rules: Rules, into_space: bool) -> int:
        """How many cards one move may carry at most."""
        if rules.unit == "sequence":
            return self.ranks
        if rules.unit == "card" or rules.spaces != "any":
            return 1
        return 1 << (len(self.spaces()) - into_space)

    def accepts(self, number: int, card: Card, rules: Rules) -> bool:
        """Whether a pile takes a card (or the run that the card begins), its length left aside."""
        pile = self.piles[number]
        if pile:
            return rank_of(pile[-1]) == rank_of(card) + 1
        return rules.spaces == "any" or (rules.spaces == "kings" and rank_of(card) == self.ranks - 1)

    def legal_moves(self, rules: Rules) -> Iterator[Move]:
        """Every legal move; of several empty piles only the first is named as a target."""
        check_kind("rules", rules, Rules)
        return self._legal_moves(rules)

    def _legal_moves(self, rules: Rules) -> Iterator[Move]:
        if self.is_won():
            return
        if self.uncovered is not None:
            yield Move(self.piles[self.uncovered][-1], self.uncovered, FOUNDATION)
            return
        spaces = self.spaces()
        targets = [number for number, pile in enumerate(self.piles) if pile] + spaces[:1]
        for source, pile in enumerate(self.piles):
            if not pile:
                continue
            if self.fits_foundation(pile[-1]):
                yield Move(pile[-1], source, FOUNDATION)
            for start in range(self.run_start(source), len(pile)):
                for target in targets:
                    move = Move(pile[start], source, target)
                    if self._why_illegal(move, rules) is None:
                        yield move
        if rules.withdrawal == "yes":
            for suit in range(SUITS):
                if self.foundations[suit]:
                    card = make_card(self.foundations[suit] - 1, suit)
                    for target in targets:
                        if self.accepts(target, card, rules):
                            yield Move(card, FOUNDATION, target)

    def why_illegal(self, move: Move, rules: Rules) -> str | None:
        """Why a move is illegal here, in a few words; None if it is legal."""
        check_move("move", move)
        check_kind("rules", rules, Rules)
        return self._why_illegal(move, rules)

    def _why_illegal(self, move: Move, rules: Rules) -> str | None:
        card, source, target = move
        if not 0 <= card < SUITS * self.ranks:
            return f"no card has the code {card} in a deck of {self.ranks} ranks"
        name = card_text(card)
        for place in (source, target):
            if place != FOUNDATION and not 0 <= place < len(self.piles):
                return f"there is no pile {place + 1}"
        if self.is_won():
            return "the game is already won"
        if self.uncovered is not None:
            due = self.piles[self.uncovered][-1]
            if move != Move(due, self.uncovered, FOUNDATION):
                return f"{card_text(due)} was uncovered and goes to its foundation first"
            return None
        if source == target:
            return "a move to the same place is not a move"
        if source == FOUNDATION:
            if rules.withdrawal != "yes":
                return "founded cards stay"
            if not self.foundations[suit_of(card)] or rank_of(card) != self.foundations[suit_of(card)] - 1:
                return f"{name} is not on top of its foundation"
            return None if self.accepts(target, card, rules) else f"pile {target + 1} does not accept {name}"
        pile = self.piles[source]
        if card not in pile:
            return f"{name} is not in pile {source + 1}"
        start = pile.index(card)
        if target == FOUNDATION:
            if card != pile[-1]:
                return f"{name} is not the top card of pile {source + 1}"
            return None if self.fits_foundation(card) else f"{name} does not fit its foundation"
        length = len(pile) - start
        if length > 1 and rules.unit == "card":
            return f"{name} is not the top card of pile {source + 1}"
        if length > 1 and start < self.run_start(source):
            return f"the cards on {name} are not in order"
        if not self.accepts(target, card, rules):
            return f"pile {target + 1} does not accept {name}"
        into_space = not self.piles[target]
        if into_space and start == 0:
            return "a whole pile into a space is not a move"
        longest = self.longest_run(rules, into_space)
        if length > longest:
            return f"a run of {length} cards is longer than the {longest} that can move"
        return None

    def apply(self, move: Move, rules: Rules) -> "Position":
        """The position after a legal move.

        Raises
        ------
        IllegalMove
            If the rules forbid the move here.
        """
        problem = self.why_illegal(move, rules)
        if problem is not None:
            raise IllegalMove(problem)
        card, source, target = move
        piles = list(self.piles)
        founded = list(self.foundations)
        if source == FOUNDATION:
            founded[suit_of(card)] -= 1
            run: Pile = (card,)
        else:
            start = piles[source].index(card)
            run = piles[source][start:]
            piles[source] = piles[source][:start]
        if target == FOUNDATION:
            founded[suit_of(card)] += 1
        else:
            piles[target] += run
        hearts, clubs, diamonds, spades = founded
        after = Position((hearts, clubs, diamonds, spades), tuple(piles), self.ranks)
        if (
            rules.auto_found == "uncovered"
            and source != FOUNDATION
            and piles[source]
            and after.fits_foundation(piles[source][-1])
        ):
            return replace(after, uncovered=source)
        return after

    def settled_deal(self) -> "Position":
        """The position after the end of the deal has founded every top that fits, and what that uncovers.

        All top cards are uncovered by the end of the deal at once, so the order of the piles does not matter.
        """
        founded, piles = list(self.foundations), [list(pile) for pile in self.piles]
        moved = True
        while moved:
            moved = False
            for pile in piles:
                while pile and founded[suit_of(pile[-1])] == rank_of(pile[-1]):
                    founded[suit_of(pile.pop())] += 1
                    moved = True
        hearts, clubs, diamonds, spades = founded
        return Position((hearts, clubs, diamonds, spades), tuple(map(tuple, piles)), self.ranks)

    def arrangement(self) -> tuple[tuple[int, ...], tuple[Pile, ...], Card | None]:
        """What is the same for two positions exactly when they differ in the order of the piles alone."""
        due = None if self.uncovered is None else self.piles[self.uncovered][-1]
        return self.foundations, tuple(sorted(self.piles)), due

    def problems(self, rules: Rules) -> list[str]:
        """Everything that is wrong with the position as a board of the rule set; empty if nothing is.

        Of a whole deck, a pile that no play leads to is wrong as well: see ``tallest_pile``.
        """
        check_kind("rules", rules, Rules)
        check_shape(self)
        found: list[str] = []
        if len(self.piles) > rules.piles:
            found.append(f"{len(self.piles)} piles, {rules.variant} has {rules.piles}")
        places: dict[Card, list[str]] = {}
        for suit, count in enumerate(self.foundations):
            if not 0 <= count <= self.ranks:
                suit_name = SUIT_LETTERS[suit]
                found.append(f"{count} cards on the foundation of {suit_name}, which holds 0 to {self.ranks}")
            for rank in range(min(count, self.ranks)):
                places.setdefault(make_card(rank, suit), []).append("on its foundation")
        for number, pile in enumerate(self.piles, 1):
            for card in pile:
                if 0 <= card < SUITS * self.ranks:
                    places.setdefault(card, []).append(f"in pile {number}")
                else:
                    found.append(f"no card has the code {card} in a deck of {self.ranks} ranks (pile {number})")
            too_long = too_long_text(pile, self.ranks, rules)
            if too_long is not None:
                found.append(f"pile {number}: {too_long}")
        for card in sorted(places):
            if len(places[card]) > 1:
                found.append(f"{card_text(card)} is there twice: {' and '.join(places[card])}")
        missing = [card for card in range(SUITS * self.ranks) if card not in places]
        if missing:
            found.append(missing_text(missing))
        return found


def tallest_pile(rules: Rules) -> int:
    """The most cards that a deal of the whole deck puts on one pile: 6 or 7 of eight piles, 4 of thirteen.

    What lies on a pile above that was moved there, each card on one that is a rank higher. So in a pile that play
    leads to, the cards from that height on continue a run in order. A pile that was empty before is a run altogether.
    """
    dealt = DECK - SUITS if rules.aces == "first" else DECK
    return -(-dealt // rules.piles)


def too_long_text(pile: Pile, ranks: int, rules: Rules) -> str | None:
    """Why no play leads to a pile, which is too long for its order; None if play may, or if the deck is a small one.

    Small decks have no deal, so their boards may be any.
    """
    most = tallest_pile(rules)
    above = zip(pile[most - 1 :], pile[most:], strict=False)
    if ranks < RANKS or all(rank_of(lower) == rank_of(upper) + 1 for lower, upper in above):
        return None
    return (
        f"no play leads to this pile of {len(pile)} cards: {rules.variant} deals at most {most} to a pile, "
        "and each card above them must be one rank lower than the card below it"
    )


def check_shape(position: object) -> None:
    """Raise InputError unless an argument is a Position, made of tuples of whole numbers."""
    check_kind("position", position, Position)
    assert isinstance(position, Position)
    for name, counts in (("foundations", position.foundations), ("piles", position.piles)):
        check_kind(f"position.{name}", counts, tuple)
    if len(position.foundations) != SUITS:
        raise InputError(f"position.foundations must be {SUITS} numbers, not {len(position.foundations)}")
    for number, pile in enumerate(position.piles):
        check_kind(f"position.piles[{number}]", pile, tuple)
    for place, cards in (
        ("foundations", position.foundations),
        *((f"piles[{n}]", p) for n, p in enumerate(position.piles)),
    ):
        for index, card in enumerate(cards):
            check_kind(f"position.{place}[{index}]", card, int)
    check_kind("position.ranks", position.ranks, int)
    check_kind("position.uncovered", position.uncovered, int, type(None))
    due = position.uncovered
    if due is not None and not (0 <= due < len(position.piles) and position.piles[due]):
        raise InputError(f"position.uncovered must be the number of a pile with cards, not {due}")
    if not 1 <= position.ranks <= RANKS:
        raise InputError(f"position.ranks must be 1 to {RANKS}, not {position.ranks}")


def check_move(name: str, move: object) -> None:
    """Raise InputError unless an argument is a Move of whole numbers."""
    if type(move) is Move and type(move[0]) is type(move[1]) is type(move[2]) is int:
        return  # the referee asks for millions
    check_kind(name, move, Move)
    assert isinstance(move, Move)
    for part, value in zip(("card", "source", "target"), move, strict=True):
        check_kind(f"{name}.{part}", value, int)


def missing_text(cards: list[Card]) -> str:
    """``2 cards are missing: 5S KD``."""
    names = " ".join(map(card_text, cards))
    return f"1 card is missing: {names}" if len(cards) == 1 else f"{len(cards)} cards are missing: {names}"


def padded(position: Position, rules: Rules) -> Position:
    """The position with empty piles added at the end up to the number that the rule set has."""
    short = rules.piles - len(position.piles)
    return replace(position, piles=position.piles + ((),) * short) if short > 0 else position
