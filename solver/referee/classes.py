"""Classes of positions and the steps between them, as the checker makes them. See docs/search.md, sections 2 and 5.

A class is given by any of its positions; its key is the one in which the floats of free levels are seated in order.
What comes of a step are positions: what class they are of is worked out anew from what lies where.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from solver.cards import SUITS, Card, card_text, rank_of
from solver.referee.table import SPACE, UP, Board, Hosts, cards_in, founded_counts

RANK = 0b1111
"""The four cards of the Aces' rank."""


@dataclass(frozen=True, slots=True)
class Levels:
    """A position and its levels on a rung.

    Attributes
    ----------
    hosts
        The position.
    bad, accessible, floats, holders
        Sets of cards: those on bad bonds, the accessible ones, the floats of all levels, the hosts of all levels
        (those of level r have rank r + 1).
    fluid, free
        Sets of levels.
    spare
        The number of spare spaces.
    key
        The position with the floats of each free level, by suit, on its hosts, by suit, and the rest at bottoms.
    """

    hosts: Hosts
    bad: int
    accessible: int
    floats: int
    holders: int
    fluid: int
    free: int
    spare: int
    key: bytes


@dataclass(frozen=True, slots=True)
class Step:
    """A step of a card: to its foundation, onto a card, to a space, or (None) onto whatever takes it."""

    card: Card
    target: int | None


class ClassGame:
    """The game of classes of a board, on a rung; rung 0 is the real game. Its nodes are positions with their levels."""

    def __init__(self, board: Board, rung: int) -> None:
        self.board, self.rung = board, rung
        self.any_card = board.rules.spaces == "any"

    def node(self, record: bytes) -> Levels:
        """The position of a record, with its levels."""
        return self.levels(self.board.hosts(record))

    def key(self, node: Levels) -> bytes:
        """What is the same for positions of one class alone."""
        return node.key

    def is_won(self, node: Levels) -> bool:
        """Whether every card is founded."""
        return node.hosts.count(UP) == len(node.hosts)

    def safe_foundings(self, node: Levels) -> Iterator[Iterator[Levels]]:
        """What comes of founding each accessible card whose rank no card left can need as a host for long."""
        founded = founded_counts(node.hosts)
        fewest = min(founded)
        for suit, rank in enumerate(founded):
            card = SUITS * rank + suit
            if rank <= fewest + 1 and node.accessible >> card & 1:
                yield Seating(self, node, Step(card, UP)).results({})

    def steps(self, node: Levels) -> Iterator[tuple[str, Iterator[Levels]]]:
        """Every step out of the class: its name, and positions, one or more of each class that it leads to."""
        for step in self._steps(node):
            yield self._name(node, step), Seating(self, node, step).results({})

    def levels(self, hosts: Hosts) -> Levels:
        """Work out the levels of a position."""
        board, rung, any_card = self.board, self.rung, self.any_card
        live = bottoms = ridden = bad = 0
        dealt, dealt_badly = board.dealt, board.dealt_badly
        bit = 1
        for card, host in enumerate(hosts):
            if host != UP:
                live |= bit
                if host == SPACE:
                    bottoms |= bit
                else:
                    ridden |= 1 << host
                if host == dealt[card] and dealt_badly & bit:
                    bad |= bit
            bit <<= 1
        buried = 0
        for card in cards_in(bad):
            buried |= board.under[card]
        may_float = live & ~bad if any_card else live & ~bad & ~bottoms
        accessible = live & RANK & ~ridden
        floats = holders = fluid = 0
        spare = board.piles - bottoms.bit_count()
        for rank in range(board.ranks):
            of_rank = RANK << SUITS * rank
            above = live & of_rank << SUITS
            if rank < rung:
                level_floats = may_float & of_rank & ~buried
                level_hosts = above & ~buried
            else:
                level_floats = may_float & of_rank & accessible
                level_hosts = above & ~ridden
                for card in cards_in(level_floats & ~bottoms):
                    level_hosts |= 1 << hosts[card]
            at_bottom = (level_floats & bottoms).bit_count()
            hosts_left = level_hosts.bit_count() - level_floats.bit_count() + at_bottom
            spare += min(at_bottom, hosts_left)
            if level_hosts.bit_count() > level_floats.bit_count():
                fluid |= 1 << rank
                accessible |= level_hosts
            floats |= level_floats
            holders |= level_hosts
        free = (1 << board.ranks) - 1 if any_card and spare else fluid | (1 << rung) - 1
        return Levels(
            hosts, bad, accessible, floats, holders, fluid, free, spare, self._key(hosts, floats, holders, free)
        )

    def _key(self, hosts: Hosts, floats: int, holders: int, free: int) -> bytes:
        seated = hosts.copy()
        for rank in range(self.board.ranks):
            level_floats = floats >> SUITS * rank & RANK
            if level_floats and free >> rank & 1:
                places = cards_in(holders & RANK << SUITS * (rank + 1))
                for card in cards_in(level_floats << SUITS * rank):
                    seated[card] = next(places, SPACE)
        return bytes(seated)

    def _steps(self, node: Levels) -> Iterator[Step]:
        for suit, rank in enumerate(founded_counts(node.hosts)):
            if rank < self.board.ranks:
                card = SUITS * rank + suit
                if self._cost_to_uncover(node, card) <= node.spare:
                    yield Step(card, UP)
        for card in cards_in(node.bad):
            if self._cost_to_uncover(node, card) + self._cost_to_take_in(node, card) <= node.spare:
                is_king = rank_of(card) == self.board.ranks - 1
                yield Step(card, SPACE if is_king and not self.any_card else None)
        if self.any_card and node.spare >= 1:
            yield from self._relocations(node)

    def _cost_to_uncover(self, node: Levels, card: Card) -> int:
        if node.accessible >> card & 1:
            return 0
        return 1 if self.any_card and node.holders >> card & 1 else OUT_OF_REACH

    def _cost_to_take_in(self, node: Levels, card: Card) -> int:
        rank = rank_of(card)
        if node.fluid >> rank & 1:
            return 0
        is_king = rank == self.board.ranks - 1
        return 1 if self.any_card or (is_king and self.board.rules.spaces == "kings") else OUT_OF_REACH

    def _relocations(self, node: Levels) -> Iterator[Step]:
        """Built cards that are bared by parking their rider. Their level has no floats, so all its hosts are bare."""
        exact = -1 << SUITS * self.rung
        for card in cards_in(node.holders & ~node.accessible & ~node.bad & exact):
            for target in cards_in(node.holders & RANK << SUITS * (rank_of(card) + 1)):
                yield Step(card, target)
            if node.spare >= 2 and node.hosts[card] != SPACE:
                yield Step(card, SPACE)

    def _name(self, node: Levels, step: Step) -> str:
        name = card_text(step.card)
        if step.target == UP:
            return f"{name} founded"
        if node.bad >> step.card & 1 or step.target is None:
            return f"{name} taken off its bad bond"
        return f"{name} to a space" if step.target == SPACE else f"{name} onto {card_text(step.target)}"


