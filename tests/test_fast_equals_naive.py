"""The general engine's verdicts equal those of the exhaustive search in ``naive``."""

from collections import Counter
from collections.abc import Iterable
from random import Random

import pytest
from boards import draw, small_rules
from hypothesis import given, settings
from hypothesis import strategies as st

from solver.certificates import prove
from solver.checking.naive import naive_verdict
from solver.checking.samples import BURIED_PILES, RULE_SETS, buried_position, position_of, small_position
from solver.engine.general.position_search import search
from solver.engine.result import LOST, WON
from solver.position import Position
from solver.referee import replay
from solver.rules import Rules
from solver.solving import Verdict

NAIVE_STATES = 2000
"""States after which the naive search gives up and another position is drawn."""

ENOUGH = {"max_nodes": 10**7, "max_memory": 1 << 28}


def check(position: Position, rules: Rules, most: int = NAIVE_STATES) -> bool | None:
    """Compare the two searches; the verdict, or None where the naive one gave up."""
    winnable = naive_verdict(position, rules, most)
    if winnable is None:
        return None
    found = search(position, rules, **ENOUGH)
    assert found.status == (WON if winnable else LOST), (position, rules)
    if winnable:
        line = replay(position, rules, found.moves)
        assert line.wins, (line.problem, position, rules)
        assert not line.repeats, (position, rules)
    return winnable


def check_seeds(first: int, last: int) -> None:
    verdicts = Counter(check(*small_position(Random(seed))) for seed in range(first, last))
    # Neither verdict may be so rare, nor giving up so frequent, that the comparison says little.
    assert min(verdicts[True], verdicts[False]) > 0.4 * (last - first), verdicts


def test_fixed_positions() -> None:
    check_seeds(0, 2000)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(2000, 32_000, 3000))
def test_more_fixed_positions(first: int) -> None:
    check_seeds(first, first + 3000)


@pytest.mark.parametrize("switches", RULE_SETS, ids=lambda switches: "-".join(switches.values()))
def test_each_rule_set(switches: dict[str, str]) -> None:
    random = Random(1)
    verdicts = Counter(
        check(position_of(random, random.randint(3, 5), rules), rules)
        for rules in [Rules("small", piles=random.randint(3, 5), **switches) for _ in range(60)]
    )
    assert verdicts[True] > 5, verdicts
    assert verdicts[False] > 5, verdicts


TELLING_SEEDS = (9427, 9876, 10562, 12965, 17836, 20325, 22957, 28716)
"""Seeds of ``buried``: with spaces for any card and automatic founding, supermoves win what single cards lose."""


def buried(seed: int, switches: dict[str, str]) -> tuple[Position, Rules]:
    """A position of few spaces, long runs and low cards under them; the same board for every rule set."""
    random = Random(seed)
    rules = Rules("small", piles=random.choice(BURIED_PILES), **switches)
    return buried_position(random, rules), rules


def check_buried(seeds: Iterable[int], switches: dict[str, str]) -> None:
    verdicts = Counter(check(*buried(seed, switches), most=600) for seed in seeds)
    # Without spaces few positions are won, and withdrawals make many too large for the naive search.
    total = verdicts.total()
    assert verdicts[True] > 0.01 * total, verdicts
    assert verdicts[False] > 0.3 * total, verdicts
    assert verdicts[None] < 0.3 * total, verdicts


@pytest.mark.parametrize("switches", RULE_SETS, ids=lambda switches: "-".join(switches.values()))
def test_buried_positions_of_each_rule_set(switches: dict[str, str]) -> None:
    check_buried((*range(150), *TELLING_SEEDS), switches)


@pytest.mark.slow
@pytest.mark.parametrize("switches", RULE_SETS, ids=lambda switches: "-".join(switches.values()))
def test_a_hundred_thousand_buried_positions_of_each_rule_set(switches: dict[str, str]) -> None:
    check_buried(range(100_000), switches)


@pytest.mark.parametrize("switches", RULE_SETS, ids=lambda switches: "-".join(switches.values()))
def test_the_referee_accepts_closed_sets_of_each_rule_set(switches: dict[str, str]) -> None:
    """A set that leaves out a legal move is refused, and ``prove`` raises."""
    checked = 0
    for seed in range(20):
        position, rules = buried(seed, switches)
        if naive_verdict(position, rules, 40) is False:
            proof = prove(position, rules, strict=True)
            assert proof.verdict is Verdict.LOST, seed
            assert proof.is_checked
            checked += 1
    assert checked > 1


def test_single_cards_lose_what_supermoves_win() -> None:
    for seed in TELLING_SEEDS:
        verdicts = {}
        for unit in ("card", "supermove"):
            position, rules = buried(seed, {"unit": unit, "auto_found": "uncovered"})
            verdicts[unit] = naive_verdict(position, rules, NAIVE_STATES)
        assert verdicts == {"card": False, "supermove": True}, seed


@settings(max_examples=300)
@given(st.randoms(use_true_random=False))
def test_drawn_positions(random: Random) -> None:
    check(*small_position(random))


HOST_IN_A_RUN = """\
Foundations: H-A S-A
AD 3D 2H
3H 3S 2S 5D 4H
2D AC 2C 5H 3C 4C 5S 4S 4D 5C
"""


def test_a_run_that_moves_as_one_uncovers_no_card_inside_it() -> None:
    """4H 3D moves onto 5D. Card by card, 4H would be uncovered, go up, and be missing as a host of 3D."""
    verdicts = {}
    for unit in ("card", "supermove", "sequence"):
        rules = small_rules(3, unit=unit, auto_found="uncovered")
        verdicts[unit] = check(draw(HOST_IN_A_RUN, rules, ranks=5), rules)
    assert verdicts == {"card": False, "supermove": True, "sequence": True}
