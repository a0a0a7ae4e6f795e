"""The quota search: verdicts against the naive search and the general engine, and its ways of giving up."""

import threading
from collections import Counter
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from random import Random

import numpy as np
import pytest
from boards import LONG_DEAL, draw, small_rules
from command import check_plain_python
from naive_classes import few_games

from solver.checking.naive import naive_verdict
from solver.checking.samples import small_castle, turned
from solver.deals import DealId, deal_position
from solver.engine.general import position_search as general
from solver.engine.quota.class_search import search
from solver.engine.result import ABORTED, LOST, OUT_OF_MEMORY, OUT_OF_NODES, WON, SearchResult
from solver.position import Position
from solver.referee import replay
from solver.rules import VARIANTS, Rules, rules_of

MEMORY = 1 << 26
ENOUGH = {"max_nodes": 10**6, "max_memory": MEMORY}

HARD_DEALS = [("exiled-kings", 59), ("penelopes-web", 12), ("penelopes-web", 83)]
"""Deals that no tiny budget decides."""


def ms(number: int, variant: str) -> tuple[Position, Rules]:
    rules = rules_of(variant)
    return deal_position(DealId("ms", number), rules), rules


def checked(position: Position, rules: Rules, **budget: int) -> SearchResult:
    """A search whose win, if it says so, is replayed."""
    found = search(position, rules, **(ENOUGH | budget))
    if found.status == WON:
        line = replay(position, rules, found.moves)
        assert line.wins, (line.problem, position, rules)
        assert not line.repeats, (position, rules)
    else:
        assert found.moves == ()
    return found


def check_small(seeds: Iterable[int]) -> Counter[tuple[str, bool]]:
    """The verdicts are those of the naive search; how often each came up with each kind of space."""
    verdicts: Counter[tuple[str, bool]] = Counter()
    for seed in seeds:
        position, rules = small_castle(Random(seed))
        winnable = naive_verdict(position, rules, 2000)
        if winnable is not None:
            assert checked(position, rules).status == (WON if winnable else LOST), (seed, position, rules)
            verdicts[rules.spaces, winnable] += 1
    return verdicts


def test_small_positions() -> None:
    verdicts = check_small(range(1500))
    assert len(verdicts) == 6
    assert min(verdicts.values()) > 50


@pytest.mark.slow
@pytest.mark.parametrize("first", range(10_000, 60_000, 10_000))
def test_more_small_positions(first: int) -> None:
    check_small(range(first, first + 10_000))


@pytest.mark.parametrize("variant", VARIANTS)
def test_full_deals_as_the_general_engine(variant: str) -> None:
    both = 0
    for number in range(1, 41):
        position, rules = ms(number, variant)
        other = general.search(position, rules, max_nodes=10_000, max_memory=1 << 28).status
        found = checked(position, rules, max_nodes=5000).status
        if {other, found} <= {WON, LOST}:
            both += 1
            assert found == other, number
    assert both > 10


def test_every_position_along_a_win_is_won() -> None:
    """Case 5: winnable only after the user made one move by hand."""
    these = [ms(24, "citadel"), ms(67, "beleaguered-castle"), ms(3, "exiled-kings"), ms(24, "bakers-dozen")]
    these += [small_castle(Random(seed)) for seed in range(200)]
    for position, rules in these:
        found = search(position, rules, **ENOUGH)
        for passed in replay(position, rules, found.moves).positions if found.status == WON else ():
            assert search(passed, rules, **ENOUGH).status == WON, passed


def test_neither_pile_order_nor_suit_names_matter() -> None:
    """Case 2: a skipped move was valid only for some columns."""
    random = Random(5)
    these = [small_castle(Random(seed)) for seed in range(1000)]
    these += [ms(number, variant) for variant in VARIANTS for number in range(1, 16)]
    for position, rules in these:
        first = search(position, rules, **ENOUGH | {"max_nodes": 20_000}).status
        second = checked(turned(random, position), rules, max_nodes=20_000).status
        assert second == first or not {first, second} <= {WON, LOST}, position
        assert position.ranks == 13 or first in (WON, LOST)


