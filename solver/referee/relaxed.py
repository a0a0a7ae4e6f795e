"""The relaxed game on skeletons, as the checker plays it. See docs/search.md, section 3.

Every arrangement is supposed to be in reach, and cards are only counted.
"""

from collections.abc import Iterator
from collections.abc import Set as AbstractSet

from solver.cards import SUITS, Card, card_text, rank_of, suit_of
from solver.referee.table import Board, Skeleton


class RelaxedGame:
    """The relaxed game of a board; its nodes are skeletons."""

    def __init__(self, board: Board) -> None:
        self.board = board

    def node(self, record: bytes) -> Skeleton:
        """The skeleton of a record."""
        return self.board.skeleton_of_record(record)

    def key(self, skeleton: Skeleton) -> bytes:
        """What is the same for equal skeletons alone."""
        return bytes(skeleton)

    def is_won(self, skeleton: Skeleton) -> bool:
        """Whether every card is founded."""
        return skeleton[:SUITS].count(self.board.ranks) == SUITS

    def safe_foundings(self, skeleton: Skeleton) -> Iterator[Iterator[Skeleton]]:
        """What comes of each founding allowed of a card whose rank no card left can need as a host for long."""
        fewest = min(skeleton[:SUITS])
        for card, is_founding, after in self._moves(skeleton):
            if is_founding and rank_of(card) <= fewest + 1:
                yield iter([after])

    def steps(self, skeleton: Skeleton) -> Iterator[tuple[str, Iterator[Skeleton]]]:
        """Every move that is allowed: its name, what comes of it."""
        for card, is_founding, after in self._moves(skeleton):
            yield f"{card_text(card)} {'founded' if is_founding else 'taken off its bad bond'}", iter([after])

    def _moves(self, skeleton: Skeleton) -> Iterator[tuple[Card, bool, Skeleton]]:
        board = self.board
        founded, left = skeleton[:SUITS], skeleton[SUITS:]
        stumps: dict[Card, int] = {}  # stump tops, and their piles
        released: set[Card] = set()
        for pile, (count, cards) in enumerate(zip(left, board.start.piles, strict=True)):
            dealt_above = 0
            if count:
                top = board.bad_cards[pile][count - 1]
                stumps[top] = pile
                dealt_above = cards.index(top) + 1
            released.update(card for card in cards[dealt_above:] if rank_of(card) >= founded[suit_of(card)])
        room = left.count(0)
        for suit, rank in enumerate(founded):
            card = SUITS * rank + suit
            if (card in released or card in stumps) and self._fit(released, stumps.keys(), card, room):
                yield card, True, _after(skeleton, suit, +1, stumps.get(card))
        for card, pile in stumps.items():
            if self._fit(released | {card}, stumps.keys() - {card}, card, room):
                yield card, False, _after(skeleton, 0, 0, pile)

    def _fit(self, released: AbstractSet[Card], stumps: AbstractSet[Card], bare: Card, room: int) -> bool:
        """Whether the released cards have places, on cards or ``room`` piles, while nothing lies on ``bare``."""
        ranks = self.board.ranks
        cards, hosts = [0] * ranks, [0] * (ranks + 1)
        for card in released:
            cards[rank_of(card)] += 1
            hosts[rank_of(card)] += 1
        for card in stumps:
            hosts[rank_of(card)] += 1
        hosts[rank_of(bare)] -= 1
        seatless = [max(0, cards[rank] - hosts[rank + 1]) for rank in range(ranks)]
        match self.board.rules.spaces:
            case "any":
                return sum(seatless) <= room
            case "kings":
                return sum(seatless[:-1]) == 0 and seatless[-1] <= room
        return sum(seatless) == 0


def _after(skeleton: Skeleton, suit: int, founded: int, broken: int | None) -> Skeleton:
    """The skeleton with more cards founded of a suit, and one bad bond fewer in the pile ``broken``."""
    counts = list(skeleton)
    counts[suit] += founded
    if broken is not None:
        counts[SUITS + broken] -= 1
    return tuple(counts)