OUT_OF_REACH = 99
"""More spaces than there are."""


class Seating:
    """How the floats can be seated when a step is made: the commits of docs/search.md, section 2.

    The floats of free levels could sit anywhere on their levels until the step was made; after it some can no longer
    move. Those are seated in every way on the places from before the step; how the others are seated does not matter.
    """

    def __init__(self, game: ClassGame, node: Levels, step: Step) -> None:
        self.game = game
        board, card = game.board, step.card
        rank = rank_of(card)
        self.lifted = 0  # the cards to be seated: floats of free levels, and the card if it lands among them
        for level in cards_in(node.free):
            self.lifted |= node.floats & RANK << SUITS * level
        was_lifted = bool(self.lifted >> card & 1)
        lands = step.target is None
        self.lifted = self.lifted & ~(1 << card) | lands << card
        self.places = node.holders & ~(1 << card)
        self.after = node.hosts.copy()  # but for the lifted cards
        if step.target is not None:
            self.after[card] = step.target
        # The tightest moment: the card is bare and its rider parked. A card that comes off a bad bond has just landed;
        # any other is about to leave, and still holds its seat.
        cards_to_seat = [(self.lifted >> SUITS * level & RANK).bit_count() for level in range(board.ranks)]
        cards_to_seat[rank] += was_lifted
        places = [(self.places >> SUITS * (level + 1) & RANK).bit_count() for level in range(board.ranks)]
        self.seatless = [max(0, cards - seats) for cards, seats in zip(cards_to_seat, places, strict=True)]
        fixed = [other for other, host in enumerate(self.after) if host == SPACE and not self.lifted >> other & 1]
        leaves_pile = node.hosts[card] == SPACE and not was_lifted and not lands
        self.piles_left = board.piles - len(fixed) - leaves_pile

    def results(self, seats: dict[Card, int]) -> Iterator[Levels]:
        """The positions after the step in which the lifted cards in ``seats`` sit there."""
        if not self._has_room(seats):
            return
        levels = self.game.levels(self._arranged(seats))
        card = self._next_to_commit(levels, seats)
        if card is None:
            yield levels
            return
        taken = set(seats.values())
        for place in cards_in(self.places & RANK << SUITS * (rank_of(card) + 1)):
            if place not in taken:
                yield from self.results(seats | {card: place})
        if self.game.any_card:
            yield from self.results(seats | {card: SPACE})

    def _has_room(self, seats: dict[Card, int]) -> bool:
        """Whether there are piles enough at the tightest moment, for the committed cards and for the others."""
        on_spaces = [0] * len(self.seatless)
        for card, place in seats.items():
            on_spaces[rank_of(card)] += place == SPACE
        piles = sum(map(max, on_spaces, self.seatless))
        return piles <= self.piles_left if self.game.any_card else piles == 0 <= self.piles_left

    def _arranged(self, seats: dict[Card, int]) -> Hosts:
        """The position after the step; lifted cards without a seat go on the places left, then on spaces."""
        hosts = self.after.copy()
        taken = 0
        for place in seats.values():
            taken |= place != SPACE and 1 << place
        for rank in range(len(self.seatless)):
            lifted = self.lifted & RANK << SUITS * rank
            if lifted:
                places = cards_in(self.places & ~taken & RANK << SUITS * (rank + 1))
                for card in cards_in(lifted):
                    hosts[card] = seats[card] if card in seats else next(places, SPACE)
        return hosts

    def _next_to_commit(self, levels: Levels, seats: dict[Card, int]) -> Card | None:
        """A card whose seat matters and is not decided: the lowest one pinned, else one of a level that is not free.

        What is pinned on a level depends on the seats of the pinned cards below it, and what is free on those of all.
        """
        undecided = [card for card in cards_in(self.lifted) if card not in seats]
        for card in undecided:
            if rank_of(card) >= self.game.rung and not levels.accessible >> card & 1:
                return card
        for card in undecided:
            if not levels.free >> rank_of(card) & 1:
                return card
        return None
