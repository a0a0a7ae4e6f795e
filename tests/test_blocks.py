"""Blocks: several classes as one, where it is left open which card of a level lies on which host."""

from collections.abc import Iterable, Iterator
from itertools import permutations, product

import pytest
from desk import Desk
from naive_classes import Game, Key, few_games, games

from solver.deals import DealId, deal_position
from solver.engine.classes.board import CODE_BLOCK, CODE_FOUNDED
from solver.rules import rules_of

MOST = 3000
"""Classes of a full deal that are followed."""


def codes(key: Key, ranks: int) -> list[int]:
    """What a key says of each card."""
    return [key[card // 20] >> 3 * (card % 20) & 7 for card in range(4 * ranks)]


def arrangements(key: Key, ranks: int, desk: Desk) -> Iterator[Key]:
    """The classes that a class with blocks stands for, by the drawing in ``packed``, not by a kernel."""
    of = codes(key, ranks)
    choices = []
    for rank in range(ranks - 1):
        cards = [card for card in range(4 * rank, 4 * rank + 4) if of[card] == CODE_BLOCK]
        if cards:
            ridden = {4 * rank + 4 + of[card] for card in range(4 * rank, 4 * rank + 4) if of[card] < 4}
            ridden |= {int(desk.board.host[card]) for card in range(4 * ranks) if of[card] == 5}
            hosts = [host for host in range(4 * rank + 4, 4 * rank + 8) if of[host] != CODE_FOUNDED]
            free = [host for host in hosts if host not in ridden]
            assert len(free) == len(cards) > 1
            choices.append([list(zip(cards, order, strict=True)) for order in permutations(free)])
    for choice in product(*choices):
        words = list(key)
        for card, host in (pair for level in choice for pair in level):
            words[card // 20] ^= (CODE_BLOCK ^ host & 3) << 3 * (card % 20)
        yield words[0], words[1], words[2]


def reached_with(desk: Desk, rung: int) -> dict[Key, int] | None:
    """What the desk's first class leads to on a rung; None if that is too much."""
    try:
        return desk.reached(rung=rung, most=MOST)
    except OverflowError:
        return None


def check_blocks(these: Iterable[Game]) -> int:
    """Steps with blocks lead to what steps with commits lead to, no more and no less; how many blocks were met."""
    blocks = 0
    for game in these:
        if game.rules.spaces == "any":
            continue
        for rung in range(game.ranks + 1):
            committed = Desk(game.position, game.rules).reached(settling=rung % 2 == 0, rung=rung)
            desk = Desk(game.position, game.rules)
            desk.board.makes_blocks = 1
            reached = desk.reached(settling=rung % 2 == 0, rung=rung)
            covered = {key: n for lazy, n in reached.items() for key in arrangements(lazy, game.ranks, desk)}
            assert covered == committed, (game, rung)
            blocks += sum(CODE_BLOCK in codes(key, game.ranks) for key in reached)
    return blocks


def test_blocks_stand_for_what_commits_lead_to() -> None:
    assert check_blocks(few_games()) > 100


@pytest.mark.slow
def test_blocks_on_more_small_games() -> None:
    check_blocks(games(range(1000, 4000), most=4000))


@pytest.mark.parametrize("variant", ["exiled-kings", "penelopes-web", "bakers-dozen", "portuguese-solitaire"])
def test_blocks_on_full_deals(variant: str) -> None:
    rules = rules_of(variant)
    blocks = 0
    for number in range(1, 31):
        position = deal_position(DealId("ms", number), rules)
        for rung in (0, 6, 9):
            committed = reached_with(Desk(position, rules), rung)
            desk = Desk(position, rules)
            desk.board.makes_blocks = 1
            reached = reached_with(desk, rung)
            if committed is not None and reached is not None:
                covered = {key: n for lazy, n in reached.items() for key in arrangements(lazy, 13, desk)}
                assert covered == committed, (number, rung)
                blocks += sum(CODE_BLOCK in codes(key, 13) for key in reached)
    assert blocks > 0 or rules.piles == 13
