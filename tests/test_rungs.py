"""The ladder of optimistic levels: what is lost on a rung is lost."""

from collections.abc import Iterable

import pytest
from desk import Desk
from naive_classes import Game, Key, Relaxed, few_games, games, won_states

from solver.deals import DealId, deal_position
from solver.engine.general import position_search as general
from solver.engine.result import WON
from solver.rules import VARIANTS, rules_of

MOST = 1000
"""Classes of one rung that are followed on a full deal."""


def is_won(desk: Desk, keys: Iterable[Key]) -> bool:
    """Whether one of these classes has every card founded."""
    return any(all(count == desk.ranks for count in desk.state_of(key)[0]) for key in keys)


def check_rungs(these: Iterable[Game]) -> tuple[int, int, int]:
    """No rung is lost where a lower one is won, rung 0 being the game itself and the highest the relaxed game.

    Returns how many games are won, how many are lost but won on some rung, and how many are lost on every rung.
    """
    won_games, won_on_a_rung, lost_on_all = 0, 0, 0
    for game in these:
        desk, relaxed = Desk(game.position, game.rules), Relaxed(game.position, game.rules)
        won = [is_won(desk, desk.reached(rung=rung)) for rung in range(game.ranks + 1)]
        root = game.position.arrangement()
        assert won == sorted(won), game
        assert won[0] == (root in won_states(game.graph, game.ranks)), game
        assert won[-1] == relaxed.is_won(*relaxed.skeleton(root)), game
        won_games += won[0]
        won_on_a_rung += won[-1] and not won[0]
        lost_on_all += not won[-1]
    return won_games, won_on_a_rung, lost_on_all


def test_lost_on_a_rung_is_lost() -> None:
    won_games, won_on_a_rung, lost_on_all = check_rungs(few_games())
    assert won_games > 20
    assert won_on_a_rung > 50
    assert lost_on_all > 50


@pytest.mark.slow
def test_lost_on_a_rung_is_lost_on_more_small_games() -> None:
    check_rungs(games(range(1000, 3000), most=4000))


@pytest.mark.parametrize("variant", VARIANTS)
def test_no_deal_that_the_general_engine_wins_is_lost_on_a_rung(variant: str) -> None:
    rules = rules_of(variant)
    exhausted = 0
    for number in range(1, 41):
        position = deal_position(DealId("ms", number), rules)
        desk = Desk(position, rules)
        winnable = general.search(position, rules, max_nodes=20_000, max_memory=1 << 28).status == WON
        for rung in (13, 12, 11, 10, 9, 8, 7):
            try:
                reached = desk.reached(rung=rung, most=MOST)
            except OverflowError:
                reached = None  # too many arrangements at one step, which a rung may have on 13 piles
            if reached is not None:
                exhausted += 1
                assert is_won(desk, reached) or not winnable, (number, rung)
    assert exhausted > 10 or rules.piles > 8