def test_the_same_search_gives_the_same_result() -> None:
    """Case 3: uninitialised memory, or something left over from the search before."""
    deals = [ms(number, variant) for variant in VARIANTS for number in (11, 12, 13)]
    deals += [small_castle(Random(seed)) for seed in range(20)]
    budget = {"max_nodes": 3000, "max_memory": MEMORY}
    once = [search(*deal, **budget) for deal in deals]
    for threads in (1, 4):
        with ThreadPoolExecutor(threads) as pool:
            again = list(pool.map(lambda deal: search(*deal, **budget), deals * 2 + deals[::-1]))
        assert again == once * 2 + once[::-1]


def test_cuts_change_no_verdict() -> None:
    """Case 6: a node limit together with tables of what has been seen."""
    for game in few_games():
        whole = search(game.position, game.rules, **ENOUGH)
        for most in {0, 1, 2, whole.nodes // 2, whole.nodes - 1} - {-1}:
            cut = search(game.position, game.rules, max_nodes=most, max_memory=MEMORY)
            assert cut.status in (whole.status, OUT_OF_NODES), game
            assert cut.nodes <= most, game
            if most < whole.nodes:
                assert cut.status == OUT_OF_NODES, game
        assert search(game.position, game.rules, max_nodes=whole.nodes + 1, max_memory=MEMORY) == whole


@pytest.mark.parametrize(("variant", "number"), HARD_DEALS)
def test_tiny_budgets_say_unknown(variant: str, number: int) -> None:
    """Case 4: any unexpected status was reported as no solution."""
    for most in (0, 1, 10, 300):
        found = search(*ms(number, variant), max_nodes=most, max_memory=MEMORY)
        assert (found.status, found.nodes, found.moves) == (OUT_OF_NODES, most, ())


@pytest.mark.parametrize("memory", [0, 1, 1000, 1 << 16, 1 << 20])
def test_tiny_memory_says_unknown_or_the_truth(memory: int) -> None:
    for variant, number in [*HARD_DEALS, ("citadel", 24), ("citadel", 26), ("beleaguered-castle", 67)]:
        position, rules = ms(number, variant)
        truth = search(position, rules, max_nodes=20_000, max_memory=MEMORY).status
        found = checked(position, rules, max_nodes=20_000, max_memory=memory)
        if found.status in (WON, LOST):
            assert found.status == truth or truth == OUT_OF_NODES
        else:
            assert found.status in (OUT_OF_NODES, OUT_OF_MEMORY)


def test_memory_that_runs_out_is_said() -> None:
    found = search(*ms(83, "penelopes-web"), max_nodes=10**7, max_memory=1 << 18)
    assert (found.status, found.moves) == (OUT_OF_MEMORY, ())


def test_abort() -> None:
    rules = rules_of("penelopes-web")
    position = deal_position(LONG_DEAL, rules)
    abort = np.ones(1, np.uint8)
    assert search(position, rules, max_nodes=10**7, max_memory=MEMORY, abort=abort).status == ABORTED
    abort[0] = 0
    timer = threading.Timer(0.2, abort.fill, [1])
    timer.start()
    found = search(position, rules, max_nodes=10**8, max_memory=1 << 30, abort=abort)
    timer.join()
    assert found.status == ABORTED
    assert found.nodes > 0


def test_won_and_stuck_boards() -> None:
    won = Position((13, 13, 13, 13), ((),) * 8)
    found = search(won, rules_of("citadel"), **ENOUGH)
    assert (found.status, found.moves) == (WON, ())
    stuck = "Foundations: D-2 S-2\nAH 2H\nAC 2C"
    rules = small_rules(2)
    assert search(draw(stuck, rules, ranks=2), rules, **ENOUGH).status == LOST


def test_kernels_run_as_plain_python() -> None:
    check_plain_python("quota.class_search", "small_castle(Random(seed))")
