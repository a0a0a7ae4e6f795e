"""Won lines of classes as moves, and shorter lines: every one is replayed, before it is shortened and after."""

from collections.abc import Iterator
from random import Random
from typing import Any

import numpy as np
import pytest
from desk import Desk

import solver
from solver.checking.naive import State
from solver.checking.samples import small_castle
from solver.deals import DealId, deal_position, parse_deal
from solver.engine.classes.board import FOUNDED, SPACE, new_record
from solver.engine.classes.workspace import new_workspace
from solver.engine.line.moves import LINE_OF_MOVES
from solver.engine.line.realize import realize
from solver.engine.line.trim import SHORTENING, shorten
from solver.engine.quota.schedule import search_deal
from solver.engine.result import WON
from solver.position import FOUNDATION, Move, Position
from solver.rules import VARIANTS, Rules, rules_of

WORK, WRITTEN, SCRATCH = new_workspace(1 << 26), new_record(LINE_OF_MOVES), new_record(SHORTENING)
NEVER = np.zeros(1, np.uint8)

RESISTED = [
    ("citadel", "ms:552"),
    ("citadel", "ms:561"),
    ("beleaguered-castle", "ms:252"),
    ("beleaguered-castle", "ms:533"),
    ("streets-and-alleys", "ms:361"),
    ("streets-and-alleys", "ms:641"),
    ("streets-and-alleys", "ms:869"),
    ("citadel", "ms:1484"),
    ("citadel", "pysol:1029280"),
    ("citadel", "pysol:1043736"),
    ("beleaguered-castle", "pysol:1007286"),
    ("beleaguered-castle", "pysol:1027293"),
    ("beleaguered-castle", "pysol:1066026"),
]
"""Deals whose won lines once could not be turned into moves, or into moves that come back to a position."""


def passed(position: Position, rules: Rules, line: Any) -> list[Position]:
    """The positions that a line of moves passes through; an illegal move raises IllegalMove."""
    positions = [position]
    for card, target in line.moves[: line.counts.n_moves].tolist():
        piles = positions[-1].piles
        source = next(number for number, pile in enumerate(piles) if card in pile)
        if target == FOUNDED:
            place = FOUNDATION
        elif target == SPACE:
            place = positions[-1].spaces()[0]
        else:
            place = next(number for number, pile in enumerate(piles) if target in pile)
            assert piles[place][-1] == target
        positions.append(positions[-1].apply(Move(card, source, place), rules))
    return positions


def check(position: Position, rules: Rules, max_nodes: int) -> tuple[int, int] | None:
    """Search, realize and shorten; the lengths of both lines, or None if the position is not won."""
    desk = Desk(position, rules)
    if search_deal(desk.board, desk.root, WORK, max_nodes, NEVER) != WON:
        return None
    assert realize(desk.board, desk.root, WORK, WRITTEN), (position, rules)
    path = [tuple(key) for key in WORK.path[: WORK.counts.line, :3].tolist()]
    whole = passed(position, rules, WRITTEN)
    assert whole[-1].is_won()
    # The moves pass through a member of every class of the line, in their order.
    states: Iterator[State] = (state.arrangement() for state in whole)
    for key in path:
        assert any(desk.classes([desk.key(state)])[0][0] == key for state in states), (position, rules)
    before = len(whole) - 1
    saved = shorten(desk.board, desk.root, WRITTEN, SCRATCH)
    shorter = passed(position, rules, WRITTEN)
    assert shorter[-1].is_won()
    assert len(shorter) - 1 == before - saved
    assert len({one.arrangement() for one in shorter}) == len(shorter)
    return before, len(shorter) - 1


def test_small_positions() -> None:
    won = [check(*small_castle(Random(seed)), max_nodes=10**6) for seed in range(2000)]
    assert sum(lengths is not None for lengths in won) > 500


@pytest.mark.parametrize("variant", VARIANTS)
def test_full_deals(variant: str) -> None:
    rules = rules_of(variant)
    lengths = [check(deal_position(DealId("ms", number), rules), rules, max_nodes=3000) for number in range(1, 41)]
    won = [both for both in lengths if both is not None]
    assert len(won) >= 3
    assert sum(after for _before, after in won) < sum(before for before, _after in won)


@pytest.mark.parametrize(("variant", "deal"), RESISTED)
def test_deals_that_resisted(variant: str, deal: str) -> None:
    rules = rules_of(variant)
    assert check(deal_position(parse_deal(deal), rules), rules, max_nodes=2_000_000) is not None


@pytest.mark.slow
@pytest.mark.parametrize("variant", VARIANTS)
def test_more_full_deals(variant: str) -> None:
    rules = rules_of(variant)
    for number in range(1001, 2001):
        check(deal_position(DealId("ms", number), rules), rules, max_nodes=20_000)


@pytest.mark.slow
def test_more_small_positions() -> None:
    for seed in range(10_000, 60_000):
        check(*small_castle(Random(seed)), max_nodes=10**6)


def test_a_long_run_of_relocations_ends() -> None:
    """Streets and Alleys ms:144 has relocations that lead to more classes than the table of a short cut holds."""
    solved = solver.solve_many("ms:144", "streets-and-alleys", max_nodes=100_000)
    assert solved.verdict.tolist() == ["won"]
